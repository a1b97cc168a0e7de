//! The hash that everything here is built on.

/// The finaliser of splitmix64: a permutation of 64 bits in which every bit depends on every bit.
#[inline(always)]
pub fn mix(mut x: u64) -> u64 {
    x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ x >> 31
}
