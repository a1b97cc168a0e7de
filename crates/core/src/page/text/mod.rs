//! Characters and words.

pub mod chars;
pub mod words;
