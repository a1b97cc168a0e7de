//! HTML without a tree: tags, character references, visible text, links.

pub mod auto_targets;
pub mod content;
pub mod entities;
pub mod extract;
pub mod generator;
pub mod markup;
pub mod skeleton;
pub mod structure;
mod tag_ngrams;
pub mod text;
