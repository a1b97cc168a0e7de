//! The border between pagekin's kernels and Python: `pagekin._core`.
//!
//! Every call that does work goes through one door, [`enter`]: it releases the GIL, runs on a pool of the size the
//! caller asked for, and turns errors and panics into Python exceptions. Nothing else happens here.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

mod arrow;
mod causes;
mod duplicates;
mod index;
mod key_lookup;
mod page;
mod phrases;
mod quilts;
mod reducer;
mod rows;
mod shingles;
mod ssdeep;
mod style;
mod style_groups;
mod url;

/// The one door: runs `work` without the GIL.
fn enter<T: Send, E: ToString + Send>(py: Python<'_>, work: impl FnOnce() -> Result<T, E> + Send) -> PyResult<T> {
    match py.detach(|| catch_unwind(AssertUnwindSafe(work))) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(PyValueError::new_err(error.to_string())),
        Err(_) => Err(PyRuntimeError::new_err("a kernel failed; the panic message is on stderr")),
    }
}

/// The threads of one kernel.
fn pool(threads: usize) -> PyResult<ThreadPool> {
    if threads == 0 {
        return Err(PyValueError::new_err("threads must be at least 1"));
    }
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|i| format!("pagekin-{i}"))
        .build()
        .map_err(|e| PyRuntimeError::new_err(e.to_string()))
}

#[pymodule]
#[pyo3(name = "_core")]
fn core_module(m: &Bound<'_, PyModule>) -> PyResult<()> {
    let (major, minor, micro) = char::UNICODE_VERSION;
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    m.add("UNICODE_VERSION", format!("{major}.{minor}.{micro}"))?;
    causes::register(m)?;
    duplicates::register(m)?;
    index::register(m)?;
    key_lookup::register(m)?;
    page::register(m)?;
    phrases::register(m)?;
    quilts::register(m)?;
    rows::register(m)?;
    shingles::register(m)?;
    ssdeep::register(m)?;
    style::register(m)?;
    style_groups::register(m)?;
    url::register(m)?;
    Ok(())
}
