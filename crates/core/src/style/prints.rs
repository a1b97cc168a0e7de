//! What is known of many pages' styles: the fingerprints of their noise, and of their structure if that counts.
//!
//! Pages are linked when either says so: at least t matching dimensions of the noise, or as many of the structure as
//! that has to match. Their similarity is the higher of the two.

use arrow_array::{Array, BinaryArray, Int64Array, RecordBatch};
use arrow_schema::ArrowError;

use crate::arrow::column;
use crate::simd::dispatch::with_avx2;
use crate::style::fingerprint::{Divisor, Matches};
use crate::style::matrix::{Matrix, compare, compare_rows};
use crate::style::probes::ClusterParams;

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
    pub divisor: Divisor,
}

/// The columns that the layers come from.
pub const COLUMNS: [&str; 2] = ["style", "structure"];

impl Prints {
    /// For fingerprints of m dimensions.
    pub fn new(m: usize, params: &ClusterParams) -> Self {
        let counts = [params.t, params.structure_t].into_iter().filter(|t| *t > 0);
        let layers = counts.map(|t| Layer { matrix: Matrix::new(m), t }).collect();
        Prints { layers, divisor: Divisor::new(m, params.over_m) }
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
        let layers = self.layers.iter().map(|layer| self.divisor.millionths(compare_rows(&layer.matrix, a, b)));
        layers.max().unwrap_or(0)
    }

    /// For each of some rows: the sum of its similarities to the rows of a sample, itself apart.
    pub fn sums(&self, rows: &[u32], sample: &[u32], out: &mut [u64]) {
        let m = self.first().m();
        // Millionths by number of matches, for pairs that fill all dimensions, as nearly all do.
        let scale: Vec<u32> =
            (0..=m as u32).map(|matching| self.divisor.millionths(Matches { matching, filled: m as u32 })).collect();
        sums(self, rows, sample, &scale, out);
    }
}

with_avx2! {
    fn sums(prints: &Prints, rows: &[u32], sample: &[u32], scale: &[u32], out: &mut [u64]) {
        for (&row, out) in rows.iter().zip(out) {
            for &other in sample.iter().filter(|other| **other != row) {
                let mut best = 0;
                for Layer { matrix, .. } in &prints.layers {
                    let found = compare(matrix.row(row as usize), matrix.row(other as usize), matrix.m());
                    let whole = found.filled as usize == matrix.m();
                    best = best.max(if whole { scale[found.matching as usize] } else { prints.divisor.millionths(found) });
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
        Prints { layers: vec![Layer { matrix: matrix(m, rows), t }], divisor: Divisor::Filled }
    }

    #[test]
    fn either_layer_links() {
        let noise = [vec![1, 2, 3, 4], vec![1, 2, 3, 9], vec![5, 6, 7, 8]];
        let structure = [vec![1, 1, 1, 1], vec![2, 2, 2, 2], vec![1, 1, 2, 2]];
        let layer = |rows: &[Vec<u16>], t| Layer { matrix: matrix(4, rows), t };
        let both = Prints { layers: vec![layer(&noise, 3), layer(&structure, 2)], divisor: Divisor::Filled };
        assert!(both.linked(0, 1) && both.linked(0, 2) && both.linked(1, 2));
        assert_eq!(both.similarity(0, 1), Divisor::Filled.millionths(Matches { matching: 3, filled: 4 }));
        assert_eq!(both.similarity(0, 2), Divisor::Filled.millionths(Matches { matching: 2, filled: 4 }));
        let mut out = [0, 0];
        both.sums(&[0, 1], &[0, 2], &mut out);
        assert_eq!(
            out,
            [u64::from(both.similarity(0, 2)), u64::from(both.similarity(1, 0)) + u64::from(both.similarity(1, 2))]
        );
        assert!(!prints(4, &noise, 3).linked(0, 2));
    }

    #[test]
    fn the_paper_divides_by_all_dimensions() {
        let rows = [vec![1, 2, 0, 0], vec![1, 2, 0, 0], vec![1, 9, 3, 0]];
        let all = Prints { divisor: Divisor::All(4), ..prints(4, &rows, 1) };
        assert_eq!([all.similarity(0, 0), all.similarity(0, 1), all.similarity(0, 2)], [500_000, 500_000, 250_000]);
        let mut out = [0];
        all.sums(&[0], &[0, 1, 2], &mut out);
        assert_eq!(out, [750_000]);
        assert_eq!(prints(4, &rows, 1).similarity(0, 1), 1_000_000);
    }
}
