//! Popular phrases, covers, quotes and own passages at the border.

use std::path::PathBuf;
use std::sync::RwLock;

use arrow_array::RecordBatch;
use arrow_pyarrow::{FromPyArrow, ToPyArrow};
use arrow_schema::ArrowError;
use pyo3::prelude::*;
use rayon::ThreadPool;

use pagekin_core::phrases::popular::{self, PageSites};
use pagekin_core::phrases::{covers, originals, quotes};
use pagekin_core::shingles::minwise;

use crate::reducer::Reducer;
use crate::shingles::Shingler;
use crate::{enter, pool};

fn batch(rows: &Bound<'_, PyAny>) -> PyResult<RecordBatch> {
    RecordBatch::from_pyarrow_bound(rows)
}

/// Shingles to popular phrases.
#[pyclass(frozen)]
struct PopularPhrases(Reducer<popular::PopularPhrases>);

#[pymethods]
impl PopularPhrases {
    #[new]
    fn new(
        sites: &Bound<'_, PyAny>,
        min_pages: usize,
        max_holders: usize,
        threads: usize,
        memory: usize,
        spill: PathBuf,
    ) -> PyResult<Self> {
        let rows = batch(sites)?;
        let sites = enter(sites.py(), || PageSites::new(&rows))?;
        let state = popular::PopularPhrases::new(sites, min_pages, max_holders, memory, &spill);
        Ok(PopularPhrases(Reducer::new(threads, state)?))
    }

    fn push(&self, batch: &Bound<'_, PyAny>) -> PyResult<()> {
        self.0.push(batch, popular::PopularPhrases::push)
    }

    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let batches = self.0.finish(py, popular::PopularPhrases::finish)?;
        batches.iter().map(|batch| batch.to_pyarrow(py)).collect()
    }
}

/// What is popular, to be looked up.
#[pyclass(frozen)]
struct PhraseCovers {
    pool: ThreadPool,
    covers: covers::PhraseCovers,
}

#[pymethods]
impl PhraseCovers {
    #[new]
    fn new(sites: &Bound<'_, PyAny>, popular: Vec<Bound<'_, PyAny>>, threads: usize) -> PyResult<Self> {
        let rows = batch(sites)?;
        let popular = popular.iter().map(batch).collect::<PyResult<Vec<_>>>()?;
        let covers = enter(sites.py(), || covers::PhraseCovers::new(PageSites::new(&rows)?, &popular))?;
        Ok(PhraseCovers { pool: pool(threads)?, covers })
    }

    /// How many shingles of each page are popular.
    fn count<'py>(&self, sketches: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, rows) = (sketches.py(), batch(sketches)?);
        enter(py, || self.pool.install(|| self.covers.count(&rows)))?.to_pyarrow(py)
    }

    /// The covers of pages with at least `min_popular` popular shingles.
    fn cover<'py>(&self, sketches: &Bound<'py, PyAny>, min_popular: usize, prune: bool) -> PyResult<Bound<'py, PyAny>> {
        let (py, rows) = (sketches.py(), batch(sketches)?);
        enter(py, || self.pool.install(|| self.covers.cover_batch(&rows, min_popular, prune)))?.to_pyarrow(py)
    }
}

/// What wanted phrases (`page`, `fingerprint`) read like on their pages.
#[pyclass(frozen)]
struct Quoter {
    pool: ThreadPool,
    wanted: quotes::Wanted,
    fresh: minwise::Shingler,
    k: usize,
}

#[pymethods]
impl Quoter {
    #[new]
    fn new(wanted: &Bound<'_, PyAny>, shingler: &Shingler, threads: usize) -> PyResult<Self> {
        let rows = batch(wanted)?;
        let wanted = enter(wanted.py(), || quotes::wanted(&rows))?;
        Ok(Quoter { pool: pool(threads)?, wanted, fresh: shingler.fresh.clone(), k: shingler.params.k })
    }

    /// Those of the pages of a batch (`page`, `text`).
    fn quote<'py>(&self, texts: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, texts) = (texts.py(), batch(texts)?);
        let Quoter { pool, wanted, fresh, k } = self;
        enter(py, || pool.install(|| quotes::quote(&texts, wanted, fresh, *k)))?.to_pyarrow(py)
    }
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
    m.add_class::<Originals>()
}
