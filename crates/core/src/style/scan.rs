//! Fingerprints compared by the column: one with all, or row by row.

use std::sync::Arc;

use arrow_array::{Array, BinaryArray, Float64Array, Int32Array, Int64Array, RecordBatch};
use arrow_schema::ArrowError;

use crate::arrow::{batch_of, column};
use crate::style::fingerprint::{Divisor, ONE, compare, from_bytes};
use crate::style::matrix::Matrix;

/// One row for each row of the matrix: page, matching, filled, similarity.
pub fn one_to_all(matrix: &Matrix, fingerprint: &[u16], divisor: Divisor) -> Result<RecordBatch, ArrowError> {
    let found = matrix.scan(fingerprint);
    let similarity = found.iter().map(|&f| f64::from(divisor.millionths(f)) / f64::from(ONE));
    batch_of(vec![
        ("page", Arc::new(Int64Array::from_iter_values((0..matrix.len()).map(|row| matrix.page(row))))),
        ("matching", Arc::new(Int32Array::from_iter_values(found.iter().map(|f| f.matching as i32)))),
        ("filled", Arc::new(Int32Array::from_iter_values(found.iter().map(|f| f.filled as i32)))),
        ("similarity", Arc::new(Float64Array::from_iter_values(similarity))),
    ])
}

/// Row by row, the similarity of two columns of minima (`a` and `b`, binary) in millionths; none where either is null.
pub fn row_by_row(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let (a, b): (&BinaryArray, &BinaryArray) = (column(batch, "a")?, column(batch, "b")?);
    let similarity = (0..batch.num_rows()).map(|row| {
        let both = a.is_valid(row) && b.is_valid(row);
        let compared = || compare(&from_bytes(a.value(row)), &from_bytes(b.value(row)));
        both.then(|| i64::from(Divisor::Filled.millionths(compared())))
    });
    batch_of(vec![("similarity", Arc::new(similarity.collect::<Int64Array>()))])
}
