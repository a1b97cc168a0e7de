//! ssdeep digests: making them, scoring them, and finding those that are alike.

pub mod classes;
pub mod digest;
pub mod hot_ngrams;
pub mod index;
mod near_join;
pub mod ngram_groups;
pub mod ngram_postings;
pub mod score;
pub mod store;
pub mod stream;
pub mod verified;
