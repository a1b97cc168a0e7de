//! Candidate pairs: which pages may be duplicates, found by banding shingles (LSH), never by comparing all with all.
//!
//! The rule is that of `bands`. All pages are here at once, so no rows with keys are made: one key at a time is computed
//! from sketches that stay where they are.

use std::io;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{Array, BinaryArray, Int8Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::ArrowError;
use hashbrown::HashSet;
use rayon::prelude::*;

use crate::arrow::{batch_of, column};
use crate::duplicates::bands::{BandRule, Evidence, hash_pair, offer, tag};
use crate::spill::lists::SpillLists;
use crate::spill::passes::passes;
use crate::union_find::UnionFind;

/// The texts are the same.
pub const SAME: i8 = 0;
/// The pages are near duplicates.
pub const NEAR: i8 = 1;
/// The pages are near duplicates if their phrases say so.
pub const CANDIDATE: i8 = 2;

/// Collects pages, then finds the edges between them.
pub struct CandidateFinder {
    rule: BandRule,
    /// Pages below it are of earlier runs.
    first_new: i64,
    memory: usize,
    pages: Vec<i64>,
    digests: Vec<u128>,
    /// Pages of earlier runs, each with the first page of its class.
    known: Vec<(i64, i64)>,
    /// Hashes of bands, or where candidates are to be sifted, shingles.
    sketches: SpillLists<u64>,
}

impl CandidateFinder {
    /// Pages below `memory` bytes stay in memory; what they need beyond it goes into the folder.
    pub fn new(rule: BandRule, first_new: i64, memory: usize, spill: &Path) -> Self {
        let sketches = SpillLists::new(memory / 2, spill);
        CandidateFinder { rule, first_new, memory, pages: Vec::new(), digests: Vec::new(), known: Vec::new(), sketches }
    }

    /// Pages that are in a class of an earlier run: `page` and `other`, the first of the class.
    pub fn push_known(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let (page, other): (&Int64Array, &Int64Array) = (column(batch, "page")?, column(batch, "other")?);
        self.known.extend(page.values().iter().copied().zip(other.values().iter().copied()));
        Ok(())
    }

    /// More pages: `page`, `shingles` and `md5`. Pages without shingles have no words, and no duplicates.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let ids: &Int64Array = column(batch, "page")?;
        let shingles: &BinaryArray = column(batch, "shingles")?;
        let md5: &StringArray = column(batch, "md5")?;
        let mut list = Vec::new();
        for row in (0..batch.num_rows()).filter(|&row| shingles.is_valid(row)) {
            self.rule.read(shingles.value(row), &mut list)?;
            if self.rule.evidence == Evidence::TwoBands {
                list = self.rule.hashes(&list).collect();
            }
            self.sketches.push(&list)?;
            self.pages.push(ids.value(row));
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
            .filter(|&(i, &f)| i != f as usize && self.pages[i] >= self.first_new)
            .map(|(i, &f)| (self.pages[i], self.pages[f as usize], SAME))
            .collect();
        let firsts: Vec<u32> = (0..self.pages.len() as u32).filter(|&i| first[i as usize] == i).collect();
        match self.rule.evidence {
            Evidence::TwoBands => self.edge(&firsts, &mut edges)?,
            Evidence::OneBand(similarity) => self.pair(&firsts, similarity, &mut edges)?,
        }
        // Earlier pages stay in their classes, as far as anything new is joined to them.
        let used: HashSet<i64> = edges.iter().flat_map(|&(page, other, _)| [page, other]).collect();
        let old = self.known.iter().filter(|(page, class)| page != class && used.contains(page));
        let old: Vec<_> = old.map(|&(page, class)| (page, class, NEAR)).collect();
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
        for pass in passes(firsts.len() * 32, self.memory / 4, 0) {
            let mut keys = Vec::new();
            let mut buffer = Vec::new();
            for &i in firsts {
                let key = key(self.sketches.get(i as usize, &mut buffer)?);
                if pass.takes(key) {
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
                self.groups(firsts, |bands| hash_pair(bands[a], bands[b]), join)?;
            }
        }
        let mut smallest = vec![i64::MAX; self.pages.len()];
        for &i in firsts {
            let smallest = &mut smallest[union.find(i) as usize];
            *smallest = self.pages[i as usize].min(*smallest);
        }
        for &i in firsts.iter().filter(|&&i| self.pages[i as usize] >= self.first_new) {
            let first = smallest[union.find(i) as usize];
            if first != self.pages[i as usize] {
                edges.push((self.pages[i as usize], first, NEAR));
            }
        }
        Ok(())
    }

    /// Candidates: a key for each band, and an estimate that may reach the similarity.
    fn pair(&self, firsts: &[u32], similarity: f64, edges: &mut Vec<(i64, i64, i8)>) -> io::Result<()> {
        let min_equal = self.rule.min_equal(similarity);
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        let mut error = None;
        for band in 0..self.rule.bands {
            let mut fresh = Vec::new();
            self.groups(firsts, |list| self.rule.hash(list, band), |group| offer(group, &mut fresh))?;
            fresh.retain(|&(_, later)| self.pages[later as usize] >= self.first_new);
            let sifted = fresh
                .par_iter()
                .map_init(
                    || (Vec::new(), Vec::new()),
                    |(x, y), &(a, b)| {
                        let (a, b) = (self.sketches.get(a as usize, x)?, self.sketches.get(b as usize, y)?);
                        Ok(a.iter().zip(b).filter(|(a, b)| tag(**a) == tag(**b)).count() >= min_equal)
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
