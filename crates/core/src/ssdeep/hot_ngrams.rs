//! N-grams that very many digests hold, such as those of boilerplate that all pages of a site share.
//!
//! To compare all holders of such an n-gram with each other is quadratic. Digests that score high have most of their
//! characters in common, and so other n-grams too, which fewer digests hold. So the holders of a *hot* n-gram are
//! compared only with their neighbours, in the order of their signatures read forwards and backwards.
//!
//! What is hot, and who is compared, depends on nothing but the set of digests: not on threads, passes or memory. No
//! pair is missed as long as no n-gram has more than `MAX_HOLDERS` holders. Above that, a pair is found if it shares
//! another n-gram, or if few signatures lie between the two in one of the orders, or through others of its class.

use hashbrown::{HashMap, HashSet};

use crate::ssdeep::near_join::{NearJoin, NgramHolder, Profile, START, Signatures};
use crate::ssdeep::ngram_postings::ngram_hash;
use crate::ssdeep::score::ngrams;
use crate::union_find::UnionFind;

/// Signatures that may hold an n-gram before it is hot.
pub const MAX_HOLDERS: usize = 4096;

/// Neighbours with which the holder of a hot n-gram is compared, in each order.
const NEIGHBOURS: usize = 32;

/// The hashes of all hot n-grams.
#[derive(Default)]
pub struct HotNgrams(HashSet<u64>);

/// An n-gram of a signature: its hash, the character before it, and whether it, the one before and the one after are
/// hot.
pub struct Occurrence {
    pub hash: u64,
    pub before: u8,
    pub hot: bool,
    /// Hot, and the first or last in a row of hot ones: those in between have the same holders, or fewer.
    pub edge: bool,
}

impl HotNgrams {
    /// Those of these hashes.
    pub fn of(hashes: impl IntoIterator<Item = u64>) -> Self {
        HotNgrams(hashes.into_iter().collect())
    }

    /// The occurrences in a signature of those n-grams whose hashes are wanted.
    pub fn occurrences(&self, level: u8, signature: &[u8], wanted: impl Fn(u64) -> bool) -> Vec<Occurrence> {
        let hashes: Vec<u64> = ngrams(signature).map(|ngram| ngram_hash(level, ngram)).collect();
        let hot = |place: usize| !self.0.is_empty() && hashes.get(place).is_some_and(|hash| self.0.contains(hash));
        let mut found = Vec::new();
        for (place, &hash) in hashes.iter().enumerate().filter(|(_, hash)| wanted(**hash)) {
            let hot_before = place > 0 && hot(place - 1);
            // Who shares the n-gram before was compared there, unless that is hot.
            let before = if place > 0 && !hot_before { signature[place - 1] } else { START };
            let is_hot = hot(place);
            found.push(Occurrence { hash, before, hot: is_hot, edge: is_hot && !(hot_before && hot(place + 1)) });
        }
        found
    }
}

impl<S: Signatures> NearJoin<S> {
    /// Adds the hot n-grams among those of one tag. Different n-grams may have the same tag.
    pub(super) fn find_hot(&self, tag: u32, group: &[NgramHolder], hot: &mut HotNgrams) {
        if group.len() <= self.max_holders {
            return;
        }
        let mut holders: HashMap<u64, usize> = HashMap::new();
        for &member in group {
            let (level, signature) = self.signatures.signature(member);
            let mut held: Vec<u64> = ngrams(signature).map(|ngram| ngram_hash(level, ngram)).collect();
            held.retain(|&hash| hash as u32 == tag);
            held.sort_unstable();
            held.dedup();
            held.into_iter().for_each(|hash| *holders.entry(hash).or_default() += 1);
        }
        hot.0.extend(holders.into_iter().filter(|&(_, count)| count > self.max_holders).map(|(hash, _)| hash));
    }

    /// Compares the holders of hot n-grams with their neighbours.
    pub(super) fn join_hot(&self, mut holders: Vec<(u64, Profile)>, classes: &mut UnionFind) {
        for backwards in [false, true] {
            holders.sort_unstable_by(|(a_hash, a), (b_hash, b)| {
                let (left, right) = (self.signatures.signature(a.member).1, self.signatures.signature(b.member).1);
                let order = if backwards { left.iter().rev().cmp(right.iter().rev()) } else { left.iter().cmp(right) };
                a_hash.cmp(b_hash).then(order).then(a.member.0.cmp(&b.member.0))
            });
            for same in holders.chunk_by(|a, b| a.0 == b.0) {
                let profiles: Vec<Profile> = same.iter().map(|&(_, profile)| profile).collect();
                for place in 1..profiles.len() {
                    let neighbours = &profiles[place.saturating_sub(NEIGHBOURS)..place];
                    self.join_profile(&profiles[place], neighbours, classes);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;
    use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
    use proptest::prelude::*;

    use crate::hash::mix;
    use crate::ssdeep::classes::{FuzzyClassBuilder, score};
    use crate::ssdeep::score::Digest;
    use crate::ssdeep::store::StoredDigest;
    use crate::union_find::UnionFind;

    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    /// Random numbers from a seed.
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, end: usize) -> usize {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            (mix(self.0) % end as u64) as usize
        }

        fn text(&mut self, len: usize) -> Vec<u8> {
            (0..len).map(|_| ALPHABET[self.below(64)]).collect()
        }
    }

    /// Families of pages with the same boilerplate: each has a text of its own, of which copies differ in a few characters.
    fn with_boilerplate(seed: u64, families: usize, copies: usize, boilerplate: usize, edits: usize) -> Vec<String> {
        let mut dice = Dice(seed);
        let shared = dice.text(boilerplate);
        let mut lines = Vec::new();
        for _ in 0..families {
            let own = dice.text(60 - boilerplate);
            for _ in 0..copies {
                let mut text = own.clone();
                for _ in 0..dice.below(edits + 1) {
                    let place = dice.below(text.len());
                    text[place] = ALPHABET[dice.below(64)];
                }
                let signature = String::from_utf8([shared.clone(), text].concat()).unwrap();
                lines.push(format!("96:{signature}:{}", &signature[..20]));
            }
        }
        lines
    }

    fn classes(lines: &[String], threshold: u32, memory: usize, max_holders: usize) -> Vec<(i64, i64)> {
        let mut builder = FuzzyClassBuilder::new(threshold, 7, memory, max_holders);
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("page", Arc::new((0..lines.len() as i64).collect::<Int64Array>())),
            ("md5", Arc::new((0..lines.len()).map(|n| Some(format!("{n:032x}"))).collect::<StringArray>())),
            ("ssdeep", Arc::new(lines.iter().map(Some).collect::<StringArray>())),
        ];
        builder.push(&RecordBatch::try_from_iter(columns).unwrap()).unwrap();
        let found = builder.finish().unwrap();
        let column = |name| found.column_by_name(name).unwrap().as_primitive::<Int64Type>().values().to_vec();
        column("label").into_iter().zip(column("page")).collect()
    }

    fn brute(lines: &[String], threshold: u32) -> Vec<(i64, i64)> {
        let digests: Vec<Digest> = lines.iter().map(|line| Digest::parse(line).unwrap()).collect();
        let stored: Vec<StoredDigest<'_>> = digests.iter().map(StoredDigest::of).collect();
        let mut joined = UnionFind::new(lines.len());
        for a in 0..lines.len() {
            for b in 0..a {
                if lines[a] == lines[b] || score(&stored[a], &stored[b]) >= threshold {
                    joined.join(a as u32, b as u32);
                }
            }
        }
        let roots: Vec<u32> = (0..lines.len() as u32).map(|page| joined.find(page)).collect();
        let mut found: Vec<(i64, i64)> = (0..lines.len())
            .filter(|&page| roots.iter().filter(|&&root| root == roots[page]).count() > 1)
            .map(|page| (i64::from(roots[page]), page as i64))
            .collect();
        found.sort_unstable();
        found
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        /// As long as nothing is hot, all pairs are found.
        #[test]
        fn complete_below_the_limit(seed: u64, families in 1usize..30, copies in 1usize..5, boilerplate in 0usize..55,
                                    edits in 0usize..9, threshold in 30u32..99) {
            let lines = with_boilerplate(seed, families, copies, boilerplate, edits);
            prop_assert_eq!(classes(&lines, threshold, 1 << 30, lines.len()), brute(&lines, threshold));
        }

        /// Above it no pair is joined that brute force would not join, whatever memory there is.
        #[test]
        fn pure_above_the_limit(seed: u64, families in 8usize..40, copies in 1usize..5, boilerplate in 8usize..55,
                                edits in 0usize..9, threshold in 30u32..99, memory in 1usize..20_000) {
            let lines = with_boilerplate(seed, families, copies, boilerplate, edits);
            let found = classes(&lines, threshold, 1 << 30, 16);
            prop_assert_eq!(&found, &classes(&lines, threshold, memory, 16));
            let all = brute(&lines, threshold);
            let class_of = |page: i64| all.iter().find(|pair| pair.1 == page).map(|pair| pair.0);
            for (class, page) in found {
                prop_assert!(class_of(page).is_some() && class_of(page) == class_of(class));
            }
        }
    }

    /// Near copies that share more than the boilerplate are all found, however many pages share it.
    #[test]
    fn copies_under_shared_boilerplate() {
        let lines = with_boilerplate(5, 300, 3, 32, 2);
        let (all, found) = (brute(&lines, 80), classes(&lines, 80, 1 << 30, 64));
        assert!(all.len() > 800);
        assert_eq!(found, all);
    }

    /// Pages that differ in a few characters only share nothing but hot n-grams: neighbours join them.
    #[test]
    fn pages_that_are_little_but_boilerplate() {
        let lines = with_boilerplate(6, 1, 600, 40, 3);
        assert_eq!(classes(&lines, 85, 1 << 30, 64), brute(&lines, 85));
    }
}
