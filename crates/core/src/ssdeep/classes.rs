//! Classes of exact and near copies among many digests, never by comparing all with all.
//!
//! Pages of one text are joined, then pages of one digest, then those whose digests share n-grams and score high
//! (`near_join`).

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::ArrowError;
use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;

use crate::arrow::{batch_of, column, wrong};
use crate::ssdeep::near_join::{NearJoin, NgramHolder, Signatures};
use crate::ssdeep::score::{Digest, Pattern};
use crate::ssdeep::store::{DigestStore, StoredDigest};
use crate::union_find::UnionFind;

/// Collects digests, then finds the classes.
pub struct FuzzyClassBuilder {
    threshold: u32,
    min_length: usize,
    memory: usize,
    max_holders: usize,
    pages: Vec<i64>,
    texts: Vec<u128>,
    digests: DigestStore,
    excluded: HashSet<i64>,
}

impl FuzzyClassBuilder {
    /// Scores from `threshold` make near copies; digests of fewer than `min_length` characters, seven or more, make none.
    /// The n-grams take at most `memory` bytes at a time. One that more than `max_holders` digests hold is hot.
    pub fn new(threshold: u32, min_length: usize, memory: usize, max_holders: usize) -> Self {
        let (pages, texts, excluded) = (Vec::new(), Vec::new(), HashSet::new());
        let digests = DigestStore::default();
        FuzzyClassBuilder { threshold, min_length, memory, max_holders, pages, texts, digests, excluded }
    }

    /// Pages that join no class: `page`.
    pub fn exclude(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        self.excluded.extend(column::<Int64Array>(batch, "page")?.values());
        Ok(())
    }

    /// More pages: `page`, `md5` and `ssdeep`.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let pages: &Int64Array = column(batch, "page")?;
        let (md5, ssdeep): (&StringArray, &StringArray) = (column(batch, "md5")?, column(batch, "ssdeep")?);
        for row in 0..batch.num_rows() {
            if self.excluded.contains(&pages.value(row)) || ssdeep.is_null(row) {
                continue;
            }
            let digest = Digest::parse(ssdeep.value(row))
                .map_err(|error| ArrowError::InvalidArgumentError(format!("{error}; page {}", pages.value(row))))?;
            self.pages.push(pages.value(row));
            self.texts.push(u128::from_str_radix(md5.value(row), 16).map_err(|_| wrong("md5"))?);
            self.digests.push(&StoredDigest::of(&digest));
        }
        Ok(())
    }

    /// The members of classes: `label` (the class's first page), `page`, `exact` and `score`, by label and page.
    pub fn finish(self) -> Result<RecordBatch, ArrowError> {
        let classes = self.join();
        let members: Vec<(u32, u32)> = classes.members.clone();
        batch_of(classes.columns(&members))
    }

    /// The classes.
    pub fn join(self) -> FuzzyClasses {
        let mut order: Vec<u32> = (0..self.pages.len() as u32).collect();
        order.par_sort_unstable_by_key(|&i| self.pages[i as usize]);
        // From here on a page is its rank, so that the smallest of a class is its representative.
        let mut classes = UnionFind::new(order.len());
        let firsts = self.join_equals(&order, &mut classes);
        let ranked = Ranked { digests: &self.digests, order: &order };
        NearJoin::new(ranked, self.threshold, self.max_holders).join(&firsts, self.memory, &mut classes);
        let roots: Vec<u32> = (0..order.len() as u32).map(|rank| classes.find(rank)).collect();
        let mut sizes = vec![0u32; order.len()];
        roots.iter().for_each(|&root| sizes[root as usize] += 1);
        let mut members: Vec<(u32, u32)> = (0..order.len() as u32)
            .map(|rank| (roots[rank as usize], rank))
            .filter(|&(root, _)| sizes[root as usize] > 1)
            .collect();
        members.par_sort_unstable();
        FuzzyClasses { pages: self.pages, texts: self.texts, digests: self.digests, order, members }
    }

    /// Joins equal texts and equal digests; the ranks of one page for each digest that can be compared.
    fn join_equals(&self, order: &[u32], classes: &mut UnionFind) -> Vec<u32> {
        let mut texts: HashMap<u128, u32> = HashMap::new();
        let mut digests: HashMap<StoredDigest<'_>, u32> = HashMap::new();
        let mut firsts = Vec::new();
        for (rank, &i) in (0u32..).zip(order) {
            classes.join(rank, *texts.entry(self.texts[i as usize]).or_insert(rank));
            let digest = self.digests.get(i);
            if digest.first.len().max(digest.second.len()) < self.min_length {
                continue;
            }
            let first = *digests.entry(digest).or_insert(rank);
            classes.join(rank, first);
            if first == rank {
                firsts.push(rank);
            }
        }
        firsts
    }
}

/// Signatures by the ranks of pages.
struct Ranked<'a> {
    digests: &'a DigestStore,
    order: &'a [u32],
}

impl Signatures for Ranked<'_> {
    fn signature(&self, member: NgramHolder) -> (u8, &[u8]) {
        self.digests.get(self.order[member.rank() as usize]).signatures()[usize::from(member.second())]
    }
}

/// Pages in classes. A page is its rank.
pub struct FuzzyClasses {
    pages: Vec<i64>,
    texts: Vec<u128>,
    digests: DigestStore,
    order: Vec<u32>,
    /// The first page of a class and a member, by these.
    pub members: Vec<(u32, u32)>,
}

impl FuzzyClasses {
    pub fn page(&self, rank: u32) -> i64 {
        self.pages[self.order[rank as usize] as usize]
    }

    /// The MD5 of a page's text.
    pub fn text(&self, rank: u32) -> u128 {
        self.texts[self.order[rank as usize] as usize]
    }

    /// What is known of these members of classes: `label`, `page`, `exact` and `score`.
    pub fn columns(&self, members: &[(u32, u32)]) -> Vec<(&'static str, ArrayRef)> {
        let exact = |&(root, rank): &(u32, u32)| self.text(root) == self.text(rank);
        let score = |pair: &(u32, u32)| {
            if exact(pair) {
                return 100;
            }
            let [a, b] = [pair.0, pair.1].map(|rank| self.digests.get(self.order[rank as usize]));
            score(&a, &b) as i32
        };
        vec![
            ("label", Arc::new(members.iter().map(|m| self.page(m.0)).collect::<Int64Array>())),
            ("page", Arc::new(members.iter().map(|m| self.page(m.1)).collect::<Int64Array>())),
            ("exact", Arc::new(members.iter().map(|m| Some(exact(m))).collect::<BooleanArray>())),
            ("score", Arc::new(members.iter().map(score).collect::<Int32Array>())),
        ]
    }
}

/// The score of two stored digests.
pub fn score(a: &StoredDigest<'_>, b: &StoredDigest<'_>) -> u32 {
    if a == b {
        return 100;
    }
    let at = |(level, signature)| Some(Pattern::of(signature, level).score(b.at(level)?)).flatten();
    a.signatures().into_iter().filter_map(at).max().unwrap_or(0)
}
