//! Lookups at the border.

use pyo3::prelude::*;

use pagekin_core::key_lookup;

use crate::arrow::{array, on_column};
use crate::enter;

/// Where values stand in a column of integers or strings: made once, asked for many short columns.
#[pyclass(frozen)]
struct KeyLookup(key_lookup::KeyLookup);

#[pymethods]
impl KeyLookup {
    #[new]
    fn new(values: &Bound<'_, PyAny>) -> PyResult<Self> {
        let column = array(values)?;
        Ok(KeyLookup(enter(values.py(), || key_lookup::KeyLookup::new(&column))?))
    }

    /// The first place of each key; null where there is none.
    fn index_of<'py>(&self, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        on_column(keys, |keys| self.0.index_of(keys))
    }

    /// Whether each key has a place.
    fn contains<'py>(&self, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        on_column(keys, |keys| self.0.contains(keys))
    }
}

pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<KeyLookup>()
}
