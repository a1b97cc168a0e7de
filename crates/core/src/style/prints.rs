//! What is known of many pages' styles: the fingerprints of their noise, and of their structure if that counts.
//!
//! Pages are linked when either says so: at least t matching dimensions of the noise, or as many of the structure as
//! that has to match. Their similarity is the higher of the two.

use arrow_array::{Array, BinaryArray, Int64Array, RecordBatch};
use arrow_schema::ArrowError;

use crate::arrow::column;
use crate::simd::dispatch::with_avx2;
use crate::style::fingerprint::Matches;
use crate::style::matrix::{Matrix, compare, compare_rows};
use crate::style::shape::millionths;

/// One kind of fingerprint.
pub struct Layer {
    /// One row for each page, empty if it has none.
    pub matrix: Matrix,
    /// Matching dimensions that make an edge.
    pub t: u32,
}

/// The fingerprints of pages; the same rows in each layer.
pub struct Prints {
    /// Noise, and structure if that counts.
    pub layers: Vec<Layer>,
}

/// The columns that the layers come from.
pub const COLUMNS: [&str; 2] = ["style", "structure"];

impl Prints {
    /// For fingerprints of m dimensions, of which t must match in the noise or `structure_t` in the structure; 0 for a
    /// structure that does not count.
    pub fn new(m: usize, t: u32, structure_t: u32) -> Self {
        let counts = [t, structure_t].into_iter().filter(|t| *t > 0);
        Prints { layers: counts.map(|t| Layer { matrix: Matrix::new(m), t }).collect() }
    }

    /// Adds the columns `page`, `style`, `structure` if that counts, and `known` of a batch; pages without any
    /// fingerprint are left out.
    pub fn push_batch(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let page: &Int64Array = column(batch, "page")?;
        let columns: Vec<&BinaryArray> =
            COLUMNS.iter().take(self.layers.len()).map(|name| column(batch, name)).collect::<Result<_, _>>()?;
        let known = column::<Int64Array>(batch, "known").ok();
        for row in (0..batch.num_rows()).filter(|&row| columns.iter().any(|column| column.is_valid(row))) {
            let known = known.filter(|known| known.is_valid(row)).map(|known| known.value(row));
            for (layer, column) in self.layers.iter_mut().zip(&columns) {
                let print = column.is_valid(row).then(|| column.value(row));
                layer.matrix.push(page.value(row), print, known)?;
            }
        }
        Ok(())
    }

    fn first(&self) -> &Matrix {
        &self.layers[0].matrix
    }

    /// Pages.
    pub fn len(&self) -> usize {
        self.first().len()
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The page of a row.
    pub fn page(&self, row: usize) -> i64 {
        self.first().page(row)
    }

    /// The clusters of the first rows, which are pages of an earlier run.
    pub fn known_clusters(&self) -> &[i64] {
        self.first().known_clusters()
    }

    /// Two pages are similar enough in one way.
    pub fn linked(&self, a: u32, b: u32) -> bool {
        self.layers.iter().any(|layer| compare_rows(&layer.matrix, a, b).matching >= layer.t)
    }

    /// How similar two pages are, in millionths.
    pub fn similarity(&self, a: u32, b: u32) -> u32 {
        let layers = self.layers.iter().map(|layer| millionths(compare_rows(&layer.matrix, a, b)));
        layers.max().unwrap_or(0)
    }

    /// For each of some rows: the sum of its similarities to the rows of a sample, itself apart.
    pub fn sums(&self, rows: &[u32], sample: &[u32], out: &mut [u64]) {
        let m = self.first().m();
        // Millionths by number of matches, for pairs that fill all dimensions, as nearly all do.
        let scale: Vec<u32> =
            (0..=m as u32).map(|matching| millionths(Matches { matching, filled: m as u32 })).collect();
        sums(&self.layers, rows, sample, &scale, out);
    }
}

with_avx2! {
    fn sums(layers: &[Layer], rows: &[u32], sample: &[u32], scale: &[u32], out: &mut [u64]) {
        for (&row, out) in rows.iter().zip(out) {
            for &other in sample.iter().filter(|other| **other != row) {
                let mut best = 0;
                for Layer { matrix, .. } in layers {
                    let found = compare(matrix.row(row as usize), matrix.row(other as usize), matrix.m());
                    let whole = found.filled as usize == matrix.m();
                    best = best.max(if whole { scale[found.matching as usize] } else { millionths(found) });
                }
                *out += u64::from(best);
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::style::matrix::tests::matrix;

    /// Prints of noise alone.
    pub fn prints(m: usize, rows: &[Vec<u16>], t: u32) -> Prints {
        Prints { layers: vec![Layer { matrix: matrix(m, rows), t }] }
    }

    #[test]
    fn either_layer_links() {
        let noise = [vec![1, 2, 3, 4], vec![1, 2, 3, 9], vec![5, 6, 7, 8]];
        let structure = [vec![1, 1, 1, 1], vec![2, 2, 2, 2], vec![1, 1, 2, 2]];
        let layer = |rows: &[Vec<u16>], t| Layer { matrix: matrix(4, rows), t };
        let both = Prints { layers: vec![layer(&noise, 3), layer(&structure, 2)] };
        assert!(both.linked(0, 1) && both.linked(0, 2) && both.linked(1, 2));
        assert_eq!(both.similarity(0, 1), millionths(Matches { matching: 3, filled: 4 }));
        assert_eq!(both.similarity(0, 2), millionths(Matches { matching: 2, filled: 4 }));
        let mut out = [0, 0];
        both.sums(&[0, 1], &[0, 2], &mut out);
        assert_eq!(
            out,
            [u64::from(both.similarity(0, 2)), u64::from(both.similarity(1, 0)) + u64::from(both.similarity(1, 2))]
        );
        assert!(!prints(4, &noise, 3).linked(0, 2));
    }
}
