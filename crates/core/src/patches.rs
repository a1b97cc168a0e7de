//! Patch grams: from the pairs of one bucket to the grams that several pages hold, and who holds them.
//!
//! Most grams occur once. A filter of two bits a slot drops them in two quick passes while the bucket is in the
//! cache; a gram that occurs twice always stays, and what stays by chance is found out when the rest is sorted.

use std::io;

use hashbrown::HashSet;

use crate::pairs::{PAIR, Pairs};

/// A gram that at least two pages hold.
pub struct Shared<'a> {
    /// Its hash.
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
pub struct Rules<'a> {
    /// The number of a page in the order of page ids, by its number in the pairs.
    pub rank: &'a [u32],
    /// Whether a page, by rank, counts: a copy of another page does not.
    pub counts: &'a [bool],
    /// The most pages that count which may hold a patch gram.
    pub m: usize,
    /// Bytes to work in.
    pub memory: usize,
}

/// Calls `found` with each gram of a bucket that at least two pages hold.
pub fn shared_grams(
    pairs: &Pairs,
    bucket: usize,
    rules: Rules<'_>,
    mut found: impl FnMut(Shared<'_>),
) -> io::Result<()> {
    // What is held at once of a pair: itself, its bits in the filter, itself again among those that stay.
    let most = rules.memory / (PAIR + 4 + 16) + 1;
    let passes = pairs.bucket_len(bucket).div_ceil(most).next_power_of_two();
    let shift = 56 - passes.trailing_zeros();
    let mut held = Bucket::new(rules);
    for pass in 0..passes {
        pairs.read(bucket, |grams, pages| {
            for (&gram, &page) in grams.iter().zip(pages) {
                if passes == 1 || (gram >> shift) as usize & (passes - 1) == pass {
                    held.grams.push(gram);
                    held.pages.push(rules.rank[page as usize]);
                }
            }
            if held.grams.len() > held.limit.max(2 * most) {
                held.drop_common(&mut found);
            }
        })?;
        held.finish(&mut found);
    }
    Ok(())
}

/// The pairs of a bucket, or of a part of it.
struct Bucket<'a> {
    rules: Rules<'a>,
    grams: Vec<u64>,
    pages: Vec<u32>,
    kept: Vec<(u64, u32)>,
    /// Common grams that were handed over already.
    common: HashSet<u64>,
    /// With more pairs than this it pays to look for common grams again.
    limit: usize,
}

impl<'a> Bucket<'a> {
    fn new(rules: Rules<'a>) -> Self {
        let common = HashSet::new();
        Bucket { rules, grams: Vec::new(), pages: Vec::new(), kept: Vec::new(), common, limit: 0 }
    }

    /// Hands over all that is left.
    fn finish(&mut self, found: &mut impl FnMut(Shared<'_>)) {
        if !self.common.is_empty() {
            // A single pair of a known gram is no single gram.
            self.drop_common(found);
        }
        self.keep_repeated();
        self.kept.sort_unstable();
        let mut holders = Vec::new();
        for group in self.kept.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1) {
            fill(&mut holders, group);
            let common = self.rules.too_many(&holders);
            found(Shared { gram: group[0].0, holders: &holders, common, first: true });
        }
        self.grams.clear();
        self.pages.clear();
        self.common.clear();
        self.limit = 0;
    }

    /// Makes room: grams that are common by now are handed over, and only their hashes are kept.
    fn drop_common(&mut self, found: &mut impl FnMut(Shared<'_>)) {
        self.kept.clear();
        self.kept.extend(self.grams.drain(..).zip(self.pages.drain(..)));
        self.kept.sort_unstable();
        let mut holders = Vec::new();
        for group in self.kept.chunk_by(|a, b| a.0 == b.0) {
            let gram = group[0].0;
            fill(&mut holders, group);
            let known = self.common.contains(&gram);
            if known || self.rules.too_many(&holders) {
                self.common.insert(gram);
                found(Shared { gram, holders: &holders, common: true, first: !known });
            } else {
                self.grams.extend(group.iter().map(|pair| pair.0));
                self.pages.extend_from_slice(&holders);
            }
        }
        self.kept = Vec::new();
        self.limit = 2 * self.grams.len();
    }

    /// Keeps every pair whose gram occurs twice, and few others.
    fn keep_repeated(&mut self) {
        let slots = (self.grams.len() * 8).next_power_of_two().max(64);
        let mask = slots as u64 - 1;
        let (mut once, mut twice) = (vec![0u64; slots / 64], vec![0u64; slots / 64]);
        for &gram in &self.grams {
            let (at, bit) = ((gram & mask) as usize / 64, 1u64 << (gram % 64));
            twice[at] |= once[at] & bit;
            once[at] |= bit;
        }
        self.kept.clear();
        for (&gram, &page) in self.grams.iter().zip(&self.pages) {
            if twice[(gram & mask) as usize / 64] >> (gram % 64) & 1 == 1 {
                self.kept.push((gram, page));
            }
        }
    }
}

fn fill(holders: &mut Vec<u32>, group: &[(u64, u32)]) {
    holders.clear();
    holders.extend(group.iter().map(|pair| pair.1));
}

impl Rules<'_> {
    fn too_many(&self, holders: &[u32]) -> bool {
        holders.len() > self.m && holders.iter().filter(|&&page| self.counts[page as usize]).count() > self.m
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::Chunk;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// Whatever the memory: each shared gram with all its holders, and common ones named so.
        #[test]
        fn shared_is_shared(
            pages in prop::collection::vec(prop::collection::btree_set(1u64..40, 0..30), 0..30),
            m in 1usize..12, memory in prop_oneof![Just(0), 0usize..2000, Just(1 << 20)], limit in 0usize..3000,
        ) {
            let mut pairs = Pairs::new(limit, &std::env::temp_dir());
            let mut expected: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
            for (page, grams) in pages.iter().enumerate() {
                let grams: Vec<u64> = grams.iter().map(|g| crate::style::mix(*g) >> 8).collect();
                grams.iter().for_each(|g| expected.entry(*g).or_default().push(page as u32));
                pairs.add(Chunk::new(&grams, &[(page as u32, grams.len())])).unwrap();
            }
            expected.retain(|_, holders| holders.len() > 1);
            let rank: Vec<u32> = (0..pages.len() as u32).collect();
            let counts: Vec<bool> = (0..pages.len()).map(|page| page % 5 != 0).collect();
            let mut found: BTreeMap<u64, (Vec<u32>, bool, usize)> = BTreeMap::new();
            shared_grams(&pairs, 0, Rules { rank: &rank, counts: &counts, m, memory }, |shared| {
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
