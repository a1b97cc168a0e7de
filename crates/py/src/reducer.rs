//! Kernels that take batches and give their result once.

use std::sync::Mutex;

use arrow_array::RecordBatch;
use arrow_pyarrow::FromPyArrow;
use arrow_schema::ArrowError;
use pyo3::prelude::*;
use rayon::ThreadPool;

use crate::{enter, pool};

pub struct Reducer<T> {
    pool: ThreadPool,
    state: Mutex<Option<T>>,
}

impl<T: Send> Reducer<T> {
    pub fn new(threads: usize, state: T) -> PyResult<Self> {
        Ok(Reducer { pool: pool(threads)?, state: Mutex::new(Some(state)) })
    }

    pub fn push(
        &self,
        batch: &Bound<'_, PyAny>,
        work: impl FnOnce(&mut T, &RecordBatch) -> Result<(), ArrowError> + Send,
    ) -> PyResult<()> {
        let rows = RecordBatch::from_pyarrow_bound(batch)?;
        self.update(batch.py(), |state| work(state, &rows))
    }

    pub fn update(&self, py: Python<'_>, work: impl FnOnce(&mut T) -> Result<(), ArrowError> + Send) -> PyResult<()> {
        enter(py, || {
            let mut state = self.state.lock().map_err(|_| failed())?;
            let state = state.as_mut().ok_or_else(finished)?;
            self.pool.install(|| work(state))
        })
    }

    pub fn finish<R: Send>(&self, py: Python<'_>, work: impl FnOnce(T) -> Result<R, ArrowError> + Send) -> PyResult<R> {
        enter(py, || {
            let state = self.state.lock().map_err(|_| failed())?.take().ok_or_else(finished)?;
            self.pool.install(|| work(state))
        })
    }
}

fn finished() -> ArrowError {
    ArrowError::InvalidArgumentError("the result was given already".into())
}

fn failed() -> ArrowError {
    ArrowError::InvalidArgumentError("an earlier call failed".into())
}
