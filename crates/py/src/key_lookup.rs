//! Places at the border.

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
struct Places(key_lookup::Places);

#[pymethods]
impl Places {
    #[new]
    fn new(values: &Bound<'_, PyAny>) -> PyResult<Self> {
        let column = array(values)?;
        Ok(Places(enter(values.py(), || key_lookup::Places::new(&column))?))
    }

    /// The first place of each key; null where there is none.
    fn of<'py>(&self, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, column) = (keys.py(), array(keys)?);
        enter(py, || self.0.of(&column))?.to_data().to_pyarrow(py)
    }

    /// Whether each key has a place.
    fn hold<'py>(&self, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, column) = (keys.py(), array(keys)?);
        enter(py, || self.0.hold(&column))?.to_data().to_pyarrow(py)
    }
}

/// Adds this file's names to the module.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Places>()
}
