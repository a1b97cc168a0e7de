//! Stores that hold rows in memory up to a budget, and the rest in files.

pub mod lists;
pub mod partitions;
