//! The kernels of pagekin: pure functions from pages and Arrow batches to Arrow batches.
//!
//! Nothing here reads the environment or knows Python, and files are opened only for what does not fit in memory and
//! for the gram index. One module per idea.

pub mod alike;
#[cfg(target_arch = "x86_64")]
mod blocks;
mod bucket;
pub mod chars;
pub mod charset;
pub mod classes;
pub mod cluster;
pub mod cover;
pub mod covers;
pub mod ctph;
pub mod digest;
pub mod domain;
pub mod donors;
pub mod entities;
pub mod extract;
mod fast;
mod find;
pub mod forest;
pub mod frames;
pub mod gram_index;
pub mod gram_known;
pub mod gram_verify;
pub mod grams;
pub mod index;
pub mod kin;
pub mod known;
pub mod links;
mod maker;
pub mod markup;
pub mod matrix;
pub mod members;
pub mod noise;
pub mod one_to_all;
pub mod originals;
pub mod page;
pub mod pairs;
pub mod parts;
pub mod passages;
pub mod patches;
pub mod pieces;
pub mod places;
pub mod popular;
pub mod postings;
pub mod quilts;
pub mod rabin;
pub mod rolling;
pub mod runs;
pub mod sets;
pub mod shape;
pub mod shelf;
pub mod shingles;
pub mod sites;
pub mod skeleton;
pub mod sketch;
pub mod style;
pub mod text;
pub mod union;
pub mod word_hashes;
pub mod words;
