//! The counted collection: how many grams of each page others hold too, and who holds each patch gram.

use std::io;
use std::path::PathBuf;
use std::sync::Mutex;

use rayon::prelude::*;

use crate::quilts::shared_grams::{Buffers, CountRules, SharedGram, is_patch, shared_grams};
use crate::quilts::sites::SiteTable;
use crate::spill::lists::SpillLists;
use crate::spill::pairs::SpillPairs;

/// The holders of patch grams, one gram after the other: how many, then their numbers in ascending order.
#[derive(Clone, Copy)]
pub struct Postings<'a>(&'a [u32]);

impl<'a> Postings<'a> {
    /// The lists in order.
    pub fn iter(self) -> impl Iterator<Item = &'a [u32]> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let (&len, after) = rest.split_first()?;
            let (list, after) = after.split_at(len as usize);
            rest = after;
            Some(list)
        })
    }
}

/// How much memory may be held, and where the rest is spilled to.
#[derive(Clone)]
pub struct Budget {
    pub memory: usize,
    /// Threads that work at once.
    pub threads: usize,
    /// A folder for what does not fit.
    pub folder: PathBuf,
}

/// The postings of buckets, which come in any order.
struct KeptPostings {
    lists: SpillLists<u32>,
    /// The bucket of each.
    buckets: Vec<u32>,
    /// How many holders all of them have, and how many postings there are.
    size: (usize, usize),
    /// Distinct grams that at least two pages hold.
    shared_grams: u64,
}

impl KeptPostings {
    fn push(&mut self, bucket: usize, found: &BucketPostings) -> io::Result<()> {
        self.buckets.push(bucket as u32);
        self.size.0 += found.pages.len() - found.grams;
        self.size.1 += found.grams;
        self.shared_grams += found.shared_grams;
        self.lists.push(&found.pages)
    }
}

/// What was found in a bucket.
#[derive(Default)]
struct BucketPostings {
    /// As in `Postings`.
    pages: Vec<u32>,
    grams: usize,
    shared_grams: u64,
}

/// What was counted, added up over all grams.
#[derive(Clone, Copy, Debug, Default)]
pub struct Metrics {
    /// Distinct grams of each page, added up.
    pub pairs: u64,
    /// Of those, how many went to disk.
    pub spilled: u64,
    /// Pairs whose gram another page holds too.
    pub shared_pairs: u64,
    /// Distinct grams that at least two pages hold.
    pub shared_grams: u64,
}

/// What one thread counts with, bucket after bucket.
#[derive(Default)]
struct Worker {
    buffers: Buffers,
    /// What is to be added to the shared grams of each page.
    shared: Vec<u32>,
    /// And to the patch grams.
    patch: Vec<u32>,
}

impl Worker {
    fn count(&mut self, pairs: &SpillPairs<u32>, bucket: usize, rules: CountRules<'_>) -> io::Result<BucketPostings> {
        self.shared.resize(rules.counts.len(), 0);
        self.patch.resize(rules.counts.len(), 0);
        let mut found = BucketPostings::default();
        let Worker { buffers, shared, patch } = self;
        shared_grams(pairs, bucket, rules, buffers, |SharedGram { holders, common, first, .. }| {
            found.shared_grams += u64::from(first);
            for &page in holders {
                shared[page as usize] += 1;
            }
            if !common {
                let before = found.pages.len();
                found.pages.push(0);
                found.pages.extend(holders.iter().filter(|page| rules.counts[**page as usize]));
                let len = found.pages.len() - before - 1;
                if is_patch(len, rules.m) {
                    found.pages[before] = len as u32;
                    found.grams += 1;
                    found.pages[before + 1..].iter().for_each(|&page| patch[page as usize] += 1);
                } else {
                    found.pages.truncate(before);
                }
            }
        })?;
        Ok(found)
    }
}

/// The threads' buffers while no thread uses them.
#[derive(Default)]
pub struct Workers(Mutex<Vec<Worker>>);

impl Workers {
    fn take(&self) -> Worker {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).pop().unwrap_or_default()
    }

    fn give(&self, worker: Worker) {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(worker);
    }

    fn all(&mut self) -> &mut [Worker] {
        self.0.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// A collection whose pages are numbered in the order of their ids.
pub struct CountedGrams {
    pub pages: Vec<i64>,
    /// Distinct grams of each page.
    pub grams: Vec<u32>,
    /// Grams of each page that another page holds.
    pub shared: Vec<u32>,
    /// Grams of each page that at most `m` pages hold, itself and another among them.
    pub patch: Vec<u32>,
    /// Sites and duplicate classes.
    pub sites: SiteTable,
    /// The most holders that a kept posting has.
    pub m: usize,
    /// Memory, threads and folder.
    pub budget: Budget,
    kept: KeptPostings,
    metrics: Metrics,
}

impl CountedGrams {
    /// Nothing counted yet.
    pub fn new(pages: Vec<i64>, grams: Vec<u32>, sites: SiteTable, m: usize, budget: Budget) -> Self {
        let lists = SpillLists::new(budget.memory / 4, &budget.folder);
        CountedGrams {
            shared: vec![0; grams.len()],
            patch: vec![0; grams.len()],
            pages,
            grams,
            sites,
            m,
            budget,
            kept: KeptPostings { lists, buckets: Vec::new(), size: (0, 0), shared_grams: 0 },
            metrics: Metrics::default(),
        }
    }

    /// Counts some buckets, in parallel on the current rayon pool. `rank` gives a page's number by that in the pairs.
    pub fn count(
        &mut self,
        pairs: &SpillPairs<u32>,
        rank: &[u32],
        buckets: std::ops::Range<usize>,
        workers: &mut Workers,
    ) -> io::Result<()> {
        self.metrics.pairs = pairs.len();
        self.metrics.spilled = pairs.spilled();
        let memory = self.budget.memory / 8 / self.budget.threads.max(1);
        let rules = CountRules { rank, counts: &self.sites.is_representative, m: self.m, memory };
        let (kept, idle) = (Mutex::new(&mut self.kept), &*workers);
        buckets.into_par_iter().try_for_each(|bucket| {
            let mut worker = idle.take();
            let found = worker.count(pairs, bucket, rules);
            idle.give(worker);
            kept.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(bucket, &found?)
        })?;
        self.kept.lists.seal()?;
        for worker in workers.all() {
            for (sums, new) in [(&mut self.shared, &mut worker.shared), (&mut self.patch, &mut worker.patch)] {
                sums.iter_mut().zip(new).for_each(|(sum, new)| *sum += std::mem::take(new));
            }
        }
        Ok(())
    }

    /// How many holders all postings have, and how many postings there are.
    pub fn size(&self) -> (usize, usize) {
        self.kept.size
    }

    /// Hands over the postings, bucket by bucket.
    pub fn each(&self, mut take: impl FnMut(Postings<'_>)) -> io::Result<()> {
        let mut order: Vec<usize> = (0..self.kept.buckets.len()).collect();
        order.sort_unstable_by_key(|number| self.kept.buckets[*number]);
        let mut buffer = Vec::new();
        for number in order {
            take(Postings(self.kept.lists.get(number, &mut buffer)?));
        }
        Ok(())
    }

    /// What was counted.
    pub fn metrics(&self) -> Metrics {
        Metrics {
            shared_pairs: self.shared.iter().map(|n| u64::from(*n)).sum(),
            shared_grams: self.kept.shared_grams,
            ..self.metrics
        }
    }
}
