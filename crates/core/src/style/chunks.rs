//! Large groups in chunks, so that no place has to hold all members of one.

use arrow_array::{Int64Array, RecordBatch, UInt32Array};
use arrow_schema::ArrowError;

use crate::arrow::column;
use crate::hash::mix;

/// How many chunks a group of this size has.
fn chunks_of(size: i64, chunk_size: u64) -> u64 {
    (size.max(1) as u64).div_ceil(chunk_size.max(1))
}

fn chunk_key(group: i64, chunk: u64) -> i64 {
    mix(mix(group as u64) ^ chunk) as i64
}

/// The chunk of each member (`page`) of a group that has this `size`; chunks have about `chunk_size` members.
pub fn chunk_keys(batch: &RecordBatch, group: &str, chunk_size: u64) -> Result<Int64Array, ArrowError> {
    let numbers = |name| column::<Int64Array>(batch, name);
    let (group, size, page) = (numbers(group)?, numbers("size")?, numbers("page")?);
    let chunk = |row: usize| mix(page.value(row) as u64) % chunks_of(size.value(row), chunk_size);
    Ok((0..group.len()).map(|row| Some(chunk_key(group.value(row), chunk(row)))).collect())
}

/// A copy of each row for every chunk of its group: which row it is of, and the chunk.
pub fn chunk_copies(
    batch: &RecordBatch,
    group: &str,
    chunk_size: u64,
) -> Result<(UInt32Array, Int64Array), ArrowError> {
    let (group, size): (&Int64Array, &Int64Array) = (column(batch, group)?, column(batch, "size")?);
    let copies =
        (0..group.len()).flat_map(|row| (0..chunks_of(size.value(row), chunk_size)).map(move |chunk| (row, chunk)));
    let (rows, keys): (Vec<u32>, Vec<i64>) =
        copies.map(|(row, chunk)| (row as u32, chunk_key(group.value(row), chunk))).unzip();
    Ok((rows.into(), keys.into()))
}

/// The first rows of each group: at most `count` of those that follow each other with the same key.
pub fn first_rows(group: &Int64Array, count: usize) -> UInt32Array {
    let mut seen = 0;
    let kept = (0..group.len()).filter(|&row| {
        seen = if row > 0 && group.value(row) == group.value(row - 1) { seen + 1 } else { 0 };
        seen < count
    });
    kept.map(|row| Some(row as u32)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrow::batch_of;
    use arrow_array::ArrayRef;
    use proptest::prelude::*;
    use std::sync::Arc;

    proptest! {
        /// What represents a group has a copy wherever a member is.
        #[test]
        fn copies_meet_all_members(groups in prop::collection::vec((0i64..4, 1i64..50), 1..40), chunk_size in 1u64..9) {
            let numbers = |value: &dyn Fn(&(i64, i64)) -> i64| -> ArrayRef {
                Arc::new(Int64Array::from_iter_values(groups.iter().map(value)))
            };
            // All rows of a group have the same size.
            let columns = vec![("group", numbers(&|g| g.0)), ("size", numbers(&|g| 7 * g.0 + 1)), ("page", numbers(&|g| g.1))];
            let batch = batch_of(columns).unwrap();
            let (rows, chunks) = chunk_copies(&batch, "group", chunk_size).unwrap();
            for (at, key) in chunk_keys(&batch, "group", chunk_size).unwrap().values().iter().enumerate() {
                let copies = rows.values().iter().zip(chunks.values());
                prop_assert_eq!(copies.filter(|copy| *copy.0 == at as u32 && copy.1 == key).count(), 1);
            }
        }

        #[test]
        fn first_of_each(keys in prop::collection::vec(0i64..4, 0..30), count in 1usize..5) {
            let mut sorted = keys;
            sorted.sort_unstable();
            let found = first_rows(&Int64Array::from(sorted.clone()), count);
            for key in 0..4 {
                let has = sorted.iter().filter(|k| **k == key).count();
                let kept = found.values().iter().filter(|row| sorted[**row as usize] == key).count();
                prop_assert_eq!(kept, has.min(count));
            }
        }
    }
}
