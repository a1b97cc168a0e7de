//! Style clusters (Urvoy et al. 2006, Procedure 2): probe for similar pairs, check them, join them.
//!
//! Each of p probes takes k dimensions; fingerprints that agree in all of them meet in a bucket (`bucket.rs`). A pair
//! gets an edge when it matches in at least t dimensions, and clusters are what the edges join. Pages with the same
//! fingerprint are one row for all that: they are joined if any probe lets them meet.

use rayon::prelude::*;

use crate::hash::mix;
use crate::style::bucket::{BucketBuffers, Edge, PairCheck, all_pairs, with_leaders};
use crate::style::matrix::Matrix;
use crate::style::prints::{Layer, Prints};
use crate::union_find::UnionFind;

/// How pairs are sought and checked.
#[derive(Clone, Copy, Debug)]
pub struct ClusterParams {
    /// Dimensions of a probe.
    pub k: usize,
    pub p: usize,
    /// Matching dimensions that make an edge.
    pub t: u32,
    /// Matching dimensions of the structure that make one too; 0 if it does not count.
    pub structure_t: u32,
    /// Members of a bucket up to which all pairs count.
    pub budget: usize,
    /// Which dimensions are probed.
    pub seed: u64,
    /// Similarities are divided by m, as in the paper, not by the dimensions that are filled.
    pub over_m: bool,
}

impl ClusterParams {
    /// The most dimensions of a probe: their minima are packed in 128 bits.
    pub const MAX_K: usize = 8;

    /// Whether m dimensions can be probed so.
    pub fn fits(&self, m: usize) -> bool {
        let probes = if self.k == 1 { self.p <= m } else { true };
        (1..=Self::MAX_K.min(m)).contains(&self.k)
            && self.p >= 1
            && probes
            && (1..=m as u32).contains(&self.t)
            && self.structure_t <= m as u32
    }
}

/// The dimensions of each probe: all different when a probe is one dimension, else drawn independently.
pub fn probes(m: usize, params: &ClusterParams) -> Vec<Vec<usize>> {
    let draw = |salt: u64, count: usize| -> Vec<usize> {
        let mut dimensions: Vec<usize> = (0..m).collect();
        for i in 0..count {
            let random = mix(mix(params.seed ^ 0x7072_6F62_6573) ^ mix(salt << 16 | i as u64));
            dimensions.swap(i, i + ((u128::from(random) * (m - i) as u128) >> 64) as usize);
        }
        dimensions.truncate(count);
        dimensions
    };
    if params.k == 1 {
        return draw(0, params.p).into_iter().map(|dimension| vec![dimension]).collect();
    }
    (0..params.p as u64).map(|probe| draw(probe + 1, params.k)).collect()
}

/// A bucket that was too large for all its pairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BigBucket {
    pub dimensions: Vec<usize>,
    /// The minima that its members share there.
    pub values: Vec<u16>,
    /// Different fingerprints in it.
    pub members: usize,
}

/// Clustering, probe by probe.
pub struct Clusterer {
    prints: Prints,
    params: ClusterParams,
    probes: Vec<Vec<usize>>,
    layers: Vec<Distinct>,
    joined: UnionFind,
    /// For each probe: how many known pages were joined to new ones when it was carried out.
    reached: Vec<Option<usize>>,
    /// Buckets that leaders had to do for.
    pub big: Vec<BigBucket>,
}

/// The different fingerprints of one layer.
struct Distinct {
    /// Rows of different fingerprints that may be linked at all.
    unique: Vec<u32>,
    /// By row, not by place in `unique`.
    hashes: Vec<u64>,
}

impl Clusterer {
    /// Ready for the first probe. The parameters must fit the fingerprints.
    pub fn new(prints: Prints, params: ClusterParams) -> Self {
        let m = prints.layers[0].matrix.m();
        assert!(params.fits(m), "cluster parameters out of range");
        let probes = probes(m, &params);
        let mut joined = UnionFind::new(prints.len());
        let mut known: Vec<(i64, u32)> = prints.known_clusters().iter().copied().zip(0..).collect();
        known.sort_unstable();
        for pair in known.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            joined.join(pair[0].1, pair[1].1);
        }
        let distinct = |layer: &Layer| {
            let hashes: Vec<u64> = (0..layer.matrix.len()).into_par_iter().map(|row| layer.matrix.hash(row)).collect();
            Distinct { unique: unique(layer, &probes, &hashes, &mut joined), hashes }
        };
        let layers: Vec<Distinct> = prints.layers.iter().map(distinct).collect();
        let reached = vec![None; layers.len() * probes.len()];
        Clusterer { prints, params, probes, layers, joined, reached, big: Vec::new() }
    }

    /// How many probes there are, of all layers.
    pub fn probes(&self) -> usize {
        self.layers.len() * self.probes.len()
    }

    /// Links what one probe finds, in parallel on the current rayon pool.
    pub fn probe(&mut self, number: usize) {
        let labels = self.joined.labels();
        let known = self.prints.known_clusters().len();
        // What is joined to a new page: clusters of nothing but known pages are not wanted.
        let mut fresh = vec![known == 0; labels.len()];
        if known > 0 {
            labels[known..].iter().for_each(|&label| fresh[label as usize] = true);
        }
        let reached = labels[..known].iter().filter(|&&label| fresh[label as usize]).count();
        let again = match self.reached[number].replace(reached) {
            Some(before) if before == reached => return,
            before => before.is_some(),
        };
        let dimensions = &self.probes[number % self.probes.len()];
        let number = number / self.probes.len();
        let (layer, distinct) = (&self.prints.layers[number], &self.layers[number]);
        let (order, ends) = buckets(&layer.matrix, &distinct.unique, dimensions);
        let check = PairCheck { matrix: &layer.matrix, t: layer.t };
        let mut small: Vec<&[u32]> = Vec::new();
        let mut edges: Vec<Edge> = Vec::new();
        let mut start = 0;
        for end in ends {
            let members = &order[start..end];
            start = end;
            if members.len() > self.params.budget {
                if !again {
                    with_leaders(check, members, &distinct.hashes, self.params.budget, &mut edges);
                    let values = dimensions.iter().map(|&d| layer.matrix.value(members[0] as usize, d)).collect();
                    self.big.push(BigBucket { dimensions: dimensions.clone(), values, members: members.len() });
                }
            } else if members.len() > 1 {
                small.push(members);
            }
        }
        let found: Vec<Vec<Edge>> = small
            .par_chunks(64)
            .map_init(BucketBuffers::default, |scratch, buckets| {
                let mut edges = Vec::new();
                let (label, fresh) = (|row: u32| labels[row as usize], |label: u32| fresh[label as usize]);
                for members in buckets {
                    all_pairs(check, members, label, fresh, scratch, &mut edges);
                }
                edges
            })
            .collect();
        for (a, b) in found.into_iter().flatten().chain(edges) {
            self.joined.join(a, b);
        }
    }

    /// The fingerprints, and for each of their rows a row that stands for its cluster.
    pub fn finish(mut self) -> (Prints, Vec<u32>, Vec<BigBucket>) {
        // Known pages that later probes joined to new ones may join others: until no probe has more to look at.
        let mut before = Vec::new();
        while !self.prints.known_clusters().is_empty() && before != self.reached {
            before = self.reached.clone();
            (0..self.probes()).for_each(|probe| self.probe(probe));
        }
        let labels = self.joined.labels().to_vec();
        self.big.sort_by(|a, b| b.members.cmp(&a.members).then_with(|| a.dimensions.cmp(&b.dimensions)));
        (self.prints, labels, self.big)
    }
}

/// The rows of each bucket, end to end, and where each ends.
fn buckets(matrix: &Matrix, unique: &[u32], dimensions: &[usize]) -> (Vec<u32>, Vec<usize>) {
    if let [dimension] = dimensions {
        return buckets_of_one(matrix, unique, *dimension);
    }
    let key = |row: u32| {
        let values = dimensions.iter().map(|&d| matrix.value(row as usize, d));
        values.clone().all(|v| v != 0).then(|| (values.fold(0u128, |key, v| key << 16 | u128::from(v)), row))
    };
    let mut keyed: Vec<(u128, u32)> = unique.par_iter().filter_map(|&row| key(row)).collect();
    keyed.par_sort_unstable();
    let mut ends: Vec<usize> = Vec::new();
    for bucket in keyed.chunk_by(|a, b| a.0 == b.0) {
        ends.push(ends.last().unwrap_or(&0) + bucket.len());
    }
    (keyed.into_iter().map(|(_, row)| row).collect(), ends)
}

/// The same by counting: one dimension has few values.
fn buckets_of_one(matrix: &Matrix, unique: &[u32], dimension: usize) -> (Vec<u32>, Vec<usize>) {
    let keys: Vec<u16> =
        unique.par_iter().with_min_len(4096).map(|&row| matrix.value(row as usize, dimension)).collect();
    let mut places = vec![0usize; (1 << 16) + 1];
    for &key in keys.iter().filter(|key| **key != 0) {
        places[usize::from(key) + 1] += 1;
    }
    for at in 1..places.len() {
        places[at] += places[at - 1];
    }
    let mut order = vec![0u32; places[1 << 16]];
    for (&key, &row) in keys.iter().zip(unique).filter(|(key, _)| **key != 0) {
        order[places[usize::from(key)]] = row;
        places[usize::from(key)] += 1;
    }
    places.pop();
    (order, places)
}

/// Whether a fingerprint can have an edge: enough of it is filled, and a probe can see it.
pub fn can_link(matrix: &Matrix, row: usize, t: u32, probes: &[Vec<usize>]) -> bool {
    let seen = |probe: &Vec<usize>| probe.iter().all(|&d| matrix.value(row, d) != 0);
    matrix.filled(row) >= t as usize && probes.iter().any(seen)
}

/// One row for each different fingerprint that can have an edge; equal ones are joined if a probe lets them meet.
fn unique(layer: &Layer, probes: &[Vec<usize>], hashes: &[u64], joined: &mut UnionFind) -> Vec<u32> {
    let matrix = &layer.matrix;
    let mut rows: Vec<(u64, u32)> = (0..matrix.len())
        .into_par_iter()
        .filter(|&row| can_link(matrix, row, layer.t, probes))
        .map(|row| (hashes[row], row as u32))
        .collect();
    rows.par_sort_unstable();
    let mut unique: Vec<u32> = Vec::new();
    for group in rows.chunk_by(|a, b| a.0 == b.0) {
        let begin = unique.len();
        for &(_, row) in group {
            // Two different fingerprints may have the same hash, though they hardly ever do.
            match unique[begin..].iter().find(|&&u| matrix.row(u as usize) == matrix.row(row as usize)) {
                Some(&same) => {
                    joined.join(same, row);
                }
                None => unique.push(row),
            }
        }
    }
    unique.par_sort_unstable();
    unique
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::fingerprint::{self as style, Divisor};
    use crate::style::matrix;
    use crate::style::prints::tests::prints;
    use proptest::prelude::*;

    /// Procedure 2 as printed: every pair of every bucket.
    fn naive(m: usize, rows: &[Vec<u16>], params: &ClusterParams) -> Vec<u32> {
        let mut joined = UnionFind::new(rows.len());
        for probe in probes(m, params) {
            for i in 0..rows.len() {
                for j in 0..i {
                    let meet = probe.iter().all(|&d| rows[i][d] != 0 && rows[i][d] == rows[j][d]);
                    if meet && style::compare(&rows[i], &rows[j]).matching >= params.t {
                        joined.join(i as u32, j as u32);
                    }
                }
            }
        }
        joined.labels().to_vec()
    }

    fn cluster(m: usize, rows: &[Vec<u16>], params: ClusterParams) -> (Vec<u32>, Vec<BigBucket>) {
        let mut clusterer = Clusterer::new(prints(m, rows, params.t), params);
        (0..clusterer.probes()).for_each(|probe| clusterer.probe(probe));
        let (_, labels, big) = clusterer.finish();
        (labels, big)
    }

    /// Families of fingerprints with their own and with shared minima, empty dimensions, and repetitions.
    fn web(m: usize, n: usize, families: u64, seed: u64) -> Vec<Vec<u16>> {
        let value = |i: u64, d: u64| {
            let family = mix(seed ^ i) % families;
            let random = mix(seed ^ mix(i << 20 | d));
            match random % 10 {
                0..=5 => 1 + (mix(family << 8 | d) % 50) as u16,
                6 => 7,
                7 => 0,
                _ => (random >> 40) as u16,
            }
        };
        (0..n as u64).map(|i| (0..m as u64).map(|d| value(i - u64::from(i % 7 == 6), d)).collect()).collect()
    }

    proptest! {
        /// Within the budget, clusters are those of the naive procedure.
        #[test]
        fn same_as_naive(m in 4usize..40, n in 1usize..120, k in 1usize..4, seed in any::<u64>(), families in 1u64..12) {
            let params = ClusterParams { k, p: 1 + m / 3, t: 1 + m as u32 / 4, structure_t: 0, budget: 1000, seed, over_m: false };
            let rows = web(m, n, families, seed);
            let (labels, big) = cluster(m, &rows, params);
            prop_assert_eq!(labels, naive(m, &rows, &params));
            prop_assert!(big.is_empty());
        }

        /// Beyond it, clusters are a function of the set of fingerprints, and no page is where naive would not have it.
        #[test]
        fn leaders_depend_on_the_bucket_alone(n in 2usize..300, budget in 1usize..40, seed in any::<u64>()) {
            let params = ClusterParams { k: 1, p: 6, t: 6, structure_t: 0, budget, seed, over_m: false };
            let rows = web(16, n, 5, seed);
            let (labels, _) = cluster(16, &rows, params);
            let back: Vec<Vec<u16>> = rows.iter().rev().cloned().collect();
            let (backwards, _) = cluster(16, &back, params);
            let exact = naive(16, &rows, &params);
            for i in 0..n {
                for j in 0..i {
                    let together = labels[i] == labels[j];
                    prop_assert_eq!(together, backwards[n - 1 - i] == backwards[n - 1 - j]);
                    prop_assert!(!together || exact[i] == exact[j]);
                }
            }
        }

        /// New pages against known ones: the same clusters as all at once.
        #[test]
        fn known_pages_are_not_compared_again(n in 2usize..100, cut in 0usize..100, seed in any::<u64>()) {
            let (m, cut) = (16, cut.min(n));
            let params = ClusterParams { k: 1, p: 6, t: 6, structure_t: 0, budget: 1000, seed, over_m: false };
            let rows = web(m, n, 5, seed);
            let (old, _) = cluster(m, &rows[..cut], params);
            let mut made = matrix::tests::matrix(m, &[]);
            let known: Vec<i64> = old.iter().map(|&label| i64::from(label)).collect();
            matrix::tests::push(&mut made, &rows[..cut], 0, Some(&known));
            matrix::tests::push(&mut made, &rows[cut..], cut as i64, None);
            let layers = vec![Layer { matrix: made, t: params.t }];
            let mut clusterer = Clusterer::new(Prints { layers, divisor: Divisor::Filled }, params);
            (0..params.p).for_each(|probe| clusterer.probe(probe));
            prop_assert_eq!(clusterer.finish().1, naive(m, &rows, &params));
        }

        /// Also where the known pages were never compared with each other: what touches a new page is all there.
        #[test]
        fn what_new_pages_touch_is_whole(n in 2usize..80, cut in 0usize..80, budget in 2usize..60, seed in any::<u64>()) {
            let (m, cut) = (16, cut.min(n));
            let params = ClusterParams { k: 1, p: 6, t: 6, structure_t: 0, budget, seed, over_m: false };
            let rows = web(m, n, 5, seed);
            let alone: Vec<i64> = (0..cut as i64).collect();
            let mut made = matrix::tests::matrix(m, &[]);
            matrix::tests::push(&mut made, &rows[..cut], 0, Some(&alone));
            matrix::tests::push(&mut made, &rows[cut..], cut as i64, None);
            let mut clusterer = Clusterer::new(Prints { layers: vec![Layer { matrix: made, t: params.t }], divisor: Divisor::Filled }, params);
            (0..params.p).for_each(|probe| clusterer.probe(probe));
            let (found, whole) = (clusterer.finish().1, cluster(m, &rows, params).0);
            let touched: Vec<u32> = whole[cut..].to_vec();
            for row in (0..n).filter(|&row| touched.contains(&whole[row])) {
                prop_assert_eq!(found[row], whole[row]);
            }
        }

        /// A probe of one dimension never comes twice; a larger one has different dimensions.
        #[test]
        fn probes_are_subsets(m in 1usize..200, k in 1usize..9, seed in any::<u64>()) {
            let params = ClusterParams { k: k.min(m), p: m, t: 1, structure_t: 0, budget: 1, seed, over_m: false };
            let found = probes(m, &params);
            prop_assert_eq!(found.len(), m);
            for probe in &found {
                let mut sorted = probe.clone();
                sorted.sort_unstable();
                sorted.dedup();
                prop_assert_eq!((sorted.len(), probe.iter().all(|&d| d < m)), (params.k, true));
            }
            if params.k == 1 {
                let mut all = found.concat();
                all.sort_unstable();
                prop_assert_eq!(all, (0..m).collect::<Vec<_>>());
            }
        }
    }
}
