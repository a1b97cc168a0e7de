//! Word search at the border.

use arrow_array::RecordBatch;
use arrow_pyarrow::{FromPyArrow, ToPyArrow};
use pyo3::prelude::*;

use pagekin_core::word_hashes as core;
use pagekin_core::words::Words;

use crate::enter;

/// From `page` and `text` to `word` and `page`: one row for each distinct word of a page, hashed.
#[pyfunction]
fn page_words<'py>(texts: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let (py, batch) = (texts.py(), RecordBatch::from_pyarrow_bound(texts)?);
    enter(py, || core::page_words(&batch))?.to_pyarrow(py)
}

/// The hashes of a text's distinct words, sorted.
#[pyfunction]
fn word_hashes(py: Python<'_>, text: &str) -> PyResult<Vec<i64>> {
    enter(py, || Ok::<_, String>(core::word_hashes(&mut Words::default(), text)))
}

/// Adds this file's names to the module.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(page_words, m)?)?;
    m.add_function(wrap_pyfunction!(word_hashes, m)?)
}
