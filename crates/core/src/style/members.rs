//! From joined rows to a table of cluster members.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch};
use arrow_schema::ArrowError;
use rayon::prelude::*;

use crate::arrow::batch_of;
use crate::style::fingerprint::ONE;
use crate::style::prints::Prints;
use crate::style::shape::{Shape, shape, split};

/// A cluster is a worm when less than this part of its pairs has an edge, in percent.
const WORM_BELOW: u64 = 50;

/// So few of the pairs have an edge.
pub fn is_worm(edges: u64, pairs: u64) -> bool {
    edges * 100 < pairs * WORM_BELOW
}

/// The clusters of at least two rows, each with its rows by page. `labels` names for each row one that stands for it.
/// Clusters of nothing but known pages are left out.
fn clusters(prints: &Prints, labels: &[u32]) -> Vec<Vec<u32>> {
    let mut rows: Vec<u32> = (0..labels.len() as u32).collect();
    rows.par_sort_unstable_by_key(|&row| (labels[row as usize], prints.page(row as usize)));
    let groups = rows.chunk_by(|a, b| labels[*a as usize] == labels[*b as usize]);
    let new = |group: &&[u32]| group.iter().any(|&row| row as usize >= prints.known_clusters().len());
    groups.filter(|group| group.len() > 1).filter(new).map(<[u32]>::to_vec).collect()
}

/// One row for each member: cluster, page, similarity, centroid, cohesion, worm; by cluster, then page.
///
/// With `cut`, worms are cut at their weak bridges.
pub fn member_batch(prints: &Prints, labels: &[u32], cut: bool) -> Result<RecordBatch, ArrowError> {
    let shaped = |rows: Vec<u32>| {
        let found = shape(prints, &rows);
        (rows, found)
    };
    let mut found: Vec<(Vec<u32>, Shape)> = clusters(prints, labels)
        .into_par_iter()
        .map(shaped)
        .flat_map_iter(|(rows, found)| {
            if cut && is_worm(found.edges, found.pairs) {
                return split(prints, &rows).into_iter().map(shaped).collect();
            }
            vec![(rows, found)]
        })
        .collect();
    found.par_sort_by_key(|(rows, _)| prints.page(rows[0] as usize));

    let each = |value: &dyn Fn(&[u32], &Shape) -> i64| -> ArrayRef {
        let values = found.iter().flat_map(|(rows, s)| std::iter::repeat_n(value(rows, s), rows.len()));
        Arc::new(Int64Array::from_iter_values(values))
    };
    let cohesion = found.iter().flat_map(|(rows, s)| std::iter::repeat_n(s.edges as f64 / s.pairs as f64, rows.len()));
    let worm = found.iter().flat_map(|(rows, s)| std::iter::repeat_n(Some(is_worm(s.edges, s.pairs)), rows.len()));
    let similarity = found.iter().flat_map(|(_, s)| s.similarity.iter().map(|&v| f64::from(v) / f64::from(ONE)));
    let pages = found.iter().flat_map(|(rows, _)| rows.iter().map(|&row| prints.page(row as usize)));
    batch_of(vec![
        ("cluster", each(&|rows, _| prints.page(rows[0] as usize))),
        ("page", Arc::new(Int64Array::from_iter_values(pages))),
        ("similarity", Arc::new(Float64Array::from_iter_values(similarity))),
        ("centroid", each(&|_, shape| prints.page(shape.centroid as usize))),
        ("cohesion", Arc::new(Float64Array::from_iter_values(cohesion))),
        ("worm", Arc::new(BooleanArray::from_iter(worm))),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::prints::tests::prints;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Float64Type, Int64Type};

    const M: usize = 32;

    /// A row that holds `value` in the dimensions of `range`, and numbers of its own elsewhere.
    fn row(own: u16, parts: &[(std::ops::Range<usize>, u16)]) -> Vec<u16> {
        let mut row = vec![own; M];
        parts.iter().for_each(|(range, value)| row[range.clone()].fill(*value));
        row
    }

    fn found(rows: &[Vec<u16>], labels: &[u32], cut: bool) -> Vec<(i64, i64, f64, i64, f64, bool)> {
        let batch = member_batch(&prints(M, rows, 16), labels, cut).unwrap();
        let ints = |name: &str| batch.column_by_name(name).unwrap().as_primitive::<Int64Type>().clone();
        let floats = |name: &str| batch.column_by_name(name).unwrap().as_primitive::<Float64Type>().clone();
        let worm = batch.column_by_name("worm").unwrap().as_boolean().clone();
        let (cluster, page, centroid) = (ints("cluster"), ints("page"), ints("centroid"));
        let (similarity, cohesion) = (floats("similarity"), floats("cohesion"));
        let one = |i| {
            let (sim, coh) = (similarity.value(i), cohesion.value(i));
            (cluster.value(i), page.value(i), sim, centroid.value(i), coh, worm.value(i))
        };
        (0..batch.num_rows()).map(one).collect()
    }

    #[test]
    fn a_clique_and_a_page_alone() {
        let rows = [row(1, &[]), row(2, &[(0..24, 9)]), row(3, &[(0..20, 9)]), row(4, &[(0..20, 9)])];
        let all = found(&rows, &[0, 1, 1, 1], false);
        assert_eq!(all.iter().map(|f| f.1).collect::<Vec<_>>(), [1, 2, 3]);
        // All share 20 of 32: the smallest page is the centroid, with a similarity of one to itself.
        assert!(all.iter().all(|f| f.0 == 1 && f.3 == 1 && f.4 == 1.0 && !f.5));
        assert_eq!(all[0].2, 1.0);
        assert!((all[1].2 - 20.0 / 32.0).abs() < 1e-4);
    }

    #[test]
    fn two_bunches_on_a_bridge() {
        // Pages 0 to 7 share the left half, 8 to 15 the right; 16 has both, so it has an edge to all.
        let mut rows: Vec<Vec<u16>> = (0..8).map(|i| row(100 + i, &[(0..16, 7)])).collect();
        rows.extend((0..8).map(|i| row(200 + i, &[(16..32, 8)])));
        rows.push(row(300, &[(0..16, 7), (16..32, 8)]));
        let labels = [0; 17];
        let whole = found(&rows, &labels, false);
        assert_eq!(whole.len(), 17);
        assert!(whole.iter().all(|f| f.0 == 0 && f.3 == 16 && !f.5));
        let cohesion = (28.0 + 28.0 + 16.0) / 136.0;
        assert!(whole.iter().all(|f| (f.4 - cohesion).abs() < 1e-12));
        // With a third bunch and a page between, it is a worm: cut, and each page between goes with one of its bunches.
        let mut three = rows.clone();
        three.extend((0..8).map(|i| row(500 + i, &[(0..16, 9)])));
        three.push(row(600, &[(16..32, 8), (0..16, 9)]));
        assert!(found(&three, &[0; 26], false).iter().all(|f| f.0 == 0 && f.5));
        let cut = found(&three, &[0; 26], true);
        assert_eq!(cut.len(), 26);
        let cluster = |page: i64| cut.iter().find(|f| f.1 == page).map(|f| f.0);
        for bunch in [0..8, 8..16, 17..25] {
            assert!(bunch.clone().all(|page| cluster(page) == cluster(bunch.start)));
        }
        assert!(cluster(0) != cluster(8) && cluster(8) != cluster(17) && cluster(0) != cluster(17));
        assert!([cluster(0), cluster(8)].contains(&cluster(16)) && [cluster(8), cluster(17)].contains(&cluster(25)));
        // Two pages, one in each bunch, with an edge between them are a weak bridge.
        rows[16] = row(300, &[(0..16, 7), (16..24, 5)]);
        rows.push(row(400, &[(16..32, 8), (0..8, 7)]));
        rows[16][16..24].fill(8);
        assert!(found(&rows, &[0; 18], false).iter().all(|f| f.0 == 0 && f.5));
        let cut = found(&rows, &[0; 18], true);
        let ids: Vec<(i64, i64)> = cut.iter().map(|f| (f.0, f.1)).collect();
        let mut expected: Vec<(i64, i64)> = (0..8).map(|p| (0, p)).chain([(0, 16)]).collect();
        expected.extend((8..16).map(|p| (8, p)).chain([(8, 17)]));
        assert_eq!(ids, expected);
        assert!(cut.iter().all(|f| !f.5));
    }

    #[test]
    fn large_clusters_are_sampled_and_cut_whole() {
        let n = crate::style::shape::SPLIT_SAMPLE + 500;
        let rows: Vec<Vec<u16>> = (0..n as u16).map(|i| row(1000 + i, &[(0..20, 1 + i % 2)])).collect();
        let all = found(&rows, &vec![0; n], true);
        assert_eq!(all.len(), n);
        for (cluster, page, ..) in all {
            assert_eq!(cluster, page % 2);
        }
    }
}
