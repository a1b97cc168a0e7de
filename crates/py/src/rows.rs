//! Rows between kernels, at the border.

use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch};
use arrow_pyarrow::{FromPyArrow, ToPyArrow};
use arrow_schema::ArrowError;
use pyo3::prelude::*;

use pagekin_core::rows;

use crate::arrow::{array, int64s, on_batch};
use crate::enter;

/// Where rows go that are divided by key: the rows of each part in turn, and where each part ends.
#[pyfunction]
fn divide_rows<'py>(keys: &Bound<'py, PyAny>, parts: usize) -> PyResult<(Bound<'py, PyAny>, Vec<usize>)> {
    let (py, column) = (keys.py(), array(keys)?);
    let (rows, ends) = enter(py, || Ok::<_, ArrowError>(rows::divide_rows(int64s(&column)?, parts.max(1))))?;
    Ok((rows.to_data().to_pyarrow(py)?, ends))
}

/// The rows in the order of these columns.
#[pyfunction]
fn sort_rows<'py>(py: Python<'py>, columns: Vec<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
    let columns: Vec<ArrayRef> = columns.iter().map(array).collect::<PyResult<_>>()?;
    let sorted = enter(py, || {
        let keys: Vec<&Int64Array> = columns.iter().map(int64s).collect::<Result<_, _>>()?;
        Ok::<_, ArrowError>(rows::sort_rows(&keys))
    })?;
    sorted.to_data().to_pyarrow(py)
}

/// The pages of edges with the smallest page that each is joined to.
#[pyfunction]
fn components<'py>(py: Python<'py>, edges: Vec<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
    let batches: Vec<RecordBatch> = edges.iter().map(RecordBatch::from_pyarrow_bound).collect::<PyResult<_>>()?;
    enter(py, || rows::components(&batches))?.to_pyarrow(py)
}

/// One step towards stars, over complete groups of pages.
#[pyfunction]
fn star_step<'py>(batch: &Bound<'py, PyAny>, large: bool) -> PyResult<Bound<'py, PyAny>> {
    on_batch(batch, |rows| rows::star_step(rows, large))
}

pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(divide_rows, m)?)?;
    m.add_function(wrap_pyfunction!(sort_rows, m)?)?;
    m.add_function(wrap_pyfunction!(components, m)?)?;
    m.add_function(wrap_pyfunction!(star_step, m)?)
}
