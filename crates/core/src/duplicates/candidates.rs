//! Candidate pairs: which pages may be duplicates, found by banding shingles (LSH), never by comparing all with all.
//!
//! The shingles are cut into bands, and each band is hashed. The paper's rule: two pages are near-duplicates when at least
//! two of six bands of 14 agree. That is the same as agreeing in one of the 15 pairs of bands, so each pair of bands is a
//! key of its own; pages that share a key get an edge to the first of them, and no two are ever compared.
//!
//! With a similarity to reach, one band that agrees makes a pair of pages a candidate, to be verified on their phrases
//! (`classes`). A key that many pages share offers each of them a stated number of others, so that the work stays
//! linear.

use std::io;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{Array, BinaryArray, Int8Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::ArrowError;
use hashbrown::HashSet;
use rayon::prelude::*;

use crate::arrow::{batch_of, column};
use crate::hash::mix;
use crate::spill::lists::SpillLists;
use crate::spill::passes;
use crate::union_find::UnionFind;

/// How bands of shingles make edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BandRule {
    pub bands: usize,
    /// Shingles in a band.
    pub band_length: usize,
    /// How many bands must agree.
    pub evidence: Evidence,
}

/// What two pages need in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Evidence {
    /// Two equal bands make an edge: the paper's rule.
    TwoBands,
    /// One equal band makes a candidate pair for this Jaccard coefficient.
    OneBand(f64),
}

/// The texts are the same.
pub const SAME: i8 = 0;
/// The pages are near duplicates.
pub const NEAR: i8 = 1;
/// The pages are near duplicates if their phrases say so.
pub const CANDIDATE: i8 = 2;

/// In a group of at most this many pages every pair is a candidate.
const ALL_PAIRS: usize = 40;
/// In a larger one each page is paired with so many that follow it, and with as many chosen by hash.
const OFFERED: usize = 20;

/// A page that is in no earlier run.
const NEW: i64 = -1;

/// Collects pages, then finds the edges between them.
pub struct CandidateFinder {
    rule: BandRule,
    memory: usize,
    pages: Vec<i64>,
    digests: Vec<u128>,
    /// For pages of an earlier run the class they are in, or themselves; `NEW` for all others.
    known: Vec<i64>,
    /// Hashes of bands, or where candidates are to be sifted, shingles.
    sketches: SpillLists,
}

impl CandidateFinder {
    /// Pages below `memory` bytes stay in memory; what they need beyond it goes into the folder.
    pub fn new(rule: BandRule, memory: usize, spill: &Path) -> Self {
        let sketches = SpillLists::new(memory / 2, spill);
        CandidateFinder { rule, memory, pages: Vec::new(), digests: Vec::new(), known: Vec::new(), sketches }
    }

    /// More pages: `page`, `shingles`, `md5` and `known`. Pages without shingles have no words, and no duplicates.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let ids: &Int64Array = column(batch, "page")?;
        let known: &Int64Array = column(batch, "known")?;
        let shingles: &BinaryArray = column(batch, "shingles")?;
        let md5: &StringArray = column(batch, "md5")?;
        let mut list = Vec::new();
        for row in (0..batch.num_rows()).filter(|&row| shingles.is_valid(row)) {
            list.clear();
            list.extend(shingles.value(row).as_chunks::<8>().0.iter().map(|&b| u64::from_le_bytes(b)));
            if list.len() < self.rule.bands * self.rule.band_length {
                return Err(ArrowError::InvalidArgumentError("a page has too few shingles for these bands".into()));
            }
            if self.rule.evidence == Evidence::TwoBands {
                let bands = list.chunks_exact(self.rule.band_length).take(self.rule.bands).map(hash_band).collect();
                list = bands;
            }
            self.sketches.push(&list)?;
            self.pages.push(ids.value(row));
            self.known.push(if known.is_valid(row) { known.value(row) } else { NEW });
            self.digests.push(u128::from_str_radix(md5.value(row), 16).unwrap_or_default());
        }
        Ok(())
    }

    /// The edges: `page`, `other` and `kind`, ordered by page and other.
    pub fn finish(mut self) -> Result<RecordBatch, ArrowError> {
        self.sketches.seal()?;
        let first = self.same_texts();
        let mut edges: Vec<(i64, i64, i8)> = first
            .iter()
            .enumerate()
            .filter(|&(i, &f)| i != f as usize && self.known[i] == NEW)
            .map(|(i, &f)| (self.pages[i], self.pages[f as usize], SAME))
            .collect();
        let firsts: Vec<u32> = (0..self.pages.len() as u32).filter(|&i| first[i as usize] == i).collect();
        match self.rule.evidence {
            Evidence::TwoBands => self.edge(&firsts, &mut edges)?,
            Evidence::OneBand(similarity) => self.pair(&firsts, similarity, &mut edges)?,
        }
        // Earlier pages stay in their classes, as far as anything new is joined to them.
        let used: HashSet<i64> = edges.iter().flat_map(|&(page, other, _)| [page, other]).collect();
        let old = self.pages.iter().zip(&self.known).filter(|&(page, &class)| class != NEW && class != *page);
        let old = old.filter(|(page, _)| used.contains(*page)).map(|(&page, &class)| (page, class, NEAR));
        edges.extend(old);
        edges.par_sort_unstable();
        edges.dedup();
        batch_of(vec![
            ("page", Arc::new(edges.iter().map(|l| l.0).collect::<Int64Array>())),
            ("other", Arc::new(edges.iter().map(|l| l.1).collect::<Int64Array>())),
            ("kind", Arc::new(edges.iter().map(|l| l.2).collect::<Int8Array>())),
        ])
    }

    /// For each page the one of smallest id among those of the same text.
    fn same_texts(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.pages.len() as u32).collect();
        order.par_sort_unstable_by_key(|&i| (self.digests[i as usize], self.pages[i as usize]));
        let mut first: Vec<u32> = (0..self.pages.len() as u32).collect();
        for group in order.chunk_by(|&a, &b| self.digests[a as usize] == self.digests[b as usize]) {
            group.iter().for_each(|&i| first[i as usize] = group[0]);
        }
        first
    }

    /// Calls `found` with the pages of every key that several share, in order of their ids.
    fn groups(
        &self,
        firsts: &[u32],
        key: impl Fn(&[u64]) -> u64 + Sync,
        mut found: impl FnMut(&[u32]),
    ) -> io::Result<()> {
        // A key and its page are 16 bytes, twice that while they are sorted.
        let passes = passes(firsts.len() * 32, self.memory / 4) as u64;
        for pass in 0..passes {
            let mut keys = Vec::new();
            let mut buffer = Vec::new();
            for &i in firsts {
                let key = key(self.sketches.get(i as usize, &mut buffer)?);
                if passes == 1 || key % passes == pass {
                    keys.push((key, i));
                }
            }
            keys.par_sort_unstable_by_key(|&(key, i)| (key, self.pages[i as usize]));
            let mut group = Vec::new();
            for keys in keys.chunk_by(|a, b| a.0 == b.0).filter(|keys| keys.len() > 1) {
                group.clear();
                group.extend(keys.iter().map(|&(_, i)| i));
                found(&group);
            }
        }
        Ok(())
    }

    /// The paper's rule: a key for each pair of bands.
    fn edge(&self, firsts: &[u32], edges: &mut Vec<(i64, i64, i8)>) -> io::Result<()> {
        let mut union = UnionFind::new(self.pages.len());
        for a in 0..self.rule.bands {
            for b in 0..a {
                let join = |group: &[u32]| {
                    group[1..].iter().for_each(|&i| {
                        union.join(group[0], i);
                    })
                };
                self.groups(firsts, |bands| mix(bands[a]).wrapping_add(bands[b]), join)?;
            }
        }
        let mut smallest = vec![i64::MAX; self.pages.len()];
        for &i in firsts {
            let smallest = &mut smallest[union.find(i) as usize];
            *smallest = self.pages[i as usize].min(*smallest);
        }
        for &i in firsts.iter().filter(|&&i| self.known[i as usize] == NEW) {
            let first = smallest[union.find(i) as usize];
            if first != self.pages[i as usize] {
                edges.push((self.pages[i as usize], first, NEAR));
            }
        }
        Ok(())
    }

    /// Candidates: a key for each band, and an estimate that may reach the similarity.
    fn pair(&self, firsts: &[u32], similarity: f64, edges: &mut Vec<(i64, i64, i8)>) -> io::Result<()> {
        let m = (self.rule.bands * self.rule.band_length) as f64;
        // Four standard deviations below what is wanted: one true pair in 30,000 is lost.
        let min_equal = (m * similarity - 4.0 * (m * similarity * (1.0 - similarity)).sqrt()).ceil().max(1.0) as usize;
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        let mut error = None;
        for band in 0..self.rule.bands {
            let range = band * self.rule.band_length..(band + 1) * self.rule.band_length;
            let mut fresh = Vec::new();
            self.groups(firsts, |list| hash_band(&list[range.clone()]), |group| offer(group, &mut fresh))?;
            fresh.retain(|&(_, later)| self.known[later as usize] == NEW);
            let sifted = fresh
                .par_iter()
                .map_init(
                    || (Vec::new(), Vec::new()),
                    |(x, y), &(a, b)| {
                        let (a, b) = (self.sketches.get(a as usize, x)?, self.sketches.get(b as usize, y)?);
                        Ok(a.iter().zip(b).filter(|(a, b)| a == b).count() >= min_equal)
                    },
                )
                .collect::<io::Result<Vec<bool>>>();
            match sifted {
                Ok(good) => pairs.extend(fresh.iter().zip(good).filter(|(_, good)| *good).map(|(pair, _)| *pair)),
                Err(failed) => error = Some(failed),
            }
            pairs.par_sort_unstable();
            pairs.dedup();
        }
        edges.extend(pairs.iter().map(|&(a, b)| (self.pages[b as usize], self.pages[a as usize], CANDIDATE)));
        error.map_or(Ok(()), Err)
    }
}

/// The pairs that a group of pages offers, smaller page first.
fn offer(group: &[u32], pairs: &mut Vec<(u32, u32)>) {
    if group.len() <= ALL_PAIRS {
        for (i, &a) in group.iter().enumerate() {
            pairs.extend(group[i + 1..].iter().map(|&b| (a, b)));
        }
        return;
    }
    // Chosen by hash of the place in the group: a stated number of pages that everybody meets.
    let mut chosen: Vec<usize> = (0..group.len()).collect();
    chosen.select_nth_unstable_by_key(OFFERED, |&i| mix(i as u64 + 1));
    chosen.truncate(OFFERED);
    for (i, &a) in group.iter().enumerate() {
        pairs.extend(group[i + 1..].iter().take(OFFERED).map(|&b| (a, b)));
        let others = chosen.iter().filter(|&&j| j != i).map(|&j| (group[i.min(j)], group[i.max(j)]));
        pairs.extend(others);
    }
}

/// One number for a band of shingles.
fn hash_band(band: &[u64]) -> u64 {
    band.iter().fold(band.len() as u64, |hash, &shingle| mix(hash ^ shingle))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::text::words::Words;
    use crate::shingles::minwise::{Family, ShingleParams, Shingler};

    /// How many bands of two sketches agree.
    fn matching_bands(a: &[u64], b: &[u64], bands: usize, band_length: usize) -> usize {
        a.chunks_exact(band_length).zip(b.chunks_exact(band_length)).take(bands).filter(|(a, b)| a == b).count()
    }

    /// The chance that at least two of six bands of 14 agree.
    fn chance(jaccard: f64) -> f64 {
        let x = jaccard.powi(14);
        1.0 - (1.0 - x).powi(6) - 6.0 * x * (1.0 - x).powi(5)
    }

    fn text(words: impl Iterator<Item = u64>) -> String {
        words.map(|w| format!("{w:x} ")).collect()
    }

    /// How often the paper's rule finds two pages of so many random words, `shared` of them in both.
    fn simulate(family: Family, shared: u64, own: u64, trials: u64) -> f64 {
        let mut shingler = Shingler::new(ShingleParams { k: 1, m: 84, family, seed: 3 });
        let mut words = Words::default();
        let mut sketch = |text: &str| {
            words.fill(text);
            shingler.shingles(&words).unwrap()
        };
        let joined = (0..trials).filter(|trial| {
            let base = trial * 1_000_003;
            let both = text((0..shared).map(|i| mix(base + i)));
            let [a, b] = [1, 2].map(|side| both.clone() + &text((0..own).map(|i| mix(base + side * 100_000 + i))));
            matching_bands(&sketch(&a), &sketch(&b), 6, 14) >= 2
        });
        joined.count() as f64 / trials as f64
    }

    fn check(family: Family, trials: u64) {
        for (shared, own, expected) in [(825, 175, 0.057), (770, 230, 0.009), (965, 35, 0.962)] {
            let jaccard = shared as f64 / (shared + own) as f64;
            assert!((chance(jaccard) - expected).abs() < 0.0006, "{jaccard}: {}", chance(jaccard));
            // `own` words in all, half of them on either side.
            let found = simulate(family, 2 * shared, own, trials);
            let error = (expected * (1.0 - expected) / trials as f64).sqrt();
            assert!((found - expected).abs() < 4.0 * error, "{family:?} at {jaccard}: {found}, not {expected}");
        }
    }

    #[test]
    fn operating_points_of_the_fast_family() {
        check(Family::Bins, 3000);
    }

    #[test]
    fn operating_points_of_the_paper_s_family() {
        check(Family::Rabin, 800);
    }

    #[test]
    fn offers_are_linear() {
        let group: Vec<u32> = (0..5000).collect();
        let mut pairs = Vec::new();
        offer(&group, &mut pairs);
        assert!(pairs.len() <= group.len() * 2 * OFFERED);
        assert!(pairs.iter().all(|(a, b)| a < b));
        let small = &group[..ALL_PAIRS];
        pairs.clear();
        offer(small, &mut pairs);
        assert_eq!(pairs.len(), ALL_PAIRS * (ALL_PAIRS - 1) / 2);
    }
}
