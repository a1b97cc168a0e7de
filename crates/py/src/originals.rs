//! Own passages at the border.

use std::path::PathBuf;
use std::sync::RwLock;

use arrow_array::RecordBatch;
use arrow_pyarrow::{FromPyArrow, ToPyArrow};
use arrow_schema::ArrowError;
use pyo3::prelude::*;
use rayon::ThreadPool;

use pagekin_core::originals;

use crate::shingles::Shingler;
use crate::{enter, pool};

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

    fn cut<'py>(&self, texts: &Bound<'py, PyAny>, least: usize) -> PyResult<Bound<'py, PyAny>> {
        let (py, rows) = (texts.py(), RecordBatch::from_pyarrow_bound(texts)?);
        let work = || self.pool.install(|| self.state.read().map_err(broken)?.cut(&rows, least));
        enter(py, work)?.to_pyarrow(py)
    }
}

/// Adds this file's names to the module.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Originals>()
}
