//! Fingerprints as rows with keys: equal ones have the same, and those that agree where a probe looks.

use std::sync::Arc;

use arrow_array::{Array, BinaryArray, Int64Array, RecordBatch};
use arrow_schema::ArrowError;

use crate::arrow::{batch_of, column};
use crate::hash::mix;
use crate::style::fingerprint::from_bytes;
use crate::style::matrix::Matrix;
use crate::style::prints::COLUMNS;
use crate::style::probes::{ClusterParams, can_link, probes};

/// What fingerprints of m dimensions are looked for by.
pub struct Keys {
    pub m: usize,
    pub params: ClusterParams,
    probes: Vec<Vec<usize>>,
}

/// Second hashes of fingerprints begin with it.
const TWIN: u64 = 0x6368_6563_6B00_0001;

/// A hash as a number that sorts in the same order.
pub fn ordered(hash: u64) -> i64 {
    (hash ^ 1 << 63) as i64
}

impl Keys {
    /// The parameters must fit m.
    pub fn new(m: usize, params: ClusterParams) -> Self {
        Keys { m, params, probes: probes(m, &params) }
    }

    /// The dimensions that must match in a layer.
    fn enough(&self, layer: usize) -> u32 {
        [self.params.t, self.params.structure_t][layer]
    }

    /// The dimensions that must match in the layer of a place: a probe in one of the layers.
    pub fn enough_at(&self, place: i64) -> u32 {
        self.enough(place as usize / self.probes.len())
    }

    /// From `page`, `style` and, if it counts, `structure` to one row for each fingerprint that can have an edge: `key`
    /// and `twin` are hashes of it and its layer.
    pub fn prints(&self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let page: &Int64Array = column(batch, "page")?;
        let [mut keys, mut twins, mut pages, mut layers] = [const { Vec::new() }; 4];
        let mut prints: Vec<&[u8]> = Vec::new();
        for (layer, name) in COLUMNS.iter().enumerate().filter(|(layer, _)| self.enough(*layer) > 0) {
            let stored: &BinaryArray = column(batch, name)?;
            let rows: Vec<usize> = (0..batch.num_rows()).filter(|&row| stored.is_valid(row)).collect();
            let mut matrix = Matrix::new(self.m);
            rows.iter().try_for_each(|&row| matrix.push(page.value(row), Some(stored.value(row)), None))?;
            for (at, &row) in rows.iter().enumerate() {
                if can_link(&matrix, at, self.enough(layer), &self.probes) {
                    keys.push(mix(matrix.hash(at) ^ layer as u64) as i64);
                    twins.push(matrix.seeded_hash(at, TWIN) as i64);
                    pages.push(page.value(row));
                    layers.push(layer as i64);
                    prints.push(stored.value(row));
                }
            }
        }
        keyed_prints(keys, twins, pages, layers, prints)
    }

    /// From different fingerprints to one row for each probe that sees them: key of the bucket, place, page, the
    /// hash that leaders are chosen by, fingerprint.
    ///
    /// A key of up to three dimensions is the place and the minima themselves; of more, a hash of them.
    pub fn buckets(&self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let (page, stored): (&Int64Array, &BinaryArray) = (column(batch, "page")?, column(batch, "print")?);
        let matrix = stored_matrix(batch, self.m)?;
        let hash: Vec<i64> = (0..batch.num_rows()).map(|row| ordered(matrix.hash(row))).collect();
        let [mut keys, mut places, mut pages, mut hashes] = [const { Vec::new() }; 4];
        let mut prints: Vec<&[u8]> = Vec::new();
        self.each_bucket(batch, &matrix, |row, place, key| {
            keys.push(key);
            places.push(place as i64);
            pages.push(page.value(row));
            hashes.push(hash[row]);
            prints.push(stored.value(row));
        })?;
        batch_of(vec![
            ("key", Arc::new(Int64Array::from(keys))),
            ("place", Arc::new(Int64Array::from(places))),
            ("page", Arc::new(Int64Array::from(pages))),
            ("hash", Arc::new(Int64Array::from(hashes))),
            ("print", Arc::new(BinaryArray::from_iter_values(prints))),
        ])
    }

    /// The keys alone of the same rows, to count them.
    pub fn bucket_keys(&self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let mut keys = Vec::new();
        self.each_bucket(batch, &stored_matrix(batch, self.m)?, |_, _, key| keys.push(key))?;
        batch_of(vec![("key", Arc::new(Int64Array::from(keys)))])
    }

    /// Calls with row, place and key for each probe that sees a fingerprint.
    fn each_bucket(
        &self,
        batch: &RecordBatch,
        matrix: &Matrix,
        mut seen: impl FnMut(usize, usize, i64),
    ) -> Result<(), ArrowError> {
        let layer: &Int64Array = column(batch, "layer")?;
        for row in 0..batch.num_rows() {
            for (number, dimensions) in self.probes.iter().enumerate() {
                let place = layer.value(row) as usize * self.probes.len() + number;
                let values = dimensions.iter().map(|&d| matrix.value(row, d));
                if values.clone().all(|value| value != 0) {
                    seen(row, place, bucket_key(place as u64, values));
                }
            }
        }
        Ok(())
    }

    /// For rows with a `place` and a `print`, what a report says of their buckets: the dimensions and the minima there,
    /// as numbers of 16 bits, high bytes first, so that they sort as numbers do.
    pub fn describe(&self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let place: &Int64Array = column(batch, "place")?;
        let stored: &BinaryArray = column(batch, "print")?;
        let bytes = |values: &mut dyn Iterator<Item = u16>| values.flat_map(u16::to_be_bytes).collect::<Vec<u8>>();
        let [mut dimensions, mut minima] = [const { Vec::new() }; 2];
        for row in 0..batch.num_rows() {
            let (probe, print) =
                (&self.probes[place.value(row) as usize % self.probes.len()], from_bytes(stored.value(row)));
            dimensions.push(bytes(&mut probe.iter().map(|&d| d as u16)));
            minima.push(bytes(&mut probe.iter().map(|&d| print[d])));
        }
        batch_of(vec![
            ("dimensions", Arc::new(BinaryArray::from_iter_values(dimensions))),
            ("minima", Arc::new(BinaryArray::from_iter_values(minima))),
        ])
    }
}

/// The fingerprints of rows with a `page` and a `print`.
pub fn stored_matrix(batch: &RecordBatch, m: usize) -> Result<Matrix, ArrowError> {
    let (page, print): (&Int64Array, &BinaryArray) = (column(batch, "page")?, column(batch, "print")?);
    let mut matrix = Matrix::new(m);
    (0..batch.num_rows()).try_for_each(|row| matrix.push(page.value(row), Some(print.value(row)), None))?;
    Ok(matrix)
}

fn bucket_key(place: u64, values: impl Iterator<Item = u16> + Clone) -> i64 {
    let pack = |key: u64, value: u16| key << 16 | u64::from(value);
    if values.clone().count() <= 3 {
        return values.fold(place, pack) as i64;
    }
    values.fold(mix(place), |key, value| mix(key ^ u64::from(value))) as i64
}

/// Of complete groups of `key` in the order of pages: one row for each different fingerprint, with the first page.
pub fn distinct(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let ints = |name| column::<Int64Array>(batch, name);
    let (key, twin, page, layer) = (ints("key")?, ints("twin")?, ints("page")?, ints("layer")?);
    let stored: &BinaryArray = column(batch, "print")?;
    let mut kept: Vec<usize> = Vec::new();
    let mut begin = 0;
    for row in 0..batch.num_rows() {
        if row > 0 && key.value(row) != key.value(row - 1) {
            begin = kept.len();
        }
        if !kept[begin..].iter().any(|&same| stored.value(same) == stored.value(row)) {
            kept.push(row);
        }
    }
    let take = |column: &Int64Array| kept.iter().map(|&row| column.value(row)).collect::<Vec<i64>>();
    let prints = kept.iter().map(|&row| stored.value(row)).collect();
    keyed_prints(take(key), take(twin), take(page), take(layer), prints)
}

fn keyed_prints(
    keys: Vec<i64>,
    twins: Vec<i64>,
    pages: Vec<i64>,
    layers: Vec<i64>,
    prints: Vec<&[u8]>,
) -> Result<RecordBatch, ArrowError> {
    batch_of(vec![
        ("key", Arc::new(Int64Array::from(keys))),
        ("twin", Arc::new(Int64Array::from(twins))),
        ("page", Arc::new(Int64Array::from(pages))),
        ("layer", Arc::new(Int64Array::from(layers))),
        ("print", Arc::new(BinaryArray::from_iter_values(prints))),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keys_of_few_dimensions_are_the_minima(a in prop::collection::vec(1u16.., 1..4), b in prop::collection::vec(1u16.., 1..4), p in 0u64..8192, q in 0u64..8192) {
            let equal = (&a, p) == (&b, q);
            let (one, other) = (bucket_key(p, a.iter().copied()), bucket_key(q, b.iter().copied()));
            prop_assert!(a.len() != b.len() || (one == other) == equal);
        }

        #[test]
        fn ordered_hashes_sort_alike(a in any::<u64>(), b in any::<u64>()) {
            prop_assert_eq!(a.cmp(&b), ordered(a).cmp(&ordered(b)));
        }
    }
}
