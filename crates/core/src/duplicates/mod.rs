//! Exact and near duplicates: candidate pairs by shingles, classes by verified phrases.

pub mod bands;
pub mod candidates;
pub mod classes;
pub mod phrase_sets;
