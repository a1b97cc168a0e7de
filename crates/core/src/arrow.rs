//! Arrow batches: columns by name and type, and batches from named columns.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_schema::{ArrowError, Field, Schema};

/// The column of this name, which must have this type.
pub fn column<'a, A: Array + 'static>(batch: &'a RecordBatch, name: &str) -> Result<&'a A, ArrowError> {
    let found = batch.column_by_name(name).and_then(|column| column.as_any().downcast_ref());
    found.ok_or_else(|| wrong(name))
}

pub fn wrong(name: &str) -> ArrowError {
    ArrowError::SchemaError(format!("the batch has no column {name} of the right type"))
}

/// A string, unless it is null.
pub fn string(array: &StringArray, row: usize) -> Option<&str> {
    array.is_valid(row).then(|| array.value(row))
}

/// A batch of named columns, all nullable.
pub fn batch_of(columns: Vec<(&str, ArrayRef)>) -> Result<RecordBatch, ArrowError> {
    let fields: Vec<Field> =
        columns.iter().map(|(name, column)| Field::new(*name, column.data_type().clone(), true)).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns.into_iter().map(|(_, column)| column).collect())
}
