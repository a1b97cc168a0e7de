//! Rows on their way between kernels: divided by key, sorted by keys, and edges joined to components.
//!
//! These functions say where rows go; the engines move the columns.

use std::sync::Arc;

use arrow_array::{Array, Int64Array, RecordBatch, UInt32Array};
use arrow_schema::ArrowError;
use hashbrown::HashMap;
use rayon::prelude::*;

use crate::arrow::{batch_of, column};
use crate::hash::mix;
use crate::union_find::UnionFind;

/// The rows of each part one after the other, in the order they came, and where each part ends. Equal keys are in
/// the same part; null is a key too.
pub fn divide_rows(keys: &Int64Array, parts: usize) -> (UInt32Array, Vec<usize>) {
    let part_of = |row: usize| {
        let key = if keys.is_valid(row) { keys.value(row) as u64 } else { 0 };
        // Keys are often hashes whose first bits chose something already.
        ((u128::from(mix(key ^ 0x6469_7669_6465)) * parts as u128) >> 64) as usize
    };
    let of_row: Vec<u32> = (0..keys.len()).map(|row| part_of(row) as u32).collect();
    let mut ends = vec![0usize; parts + 1];
    of_row.iter().for_each(|&part| ends[part as usize + 1] += 1);
    (0..parts).for_each(|part| ends[part + 1] += ends[part]);
    let mut at = ends.clone();
    let mut rows = vec![0u32; keys.len()];
    for (row, &part) in of_row.iter().enumerate() {
        rows[at[part as usize]] = row as u32;
        at[part as usize] += 1;
    }
    ends.remove(0);
    (UInt32Array::from(rows), ends)
}

/// The rows in the order of these columns, the first counting most; equal rows as they came. Null comes first.
pub fn sort_rows(columns: &[&Int64Array]) -> UInt32Array {
    let rows = columns.first().map_or(0, |column| column.len());
    let value = |column: &Int64Array, row: u32| column.is_valid(row as usize).then(|| column.value(row as usize));
    let sorted = match columns {
        [one, other] if one.null_count() + other.null_count() == 0 => {
            let mut keyed: Vec<(i64, i64, u32)> =
                (0..rows as u32).map(|row| (one.value(row as usize), other.value(row as usize), row)).collect();
            keyed.par_sort_unstable();
            keyed.into_iter().map(|key| key.2).collect()
        }
        _ => {
            let mut order: Vec<u32> = (0..rows as u32).collect();
            let compare = |a: &u32, b: &u32| {
                let found = columns.iter().map(|column| value(column, *a).cmp(&value(column, *b)));
                found.fold(std::cmp::Ordering::Equal, |before, next| before.then(next))
            };
            order.par_sort_by(compare);
            order
        }
    };
    UInt32Array::from(sorted)
}

/// Every page of some edges (`page`, `other`) with the smallest page that they join it to: `page` and `label`, by page.
pub fn components(batches: &[RecordBatch]) -> Result<RecordBatch, ArrowError> {
    let mut pages: Vec<i64> = Vec::new();
    for batch in batches {
        pages.extend_from_slice(column::<Int64Array>(batch, "page")?.values());
        pages.extend_from_slice(column::<Int64Array>(batch, "other")?.values());
    }
    pages.par_sort_unstable();
    pages.dedup();
    // Numbers in the order of page ids: the smallest of a component is its smallest page.
    let number: HashMap<i64, u32> = pages.iter().copied().zip(0..).collect();
    let mut union = UnionFind::new(pages.len());
    for batch in batches {
        let (a, b) = (column::<Int64Array>(batch, "page")?, column::<Int64Array>(batch, "other")?);
        a.values().iter().zip(b.values()).for_each(|(a, b)| {
            union.join(number[a], number[b]);
        });
    }
    let mut smallest: Vec<u32> = vec![u32::MAX; pages.len()];
    for at in 0..pages.len() as u32 {
        let root = union.find(at) as usize;
        smallest[root] = smallest[root].min(at);
    }
    let labels = (0..pages.len() as u32).map(|at| pages[smallest[union.find(at) as usize] as usize]);
    let labels: Int64Array = labels.collect::<Vec<_>>().into();
    batch_of(vec![("page", Arc::new(Int64Array::from(pages))), ("label", Arc::new(labels))])
}

/// One step towards stars, over complete groups of `page` in which `other` ascends. In a large step every page tells
/// the neighbours above it of the smallest that it has; in a small one each page that has smaller neighbours tells those
/// and itself, and edges to larger ones are turned around first.
pub fn star_step(batch: &RecordBatch, large: bool) -> Result<RecordBatch, ArrowError> {
    let (page, other) = (column::<Int64Array>(batch, "page")?, column::<Int64Array>(batch, "other")?);
    let rows: Vec<(i64, i64)> = page.values().iter().copied().zip(other.values().iter().copied()).collect();
    let mut told: Vec<(i64, i64)> = Vec::with_capacity(rows.len());
    for group in rows.chunk_by(|a, b| a.0 == b.0) {
        let (page, smallest) = (group[0].0, group[0].0.min(group[0].1));
        if large {
            told.extend(group.iter().filter(|row| row.1 > page).map(|row| (row.1, smallest)));
            // Its own edge to the smallest is what the small step goes on from.
            told.extend((smallest < page).then_some((page, smallest)));
        } else {
            told.extend(group.iter().filter(|row| row.1 != smallest).map(|row| (row.1, smallest)));
            told.extend((smallest < page).then_some((page, smallest)));
        }
    }
    told.sort_unstable();
    told.dedup();
    batch_of(vec![
        ("page", Arc::new(told.iter().map(|edge| edge.0).collect::<Int64Array>())),
        ("other", Arc::new(told.iter().map(|edge| edge.1).collect::<Int64Array>())),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn every_row_is_in_the_part_of_its_key(keys in prop::collection::vec(prop::option::of(-5i64..5), 0..60), parts in 1usize..9) {
            let column = Int64Array::from(keys.clone());
            let (rows, ends) = divide_rows(&column, parts);
            let mut seen: Vec<u32> = rows.values().to_vec();
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..keys.len() as u32).collect::<Vec<_>>());
            let mut part_of: BTreeMap<Option<i64>, usize> = BTreeMap::new();
            let mut begin = 0;
            for (part, end) in ends.into_iter().enumerate() {
                prop_assert!(rows.values()[begin..end].is_sorted());
                for row in &rows.values()[begin..end] {
                    let known = part_of.entry(keys[*row as usize].or(Some(0))).or_insert(part);
                    prop_assert_eq!(*known, part);
                }
                begin = end;
            }
        }

        #[test]
        fn sorted_is_sorted(rows in prop::collection::vec((prop::option::of(0i64..4), 0i64..4, 0i64..4), 0..60), full in any::<bool>()) {
            let rows: Vec<_> = rows.into_iter().map(|(a, b, c)| (if full { a.or(Some(9)) } else { a }, b, c)).collect();
            let columns = [
                rows.iter().map(|r| r.0).collect::<Int64Array>(),
                rows.iter().map(|r| Some(r.1)).collect(),
                rows.iter().map(|r| Some(r.2)).collect(),
            ];
            for used in 1..=3 {
                let mut expected: Vec<u32> = (0..rows.len() as u32).collect();
                expected.sort_by_key(|&i| {
                    let (a, b, c) = rows[i as usize];
                    (a, if used > 1 { b } else { 0 }, if used > 2 { c } else { 0 })
                });
                let found = sort_rows(&columns.iter().take(used).collect::<Vec<_>>());
                prop_assert_eq!(found.values().to_vec(), expected);
            }
        }

        #[test]
        fn labels_are_the_smallest_reached(edges in prop::collection::vec((0i64..30, 0i64..30), 0..40), cut in 0usize..40) {
            let cut = cut.min(edges.len());
            let batch = |edges: &[(i64, i64)]| batch_of(vec![
                ("page", Arc::new(edges.iter().map(|e| Some(e.0)).collect::<Int64Array>())),
                ("other", Arc::new(edges.iter().map(|e| Some(e.1)).collect::<Int64Array>())),
            ]).unwrap();
            let found = components(&[batch(&edges[..cut]), batch(&edges[cut..])]).unwrap();
            // Labels sink along edges until none does.
            let mut expected: BTreeMap<i64, i64> = edges.iter().flat_map(|e| [e.0, e.1]).map(|p| (p, p)).collect();
            for _ in 0..30 {
                for (a, b) in &edges {
                    let least = expected[a].min(expected[b]);
                    expected.insert(*a, least);
                    expected.insert(*b, least);
                }
            }
            let [page, label] = [0, 1].map(|at| found.column(at).as_primitive::<Int64Type>().values().to_vec());
            prop_assert_eq!(page.into_iter().zip(label).collect::<Vec<_>>(), expected.into_iter().collect::<Vec<_>>());
        }
    }
}
