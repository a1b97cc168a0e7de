//! From edges to classes: candidates are verified on the pages' phrases, and every member is compared with its
//! representative.

use std::io;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int8Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::ArrowError;
use rayon::prelude::*;

use crate::arrow::{batch_of, column, string};
use crate::duplicates::candidates::{CANDIDATE, SAME};
use crate::page::text::words::Words;
use crate::shingles::minwise::Shingler;
use crate::spill::lists::{SpillLists, jaccard};
use crate::union_find::UnionFind;

/// Candidates that are verified at once: between two such lots what is joined already is left out.
const LOT: usize = 2048;

/// Rows of a batch that comes out.
const ROWS: usize = 1 << 16;

const NONE: u32 = u32::MAX;

/// Collects the texts of joined pages, then makes classes.
pub struct ClassBuilder {
    /// Page ids in ascending order; everything else is by their ordinals.
    pages: Vec<i64>,
    edges: Vec<(u32, u32)>,
    candidates: Vec<(u32, u32)>,
    /// The first page of the same text.
    same: Vec<u32>,
    similarity: f64,
    first_new: i64,
    urls: Vec<Option<Box<str>>>,
    /// Which phrase set is a page's.
    set: Vec<u32>,
    sets: SpillLists,
    shingler: Shingler,
    /// A text is a circle of words, as in the paper: its last words and its first make phrases too.
    wrap: bool,
}

impl ClassBuilder {
    /// For the edges that `CandidateFinder` found. Pages from `first_new` on are listed; older ones only as representatives.
    #[allow(clippy::too_many_arguments)]
    pub fn new(
        edges: &RecordBatch,
        similarity: f64,
        first_new: i64,
        shingler: Shingler,
        wrap: bool,
        memory: usize,
        spill: &Path,
    ) -> Result<Self, ArrowError> {
        let (page, other): (&Int64Array, &Int64Array) = (column(edges, "page")?, column(edges, "other")?);
        let kind: &Int8Array = column(edges, "kind")?;
        let mut pages: Vec<i64> = page.values().iter().chain(other.values()).copied().collect();
        pages.par_sort_unstable();
        pages.dedup();
        let ordinal = |id: i64| pages.binary_search(&id).unwrap_or_default() as u32;
        let mut same: Vec<u32> = (0..pages.len() as u32).collect();
        let (mut certain, mut candidates) = (Vec::new(), Vec::new());
        for row in 0..edges.num_rows() {
            let (a, b) = (ordinal(page.value(row)), ordinal(other.value(row)));
            match kind.value(row) {
                CANDIDATE => candidates.push((a.min(b), a.max(b))),
                kind => {
                    certain.push((a, b));
                    if kind == SAME {
                        same[a as usize] = b;
                    }
                }
            }
        }
        candidates.par_sort_unstable();
        Ok(ClassBuilder {
            edges: certain,
            candidates,
            same,
            similarity,
            first_new,
            urls: vec![None; pages.len()],
            set: vec![NONE; pages.len()],
            sets: SpillLists::new(memory / 2, spill),
            shingler,
            wrap,
            pages,
        })
    }

    /// More pages: `page`, `url` and `text`. The text of a page that is the same as an earlier one's is not needed.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let ids: &Int64Array = column(batch, "page")?;
        let (urls, texts): (&StringArray, &StringArray) = (column(batch, "url")?, column(batch, "text")?);
        let found: Vec<Option<Vec<u64>>> = (0..batch.num_rows())
            .into_par_iter()
            .map_init(
                || (self.shingler.clone(), Words::default()),
                |(shingler, words), row| Some(phrase_set(string(texts, row)?, self.wrap, words, shingler)),
            )
            .collect();
        for (row, set) in found.into_iter().enumerate() {
            let Ok(i) = self.pages.binary_search(&ids.value(row)) else { continue };
            self.urls[i] = string(urls, row).map(Into::into);
            if let Some(set) = set {
                self.set[i] = self.sets.len() as u32;
                self.sets.push(&set)?;
            }
        }
        Ok(())
    }

    /// The classes: `class`, `page`, `url`, `kind`, `representative`, `jaccard`, by class and page.
    pub fn finish(mut self) -> Result<Vec<RecordBatch>, ArrowError> {
        self.sets.seal()?;
        let mut union = UnionFind::new(self.pages.len());
        self.edges.iter().for_each(|&(a, b)| {
            union.join(a, b);
        });
        self.verify(&mut union)?;
        // Members by class: new pages, and the representative whatever its age.
        let mut members: Vec<(u32, u32)> = Vec::new();
        for i in 0..self.pages.len() as u32 {
            let root = union.find(i);
            if self.pages[i as usize] >= self.first_new || i == root {
                members.push((root, i));
            }
        }
        members.par_sort_unstable();
        let members: Vec<(u32, u32)> =
            members.chunk_by(|a, b| a.0 == b.0).filter(|class| class.len() > 1).flatten().copied().collect();
        let coefficients = members
            .par_iter()
            .map_init(|| (Vec::new(), Vec::new()), |(x, y), &(root, i)| self.compare(root, self.same[i as usize], x, y))
            .collect::<io::Result<Vec<Option<f64>>>>()?;
        let rows: Vec<_> = members.into_iter().zip(coefficients).collect();
        rows.chunks(ROWS).map(|rows| self.batch(rows)).collect()
    }

    fn verify(&mut self, union: &mut UnionFind) -> io::Result<()> {
        let candidates = std::mem::take(&mut self.candidates);
        let mut rest = candidates.into_iter();
        loop {
            let lot: Vec<_> = rest.by_ref().filter(|&(a, b)| union.find(a) != union.find(b)).take(LOT).collect();
            if lot.is_empty() {
                return Ok(());
            }
            let good = lot
                .par_iter()
                .map_init(
                    || (Vec::new(), Vec::new()),
                    |(x, y), &(a, b)| {
                        if self.hopeless(a, b) {
                            return Ok(false);
                        }
                        Ok(self.compare(a, b, x, y)?.is_some_and(|j| j >= self.similarity))
                    },
                )
                .collect::<io::Result<Vec<bool>>>()?;
            lot.iter().zip(good).filter(|(_, good)| *good).for_each(|(&(a, b), _)| {
                union.join(a, b);
            });
        }
    }

    /// Too different in size to be similar.
    fn hopeless(&self, a: u32, b: u32) -> bool {
        let [a, b] = [a, b].map(|i| self.set[i as usize]);
        if a == NONE || b == NONE {
            return true;
        }
        let [a, b] = [a, b].map(|set| self.sets.size(set as usize) as f64);
        a.min(b) < self.similarity * a.max(b)
    }

    /// The Jaccard coefficient of two pages, unless the text of one was never seen.
    fn compare(&self, a: u32, b: u32, x: &mut Vec<u64>, y: &mut Vec<u64>) -> io::Result<Option<f64>> {
        if a == b {
            return Ok(Some(1.0));
        }
        let [a, b] = [a, b].map(|i| self.set[i as usize]);
        if a == NONE || b == NONE {
            return Ok(None);
        }
        Ok(Some(jaccard(self.sets.get(a as usize, x)?, self.sets.get(b as usize, y)?)))
    }

    fn batch(&self, rows: &[((u32, u32), Option<f64>)]) -> Result<RecordBatch, ArrowError> {
        let ids = |of: fn(&(u32, u32)) -> u32| -> ArrayRef {
            Arc::new(rows.iter().map(|(row, _)| self.pages[of(row) as usize]).collect::<Int64Array>())
        };
        let urls = |of: fn(&(u32, u32)) -> u32| -> ArrayRef {
            let url = |(row, _): &((u32, u32), _)| self.urls[of(row) as usize].as_deref();
            Arc::new(rows.iter().map(url).collect::<StringArray>())
        };
        let kind = |&((root, i), _): &((u32, u32), _)| {
            if self.same[i as usize] == root { "exact" } else { "near" }
        };
        batch_of(vec![
            ("class", ids(|row| row.0)),
            ("page", ids(|row| row.1)),
            ("url", urls(|row| row.1)),
            ("kind", Arc::new(rows.iter().map(kind).map(Some).collect::<StringArray>())),
            ("representative", ids(|row| row.0)),
            ("representative_url", urls(|row| row.0)),
            ("jaccard", Arc::new(rows.iter().map(|(_, j)| *j).collect::<Float64Array>())),
        ])
    }
}

/// The distinct phrases of a text, in ascending order. Unless they wrap, a text shorter than a phrase has one: its words.
pub fn phrase_set(text: &str, wrap: bool, words: &mut Words, shingler: &mut Shingler) -> Vec<u64> {
    words.fill(text);
    let (n, k) = (words.len(), shingler.k());
    let plain = if wrap { n } else { (n + 1).saturating_sub(k).max(1).min(n) };
    let mut set = shingler.phrases(words)[..plain].to_vec();
    set.sort_unstable();
    set.dedup();
    words.release();
    shingler.release();
    set
}
