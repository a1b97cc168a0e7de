//! Style: fingerprints of noise, the search for similar ones, and clusters of pages made by one template
//! (Urvoy et al. 2006).

pub mod bucket;
pub mod chunks;
pub mod fingerprint;
pub mod groups;
pub mod keys;
pub mod matrix;
pub mod members;
pub mod prints;
pub mod probes;
pub mod rolling_hash;
pub mod scan;
pub mod shape;
