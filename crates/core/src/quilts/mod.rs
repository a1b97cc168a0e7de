//! Quilts: pages made of other pages' text (Najork 2012).
//!
//! ```text
//! texts ─grams→ pairs ─count→ postings ─greedy_cover→ covers: one row a page, with its grams and its sources
//! ```
//!
//! The same in rows that an engine moves, where one machine is not enough:
//!
//! ```text
//! texts ─gram_rows→ by gram ─patch_rows→ counts, postings ─class_members→ allowed ─cover_rows→ by page: covers
//! ```

pub mod class_members;
pub mod collection;
pub mod cover_rows;
pub mod covered;
pub mod covers;
pub mod gram_rows;
pub mod grams;
pub mod index;
pub mod lists;
pub mod lookup;
pub mod patches;
pub mod postings;
pub mod shared_grams;
pub mod sites;
pub mod verify;
