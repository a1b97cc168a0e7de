//! What is looked up in a stored run: pages like one, and pages that hold a word.

pub mod forest;
pub mod word_hashes;
