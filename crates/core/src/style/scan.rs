//! Fingerprints compared by the column: one with all, or row by row.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Float64Array, Int32Array, Int64Array, RecordBatch};
use arrow_schema::ArrowError;

use crate::style::fingerprint::compare;
use crate::style::matrix::Matrix;
use crate::style::shape::{ONE, millionths};

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

/// Row by row, the similarity of two columns of minima (`a` and `b`, binary) in millionths; none where either is null.
pub fn row_by_row(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let column = |name: &str| {
        let found = batch.column_by_name(name).and_then(|c| c.as_binary_opt::<i32>());
        found.ok_or_else(|| ArrowError::SchemaError(format!("minima need a binary column {name}")))
    };
    let (a, b) = (column("a")?, column("b")?);
    let minima =
        |bytes: &[u8]| -> Vec<u16> { bytes.as_chunks::<2>().0.iter().map(|pair| u16::from_le_bytes(*pair)).collect() };
    let similarity = (0..batch.num_rows()).map(|row| {
        let both = a.is_valid(row) && b.is_valid(row);
        both.then(|| i64::from(millionths(compare(&minima(a.value(row)), &minima(b.value(row))))))
    });
    RecordBatch::try_from_iter([("similarity", Arc::new(similarity.collect::<Int64Array>()) as ArrayRef)])
}
