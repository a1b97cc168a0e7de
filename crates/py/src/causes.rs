//! Reasons of copies, redirects and query parameters at the border.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray, make_array};
use arrow_data::ArrayData;
use arrow_pyarrow::{FromPyArrow, ToPyArrow};
use arrow_schema::ArrowError;
use pyo3::prelude::*;

use pagekin_core::causes::{copies, parameters, redirects};

use crate::enter;

type BatchKernel = fn(&RecordBatch) -> Result<RecordBatch, ArrowError>;

fn on_batch<'py>(batch: &Bound<'py, PyAny>, kernel: BatchKernel) -> PyResult<Bound<'py, PyAny>> {
    let rows = RecordBatch::from_pyarrow_bound(batch)?;
    enter(batch.py(), || kernel(&rows))?.to_pyarrow(batch.py())
}

pub(crate) fn on_strings<'py, A: Array + Send>(
    values: &Bound<'py, PyAny>,
    kernel: fn(&StringArray) -> A,
) -> PyResult<Bound<'py, PyAny>> {
    let column: ArrayRef = make_array(ArrayData::from_pyarrow_bound(values)?);
    let found = enter(values.py(), || {
        let strings = column.as_string_opt().ok_or_else(|| ArrowError::SchemaError("these are no strings".into()))?;
        Ok::<_, ArrowError>(kernel(strings))
    })?;
    found.to_data().to_pyarrow(values.py())
}

/// Why the pages of complete classes repeat earlier ones.
#[pyfunction]
fn copy_reasons<'py>(batch: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    on_batch(batch, copies::copies)
}

/// Which rows are among the first `max_rows` of their group.
#[pyfunction]
fn first_of_groups<'py>(keys: &Bound<'py, PyAny>, max_rows: usize) -> PyResult<Bound<'py, PyAny>> {
    let column: ArrayRef = make_array(ArrayData::from_pyarrow_bound(keys)?);
    let found = enter(keys.py(), || {
        let keys = column.as_primitive_opt().ok_or_else(|| ArrowError::SchemaError("a key is an int64".into()))?;
        Ok::<_, ArrowError>(copies::first_of_groups(keys, max_rows))
    })?;
    found.to_data().to_pyarrow(keys.py())
}

/// The redirects among skipped records.
#[pyfunction]
fn redirect_edges<'py>(batch: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    on_batch(batch, redirects::redirects)
}

/// The first page of its class to which redirects join a page, over complete components of redirects.
#[pyfunction]
fn redirect_joins<'py>(batch: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    on_batch(batch, redirects::joined)
}

/// What stands for URLs, however they are spelled.
#[pyfunction]
fn url_keys<'py>(urls: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    on_strings(urls, redirects::url_keys)
}

/// Site and pattern of pages.
#[pyfunction]
fn url_patterns<'py>(batch: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    on_batch(batch, parameters::patterns)
}

/// A row for each query parameter of pages, and one for each page.
#[pyfunction]
fn url_parameters<'py>(batch: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    on_batch(batch, parameters::parameters)
}

/// What the names of parameters suggest.
#[pyfunction]
fn parameter_roles<'py>(parameters: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    on_strings(parameters, parameters::roles)
}

pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(copy_reasons, m)?)?;
    m.add_function(wrap_pyfunction!(first_of_groups, m)?)?;
    m.add_function(wrap_pyfunction!(redirect_edges, m)?)?;
    m.add_function(wrap_pyfunction!(redirect_joins, m)?)?;
    m.add_function(wrap_pyfunction!(url_keys, m)?)?;
    m.add_function(wrap_pyfunction!(url_patterns, m)?)?;
    m.add_function(wrap_pyfunction!(url_parameters, m)?)?;
    m.add_function(wrap_pyfunction!(parameter_roles, m)?)
}
