//! Quilts: pages made of other pages' text (Najork 2012).
//!
//! ```text
//! texts ─grams→ pairs ─count→ postings ─greedy_cover→ covers: one row a page, with its grams and its sources
//! ```

pub mod collection;
pub mod covers;
pub mod grams;
pub mod greedy_cover;
pub mod index;
pub mod lookup;
pub mod pairs;
pub mod patches;
pub mod postings;
pub mod shared_grams;
pub mod sites;
pub mod verify;
