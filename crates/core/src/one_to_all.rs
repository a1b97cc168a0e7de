//! One to all: a page's fingerprint against every other, as a table.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int32Array, Int64Array, RecordBatch};
use arrow_schema::ArrowError;

use crate::matrix::Matrix;
use crate::shape::{ONE, millionths};

/// One row for each row of the matrix: page, matching, filled, similarity.
pub fn one_to_all(matrix: &Matrix, fingerprint: &[u16]) -> Result<RecordBatch, ArrowError> {
    let found = matrix.scan(fingerprint);
    let similarity = found.iter().map(|&f| f64::from(millionths(f)) / f64::from(ONE));
    RecordBatch::try_from_iter([
        ("page", Arc::new(Int64Array::from_iter_values((0..matrix.len()).map(|row| matrix.page(row)))) as ArrayRef),
        ("matching", Arc::new(Int32Array::from_iter_values(found.iter().map(|f| f.matching as i32)))),
        ("filled", Arc::new(Int32Array::from_iter_values(found.iter().map(|f| f.filled as i32)))),
        ("similarity", Arc::new(Float64Array::from_iter_values(similarity))),
    ])
}
