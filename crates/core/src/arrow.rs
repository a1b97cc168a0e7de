//! Arrow batches: columns by name and type, and batches from named columns.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, ListArray, RecordBatch, StringArray};
use arrow_schema::{ArrowError, Field, Schema};

/// The column of this name, which must have this type.
pub fn column<'a, A: Array + 'static>(batch: &'a RecordBatch, name: &str) -> Result<&'a A, ArrowError> {
    any_column(batch, name)?.as_any().downcast_ref().ok_or_else(|| wrong(name))
}

/// The column of this name, whatever its type.
pub fn any_column<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a ArrayRef, ArrowError> {
    batch.column_by_name(name).ok_or_else(|| wrong(name))
}

pub fn wrong(name: &str) -> ArrowError {
    ArrowError::SchemaError(format!("the batch has no column {name} of the right type"))
}

/// A column of lists of numbers.
pub struct ListColumn<'a> {
    ends: &'a [i32],
    values: &'a [i64],
}

impl<'a> ListColumn<'a> {
    pub fn new(batch: &'a RecordBatch, name: &str) -> Result<Self, ArrowError> {
        let lists: &ListArray = column(batch, name)?;
        let values = lists.values().as_primitive_opt::<Int64Type>().ok_or_else(|| wrong(name))?.values();
        Ok(ListColumn { ends: lists.value_offsets(), values })
    }

    /// The list of a row; an empty one where it is null.
    pub fn of(&self, row: usize) -> &'a [i64] {
        &self.values[self.ends[row] as usize..self.ends[row + 1] as usize]
    }
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
