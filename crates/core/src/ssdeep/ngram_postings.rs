//! Which digests hold an n-gram of a signature: a hash table that grows a little at a time.
//!
//! An n-gram is seven characters of a signature at one block size. The table has many shards, and a shard that is full
//! grows by a quarter, so that no single addition takes long and little memory is idle. A slot is eight bytes: 32 bits
//! of the n-gram's hash, and its holder, or the number of a list when there are several. N-grams that agree in their
//! hash share a slot; the digests are compared afterwards anyway.

use crate::hash::mix;

const SHARD_BITS: u32 = 10;
const FREE: u32 = u32::MAX;
/// Set where a slot points to a list.
const LIST: u32 = 1 << 31;
/// Slots of a new shard.
const SMALLEST: usize = 8;

#[derive(Clone, Copy)]
struct Slot {
    tag: u32,
    holder: u32,
}

#[derive(Default)]
struct Shard {
    slots: Vec<Slot>,
    used: usize,
}

/// From n-grams to the digests that hold them.
pub struct NgramPostings {
    shards: Vec<Shard>,
    lists: Vec<Vec<u32>>,
    max_holders: usize,
}

/// The hash of an n-gram of a signature made at a level.
#[inline]
pub fn ngram_hash(level: u8, ngram: u64) -> u64 {
    mix(u64::from(level) << 42 | ngram)
}

impl NgramPostings {
    /// An n-gram lists at most `max_holders` digests.
    pub fn new(max_holders: usize) -> Self {
        NgramPostings {
            shards: (0..1 << SHARD_BITS).map(|_| Shard::default()).collect(),
            lists: Vec::new(),
            max_holders,
        }
    }

    /// Adds a holder of an n-gram.
    pub fn add(&mut self, hash: u64, holder: u32) {
        let shard = &mut self.shards[(hash >> (64 - SHARD_BITS)) as usize];
        if (shard.used + 1) * 8 > shard.slots.len() * 7 {
            shard.grow();
        }
        let tag = hash as u32;
        let slot = shard.place(tag);
        let found = &mut shard.slots[slot].holder;
        match *found {
            FREE => {
                shard.slots[slot] = Slot { tag, holder };
                shard.used += 1;
            }
            list if list & LIST != 0 => {
                let list = &mut self.lists[(list & !LIST) as usize];
                // A digest may hold an n-gram twice.
                if list.len() < self.max_holders && list.last() != Some(&holder) {
                    list.push(holder);
                }
            }
            other if other != holder => {
                *found = LIST | self.lists.len() as u32;
                self.lists.push(vec![other, holder]);
            }
            _ => {}
        }
    }

    /// The holders of an n-gram.
    #[inline]
    pub fn holders(&self, hash: u64) -> &[u32] {
        let shard = &self.shards[(hash >> (64 - SHARD_BITS)) as usize];
        if shard.used == 0 {
            return &[];
        }
        match &shard.slots[shard.place(hash as u32)].holder {
            &FREE => &[],
            list if list & LIST != 0 => &self.lists[(list & !LIST) as usize],
            holder => std::slice::from_ref(holder),
        }
    }
}

impl Shard {
    /// The slot that has this tag, or the free one where it belongs.
    #[inline]
    fn place(&self, tag: u32) -> usize {
        let mut at = ((u64::from(tag) * self.slots.len() as u64) >> 32) as usize;
        while self.slots[at].holder != FREE && self.slots[at].tag != tag {
            at = if at + 1 == self.slots.len() { 0 } else { at + 1 };
        }
        at
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 5 / 4).max(SMALLEST);
        let old = std::mem::replace(&mut self.slots, vec![Slot { tag: 0, holder: FREE }; size]);
        for slot in old.into_iter().filter(|slot| slot.holder != FREE) {
            let at = self.place(slot.tag);
            self.slots[at] = slot;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// Against a map of lists.
        #[test]
        fn is_a_map(added in proptest::collection::vec((0u64..400, 0u32..50), 0..600)) {
            let mut postings = NgramPostings::new(5);
            let mut expected: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
            // All in two shards, so that they are crowded.
            let spread = |key: u64| ngram_hash(0, key) >> 9;
            for (key, holder) in added {
                postings.add(spread(key), holder);
                let list = expected.entry(key).or_default();
                if list.len() < 5 && list.last() != Some(&holder) {
                    list.push(holder);
                }
            }
            for key in 0..400 {
                prop_assert_eq!(postings.holders(spread(key)), expected.get(&key).map_or(&[][..], |list| list));
            }
        }
    }
}
