//! Why pages repeat others, as far as URLs and redirects tell, and which query parameters change what a page says.

pub mod copies;
pub mod parameters;
pub mod reasons;
pub mod redirects;
