//! Duplicate classes at the border.

use std::path::PathBuf;
use std::sync::Mutex;

use arrow_array::RecordBatch;
use arrow_pyarrow::{FromPyArrow, ToPyArrow};
use arrow_schema::ArrowError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::ThreadPool;

use pagekin_core::duplicates::{candidates, classes};

use crate::shingles::Shingler;
use crate::{enter, pool};

/// A gatherer: takes batches, and gives its result once.
pub struct Gatherer<T> {
    pool: ThreadPool,
    state: Mutex<Option<T>>,
}

impl<T: Send> Gatherer<T> {
    /// One that works on so many threads.
    pub fn new(threads: usize, state: T) -> PyResult<Self> {
        Ok(Gatherer { pool: pool(threads)?, state: Mutex::new(Some(state)) })
    }

    /// Passes a batch on.
    pub fn push(
        &self,
        batch: &Bound<'_, PyAny>,
        work: impl FnOnce(&mut T, &RecordBatch) -> Result<(), ArrowError> + Send,
    ) -> PyResult<()> {
        let rows = RecordBatch::from_pyarrow_bound(batch)?;
        enter(batch.py(), || {
            let mut state = self.state.lock().map_err(|_| broken())?;
            let state = state.as_mut().ok_or_else(over)?;
            self.pool.install(|| work(state, &rows))
        })
    }

    /// Asks for the result.
    pub fn finish<R: Send>(&self, py: Python<'_>, work: impl FnOnce(T) -> Result<R, ArrowError> + Send) -> PyResult<R> {
        enter(py, || {
            let state = self.state.lock().map_err(|_| broken())?.take().ok_or_else(over)?;
            self.pool.install(|| work(state))
        })
    }
}

fn over() -> ArrowError {
    ArrowError::InvalidArgumentError("the gatherer has given its result already".into())
}

fn broken() -> ArrowError {
    ArrowError::InvalidArgumentError("the gatherer failed before".into())
}

/// Pages to links.
#[pyclass(frozen)]
struct Kin(Gatherer<candidates::Kin>);

#[pymethods]
impl Kin {
    #[new]
    fn new(
        runs: usize,
        length: usize,
        similarity: f64,
        threads: usize,
        memory: usize,
        spill: PathBuf,
    ) -> PyResult<Self> {
        if runs == 0 || length == 0 || !(0.0..=1.0).contains(&similarity) {
            return Err(PyValueError::new_err("runs, length and similarity are out of range"));
        }
        let agree = if similarity == 0.0 { candidates::Agree::Two } else { candidates::Agree::OneFor(similarity) };
        let rule = candidates::Rule { runs, length, agree };
        Ok(Kin(Gatherer::new(threads, candidates::Kin::new(rule, memory, &spill))?))
    }

    fn push(&self, batch: &Bound<'_, PyAny>) -> PyResult<()> {
        self.0.push(batch, candidates::Kin::push)
    }

    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        Ok(vec![self.0.finish(py, candidates::Kin::finish)?.to_pyarrow(py)?])
    }
}

/// Links to classes.
#[pyclass(frozen)]
struct Verifier(Gatherer<classes::Verifier>);

#[pymethods]
impl Verifier {
    #[new]
    fn new(
        links: &Bound<'_, PyAny>,
        similarity: f64,
        first_new: i64,
        shingler: &Shingler,
        threads: usize,
        memory: usize,
        spill: PathBuf,
    ) -> PyResult<Self> {
        let py = links.py();
        let links = RecordBatch::from_pyarrow_bound(links)?;
        let fresh = shingler.fresh.clone();
        let state = enter(py, || classes::Verifier::new(&links, similarity, first_new, fresh, memory, &spill))?;
        Ok(Verifier(Gatherer::new(threads, state)?))
    }

    fn push(&self, batch: &Bound<'_, PyAny>) -> PyResult<()> {
        self.0.push(batch, classes::Verifier::push)
    }

    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let batches = self.0.finish(py, classes::Verifier::finish)?;
        batches.iter().map(|batch| batch.to_pyarrow(py)).collect()
    }
}

/// Adds this file's names to the module.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Kin>()?;
    m.add_class::<Verifier>()
}
