//! Exact and near duplicates: candidate pairs by shingles, classes by verified phrases.

pub mod candidates;
pub mod classes;
