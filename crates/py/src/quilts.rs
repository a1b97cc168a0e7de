//! Quilts: `GramCollection` collects texts, `CountedGrams` knows who holds what, `QuiltCovers` gives the rows.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_pyarrow::{FromPyArrow, ToPyArrow};
use arrow_schema::ArrowError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::ThreadPool;

use pagekin_core::page::text::words;
use pagekin_core::page::url::domain;
use pagekin_core::quilts::collection::{self, QuiltParams};
use pagekin_core::quilts::postings::{self, Budget};
use pagekin_core::quilts::sites::{Foreign, SiteNames, SiteTableBuilder};
use pagekin_core::quilts::{
    class_members, cover_rows as rows_of_covers, covers, gram_rows as rows_of_grams, index as gram_index, lookup,
    patches as text_patches, verify,
};

use crate::arrow::{on_batch, to_column};
use crate::{enter, pool};

/// Through the door; what the disk says comes out as an `OSError`.
fn enter_disk<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T, ArrowError> + Send) -> PyResult<T> {
    let done: Result<T, io::Error> = enter(py, || match work() {
        Ok(value) => Ok(Ok(value)),
        Err(ArrowError::IoError(_, error)) => Ok(Err(error)),
        Err(error) => Err(error),
    })?;
    Ok(done?)
}

fn rule(foreign: &str) -> PyResult<Foreign> {
    let wrong = || PyValueError::new_err(format!("foreign must be none, host, domain or ip, not {foreign}"));
    Foreign::parse(foreign).ok_or_else(wrong)
}

fn check_k(k: usize) -> PyResult<()> {
    match pagekin_core::quilts::grams::K.contains(&k) {
        true => Ok(()),
        false => Err(PyValueError::new_err(format!("k must be from 1 to 64, not {k}"))),
    }
}

fn finished() -> PyErr {
    PyValueError::new_err("the collection was counted already")
}

/// Collects texts for the search of quilts.
#[pyclass]
struct GramCollection {
    pool: Arc<ThreadPool>,
    collection: Option<collection::GramCollection>,
}

impl GramCollection {
    fn of_pages(
        &mut self,
        batch: &Bound<'_, PyAny>,
        push: impl FnOnce(&mut SiteTableBuilder, &RecordBatch) -> Result<(), ArrowError> + Send,
    ) -> PyResult<()> {
        let rows = RecordBatch::from_pyarrow_bound(batch)?;
        let collection = self.collection.as_mut().ok_or_else(finished)?;
        enter_disk(batch.py(), || push(&mut collection.sites, &rows))
    }
}

#[pymethods]
impl GramCollection {
    #[new]
    #[pyo3(signature = (threads, memory, spill, k=5, seed=0))]
    fn new(threads: usize, memory: usize, spill: PathBuf, k: usize, seed: u64) -> PyResult<Self> {
        check_k(k)?;
        let budget = Budget { memory, threads, folder: spill };
        Ok(GramCollection {
            pool: Arc::new(pool(threads)?),
            collection: Some(collection::GramCollection::new(k, seed, budget)),
        })
    }

    /// Who the pages belong to: page, url, host, domain, ip.
    fn push_sites(&mut self, batch: &Bound<'_, PyAny>) -> PyResult<()> {
        self.of_pages(batch, SiteTableBuilder::push_sites)
    }

    /// When pages were fetched or written: page, date. No source may then be later than its quilt.
    fn push_dates(&mut self, batch: &Bound<'_, PyAny>) -> PyResult<()> {
        self.of_pages(batch, SiteTableBuilder::push_dates)
    }

    /// Which page represents which: page, representative.
    fn push_copies(&mut self, batch: &Bound<'_, PyAny>) -> PyResult<()> {
        self.of_pages(batch, SiteTableBuilder::push_copies)
    }

    /// More pages: page, text.
    fn push(&mut self, py: Python<'_>, batch: &Bound<'_, PyAny>) -> PyResult<()> {
        let batch = RecordBatch::from_pyarrow_bound(batch)?;
        let (collection, pool) = (self.collection.as_mut().ok_or_else(finished)?, &self.pool);
        enter_disk(py, || pool.install(|| collection.push(&batch)))
    }

    /// Counts all grams, and keeps who holds those that at most m pages hold.
    ///
    /// Writes an index of all grams if it is told where.
    #[pyo3(signature = (m=50, foreign="domain", index=None))]
    fn count(&mut self, py: Python<'_>, m: usize, foreign: &str, index: Option<PathBuf>) -> PyResult<CountedGrams> {
        let rule = rule(foreign)?;
        let collection = self.collection.take().ok_or_else(finished)?;
        let pool = &self.pool;
        let mut counting = enter_disk(py, || Ok(collection.finish(m, rule, index.as_deref())?))?;
        while enter_disk(py, || Ok(pool.install(|| counting.step())?))? {
            py.check_signals()?;
        }
        let counted = enter_disk(py, || Ok(counting.finish()?))?;
        Ok(CountedGrams { pool: pool.clone(), counted })
    }
}

#[pyclass(frozen)]
struct CountedGrams {
    pool: Arc<ThreadPool>,
    counted: Arc<postings::CountedGrams>,
}

#[pymethods]
impl CountedGrams {
    /// What was counted, added up.
    fn metrics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let metrics = self.counted.metrics();
        let dict = PyDict::new(py);
        dict.set_item("pairs", metrics.pairs)?;
        dict.set_item("spilled_pairs", metrics.spilled)?;
        dict.set_item("shared_pairs", metrics.shared_pairs)?;
        dict.set_item("shared_grams", metrics.shared_grams)?;
        Ok(dict)
    }

    /// One row a page, batch by batch. `m` may be less than what was counted with.
    #[pyo3(signature = (m=50, c=4, theta=0.5, min_share=0.0, covered=false, min_shared=1.0))]
    #[allow(clippy::too_many_arguments)]
    fn covers(
        &self,
        py: Python<'_>,
        m: usize,
        c: usize,
        theta: f64,
        min_share: f64,
        covered: bool,
        min_shared: f64,
    ) -> PyResult<QuiltCovers> {
        if m > self.counted.m {
            return Err(PyValueError::new_err(format!("counted with m = {}, which is less than {m}", self.counted.m)));
        }
        let params = QuiltParams { m, c, theta, covered, min_share };
        let counted = self.counted.clone();
        let covers = enter_disk(py, || Ok(covers::QuiltCovers::new(counted, params, min_shared)?))?;
        Ok(QuiltCovers { pool: self.pool.clone(), covers })
    }
}

/// An index of all grams of stored pages.
#[pyclass(frozen)]
struct GramIndex {
    index: gram_index::GramIndex,
    /// What hosts and domains belong to, where the stored pages were told so.
    servers: HashMap<String, String>,
}

#[pymethods]
impl GramIndex {
    #[new]
    #[pyo3(signature = (path, servers=HashMap::new()))]
    fn new(py: Python<'_>, path: PathBuf, servers: HashMap<String, String>) -> PyResult<Self> {
        Ok(GramIndex { index: enter_disk(py, || Ok(gram_index::GramIndex::open(&path)?))?, servers })
    }

    /// Whether a page is a quilt of stored pages: what is known of it, and its sources as
    /// (page, new grams, shared grams, foreign).
    #[pyo3(signature = (text, url=None, ip=None, m=50, c=4, theta=0.5, min_share=0.0, foreign="domain", covered=false))]
    #[allow(clippy::too_many_arguments)]
    fn check<'py>(
        &self,
        py: Python<'py>,
        text: &str,
        url: Option<&str>,
        ip: Option<&str>,
        m: usize,
        c: usize,
        theta: f64,
        min_share: f64,
        foreign: &str,
        covered: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let rule = rule(foreign)?;
        let params = QuiltParams { m, c, theta, covered, min_share };
        let host = url.and_then(domain::host);
        let name = host.as_deref().map(domain::domain);
        let server = |name| self.servers.get(name).map(String::as_str);
        let site = match host.as_deref().and_then(server).or(name.and_then(server)) {
            Some(server) => SiteNames::new(i64::MAX, Some(server), Some(server), Some(server)),
            None => SiteNames::new(i64::MAX, host.as_deref(), name, ip),
        };
        let site = site.at(url);
        let answer = enter_disk(py, || Ok(lookup::check(&self.index, &lookup::Query { text, site }, params, rule)?))?;
        let dict = PyDict::new(py);
        dict.set_item("grams", answer.grams)?;
        dict.set_item("own_grams", answer.own_grams)?;
        dict.set_item("patch_grams", answer.patch_grams)?;
        dict.set_item("uncovered", answer.uncovered)?;
        dict.set_item("quilt", answer.quilt)?;
        dict.set_item("sources", answer.sources)?;
        Ok(dict)
    }
}

/// The patches of a page: which source, first word in the page, first word in the source, how many words.
#[pyfunction]
fn patches(py: Python<'_>, text: &str, sources: Vec<String>, k: usize) -> PyResult<Vec<(usize, usize, usize, usize)>> {
    check_k(k)?;
    enter(py, || {
        let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
        let found = text_patches::patches(text, &sources, k);
        Ok::<_, String>(found.into_iter().map(|p| (p.source, p.start, p.source_start, p.words)).collect())
    })
}

/// Where each word of a text begins and ends, in characters.
#[pyfunction]
fn word_spans(py: Python<'_>, text: &str) -> PyResult<Vec<(usize, usize)>> {
    enter(py, || {
        Ok::<_, String>(words::word_spans(text).into_iter().map(|word| (word.chars.start, word.chars.end)).collect())
    })
}

/// The rows of all pages, in the order of page ids.
#[pyclass]
struct QuiltCovers {
    pool: Arc<ThreadPool>,
    covers: covers::QuiltCovers,
}

#[pymethods]
impl QuiltCovers {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (covers, pool) = (&mut self.covers, &self.pool);
        let batch = enter_disk(py, || pool.install(|| covers.next_batch()))?;
        batch.map(|batch| batch.to_pyarrow(py)).transpose()
    }
}

/// The distinct grams of pages: page, text and copy become gram and page.
#[pyfunction]
fn gram_rows<'py>(batch: &Bound<'py, PyAny>, k: usize, seed: u64, m: usize) -> PyResult<Bound<'py, PyAny>> {
    check_k(k)?;
    on_batch(batch, |rows| rows_of_grams::gram_rows(rows, k, seed, m))
}

/// Counts of pages and postings of patch grams, from complete groups of grams.
#[pyfunction]
fn patch_rows<'py>(batch: &Bound<'py, PyAny>, m: usize) -> PyResult<Bound<'py, PyAny>> {
    on_batch(batch, |rows| rows_of_grams::patch_rows(rows, m))
}

/// A row for each holder of a posting.
#[pyfunction]
fn posting_pages<'py>(batch: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    on_batch(batch, rows_of_covers::posting_pages)
}

/// Each page with each holder of its lists.
#[pyfunction]
fn holder_pairs<'py>(batch: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    on_batch(batch, rows_of_covers::holder_pairs)
}

/// Hosts, domains and IP addresses as numbers.
#[pyfunction]
fn quilt_sites<'py>(batch: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    on_batch(batch, class_members::site_rows)
}

/// The members of classes that decide who may be a source.
#[pyfunction]
fn deciding_members<'py>(batch: &Bound<'py, PyAny>, foreign: &str) -> PyResult<Bound<'py, PyAny>> {
    let rule = rule(foreign)?;
    on_batch(batch, |rows| class_members::deciding_members(rows, rule))
}

/// The members of holders' classes that may be sources of pages.
#[pyfunction]
fn allowed_members<'py>(batch: &Bound<'py, PyAny>, foreign: &str) -> PyResult<Bound<'py, PyAny>> {
    let rule = rule(foreign)?;
    on_batch(batch, |rows| class_members::allowed_members(rows, rule))
}

/// Which rows of counts are pages that may be quilts.
#[pyfunction]
fn quilt_candidates<'py>(batch: &Bound<'py, PyAny>, c: usize, theta: f64) -> PyResult<Bound<'py, PyAny>> {
    // What the others are does not matter yet.
    let params = QuiltParams { m: usize::MAX, c, theta, covered: false, min_share: 0.0 };
    to_column(batch, |rows| rows_of_covers::candidates(rows, params))
}

/// Covered pages, from complete groups of pages.
#[pyfunction]
fn cover_rows<'py>(
    batch: &Bound<'py, PyAny>,
    c: usize,
    theta: f64,
    min_share: f64,
    covered: bool,
    min_shared: f64,
) -> PyResult<Bound<'py, PyAny>> {
    // Who holds a gram is decided by now.
    let params = QuiltParams { m: usize::MAX, c, theta, covered, min_share };
    on_batch(batch, |rows| rows_of_covers::cover_rows(rows, params, min_shared))
}

/// The distinct grams of pages with their words.
#[pyfunction]
fn gram_words<'py>(batch: &Bound<'py, PyAny>, k: usize, seed: u64) -> PyResult<Bound<'py, PyAny>> {
    check_k(k)?;
    on_batch(batch, |rows| verify::gram_words(rows, k, seed))
}

/// One row for each gram: how many words were compared with its first, and how many were others.
#[pyfunction]
fn compare_words<'py>(batch: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    on_batch(batch, verify::compare_words)
}

pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<GramCollection>()?;
    m.add_class::<CountedGrams>()?;
    m.add_class::<QuiltCovers>()?;
    m.add_class::<GramIndex>()?;
    m.add_function(wrap_pyfunction!(gram_rows, m)?)?;
    m.add_function(wrap_pyfunction!(patch_rows, m)?)?;
    m.add_function(wrap_pyfunction!(posting_pages, m)?)?;
    m.add_function(wrap_pyfunction!(holder_pairs, m)?)?;
    m.add_function(wrap_pyfunction!(quilt_sites, m)?)?;
    m.add_function(wrap_pyfunction!(deciding_members, m)?)?;
    m.add_function(wrap_pyfunction!(allowed_members, m)?)?;
    m.add_function(wrap_pyfunction!(quilt_candidates, m)?)?;
    m.add_function(wrap_pyfunction!(cover_rows, m)?)?;
    m.add_function(wrap_pyfunction!(gram_words, m)?)?;
    m.add_function(wrap_pyfunction!(compare_words, m)?)?;
    m.add_function(wrap_pyfunction!(patches, m)?)?;
    m.add_function(wrap_pyfunction!(word_spans, m)?)?;
    Ok(())
}
