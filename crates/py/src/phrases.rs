//! Popular phrases and covers at the border.

use std::path::PathBuf;

use arrow_array::RecordBatch;
use arrow_pyarrow::{FromPyArrow, ToPyArrow};
use pyo3::prelude::*;
use rayon::ThreadPool;

use pagekin_core::popular::{self, Sites};
use pagekin_core::{donors, passages, shingles};

use crate::duplicates::Gatherer;
use crate::shingles::Shingler;
use crate::{enter, pool};

fn batch(rows: &Bound<'_, PyAny>) -> PyResult<RecordBatch> {
    RecordBatch::from_pyarrow_bound(rows)
}

/// Shingles to popular phrases.
#[pyclass(frozen)]
struct FindPopular(Gatherer<popular::FindPopular>);

#[pymethods]
impl FindPopular {
    #[new]
    fn new(
        sites: &Bound<'_, PyAny>,
        least: usize,
        holders: usize,
        threads: usize,
        memory: usize,
        spill: PathBuf,
    ) -> PyResult<Self> {
        let rows = batch(sites)?;
        let sites = enter(sites.py(), || Sites::new(&rows))?;
        let state = popular::FindPopular::new(sites, least, holders, memory, &spill);
        Ok(FindPopular(Gatherer::new(threads, state)?))
    }

    fn push(&self, batch: &Bound<'_, PyAny>) -> PyResult<()> {
        self.0.push(batch, popular::FindPopular::push)
    }

    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let batches = self.0.finish(py, popular::FindPopular::finish)?;
        batches.iter().map(|batch| batch.to_pyarrow(py)).collect()
    }
}

/// What is popular, to be looked up.
#[pyclass(frozen)]
struct Donors {
    pool: ThreadPool,
    donors: donors::Donors,
}

#[pymethods]
impl Donors {
    #[new]
    fn new(sites: &Bound<'_, PyAny>, popular: Vec<Bound<'_, PyAny>>, threads: usize) -> PyResult<Self> {
        let rows = batch(sites)?;
        let popular = popular.iter().map(batch).collect::<PyResult<Vec<_>>>()?;
        let donors = enter(sites.py(), || donors::Donors::new(Sites::new(&rows)?, &popular))?;
        Ok(Donors { pool: pool(threads)?, donors })
    }

    /// How many shingles of each page are popular.
    fn count<'py>(&self, sketches: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, rows) = (sketches.py(), batch(sketches)?);
        enter(py, || self.pool.install(|| self.donors.count(&rows)))?.to_pyarrow(py)
    }

    /// The covers of pages with at least so many popular shingles.
    fn cover<'py>(&self, sketches: &Bound<'py, PyAny>, least: usize, prune: bool) -> PyResult<Bound<'py, PyAny>> {
        let (py, rows) = (sketches.py(), batch(sketches)?);
        enter(py, || self.pool.install(|| self.donors.cover_batch(&rows, least, prune)))?.to_pyarrow(py)
    }
}

/// What wanted phrases (`page`, `fingerprint`) read like on their pages.
#[pyclass(frozen)]
struct Quoter {
    pool: ThreadPool,
    wanted: passages::Wanted,
    fresh: shingles::Shingler,
    k: usize,
}

#[pymethods]
impl Quoter {
    #[new]
    fn new(wanted: &Bound<'_, PyAny>, shingler: &Shingler, threads: usize) -> PyResult<Self> {
        let rows = batch(wanted)?;
        let wanted = enter(wanted.py(), || passages::wanted(&rows))?;
        Ok(Quoter { pool: pool(threads)?, wanted, fresh: shingler.fresh.clone(), k: shingler.params.k })
    }

    /// Those of the pages of a batch (`page`, `text`).
    fn quote<'py>(&self, texts: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, texts) = (texts.py(), batch(texts)?);
        let Quoter { pool, wanted, fresh, k } = self;
        enter(py, || pool.install(|| passages::quote(&texts, wanted, fresh, *k)))?.to_pyarrow(py)
    }
}

/// Adds this file's names to the module.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<FindPopular>()?;
    m.add_class::<Donors>()?;
    m.add_class::<Quoter>()
}
