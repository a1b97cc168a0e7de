//! The counted collection: how many grams of each page others hold too, and who holds each patch gram.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

use arrow_buffer::ToByteSlice;
use rayon::prelude::*;

use crate::quilts::pairs::{BUCKETS, Pairs};
use crate::quilts::shared_grams::{Buffers, CountRules, SharedGram, is_patch, shared_grams};
use crate::quilts::sites::SiteTable;
use crate::spill::SpillFile;

/// Lists of pages, one for each gram, one after the other.
#[derive(Default)]
pub struct Postings {
    /// The holders of all grams; those of one gram in ascending order.
    pub pages: Vec<u32>,
    /// How many holders each gram has.
    pub lens: Vec<u32>,
}

impl Postings {
    /// The lists in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let mut rest = &self.pages[..];
        self.lens.iter().map(move |&len| {
            let (list, after) = rest.split_at(len as usize);
            rest = after;
            list
        })
    }

    fn bytes(&self) -> usize {
        4 * (self.pages.len() + self.lens.len())
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

/// The postings of one bucket.
enum BucketPostings {
    Held(Postings),
    Spilled { at: u64, pages: usize, lens: usize },
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
    kept: Vec<OnceLock<BucketPostings>>,
    held: AtomicUsize,
    file: SpillFile,
    shared_grams: AtomicU64,
    metrics: Metrics,
}

impl CountedGrams {
    /// Nothing counted yet.
    pub fn new(pages: Vec<i64>, grams: Vec<u32>, sites: SiteTable, m: usize, budget: Budget) -> Self {
        let file = SpillFile::new(&budget.folder);
        CountedGrams {
            shared: vec![0; grams.len()],
            patch: vec![0; grams.len()],
            pages,
            grams,
            sites,
            m,
            budget,
            kept: (0..BUCKETS).map(|_| OnceLock::new()).collect(),
            held: AtomicUsize::new(0),
            file,
            shared_grams: AtomicU64::new(0),
            metrics: Metrics::default(),
        }
    }

    /// Counts some buckets, in parallel on the current rayon pool. `rank` gives a page's number by that in the pairs.
    pub fn count(
        &mut self,
        pairs: &Pairs,
        rank: &[u32],
        buckets: std::ops::Range<usize>,
        workers: &mut Workers,
    ) -> io::Result<()> {
        self.metrics.pairs = pairs.len();
        self.metrics.spilled = pairs.spilled();
        let (this, idle) = (&*self, &*workers);
        buckets.into_par_iter().try_for_each(|bucket| {
            let mut worker = idle.take();
            worker.shared.resize(this.pages.len(), 0);
            worker.patch.resize(this.pages.len(), 0);
            let done = this.count_bucket(pairs, rank, bucket, &mut worker);
            idle.give(worker);
            done
        })?;
        for worker in workers.all() {
            for (sums, new) in [(&mut self.shared, &mut worker.shared), (&mut self.patch, &mut worker.patch)] {
                sums.iter_mut().zip(new).for_each(|(sum, new)| *sum += std::mem::take(new));
            }
        }
        Ok(())
    }

    fn count_bucket(&self, pairs: &Pairs, rank: &[u32], bucket: usize, worker: &mut Worker) -> io::Result<()> {
        let mut postings = Postings::default();
        let memory = self.budget.memory / 8 / self.budget.threads.max(1);
        let rules = CountRules { rank, counts: &self.sites.is_representative, m: self.m, memory };
        let mut distinct = 0;
        let Worker { buffers, shared, patch } = worker;
        shared_grams(pairs, bucket, rules, buffers, |SharedGram { holders, common, first, .. }| {
            distinct += u64::from(first);
            for &page in holders {
                shared[page as usize] += 1;
            }
            if !common {
                let before = postings.pages.len();
                postings.pages.extend(holders.iter().filter(|page| self.sites.is_representative[**page as usize]));
                let len = postings.pages.len() - before;
                if is_patch(len, self.m) {
                    postings.lens.push(len as u32);
                    postings.pages[before..].iter().for_each(|&page| patch[page as usize] += 1);
                } else {
                    postings.pages.truncate(before);
                }
            }
        })?;
        self.shared_grams.fetch_add(distinct, Ordering::Relaxed);
        self.keep(bucket, postings)
    }

    fn keep(&self, bucket: usize, mut postings: Postings) -> io::Result<()> {
        postings.pages.shrink_to_fit();
        postings.lens.shrink_to_fit();
        let bytes = postings.bytes();
        let kept = if self.held.fetch_add(bytes, Ordering::Relaxed) + bytes <= self.budget.memory / 4 {
            BucketPostings::Held(postings)
        } else {
            self.held.fetch_sub(bytes, Ordering::Relaxed);
            let at = self.file.append(&[postings.pages.to_byte_slice(), postings.lens.to_byte_slice()])?;
            BucketPostings::Spilled { at, pages: postings.pages.len(), lens: postings.lens.len() }
        };
        let _ = self.kept[bucket].set(kept);
        Ok(())
    }

    /// How many holders all postings have, and how many postings there are.
    pub fn size(&self) -> (usize, usize) {
        self.kept.iter().filter_map(OnceLock::get).fold((0, 0), |sum, kept| {
            let (pages, lens) = match kept {
                BucketPostings::Held(postings) => (postings.pages.len(), postings.lens.len()),
                BucketPostings::Spilled { pages, lens, .. } => (*pages, *lens),
            };
            (sum.0 + pages, sum.1 + lens)
        })
    }

    /// Hands over the postings, bucket by bucket.
    pub fn each(&self, mut take: impl FnMut(&Postings)) -> io::Result<()> {
        for kept in self.kept.iter().filter_map(OnceLock::get) {
            match kept {
                BucketPostings::Held(postings) => take(postings),
                BucketPostings::Spilled { at, pages, lens } => {
                    let (mut postings, mut bytes) = (Postings::default(), Vec::new());
                    self.file.read_u32s(*at, *pages, &mut bytes, &mut postings.pages)?;
                    self.file.read_u32s(at + 4 * *pages as u64, *lens, &mut bytes, &mut postings.lens)?;
                    take(&postings);
                }
            }
        }
        Ok(())
    }

    /// What was counted.
    pub fn metrics(&self) -> Metrics {
        Metrics {
            shared_pairs: self.shared.iter().map(|n| u64::from(*n)).sum(),
            shared_grams: self.shared_grams.load(Ordering::Relaxed),
            ..self.metrics
        }
    }
}
