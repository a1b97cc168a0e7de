//! Patch grams: from the pairs of one bucket to the grams that several pages hold, and who holds them.
//!
//! Most grams occur once. A filter of two bits a slot drops them in two quick passes while the bucket is in the
//! cache; a gram that occurs twice always stays, and what stays by chance is found out when the rest is sorted.

use std::io;

use hashbrown::HashSet;

use crate::spill::pairs::{BUCKET_BITS, ReadBuffers, SpillPairs};
use crate::spill::passes::passes;

/// A gram that at least two pages hold.
pub struct SharedGram<'a> {
    pub gram: u64,
    /// Who holds it, in ascending order.
    pub holders: &'a [u32],
    /// More pages hold it than a patch gram may have; then `holders` may come in several calls.
    pub common: bool,
    /// The first call for this gram.
    pub first: bool,
}

/// What `shared_grams` needs to know beside the pairs.
#[derive(Clone, Copy)]
pub struct CountRules<'a> {
    /// The number of a page in the order of page ids, by its number in the pairs.
    pub rank: &'a [u32],
    /// Whether a page, by rank, counts: a copy of another page does not.
    pub counts: &'a [bool],
    /// A patch gram is held by at most this many pages that count.
    pub m: usize,
    /// Bytes to work in.
    pub memory: usize,
}

/// Calls `found` with each gram of a bucket that at least two pages hold.
pub fn shared_grams(
    pairs: &SpillPairs<u32>,
    bucket: usize,
    rules: CountRules<'_>,
    buffers: &mut Buffers,
    mut found: impl FnMut(SharedGram<'_>),
) -> io::Result<()> {
    // What is held at once of a pair: itself, its bits in the filter, itself twice among those that stay.
    let max_pairs = rules.memory / (SpillPairs::<u32>::PAIR + 4 + 32) + 1;
    let passes = passes(pairs.bucket_len(bucket), max_pairs, BUCKET_BITS);
    if passes.len() == 1 {
        let mut read = std::mem::take(&mut buffers.read);
        buffers.find(
            &pairs.slices(bucket, &mut read)?,
            rules,
            BUCKET_BITS,
            |page| rules.rank[page as usize],
            &mut found,
        );
        buffers.read = read;
        return Ok(());
    }
    let known = BUCKET_BITS + passes.len().trailing_zeros();
    let mut held = BucketPart { rules, grams: Vec::new(), pages: Vec::new(), common: HashSet::new(), limit: 0 };
    for pass in passes {
        pairs.read(bucket, |grams, pages| {
            for (&gram, &page) in grams.iter().zip(pages) {
                if pass.takes(gram) {
                    held.grams.push(gram);
                    held.pages.push(rules.rank[page as usize]);
                }
            }
            if held.grams.len() > held.limit.max(2 * max_pairs) {
                held.drop_common(&mut found);
            }
        })?;
        if !held.common.is_empty() {
            // A single pair of a known gram is no single gram.
            held.drop_common(&mut found);
        }
        buffers.find(&[(&held.grams, &held.pages)], rules, known, |page| page, &mut found);
        held.grams.clear();
        held.pages.clear();
        held.common.clear();
        held.limit = 0;
    }
    Ok(())
}

/// What one thread works in, bucket after bucket.
#[derive(Default)]
pub struct Buffers {
    read: ReadBuffers<u32>,
    /// By slot: a bit that a gram fell there, and 32 bits above it one that a second did.
    filter: Vec<u64>,
    /// Gram and page as one number, in the order they came.
    kept: Vec<u128>,
    sorted: Vec<u128>,
    ends: Vec<u32>,
    holders: Vec<u32>,
}

impl Buffers {
    /// All grams of complete groups that agree in their first `known` bits.
    fn find(
        &mut self,
        slices: &[(&[u64], &[u32])],
        rules: CountRules<'_>,
        known: u32,
        rank: impl Fn(u32) -> u32,
        found: &mut impl FnMut(SharedGram<'_>),
    ) {
        self.mark(slices);
        let kept = self.keep_repeated(slices, rank);
        self.sort(kept, known);
        for group in self.sorted[..kept].chunk_by(|a, b| a >> 32 == b >> 32).filter(|group| group.len() > 1) {
            self.holders.clear();
            self.holders.extend(group.iter().map(|pair| *pair as u32));
            let common = rules.is_common(&self.holders);
            found(SharedGram { gram: (group[0] >> 32) as u64, holders: &self.holders, common, first: true });
        }
    }

    fn mark(&mut self, slices: &[(&[u64], &[u32])]) {
        let pairs: usize = slices.iter().map(|slice| slice.0.len()).sum();
        self.filter.clear();
        self.filter.resize((pairs / 4).next_power_of_two(), 0);
        for &gram in slices.iter().flat_map(|slice| slice.0) {
            let (at, bit) = slot(gram, self.filter.len());
            let word = self.filter[at];
            self.filter[at] = word | bit | (word & bit) << 32;
        }
    }

    /// Keeps every pair whose gram occurs twice, and few others; returns how many.
    fn keep_repeated(&mut self, slices: &[(&[u64], &[u32])], rank: impl Fn(u32) -> u32) -> usize {
        let mut count = 0;
        for (grams, pages) in slices {
            if self.kept.len() < count + grams.len() {
                self.kept.resize(count + grams.len(), 0);
            }
            for (&gram, &page) in grams.iter().zip(*pages) {
                let (at, bit) = slot(gram, self.filter.len());
                // Written always, counted if it stays: a branch would be mispredicted half of the time.
                self.kept[count] = u128::from(gram) << 32 | u128::from(rank(page));
                count += usize::from(self.filter[at] >> 32 & bit != 0);
            }
        }
        count
    }

    /// Sorts what was kept: by the first bits that differ into groups of a few, then each of these.
    fn sort(&mut self, kept: usize, known: u32) {
        let bits = (kept / 4).max(2).ilog2();
        let group = |pair: u128| ((pair >> 32) as u64) << known >> (64 - bits);
        self.ends.clear();
        self.ends.resize((1 << bits) + 1, 0);
        for &pair in &self.kept[..kept] {
            self.ends[group(pair) as usize + 1] += 1;
        }
        for at in 0..1 << bits {
            self.ends[at + 1] += self.ends[at];
        }
        if self.sorted.len() < kept {
            self.sorted.resize(kept, 0);
        }
        for &pair in &self.kept[..kept] {
            let end = &mut self.ends[group(pair) as usize];
            self.sorted[*end as usize] = pair;
            *end += 1;
        }
        let mut begin = 0;
        for &end in &self.ends[..1 << bits] {
            self.sorted[begin..end as usize].sort_unstable();
            begin = end as usize;
        }
    }
}

/// A gram's word in the filter, and its bit.
#[inline(always)]
fn slot(gram: u64, words: usize) -> (usize, u64) {
    ((gram >> 5) as usize & (words - 1), 1 << (gram % 32))
}

/// A part of a bucket that is too large to be held at once.
struct BucketPart<'a> {
    rules: CountRules<'a>,
    grams: Vec<u64>,
    pages: Vec<u32>,
    /// Common grams that were handed over already.
    common: HashSet<u64>,
    /// With more pairs than this it pays to look for common grams again.
    limit: usize,
}

impl BucketPart<'_> {
    /// Makes room: grams that are common by now are handed over, and only their hashes are kept.
    fn drop_common(&mut self, found: &mut impl FnMut(SharedGram<'_>)) {
        let mut pairs: Vec<(u64, u32)> = self.grams.drain(..).zip(self.pages.drain(..)).collect();
        pairs.sort_unstable();
        let mut holders = Vec::new();
        for group in pairs.chunk_by(|a, b| a.0 == b.0) {
            let gram = group[0].0;
            holders.clear();
            holders.extend(group.iter().map(|pair| pair.1));
            let known = self.common.contains(&gram);
            if known || self.rules.is_common(&holders) {
                self.common.insert(gram);
                found(SharedGram { gram, holders: &holders, common: true, first: !known });
            } else {
                self.grams.extend(group.iter().map(|pair| pair.0));
                self.pages.extend_from_slice(&holders);
            }
        }
        self.limit = 2 * self.grams.len();
    }
}

/// Whether a gram that so many pages hold, copies not counted, is a patch gram.
pub fn is_patch(holders: usize, m: usize) -> bool {
    (2..=m).contains(&holders)
}

impl CountRules<'_> {
    fn is_common(&self, holders: &[u32]) -> bool {
        holders.len() > self.m && holders.iter().filter(|&&page| self.counts[page as usize]).count() > self.m
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// Whatever the memory: each shared gram with all its holders, and common ones named so.
        #[test]
        fn shared_is_shared(
            pages in prop::collection::vec(prop::collection::btree_set(1u64..40, 0..30), 0..30),
            m in 1usize..12, memory in prop_oneof![Just(0), 0usize..2000, Just(1 << 20)], limit in 0usize..3000,
        ) {
            let mut pairs = SpillPairs::new(limit, &std::env::temp_dir());
            let mut expected: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
            for (page, grams) in pages.iter().enumerate() {
                let grams: Vec<u64> = grams.iter().map(|g| crate::hash::mix(*g) >> BUCKET_BITS).collect();
                grams.iter().for_each(|g| expected.entry(*g).or_default().push(page as u32));
                pairs.extend(&grams, &vec![page as u32; grams.len()]).unwrap();
            }
            expected.retain(|_, holders| holders.len() > 1);
            let rank: Vec<u32> = (0..pages.len() as u32).collect();
            let counts: Vec<bool> = (0..pages.len()).map(|page| page % 5 != 0).collect();
            let mut found: BTreeMap<u64, (Vec<u32>, bool, usize)> = BTreeMap::new();
            let rules = CountRules { rank: &rank, counts: &counts, m, memory };
            shared_grams(&pairs, 0, rules, &mut Buffers::default(), |shared| {
                let entry = found.entry(shared.gram).or_default();
                entry.0.extend_from_slice(shared.holders);
                entry.1 |= shared.common;
                entry.2 += usize::from(shared.first);
            }).unwrap();
            found.values_mut().for_each(|entry| entry.0.sort_unstable());
            prop_assert_eq!(found.len(), expected.len());
            for (gram, (holders, common, firsts)) in found {
                prop_assert_eq!(&holders, &expected[&gram]);
                prop_assert_eq!(common, holders.iter().filter(|h| counts[**h as usize]).count() > m);
                prop_assert_eq!(firsts, 1);
            }
        }
    }
}
