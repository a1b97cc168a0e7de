//! Arrow data in and out: kernels on one batch or one column.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray, make_array};
use arrow_data::ArrayData;
use arrow_pyarrow::{FromPyArrow, ToPyArrow};
use arrow_schema::ArrowError;
use pyo3::prelude::*;

use crate::enter;

/// A kernel from one batch to another.
pub fn on_batch<'py>(
    batch: &Bound<'py, PyAny>,
    work: impl FnOnce(&RecordBatch) -> Result<RecordBatch, ArrowError> + Send,
) -> PyResult<Bound<'py, PyAny>> {
    let rows = RecordBatch::from_pyarrow_bound(batch)?;
    enter(batch.py(), || work(&rows))?.to_pyarrow(batch.py())
}

/// A kernel from one batch to a column.
pub fn to_column<'py, A: Array + Send>(
    batch: &Bound<'py, PyAny>,
    work: impl FnOnce(&RecordBatch) -> Result<A, ArrowError> + Send,
) -> PyResult<Bound<'py, PyAny>> {
    let rows = RecordBatch::from_pyarrow_bound(batch)?;
    enter(batch.py(), || work(&rows))?.to_data().to_pyarrow(batch.py())
}

/// A kernel from one column to another.
pub fn on_column<'py, A: Array + Send>(
    values: &Bound<'py, PyAny>,
    work: impl FnOnce(&ArrayRef) -> Result<A, ArrowError> + Send,
) -> PyResult<Bound<'py, PyAny>> {
    let column = array(values)?;
    enter(values.py(), || work(&column))?.to_data().to_pyarrow(values.py())
}

pub fn array(column: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    Ok(make_array(ArrayData::from_pyarrow_bound(column)?))
}

pub fn int64s(column: &ArrayRef) -> Result<&Int64Array, ArrowError> {
    column.as_primitive_opt::<Int64Type>().ok_or_else(|| ArrowError::SchemaError("a key is an int64".into()))
}

pub fn strings(column: &ArrayRef) -> Result<&StringArray, ArrowError> {
    column.as_string_opt().ok_or_else(|| ArrowError::SchemaError("these are no strings".into()))
}
