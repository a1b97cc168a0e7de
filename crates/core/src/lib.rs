//! The kernels of pagekin: pure functions from pages and Arrow batches to Arrow batches.
//!
//! Nothing here opens a file, reads the environment or knows Python. One module per idea; the order below is
//! the order in which a page passes through them.

#[cfg(target_arch = "x86_64")]
mod blocks;
pub mod chars;
pub mod charset;
pub mod cover;
pub mod covers;
pub mod domain;
pub mod entities;
pub mod extract;
mod find;
pub mod gram_index;
pub mod grams;
pub mod known;
pub mod links;
pub mod markup;
pub mod noise;
pub mod page;
pub mod pairs;
pub mod patches;
pub mod postings;
pub mod quilts;
pub mod runs;
pub mod sites;
pub mod sketch;
pub mod style;
pub mod text;
pub mod verify;
pub mod words;
