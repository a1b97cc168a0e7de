//! Quilts: `Quilter` gathers texts, `Counted` knows who holds what, `Covers` gives the rows.

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

use pagekin_core::covers;
use pagekin_core::postings::{self, Room};
use pagekin_core::quilts::{self, QuiltParams};
use pagekin_core::sites::Foreign;

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

fn finished() -> PyErr {
    PyValueError::new_err("this gatherer is finished")
}

/// Gathers texts for the search of quilts.
#[pyclass]
struct Quilter {
    pool: Arc<ThreadPool>,
    quilter: Option<quilts::Quilter>,
}

#[pymethods]
impl Quilter {
    #[new]
    #[pyo3(signature = (threads, memory, spill, k=5, seed=0))]
    fn new(threads: usize, memory: usize, spill: PathBuf, k: usize, seed: u64) -> PyResult<Self> {
        if !pagekin_core::grams::K.contains(&k) {
            return Err(PyValueError::new_err(format!("k must be from 1 to 64, not {k}")));
        }
        let room = Room { memory, threads, folder: spill };
        Ok(Quilter { pool: Arc::new(pool(threads)?), quilter: Some(quilts::Quilter::new(k, seed, room)) })
    }

    /// Who the pages belong to: page, host, domain, ip.
    fn sites(&mut self, py: Python<'_>, batch: &Bound<'_, PyAny>) -> PyResult<()> {
        let batch = RecordBatch::from_pyarrow_bound(batch)?;
        let quilter = self.quilter.as_mut().ok_or_else(finished)?;
        enter_disk(py, || quilter.sites.push_sites(&batch))
    }

    /// Which page stands for which: page, representative.
    fn copies(&mut self, py: Python<'_>, batch: &Bound<'_, PyAny>) -> PyResult<()> {
        let batch = RecordBatch::from_pyarrow_bound(batch)?;
        let quilter = self.quilter.as_mut().ok_or_else(finished)?;
        enter_disk(py, || quilter.sites.push_copies(&batch))
    }

    /// More pages: page, text.
    fn push(&mut self, py: Python<'_>, batch: &Bound<'_, PyAny>) -> PyResult<()> {
        let batch = RecordBatch::from_pyarrow_bound(batch)?;
        let (quilter, pool) = (self.quilter.as_mut().ok_or_else(finished)?, &self.pool);
        enter_disk(py, || pool.install(|| quilter.push(&batch)))
    }

    /// More pages as grams: page, gram. The grams of a page are distinct and follow each other.
    fn push_pairs(&mut self, py: Python<'_>, batch: &Bound<'_, PyAny>) -> PyResult<()> {
        let batch = RecordBatch::from_pyarrow_bound(batch)?;
        let (quilter, pool) = (self.quilter.as_mut().ok_or_else(finished)?, &self.pool);
        enter_disk(py, || pool.install(|| quilter.push_pairs(&batch)))
    }

    /// Counts all grams, and keeps who holds those that at most m pages hold.
    #[pyo3(signature = (m=50, foreign="domain"))]
    fn count(&mut self, py: Python<'_>, m: usize, foreign: &str) -> PyResult<Counted> {
        let rule = Foreign::parse(foreign)
            .ok_or_else(|| PyValueError::new_err(format!("foreign must be none, host, domain or ip, not {foreign}")))?;
        let quilter = self.quilter.take().ok_or_else(finished)?;
        let pool = &self.pool;
        let mut counting = enter_disk(py, || Ok(quilter.finish(m, rule)))?;
        while enter_disk(py, || Ok(pool.install(|| counting.step())?))? {
            py.check_signals()?;
        }
        let counted = enter_disk(py, || Ok(counting.finish()))?;
        Ok(Counted { pool: pool.clone(), counted })
    }
}

/// A counted collection.
#[pyclass(frozen)]
struct Counted {
    pool: Arc<ThreadPool>,
    counted: Arc<postings::Counted>,
}

#[pymethods]
impl Counted {
    /// What was counted, added up.
    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let facts = self.counted.facts();
        let dict = PyDict::new(py);
        dict.set_item("pairs", facts.pairs)?;
        dict.set_item("spilled_pairs", facts.spilled)?;
        dict.set_item("shared_pairs", facts.shared_pairs)?;
        dict.set_item("shared_grams", facts.shared_grams)?;
        dict.set_item("expected_collisions", facts.expected_collisions())?;
        Ok(dict)
    }

    /// One row a page, batch by batch. `m` may be less than what was counted with.
    #[pyo3(signature = (m=50, c=4, theta=0.5, min_share=0.0))]
    fn covers(&self, py: Python<'_>, m: usize, c: usize, theta: f64, min_share: f64) -> PyResult<Covers> {
        if m > self.counted.m {
            return Err(PyValueError::new_err(format!("counted with m = {}, which is less than {m}", self.counted.m)));
        }
        let params = QuiltParams { m, c, theta, min_share };
        let counted = self.counted.clone();
        let covers = enter_disk(py, || Ok(covers::Covers::new(counted, params)?))?;
        Ok(Covers { pool: self.pool.clone(), covers })
    }
}

/// The rows of all pages, in the order of page ids.
#[pyclass]
struct Covers {
    pool: Arc<ThreadPool>,
    covers: covers::Covers,
}

#[pymethods]
impl Covers {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (covers, pool) = (&mut self.covers, &self.pool);
        let batch = enter_disk(py, || pool.install(|| covers.next_batch()))?;
        batch.map(|batch| batch.to_pyarrow(py)).transpose()
    }
}

/// Adds what is here to the module.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Quilter>()?;
    m.add_class::<Counted>()?;
    m.add_class::<Covers>()?;
    Ok(())
}
