//! Digests at the border.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use pagekin_core::ctph;
use pagekin_core::digest::{Digest, compare};

use crate::enter;

fn parse(text: &str) -> PyResult<Digest> {
    Digest::parse(text).map_err(|error| {
        let shown: String = text.chars().take(80).flat_map(char::escape_debug).collect();
        PyValueError::new_err(format!("{error}: {shown:.120}"))
    })
}

/// The ssdeep digest of some bytes.
#[pyfunction]
fn ssdeep(py: Python<'_>, data: &[u8]) -> PyResult<String> {
    enter(py, || Ok::<_, String>(ctph::digest(data)))
}

/// The score of two digests, 0 to 100. Too quick to be worth a release of the GIL.
#[pyfunction]
fn ssdeep_score(a: &str, b: &str) -> PyResult<u32> {
    Ok(compare(&parse(a)?, &parse(b)?).unwrap_or(0))
}

/// Why the score of two digests is zero; None if it is not.
#[pyfunction]
fn ssdeep_why(a: &str, b: &str) -> PyResult<Option<&'static str>> {
    Ok(compare(&parse(a)?, &parse(b)?).err().map(|zero| zero.as_str()))
}

/// Adds this file's names to the module.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(ssdeep, m)?)?;
    m.add_function(wrap_pyfunction!(ssdeep_score, m)?)?;
    m.add_function(wrap_pyfunction!(ssdeep_why, m)?)?;
    Ok(())
}
