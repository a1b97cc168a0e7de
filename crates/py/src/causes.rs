//! Reasons of copies, redirects and query parameters at the border.

use pyo3::prelude::*;

use pagekin_core::causes::{copies, parameters, redirects};

use crate::arrow::{int64s, on_batch, on_column, strings};

/// Why the pages of complete classes repeat earlier ones.
#[pyfunction]
fn copy_reasons<'py>(batch: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    on_batch(batch, copies::copies)
}

/// Which rows are among the first `max_rows` of their group.
#[pyfunction]
fn first_of_groups<'py>(keys: &Bound<'py, PyAny>, max_rows: usize) -> PyResult<Bound<'py, PyAny>> {
    on_column(keys, |keys| Ok(copies::first_of_groups(int64s(keys)?, max_rows)))
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
    on_column(urls, |urls| Ok(redirects::url_keys(strings(urls)?)))
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
    on_column(parameters, |names| Ok(parameters::roles(strings(names)?)))
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
