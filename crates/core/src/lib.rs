//! The kernels of pagekin: pure functions from pages and Arrow batches to Arrow batches.
//!
//! Nothing here reads the environment or knows Python, and files are opened only for what does not fit in memory and
//! for the gram index. A folder is a capability:
//!
//! - [`page`]: one page's bytes to text, title, links, words and sketches
//! - [`style`], [`shingles`], [`ssdeep`]: the three kinds of sketches, and what is found with each
//! - [`duplicates`], [`phrases`], [`quilts`]: what is found on shingles, phrases and grams
//! - [`causes`]: why pages repeat others, as far as URLs and redirects tell
//! - [`index`]: what is looked up in a stored run
//! - [`rows`]: what moves rows between kernels needs to know: parts, orders, components
//! - the rest is shared: greedy covers, hashes, Arrow columns, lookups, disjoint sets, spilling to disk, SIMD

mod arrow;
pub mod causes;
pub mod duplicates;
mod greedy_cover;
pub mod hash;
pub mod index;
pub mod key_lookup;
pub mod page;
pub mod phrases;
pub mod quilts;
pub mod rows;
pub mod shingles;
mod simd;
pub mod spill;
pub mod ssdeep;
pub mod style;
pub mod union_find;
