//! One rule for rows that do not fit in memory: they go through it in passes, each with those whose hashes begin alike.

/// One of the passes.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    number: u64,
    /// How many passes there are, as a power of two.
    bits: u32,
    known: u32,
}

impl Pass {
    /// Whether rows with this hash are in this pass.
    #[inline(always)]
    pub fn takes(self, hash: u64) -> bool {
        hash << self.known >> 1 >> (63 - self.bits) == self.number
    }
}

/// The passes in which rows that take `bytes` go through `memory`: a power of two, so that a pass is known by a few bits
/// of a hash, behind the first `known` that all rows have in common.
pub fn passes(bytes: usize, memory: usize, known: u32) -> impl ExactSizeIterator<Item = Pass> + Clone {
    let count = bytes.div_ceil(memory.max(1)).next_power_of_two();
    (0..count as u32).map(move |number| Pass { number: u64::from(number), bits: count.trailing_zeros(), known })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_hash_is_in_one_pass(hash in any::<u64>(), bytes in 0usize..5000, memory in 0usize..500, known in 0u32..20) {
            let all = passes(bytes, memory, known);
            prop_assert!(all.len() * memory.max(1) >= bytes);
            prop_assert!(all.len() <= (2 * bytes.div_ceil(memory.max(1))).max(1));
            prop_assert_eq!(all.clone().filter(|pass| pass.takes(hash)).count(), 1);
            prop_assert!(all.clone().all(|pass| pass.takes(hash) == pass.takes(hash ^ 1 << 63) || known == 0));
        }
    }
}
