//! Kernels as the benches time them, alone. pagekin itself needs none of these doors, so they are not in `pagekin._core`.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, UInt64Array};
use arrow_pyarrow::{FromPyArrow, ToPyArrow};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use pagekin_core::page::charset;
use pagekin_core::page::html::extract;
use pagekin_core::page::text::words::Words;
use pagekin_core::quilts::collection::{GramCollection, QuiltParams};
use pagekin_core::quilts::covers::QuiltCovers;
use pagekin_core::quilts::grams::Grams;
use pagekin_core::quilts::postings::Budget;
use pagekin_core::quilts::sites::Foreign;
use pagekin_core::ssdeep::score::{Digest, Pattern};
use pagekin_core::ssdeep::store::StoredDigest;
use pagekin_core::style::fingerprint::from_bytes;
use pagekin_core::style::matrix::Matrix;

fn failed(error: impl ToString) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn pool(threads: usize) -> PyResult<ThreadPool> {
    ThreadPoolBuilder::new().num_threads(threads).build().map_err(failed)
}

/// How many words a page's bytes hold: decoding, extraction, word breaking and folding, and nothing else.
#[pyfunction]
fn count_words(html: &[u8]) -> usize {
    let mut found = Words::default();
    found.fill(&extract::extract(&charset::decode(html, None, None).html).text);
    found.len()
}

/// The scores of one digest against many.
#[pyfunction]
fn ssdeep_scores(digest: &str, others: Vec<Bound<'_, PyAny>>) -> PyResult<Vec<u32>> {
    let digest = Digest::parse(digest).map_err(failed)?;
    let stored = StoredDigest::of(&digest);
    let patterns = stored.signatures().map(|(level, signature)| (level, Pattern::of(signature, level)));
    let score = |other: &StoredDigest<'_>| {
        let at = |(level, pattern): &(u8, Pattern)| pattern.score(other.at(*level)?);
        if *other == stored { 100 } else { patterns.iter().filter_map(at).max().unwrap_or(0) }
    };
    let parsed = |other: &Bound<'_, PyAny>| Digest::parse(other.extract::<&str>()?).map_err(failed);
    others.iter().map(|other| Ok(score(&StoredDigest::of(&parsed(other)?)))).collect()
}

/// The grams of pages: `page` and `text` become `page` and `gram`, a row for each distinct gram of a page.
#[pyfunction]
fn gram_pairs<'py>(texts: &Bound<'py, PyAny>, k: usize) -> PyResult<Bound<'py, PyAny>> {
    let (py, batch) = (texts.py(), RecordBatch::from_pyarrow_bound(texts)?);
    let (ids, texts) = (batch["page"].as_primitive::<Int64Type>(), batch["text"].as_string::<i32>());
    let mut grams = Grams::new(k, 0);
    let (mut pages, mut found) = (Vec::new(), Vec::new());
    for row in (0..batch.num_rows()).filter(|row| texts.is_valid(*row)) {
        grams.set(texts.value(row), &mut found);
        pages.resize(found.len(), ids.value(row));
    }
    let columns: [(&str, ArrayRef); 2] =
        [("page", Arc::new(Int64Array::from(pages))), ("gram", Arc::new(UInt64Array::from(found)))];
    RecordBatch::try_from_iter(columns).map_err(failed)?.to_pyarrow(py)
}

/// Counts the pages of each gram, keeps the grams on 2 to m pages, and joins them back.
#[pyclass]
struct PairJoin {
    pool: ThreadPool,
    collection: Option<GramCollection>,
}

#[pymethods]
impl PairJoin {
    #[new]
    fn new(threads: usize, memory: usize, spill: PathBuf) -> PyResult<Self> {
        let budget = Budget { memory, threads, folder: spill };
        Ok(PairJoin { pool: pool(threads)?, collection: Some(GramCollection::new(5, 0, budget)) })
    }

    /// More rows of `page` and `gram`. The grams of a page are distinct and follow each other.
    fn push(&mut self, py: Python<'_>, batch: &Bound<'_, PyAny>) -> PyResult<()> {
        let batch = RecordBatch::from_pyarrow_bound(batch)?;
        let (pool, collection) = (&self.pool, self.collection.as_mut().ok_or_else(|| failed("counted already"))?);
        py.detach(|| pool.install(|| collection.push_pairs(&batch))).map_err(failed)
    }

    /// How many rows are left.
    fn count(&mut self, py: Python<'_>, m: usize) -> PyResult<i64> {
        let collection = self.collection.take().ok_or_else(|| failed("counted already"))?;
        py.detach(|| self.pool.install(|| left(collection, m))).map_err(failed)
    }
}

fn left(collection: GramCollection, m: usize) -> Result<i64, Box<dyn std::error::Error + Send + Sync>> {
    let mut counting = collection.finish(m, Foreign::None, None)?;
    while counting.step()? {}
    // No page has so many sources, so that none is covered.
    let params = QuiltParams { m, c: usize::MAX, theta: 1.0, covered: false, min_share: 0.0 };
    let mut covers = QuiltCovers::new(counting.finish()?, params, 1.0)?;
    let mut rows = 0;
    while let Some(batch) = covers.next_batch()? {
        rows += batch["patch_grams"].as_primitive::<Int64Type>().iter().flatten().sum::<i64>();
    }
    Ok(rows)
}

/// Fingerprints in memory: one scan of all, and one reading of their bytes.
#[pyclass]
struct Fingerprints {
    pool: ThreadPool,
    matrix: Matrix,
}

#[pymethods]
impl Fingerprints {
    #[new]
    fn new(threads: usize, m: usize) -> PyResult<Self> {
        Ok(Fingerprints { pool: pool(threads)?, matrix: Matrix::new(m) })
    }

    /// Adds the columns `page` and `style` of a batch.
    fn push(&mut self, batch: &Bound<'_, PyAny>) -> PyResult<()> {
        self.matrix.push_batch(&RecordBatch::from_pyarrow_bound(batch)?).map_err(failed)
    }

    /// Counts matches for every row; returns how many match in at least `t` dimensions.
    fn scan(&self, fingerprint: &[u8], t: u32) -> usize {
        let found = self.pool.install(|| self.matrix.scan(&from_bytes(fingerprint)));
        found.iter().filter(|found| found.matching >= t).count()
    }

    /// Reads every byte and adds them up as words: what every scan has to do.
    fn read(&self) -> u64 {
        let words = |row: &[u8]| {
            row.as_chunks::<8>().0.iter().fold(0, |sum: u64, word| sum.wrapping_add(u64::from_le_bytes(*word)))
        };
        let rows = (0..self.matrix.len()).into_par_iter().with_min_len(4096);
        self.pool.install(|| rows.map(|row| words(self.matrix.row(row))).reduce(|| 0, u64::wrapping_add))
    }
}

#[pymodule]
fn pagekin_bench(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(count_words, m)?)?;
    m.add_function(wrap_pyfunction!(ssdeep_scores, m)?)?;
    m.add_function(wrap_pyfunction!(gram_pairs, m)?)?;
    m.add_class::<PairJoin>()?;
    m.add_class::<Fingerprints>()
}
