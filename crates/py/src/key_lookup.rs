//! Lookups at the border.

use arrow_array::{Array, ArrayRef, make_array};
use arrow_data::ArrayData;
use arrow_pyarrow::{FromPyArrow, ToPyArrow};
use pyo3::prelude::*;

use pagekin_core::key_lookup;

use crate::enter;

fn array(column: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    Ok(make_array(ArrayData::from_pyarrow_bound(column)?))
}

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
        let (py, column) = (keys.py(), array(keys)?);
        enter(py, || self.0.index_of(&column))?.to_data().to_pyarrow(py)
    }

    /// Whether each key has a place.
    fn contains<'py>(&self, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, column) = (keys.py(), array(keys)?);
        enter(py, || self.0.contains(&column))?.to_data().to_pyarrow(py)
    }
}

pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<KeyLookup>()
}
