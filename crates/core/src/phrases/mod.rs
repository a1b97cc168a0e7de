//! Phrases that many pages hold, the pages that cover them, and the text that is a page's own.

pub mod covers;
pub mod originals;
pub mod popular;
pub mod popular_groups;
pub mod quotes;
pub mod sites;
