//! What a style cluster looks like: its centroid, how close to a clique it is, and where it would fall apart.
//!
//! Similarities are counted in millionths, so that sums and means are exact and the same on any machine. Clusters of
//! more than `SAMPLE` pages are judged by that many of them, those with the smallest hashes of their page ids.

use rayon::prelude::*;

use crate::hash::mix;
use crate::style::prints::Prints;
use crate::union_find::UnionFind;

/// Members with which each member of a large cluster is compared.
pub const SAMPLE: usize = 256;
/// Members among which weak bridges are sought.
pub const SPLIT_SAMPLE: usize = 2048;
#[derive(Clone, Debug)]
pub struct Shape {
    /// The row with the highest mean similarity to the others (of the sample).
    pub centroid: u32,
    /// Similarity of each member to the centroid, in millionths.
    pub similarity: Vec<u32>,
    /// Pairs of the sample that have an edge.
    pub edges: u64,
    pub pairs: u64,
}

/// The shape of a cluster of at least one row.
pub fn shape(prints: &Prints, members: &[u32]) -> Shape {
    let sample = hash_smallest(prints, members, SAMPLE);
    let parts: Vec<CentroidCandidate> =
        members.par_chunks(1024).filter_map(|rows| candidate(prints, rows, &sample)).collect();
    let centroid = parts.into_iter().reduce(|a, b| a.better(b, prints)).map_or(0, |best| best.row);
    let similarity = members.iter().map(|&row| prints.similarity(centroid, row)).collect();
    let n = sample.len() as u64;
    Shape { centroid, similarity, edges: linked_pairs(prints, &sample), pairs: n * (n - 1) / 2 }
}

/// A row that may be the centroid.
#[derive(Clone, Copy, Debug)]
pub struct CentroidCandidate {
    pub row: u32,
    /// The mean similarity to the others of the sample, multiplied so that it is a whole number.
    pub score: u64,
}

impl CentroidCandidate {
    /// The higher score; of equal ones the smaller page.
    fn better(self, other: CentroidCandidate, prints: &Prints) -> CentroidCandidate {
        let key = |c: &CentroidCandidate| (c.score, std::cmp::Reverse(prints.page(c.row as usize)));
        if key(&self) > key(&other) { self } else { other }
    }
}

/// The best centroid among some rows of a cluster, by their similarities to its sample.
pub fn candidate(prints: &Prints, rows: &[u32], sample: &[u32]) -> Option<CentroidCandidate> {
    let mut totals = vec![0; rows.len()];
    prints.sums(rows, sample, &mut totals);
    let mut sampled = sample.to_vec();
    sampled.sort_unstable();
    // Totals over n others, or over n - 1 for a member of the sample, times n (n - 1).
    let n = sample.len() as u64;
    let factor = |row: u32| if sampled.binary_search(&row).is_ok() { n } else { n - 1 };
    let scored = rows.iter().zip(totals).map(|(&row, total)| CentroidCandidate { row, score: total * factor(row) });
    scored.reduce(|a, b| a.better(b, prints))
}

/// How many pairs of a sample have an edge.
pub fn linked_pairs(prints: &Prints, sample: &[u32]) -> u64 {
    (0..sample.len())
        .into_par_iter()
        .map(|i| sample[..i].iter().filter(|&&j| prints.linked(sample[i], j)).count() as u64)
        .sum()
}

/// What samples are sorted by: smallest hashes of page ids first.
pub fn page_hash(page: i64) -> u64 {
    mix(page as u64)
}

/// So many of the members, those whose pages have the smallest hashes.
pub fn hash_smallest(prints: &Prints, members: &[u32], count: usize) -> Vec<u32> {
    let mut sample = members.to_vec();
    let key = |&row: &u32| (page_hash(prints.page(row as usize)), row);
    if sample.len() > count {
        sample.select_nth_unstable_by_key(count, key);
        sample.truncate(count);
    }
    sample.sort_unstable_by_key(key);
    sample
}

/// An edge is weak when its ends have fewer than three of five neighbours in common: of all that either has, the ends
/// themselves included. A page between two bunches of equal size has half of its neighbours in common with each.
fn is_weak(common: u32, a: u32, b: u32) -> bool {
    5 * common < 3 * (a + b - common)
}

/// Cuts a cluster at its weak bridges: parts of at least two members. A page that no strong edge holds goes with the
/// part that it has most edges to. The cluster itself, if no edge is strong.
pub fn split(prints: &Prints, members: &[u32]) -> Vec<Vec<u32>> {
    let sample = hash_smallest(prints, members, SPLIT_SAMPLE);
    let Some(labels) = sample_parts(prints, &sample) else { return vec![members.to_vec()] };
    let mut parts: Vec<Vec<u32>> = vec![Vec::new(); sample.len()];
    let mut sampled: Vec<(u32, usize)> = sample.iter().copied().zip(0..).collect();
    sampled.sort_unstable();
    for &row in members {
        let place = sampled.binary_search_by_key(&row, |s| s.0).map(|at| sampled[at].1).ok();
        let place = place.or_else(|| nearest(prints, &sample, row));
        if let Some(label) = place.map(|place| labels[place]).filter(|label| *label != ALONE) {
            parts[label as usize].push(row);
        }
    }
    parts.retain(|part| part.len() > 1);
    parts
}

/// The part of each row of a sample, or `ALONE`; none if no edge is strong.
pub fn sample_parts(prints: &Prints, sample: &[u32]) -> Option<Vec<u32>> {
    let n = sample.len();
    let words = n.div_ceil(64);
    // Row i: one bit for each neighbour of i, itself included.
    let near: Vec<Vec<u64>> = (0..n)
        .into_par_iter()
        .map(|i| {
            let mut bits = vec![0u64; words];
            for j in (0..n).filter(|&j| i == j || prints.linked(sample[i], sample[j])) {
                bits[j / 64] |= 1 << (j % 64);
            }
            bits
        })
        .collect();
    let count = |bits: &[u64]| bits.iter().map(|b| b.count_ones()).sum::<u32>();
    let degrees: Vec<u32> = near.iter().map(|bits| count(bits)).collect();
    let mut joined = UnionFind::new(n);
    for i in 0..n {
        for j in (0..i).filter(|&j| near[i][j / 64] >> (j % 64) & 1 == 1) {
            let common = near[i].iter().zip(&near[j]).map(|(a, b)| (a & b).count_ones()).sum();
            if !is_weak(common, degrees[i], degrees[j]) {
                joined.join(i as u32, j as u32);
            }
        }
    }
    let labels = held(joined.labels(), &near);
    labels.iter().any(|label| *label != ALONE).then_some(labels)
}

/// The label of a place that belongs to no part.
pub const ALONE: u32 = u32::MAX;

/// The part of each place of the sample: its own, or for one that is alone the part it has most neighbours in.
fn held(labels: &[u32], near: &[Vec<u64>]) -> Vec<u32> {
    let mut sizes = vec![0u32; labels.len()];
    labels.iter().for_each(|label| sizes[*label as usize] += 1);
    let mut edges = vec![0u32; labels.len()];
    let mut of = |place: usize| {
        if sizes[labels[place] as usize] > 1 {
            return labels[place];
        }
        edges.fill(0);
        for other in (0..labels.len()).filter(|&j| near[place][j / 64] >> (j % 64) & 1 == 1) {
            edges[labels[other] as usize] += u32::from(sizes[labels[other] as usize] > 1);
        }
        // Of equal ones the first: places are in the order of hashes, so that the choice does not depend on the input order.
        let best = edges.iter().enumerate().max_by_key(|&(label, &edges)| (edges, std::cmp::Reverse(label)));
        best.filter(|best| *best.1 > 0).map_or(ALONE, |best| best.0 as u32)
    };
    (0..labels.len()).map(&mut of).collect()
}

/// The member of the sample that a row matches best, if it is linked to any.
pub fn nearest(prints: &Prints, sample: &[u32], row: u32) -> Option<usize> {
    let linked = sample.iter().enumerate().filter(|&(_, &other)| prints.linked(other, row));
    linked.max_by_key(|&(at, &other)| (prints.similarity(other, row), std::cmp::Reverse(at))).map(|found| found.0)
}
