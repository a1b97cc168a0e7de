//! Quilts: pages made of other pages' text (Najork 2012), from texts to sources.
//!
//! ```text
//! texts ─grams→ pairs ─count→ postings ─cover→ one row a page: its grams, its own, its sources
//! ```

use std::io;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{Array, Int64Array, RecordBatch, StringArray, UInt64Array};
use arrow_schema::ArrowError;
use rayon::prelude::*;

use crate::arrow::column;
use crate::greedy_cover::Source;
use crate::quilts::grams::Grams;
use crate::quilts::index::GramIndexWriter;
use crate::quilts::postings::{Budget, CountedGrams, Workers};
use crate::quilts::sites::{Foreign, SiteTableBuilder};
use crate::spill::pairs::{BUCKETS, PairChunk, SpillPairs};

/// What a quilt is.
#[derive(Clone, Copy, Debug)]
pub struct QuiltParams {
    /// A patch gram is held by at most so many pages.
    pub m: usize,
    /// A quilt has at least so many sources.
    pub c: usize,
    /// At least this fraction of a quilt's grams count.
    pub theta: f64,
    /// Which of them: those that its sources cover, or as in the paper all patch grams.
    pub covered: bool,
    /// Each source newly covers at least this fraction of the patch grams.
    pub min_share: f64,
}

impl QuiltParams {
    /// Whether `part` of `grams` grams is enough.
    pub fn enough(&self, part: u32, grams: u32) -> bool {
        grams > 0 && f64::from(part) / f64::from(grams) >= self.theta
    }

    /// Whether a page with so many patch grams may be a quilt. A source needs a gram, so that c sources need c.
    pub fn may_be_quilt(&self, patch: u32, grams: u32) -> bool {
        self.enough(patch, grams) && patch as usize >= self.c
    }

    /// Whether a page with enough patch grams is a quilt, by its sources.
    pub fn is_quilt(&self, grams: u32, sources: &[Source]) -> bool {
        let covered = sources.iter().map(|source| source.new_grams).sum();
        sources.len() >= self.c && (!self.covered || self.enough(covered, grams))
    }
}

/// Gathers the grams of a collection.
pub struct GramCollection {
    k: usize,
    seed: u64,
    budget: Budget,
    pairs: SpillPairs<u32>,
    pages: Vec<i64>,
    grams: Vec<u32>,
    /// Who the pages belong to.
    pub sites: SiteTableBuilder,
}

/// Bytes of text that one thread takes at a time.
const SHARE: usize = 1 << 18;
/// And pairs.
const PAIRS: usize = 1 << 16;

impl GramCollection {
    /// For grams of `k` words.
    pub fn new(k: usize, seed: u64, budget: Budget) -> Self {
        let pairs = SpillPairs::new(budget.memory / 2, &budget.folder);
        GramCollection {
            k,
            seed,
            budget,
            pairs,
            pages: Vec::new(),
            grams: Vec::new(),
            sites: SiteTableBuilder::default(),
        }
    }

    /// Takes pages: `page` and `text`, in any order. Works in parallel on the current rayon pool.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let (ids, texts): (&Int64Array, &StringArray) = (column(batch, "page")?, column(batch, "text")?);
        let first = self.pages.len();
        if first + batch.num_rows() > u32::MAX as usize {
            return Err(ArrowError::ComputeError("more than 4 billion pages in one collection".into()));
        }
        let made: Vec<(PairChunk<u32>, Vec<u32>)> = shares(texts)
            .into_par_iter()
            .map_init(
                || (Grams::new(self.k, self.seed), Vec::new()),
                |(grams, found), rows| {
                    found.clear();
                    let mut counts = Vec::with_capacity(rows.len());
                    for row in rows.clone() {
                        let before = found.len();
                        if texts.is_valid(row) {
                            grams.set(texts.value(row), found);
                        }
                        counts.push((found.len() - before) as u32);
                    }
                    let pages = rows.map(|row| (first + row) as u32);
                    let chunk = PairChunk::new(found, holders(pages.zip(counts.iter().copied())));
                    found.shrink_to(1 << 20);
                    (chunk, counts)
                },
            )
            .collect();
        self.pages.extend_from_slice(ids.values());
        for (chunk, counts) in made {
            self.grams.extend(counts);
            self.pairs.add(chunk)?;
        }
        Ok(())
    }

    /// Takes pairs: `page` and `gram`, each once; the rows of a page follow each other.
    pub fn push_pairs(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let ids = column::<Int64Array>(batch, "page")?.values();
        let grams = column::<UInt64Array>(batch, "gram")?.values();
        let mut stretches: Vec<Vec<(u32, u32)>> = Vec::new();
        for ids in ids.chunks(PAIRS) {
            let mut counts = Vec::new();
            for page in ids.chunk_by(|a, b| a == b) {
                if self.pages.last() != Some(&page[0]) {
                    self.pages.push(page[0]);
                    self.grams.push(0);
                }
                *self.grams.last_mut().expect("pushed above") += page.len() as u32;
                counts.push((self.pages.len() as u32 - 1, page.len() as u32));
            }
            stretches.push(counts);
        }
        let chunks: Vec<PairChunk<u32>> = grams
            .par_chunks(PAIRS)
            .zip(stretches)
            .map(|(grams, counts)| PairChunk::new(grams, holders(counts.into_iter())))
            .collect();
        Ok(chunks.into_iter().try_for_each(|chunk| self.pairs.add(chunk))?)
    }

    /// Closes the collection; patch grams will have at most `m` holders. With a path, an index of all grams is written.
    pub fn finish(self, m: usize, foreign: Foreign, index: Option<&Path>) -> io::Result<Counting> {
        let mut order: Vec<u32> = (0..self.pages.len() as u32).collect();
        order.sort_by_key(|&page| self.pages[page as usize]);
        let mut rank = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &page)| rank[page as usize] = at as u32);
        let pages: Vec<i64> = order.iter().map(|&page| self.pages[page as usize]).collect();
        let grams = order.iter().map(|&page| self.grams[page as usize]).collect();
        let sites = self.sites.finish(&pages, foreign);
        let index = match index {
            Some(path) => Some(GramIndexWriter::new(path, &self.pairs, pages.len(), self.k, self.seed)?),
            None => None,
        };
        let counted = CountedGrams::new(pages, grams, sites, m, self.budget);
        Ok(Counting { pairs: self.pairs, rank, counted, index, workers: Workers::default(), next: 0 })
    }
}

/// Each page as often as it has grams.
fn holders(pages: impl Iterator<Item = (u32, u32)>) -> impl Iterator<Item = u32> {
    pages.flat_map(|(page, grams)| std::iter::repeat_n(page, grams as usize))
}

/// Rows in shares of about equal text.
fn shares(texts: &StringArray) -> Vec<std::ops::Range<usize>> {
    let mut shares = Vec::new();
    let (mut begin, mut bytes) = (0, 0);
    for row in 0..texts.len() {
        bytes += texts.value_length(row) as usize;
        if bytes >= SHARE {
            shares.push(begin..row + 1);
            (begin, bytes) = (row + 1, 0);
        }
    }
    if begin < texts.len() {
        shares.push(begin..texts.len());
    }
    shares
}

/// A collection that is being counted, some buckets at a time so that a caller may stop in between.
pub struct Counting {
    pub pairs: SpillPairs<u32>,
    rank: Vec<u32>,
    counted: CountedGrams,
    index: Option<GramIndexWriter>,
    workers: Workers,
    next: usize,
}

impl Counting {
    /// Counts some more; false when all is counted.
    pub fn step(&mut self) -> io::Result<bool> {
        const STEP: usize = BUCKETS / 16;
        let end = BUCKETS.min(self.next + STEP);
        self.counted.count(&self.pairs, &self.rank, self.next..end, &mut self.workers)?;
        if let Some(index) = &self.index {
            let memory = self.counted.budget.memory / 8 / self.counted.budget.threads.max(1);
            index.write(&self.pairs, &self.rank, self.next..end, memory)?;
        }
        self.next = end;
        Ok(end < BUCKETS)
    }

    /// The counted collection, when no step is left.
    pub fn finish(self) -> io::Result<Arc<CountedGrams>> {
        assert_eq!(self.next, BUCKETS, "all steps come first");
        if let Some(index) = self.index {
            index.finish(&self.counted.pages, &self.counted.sites)?;
        }
        Ok(Arc::new(self.counted))
    }
}
