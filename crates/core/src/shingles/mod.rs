//! Shingles: min-wise samples of a page's k-word phrases.

pub mod minwise;
pub mod rabin;
