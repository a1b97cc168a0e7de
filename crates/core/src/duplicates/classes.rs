//! From edges to classes: candidates are verified on the pages' phrases, and every member is compared with its
//! representative.

use std::io;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int8Array, Int64Array, RecordBatch};
use arrow_schema::ArrowError;
use rayon::prelude::*;

use crate::arrow::{batch_of, column};
use crate::duplicates::candidates::{CANDIDATE, SAME};
use crate::duplicates::phrase_sets::{PhraseSets, Phrasing};
use crate::union_find::UnionFind;

/// Candidates that are verified at once: between two such lots what is joined already is left out.
const LOT: usize = 2048;

/// Rows of a batch that comes out.
const ROWS: usize = 1 << 16;

/// Collects the texts of joined pages, then makes classes.
pub struct ClassBuilder {
    /// By the ordinals of pages, as everything else here.
    texts: PhraseSets,
    edges: Vec<(u32, u32)>,
    candidates: Vec<(u32, u32)>,
    /// The first page of the same text.
    same: Vec<u32>,
    similarity: f64,
    first_new: i64,
}

impl ClassBuilder {
    /// For the edges that `CandidateFinder` found. Pages from `first_new` on are listed; older ones only as representatives.
    pub fn new(
        edges: &RecordBatch,
        similarity: f64,
        first_new: i64,
        phrasing: Phrasing,
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
        let mut texts = PhraseSets::new(pages, phrasing, memory / 2, spill);
        same.iter().zip(0..).filter(|&(&first, i)| first != i).for_each(|(_, i)| texts.leave_out(i));
        Ok(ClassBuilder { texts, edges: certain, candidates, same, similarity, first_new })
    }

    /// More texts, of whatever pages: `page` and `text`.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        self.texts.push(batch)
    }

    /// The classes: `label` (the first page), `page`, `exact` and `jaccard`, by label and page.
    pub fn finish(mut self) -> Result<Vec<RecordBatch>, ArrowError> {
        self.texts.seal()?;
        let pages = self.texts.pages().len();
        let mut union = UnionFind::new(pages);
        self.edges.iter().for_each(|&(a, b)| {
            union.join(a, b);
        });
        self.verify(&mut union)?;
        // Members by class: new pages, and the representative whatever its age.
        let mut members: Vec<(u32, u32)> = Vec::new();
        for i in 0..pages as u32 {
            let root = union.find(i);
            if self.texts.pages()[i as usize] >= self.first_new || i == root {
                members.push((root, i));
            }
        }
        members.par_sort_unstable();
        let members: Vec<(u32, u32)> =
            members.chunk_by(|a, b| a.0 == b.0).filter(|class| class.len() > 1).flatten().copied().collect();
        let coefficients = members
            .par_iter()
            .map_init(Default::default, |buffers, &(root, i)| self.texts.jaccard(root, self.same[i as usize], buffers))
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
                .map_init(Default::default, |buffers, &(a, b)| {
                    Ok(self.texts.similar(a, b, self.similarity, buffers)?.is_some())
                })
                .collect::<io::Result<Vec<bool>>>()?;
            lot.iter().zip(good).filter(|(_, good)| *good).for_each(|(&(a, b), _)| {
                union.join(a, b);
            });
        }
    }

    fn batch(&self, rows: &[((u32, u32), Option<f64>)]) -> Result<RecordBatch, ArrowError> {
        let ids = |of: fn(&(u32, u32)) -> u32| -> ArrayRef {
            Arc::new(rows.iter().map(|(row, _)| self.texts.pages()[of(row) as usize]).collect::<Int64Array>())
        };
        let exact = rows.iter().map(|&((root, i), _)| Some(self.same[i as usize] == root));
        batch_of(vec![
            ("label", ids(|row| row.0)),
            ("page", ids(|row| row.1)),
            ("exact", Arc::new(exact.collect::<BooleanArray>())),
            ("jaccard", Arc::new(rows.iter().map(|(_, j)| *j).collect::<Float64Array>())),
        ])
    }
}
