//! Many style fingerprints, side by side in memory: 2m bytes a page.
//!
//! A row holds the low bytes of its m minima, then the high bytes. Two rows cannot agree in more dimensions than their
//! low bytes do, so a search reads the first half alone and looks at the second only where that is promising.

use arrow_array::{Array, BinaryArray, Int64Array, RecordBatch};
use arrow_schema::ArrowError;
use rayon::prelude::*;

use crate::arrow::column;
use crate::hash::mix;
use crate::simd::dispatch::with_avx2;
use crate::style::fingerprint::Matches;

/// Fingerprints of m dimensions, with the pages they belong to.
pub struct Matrix {
    m: usize,
    pages: Vec<i64>,
    rows: Vec<u8>,
    /// For the first rows, pages of an earlier run: the cluster each was in, or its own page.
    known: Vec<i64>,
}

impl Matrix {
    pub fn new(m: usize) -> Self {
        Matrix { m, pages: Vec::new(), rows: Vec::new(), known: Vec::new() }
    }

    /// Adds the columns `page` and `style` of a batch; pages without a fingerprint are left out.
    pub fn push_batch(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let (page, style): (&Int64Array, &BinaryArray) = (column(batch, "page")?, column(batch, "style")?);
        (0..batch.num_rows())
            .filter(|&row| style.is_valid(row))
            .try_for_each(|row| self.push(page.value(row), Some(style.value(row)), None))
    }

    /// Adds a page, without a fingerprint if need be.
    ///
    /// `known` names the cluster that a page of an earlier run was in, or the page itself; such pages come before all
    /// others.
    pub fn push(&mut self, page: i64, fingerprint: Option<&[u8]>, known: Option<i64>) -> Result<(), ArrowError> {
        let wanted = self.m;
        if let Some(bytes) = fingerprint.filter(|bytes| bytes.len() != 2 * wanted) {
            let found = bytes.len() / 2;
            return Err(ArrowError::SchemaError(format!("a fingerprint has {found} dimensions, not {wanted}")));
        }
        if let Some(known) = known {
            if self.known.len() < self.pages.len() {
                return Err(ArrowError::SchemaError("known pages come before new ones".into()));
            }
            self.known.push(known);
        }
        self.pages.push(page);
        match fingerprint {
            Some(bytes) => {
                self.rows.extend(bytes.iter().step_by(2));
                self.rows.extend(bytes[1..].iter().step_by(2));
            }
            None => self.rows.resize(self.rows.len() + 2 * wanted, 0),
        }
        Ok(())
    }

    pub fn len(&self) -> usize {
        self.pages.len()
    }

    pub fn m(&self) -> usize {
        self.m
    }

    pub fn page(&self, row: usize) -> i64 {
        self.pages[row]
    }

    /// The clusters of the first rows, which are pages of an earlier run.
    pub fn known_clusters(&self) -> &[i64] {
        &self.known
    }

    /// A row: m low bytes, m high bytes.
    #[inline(always)]
    pub fn row(&self, row: usize) -> &[u8] {
        let width = 2 * self.m;
        &self.rows[row * width..(row + 1) * width]
    }

    /// The minimum that a row holds in a dimension, 0 for none.
    #[inline(always)]
    pub fn value(&self, row: usize, dimension: usize) -> u16 {
        let at = row * 2 * self.m + dimension;
        u16::from(self.rows[at]) | u16::from(self.rows[at + self.m]) << 8
    }

    /// Dimensions that are filled in a row.
    pub fn filled(&self, row: usize) -> usize {
        let (low, high) = self.row(row).split_at(self.m);
        low.iter().zip(high).filter(|(l, h)| **l | **h != 0).count()
    }

    /// 64 bits that depend on nothing but the row's fingerprint.
    pub fn hash(&self, row: usize) -> u64 {
        self.seeded_hash(row, 0)
    }

    /// Others for another seed.
    pub fn seeded_hash(&self, row: usize, seed: u64) -> u64 {
        let mut hash = seed;
        for piece in self.row(row).chunks(8) {
            let mut word = [0; 8];
            word[..piece.len()].copy_from_slice(piece);
            hash = mix(hash ^ u64::from_le_bytes(word)).wrapping_add(0x9E37_79B9_7F4A_7C15);
        }
        hash
    }

    /// One to all: how a fingerprint compares with every row, in parallel on the current rayon pool.
    pub fn scan(&self, fingerprint: &[u16]) -> Vec<Matches> {
        assert_eq!(fingerprint.len(), self.m, "a fingerprint of other dimensions");
        let mut query: Vec<u8> = fingerprint.iter().map(|&v| v as u8).collect();
        query.extend(fingerprint.iter().map(|&v| (v >> 8) as u8));
        let mut found = vec![Matches::default(); self.len()];
        let rows = 4096;
        found
            .par_chunks_mut(rows)
            .zip(self.rows.par_chunks(rows * 2 * self.m))
            .for_each(|(out, chunk)| compare_all(&query, chunk, self.m, out));
        found
    }
}

with_avx2! {
    /// Compares one row with each of many, laid end to end.
    fn compare_all(query: &[u8], rows: &[u8], m: usize, out: &mut [Matches]) {
        for (row, found) in rows.chunks_exact(2 * m).zip(out) {
            *found = compare(query, row, m);
        }
    }
}

/// Dimensions counted at a time: their number fits in a byte, so that the counters do too.
const LANES: usize = 128;

#[inline(always)]
pub fn compare(a: &[u8], b: &[u8], m: usize) -> Matches {
    let ((al, ah), (bl, bh)) = (a.split_at(m), b.split_at(m));
    let (mut equal, mut empty) = (0u32, 0u32);
    for at in (0..m).step_by(LANES) {
        let end = (at + LANES).min(m);
        let (al, ah, bl, bh) = (&al[at..end], &ah[at..end], &bl[at..end], &bh[at..end]);
        let (mut same, mut none) = (0u8, 0u8);
        for i in 0..al.len() {
            same += u8::from(al[i] ^ bl[i] | ah[i] ^ bh[i] == 0);
            none += u8::from(al[i] | bl[i] | ah[i] | bh[i] == 0);
        }
        equal += u32::from(same);
        empty += u32::from(none);
    }
    Matches { matching: equal - empty, filled: m as u32 - empty }
}

with_avx2! {
    pub fn compare_rows(matrix: &Matrix, a: u32, b: u32) -> Matches {
        compare(matrix.row(a as usize), matrix.row(b as usize), matrix.m())
    }
}

/// In how many dimensions the low bytes agree: no less than the matches of the whole rows.
#[inline(always)]
pub fn agreeing(a: &[u8], b: &[u8]) -> u32 {
    let mut count = 0;
    for (a, b) in a.chunks(LANES).zip(b.chunks(LANES)) {
        let mut same = 0u8;
        for (x, y) in a.iter().zip(b) {
            same += u8::from(x == y);
        }
        count += u32::from(same);
    }
    count
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::style::fingerprint as style;
    use arrow_array::ArrayRef;
    use proptest::prelude::*;
    use std::sync::Arc;

    /// A matrix of these fingerprints; pages are numbered from 0.
    pub fn matrix(m: usize, rows: &[Vec<u16>]) -> Matrix {
        let mut made = Matrix::new(m);
        push(&mut made, rows, 0, None);
        made
    }

    /// Adds fingerprints for pages from `first` on, with their known clusters if they have such.
    pub fn push(made: &mut Matrix, rows: &[Vec<u16>], first: i64, known: Option<&[i64]>) {
        let bytes: Vec<Vec<u8>> = rows.iter().map(|r| r.iter().flat_map(|v| v.to_le_bytes()).collect()).collect();
        let style = BinaryArray::from_iter_values(bytes);
        let page = Int64Array::from_iter_values(first..first + rows.len() as i64);
        for row in 0..rows.len() {
            made.push(page.value(row), Some(style.value(row)), known.map(|known| known[row])).unwrap();
        }
    }

    #[test]
    fn wrong_width_is_an_error() {
        let batch = RecordBatch::try_from_iter([
            ("page", Arc::new(Int64Array::from(vec![1])) as ArrayRef),
            ("style", Arc::new(BinaryArray::from_vec(vec![b"abcd"])) as ArrayRef),
        ]);
        let error = Matrix::new(3).push_batch(&batch.unwrap()).unwrap_err();
        assert!(error.to_string().contains("2 dimensions, not 3"));
    }

    proptest! {
        /// Scanning is comparing one by one, whatever the number of dimensions.
        #[test]
        fn scan_is_compare(m in 1usize..300, seed in any::<u64>(), n in 1usize..20) {
            let value = |i: usize, j: usize| {
                let random = mix(seed ^ mix((i * 1000 + j) as u64));
                // Many equal, many empty, many that differ in one byte.
                [0, 1, 257, 256, (random >> 32) as u16][(random % 5) as usize]
            };
            let rows: Vec<Vec<u16>> = (0..n).map(|i| (0..m).map(|j| value(i, j)).collect()).collect();
            let made = matrix(m, &rows);
            for query in &rows {
                let found = made.scan(query);
                for (row, found) in rows.iter().zip(found) {
                    prop_assert_eq!(found, style::compare(query, row));
                }
            }
            for (i, row) in rows.iter().enumerate() {
                prop_assert_eq!(made.filled(i), row.iter().filter(|v| **v != 0).count());
                prop_assert!((0..m).all(|j| made.value(i, j) == row[j]));
                for (k, other) in rows.iter().enumerate() {
                    let bound = agreeing(&made.row(i)[..m], &made.row(k)[..m]);
                    prop_assert!(bound >= style::compare(row, other).matching);
                    prop_assert_eq!(row == other, made.hash(i) == made.hash(k));
                }
            }
        }
    }
}
