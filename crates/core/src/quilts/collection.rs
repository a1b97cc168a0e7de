//! Quilts: pages made of other pages' text (Najork 2012), from texts to sources.
//!
//! ```text
//! texts ─grams→ pairs ─count→ postings ─cover→ one row a page: its grams, its own, its sources
//! ```

use std::io;
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray, UInt64Array};
use arrow_schema::ArrowError;
use rayon::prelude::*;

use crate::quilts::grams::Grams;
use crate::quilts::index::IndexWriter;
use crate::quilts::pairs::{BUCKETS, Chunk, Pairs};
use crate::quilts::postings::{Counted, Room, Workers};
use crate::quilts::sites::{Foreign, SitesBuilder};

/// What a quilt is.
#[derive(Clone, Copy, Debug)]
pub struct QuiltParams {
    /// A patch gram is held by at most so many pages.
    pub m: usize,
    /// A quilt has at least so many sources.
    pub c: usize,
    /// At least this fraction of a quilt's grams are patch grams.
    pub theta: f64,
    /// Each source newly covers at least this fraction of the patch grams.
    pub min_share: f64,
}

/// What to keep beside the postings.
#[derive(Clone, Copy, Default)]
pub struct Keep<'a> {
    /// Where to write an index of all grams.
    pub index: Option<&'a Path>,
    /// Keep the hashes of shared grams, to be verified.
    pub hashes: bool,
}

/// Gathers the grams of a collection.
pub struct Quilter {
    k: usize,
    seed: u64,
    room: Room,
    pairs: Pairs,
    pages: Vec<i64>,
    grams: Vec<u32>,
    /// Who the pages belong to.
    pub sites: SitesBuilder,
}

/// Bytes of text that one thread takes at a time.
const SHARE: usize = 1 << 18;

impl Quilter {
    /// For grams of `k` words.
    pub fn new(k: usize, seed: u64, room: Room) -> Self {
        let pairs = Pairs::new(room.memory / 2, &room.folder);
        Quilter { k, seed, room, pairs, pages: Vec::new(), grams: Vec::new(), sites: SitesBuilder::default() }
    }

    /// Takes pages: `page` and `text`, in any order. Works in parallel on the current rayon pool.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let ids = ints(batch, "page")?;
        let texts = strings(batch, "text")?;
        let first = self.pages.len();
        if first + batch.num_rows() > u32::MAX as usize {
            return Err(ArrowError::ComputeError("more than 4 billion pages in one collection".into()));
        }
        let made: Vec<(Chunk, Vec<u32>)> = shares(texts)
            .into_par_iter()
            .map_init(
                || (Grams::new(self.k, self.seed), Vec::new()),
                |(grams, found), rows| {
                    found.clear();
                    let mut ends = Vec::with_capacity(rows.len());
                    let mut counts = Vec::with_capacity(rows.len());
                    for row in rows {
                        let before = found.len();
                        if texts.is_valid(row) {
                            grams.set(texts.value(row), found);
                        }
                        counts.push((found.len() - before) as u32);
                        ends.push(((first + row) as u32, found.len()));
                    }
                    let chunk = Chunk::new(found, &ends);
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
        let ids = ints(batch, "page")?.values();
        let grams = column(batch, "gram")?
            .as_primitive_opt::<arrow_array::types::UInt64Type>()
            .ok_or_else(|| ArrowError::SchemaError("gram is not uint64".into()))?
            .values();
        let bounds: Vec<usize> = (0..ids.len()).step_by(SHARE / 4).chain([ids.len()]).collect();
        let mut ends: Vec<Vec<(u32, usize)>> = Vec::new();
        for bound in bounds.windows(2) {
            let mut within = Vec::new();
            let mut end = 0;
            for page in ids[bound[0]..bound[1]].chunk_by(|a, b| a == b) {
                if self.pages.last() != Some(&page[0]) {
                    self.pages.push(page[0]);
                    self.grams.push(0);
                }
                end += page.len();
                *self.grams.last_mut().expect("pushed above") += page.len() as u32;
                within.push((self.pages.len() as u32 - 1, end));
            }
            ends.push(within);
        }
        let chunks: Vec<Chunk> = bounds
            .par_windows(2)
            .zip(ends)
            .map(|(bound, ends)| Chunk::new(&grams[bound[0]..bound[1]], &ends))
            .collect();
        chunks.into_iter().try_for_each(|chunk| self.pairs.add(chunk))?;
        Ok(())
    }

    /// Closes the collection; patch grams will have at most `m` holders.
    pub fn finish(self, m: usize, foreign: Foreign, keep: Keep<'_>) -> io::Result<Counting> {
        let mut order: Vec<u32> = (0..self.pages.len() as u32).collect();
        order.sort_by_key(|&page| self.pages[page as usize]);
        let mut rank = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &page)| rank[page as usize] = at as u32);
        let pages: Vec<i64> = order.iter().map(|&page| self.pages[page as usize]).collect();
        let grams = order.iter().map(|&page| self.grams[page as usize]).collect();
        let sites = self.sites.finish(&pages, foreign);
        let index = match keep.index {
            Some(path) => Some(IndexWriter::new(path, &self.pairs, pages.len(), self.k, self.seed)?),
            None => None,
        };
        let counted = Counted::new(pages, grams, sites, m, self.room, keep.hashes);
        Ok(Counting { pairs: self.pairs, rank, counted, index, workers: Workers::default(), next: 0 })
    }
}

/// The grams of pages: `page` and `text` become `page` and `gram`, a row for each distinct gram of a page.
pub fn gram_pairs(batch: &RecordBatch, k: usize, seed: u64) -> Result<RecordBatch, ArrowError> {
    let (ids, texts) = (ints(batch, "page")?, strings(batch, "text")?);
    let mut grams = Grams::new(k, seed);
    let (mut pages, mut found) = (Vec::new(), Vec::new());
    for row in (0..batch.num_rows()).filter(|row| texts.is_valid(*row)) {
        grams.set(texts.value(row), &mut found);
        pages.resize(found.len(), ids.value(row));
    }
    let columns: Vec<(&str, ArrayRef)> =
        vec![("page", Arc::new(Int64Array::from(pages))), ("gram", Arc::new(UInt64Array::from(found)))];
    RecordBatch::try_from_iter(columns)
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
    /// Its pairs.
    pub pairs: Pairs,
    rank: Vec<u32>,
    counted: Counted,
    index: Option<IndexWriter>,
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
            let memory = self.counted.room.memory / 8 / self.counted.room.threads.max(1);
            index.write(&self.pairs, &self.rank, self.next..end, memory)?;
        }
        self.next = end;
        Ok(end < BUCKETS)
    }

    /// The counted collection, when no step is left.
    pub fn finish(self) -> io::Result<Arc<Counted>> {
        assert_eq!(self.next, BUCKETS, "all steps come first");
        if let Some(index) = self.index {
            index.finish(&self.counted.pages, &self.counted.sites)?;
        }
        Ok(Arc::new(self.counted))
    }
}

pub(crate) fn column<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a dyn Array, ArrowError> {
    let column = batch.column_by_name(name);
    column.map(|column| &**column).ok_or_else(|| ArrowError::SchemaError(format!("there is no column {name}")))
}

pub(crate) fn ints<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a arrow_array::Int64Array, ArrowError> {
    column(batch, name)?
        .as_primitive_opt::<Int64Type>()
        .ok_or_else(|| ArrowError::SchemaError(format!("{name} is not int64")))
}

pub(crate) fn strings<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a StringArray, ArrowError> {
    column(batch, name)?
        .as_string_opt::<i32>()
        .ok_or_else(|| ArrowError::SchemaError(format!("{name} is not a string")))
}
