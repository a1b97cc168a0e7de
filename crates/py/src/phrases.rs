//! Popular phrases, covers, quotes and own passages at the border.

use std::path::PathBuf;
use std::sync::RwLock;

use arrow_array::RecordBatch;
use arrow_pyarrow::{FromPyArrow, ToPyArrow};
use arrow_schema::ArrowError;
use pyo3::prelude::*;
use rayon::ThreadPool;

use pagekin_core::phrases::{covers, originals, popular, popular_groups, quotes, sites};
use pagekin_core::shingles::minwise;

use crate::arrow::{on_batch, on_column, strings};
use crate::shingles::Shingler;
use crate::{enter, pool};

fn batch(rows: &Bound<'_, PyAny>) -> PyResult<RecordBatch> {
    RecordBatch::from_pyarrow_bound(rows)
}

/// Shingles to popular phrases: `push_sites` all sites, `push` all pages, then each `part` of the `parts`.
#[pyclass(frozen)]
struct PopularPhrases {
    pool: ThreadPool,
    state: RwLock<popular::PopularPhrases>,
}

impl PopularPhrases {
    fn update<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut popular::PopularPhrases) -> Result<T, ArrowError> + Send,
    ) -> PyResult<T> {
        enter(py, || self.pool.install(|| work(&mut *self.state.write().map_err(broken)?)))
    }
}

#[pymethods]
impl PopularPhrases {
    #[new]
    fn new(min_pages: usize, max_holders: usize, threads: usize, memory: usize, spill: PathBuf) -> PyResult<Self> {
        let state = popular::PopularPhrases::new(min_pages, max_holders, memory, &spill);
        Ok(PopularPhrases { pool: pool(threads)?, state: RwLock::new(state) })
    }

    fn push_sites(&self, sites: &Bound<'_, PyAny>) -> PyResult<()> {
        let rows = batch(sites)?;
        self.update(sites.py(), |state| state.push_sites(&rows))
    }

    fn push(&self, sketches: &Bound<'_, PyAny>) -> PyResult<()> {
        let rows = batch(sketches)?;
        self.update(sketches.py(), |state| state.push(&rows))
    }

    fn parts(&self, py: Python<'_>) -> PyResult<usize> {
        self.update(py, |state| Ok(state.parts()))
    }

    fn part<'py>(&self, py: Python<'py>, number: usize) -> PyResult<Bound<'py, PyAny>> {
        self.update(py, |state| state.part(number))?.to_pyarrow(py)
    }
}

/// What is popular, to be looked up: `push_sites`, `push_popular`, then `covered`.
#[pyclass(frozen)]
struct PhraseCovers {
    pool: ThreadPool,
    state: RwLock<covers::PhraseCovers>,
}

#[pymethods]
impl PhraseCovers {
    #[new]
    fn new(threads: usize) -> PyResult<Self> {
        Ok(PhraseCovers { pool: pool(threads)?, state: RwLock::default() })
    }

    fn push_sites(&self, sites: &Bound<'_, PyAny>) -> PyResult<()> {
        let rows = batch(sites)?;
        enter(sites.py(), || self.state.write().map_err(broken)?.push_sites(&rows))
    }

    fn push_popular(&self, popular: &Bound<'_, PyAny>) -> PyResult<()> {
        let rows = batch(popular)?;
        enter(popular.py(), || self.state.write().map_err(broken)?.push_popular(&rows))
    }

    /// How many shingles of each page are popular; covers of pages with at least `min_popular`.
    fn covered<'py>(
        &self,
        sketches: &Bound<'py, PyAny>,
        min_popular: usize,
        prune: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, rows) = (sketches.py(), batch(sketches)?);
        let work = || self.pool.install(|| self.state.read().map_err(broken)?.covered(&rows, min_popular, prune));
        enter(py, work)?.to_pyarrow(py)
    }
}

/// What phrases (`fingerprints`) read like on pages (`page`, `text`).
#[pyclass(frozen)]
struct Quoter {
    pool: ThreadPool,
    fresh: minwise::Shingler,
    k: usize,
}

#[pymethods]
impl Quoter {
    #[new]
    fn new(shingler: &Shingler, threads: usize) -> PyResult<Self> {
        Ok(Quoter { pool: pool(threads)?, fresh: shingler.fresh.clone(), k: shingler.params.k })
    }

    fn quote<'py>(&self, texts: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, texts) = (texts.py(), batch(texts)?);
        let Quoter { pool, fresh, k } = self;
        enter(py, || pool.install(|| quotes::quote(&texts, fresh, *k)))?.to_pyarrow(py)
    }
}

/// What stands for names; 0 for none.
#[pyfunction]
fn name_keys<'py>(names: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    on_column(names, |names| Ok(sites::name_keys(strings(names)?)))
}

/// The shingles of pages, a row each.
#[pyfunction]
fn shingle_rows<'py>(sketches: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    on_batch(sketches, popular_groups::shingle_rows)
}

/// The shingles of pages and their sites, a row each.
#[pyfunction]
fn phrase_holdings<'py>(pages: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    on_batch(pages, popular_groups::holdings)
}

/// Parts of phrases made smaller.
#[pyfunction]
fn fewer_holdings<'py>(holdings: &Bound<'py, PyAny>, max_holders: usize) -> PyResult<Bound<'py, PyAny>> {
    on_batch(holdings, |rows| popular_groups::fewer_holdings(rows, max_holders))
}

/// What is popular among complete phrases.
#[pyfunction]
fn popular_phrases<'py>(
    holdings: &Bound<'py, PyAny>,
    min_pages: usize,
    max_holders: usize,
) -> PyResult<Bound<'py, PyAny>> {
    on_batch(holdings, |rows| popular_groups::popular_groups(rows, min_pages, max_holders))
}

/// The covers of complete pages.
#[pyfunction]
fn phrase_covers<'py>(rows: &Bound<'py, PyAny>, prune: bool) -> PyResult<Bound<'py, PyAny>> {
    on_batch(rows, |rows| covers::cover_groups(rows, prune))
}

/// Finds and cuts out what earlier pages have: `push` all texts, `seal`, then `cut`.
#[pyclass(frozen)]
struct Originals {
    pool: ThreadPool,
    state: RwLock<originals::Originals>,
}

fn broken<E>(_: E) -> ArrowError {
    ArrowError::InvalidArgumentError("an earlier call failed".into())
}

#[pymethods]
impl Originals {
    #[new]
    fn new(
        order: &Bound<'_, PyAny>,
        shingler: &Shingler,
        threads: usize,
        memory: usize,
        spill: PathBuf,
    ) -> PyResult<Self> {
        let rows = RecordBatch::from_pyarrow_bound(order)?;
        let (fresh, k) = (shingler.fresh.clone(), shingler.params.k);
        let state = enter(order.py(), || originals::Originals::new(&rows, fresh, k, memory, &spill))?;
        Ok(Originals { pool: pool(threads)?, state: RwLock::new(state) })
    }

    fn push(&self, texts: &Bound<'_, PyAny>) -> PyResult<()> {
        let rows = RecordBatch::from_pyarrow_bound(texts)?;
        enter(texts.py(), || self.pool.install(|| self.state.write().map_err(broken)?.push(&rows)))
    }

    fn seal(&self, py: Python<'_>) -> PyResult<()> {
        enter(py, || self.pool.install(|| self.state.write().map_err(broken)?.seal()))
    }

    fn cut<'py>(&self, texts: &Bound<'py, PyAny>, min_words: usize) -> PyResult<Bound<'py, PyAny>> {
        let (py, rows) = (texts.py(), RecordBatch::from_pyarrow_bound(texts)?);
        let work = || self.pool.install(|| self.state.read().map_err(broken)?.cut(&rows, min_words));
        enter(py, work)?.to_pyarrow(py)
    }
}

pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<PopularPhrases>()?;
    m.add_class::<PhraseCovers>()?;
    m.add_class::<Quoter>()?;
    m.add_class::<Originals>()?;
    m.add_function(wrap_pyfunction!(name_keys, m)?)?;
    m.add_function(wrap_pyfunction!(shingle_rows, m)?)?;
    m.add_function(wrap_pyfunction!(phrase_holdings, m)?)?;
    m.add_function(wrap_pyfunction!(fewer_holdings, m)?)?;
    m.add_function(wrap_pyfunction!(popular_phrases, m)?)?;
    m.add_function(wrap_pyfunction!(phrase_covers, m)?)
}
