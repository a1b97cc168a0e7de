//! The pairs of one bucket that are similar enough, as edges that join what all such pairs would join.
//!
//! A bucket holds the fingerprints that agree in the dimensions of one probe. Up to `budget` of them, every pair counts
//! (but those that are joined already are not compared again). In a larger bucket members are compared with leaders,
//! the ones with the smallest hashes, round after round: members similar to a leader are done, the others go on. Which edges
//! come out of a large bucket depends on the bucket alone, not on what is joined already, nor on the order of its members.

use rayon::prelude::*;

use crate::simd::dispatch::with_avx2;
use crate::style::matrix::{Matrix, agreeing, compare_rows};
use crate::union_find::UnionFind;

/// Leaders in each round: few at first, when whole templates fall to them, more when strangers are left.
pub const LEADERS: [usize; 4] = [16, 32, 64, 128];

/// An edge between two rows.
pub type Edge = (u32, u32);

/// Buffers, reused from bucket to bucket.
#[derive(Default)]
pub struct BucketBuffers {
    rows: Vec<u8>,
    found: Vec<u32>,
    tagged: Vec<(u32, u32)>,
}

/// Which pairs are similar: matching dimensions of at least `t`.
#[derive(Clone, Copy)]
pub struct PairCheck<'a> {
    pub matrix: &'a Matrix,
    /// Matching dimensions that are enough.
    pub t: u32,
}

impl PairCheck<'_> {
    #[inline]
    fn similar(&self, a: u32, b: u32) -> bool {
        compare_rows(self.matrix, a, b).matching >= self.t
    }

    fn low(&self, row: u32) -> &[u8] {
        &self.matrix.row(row as usize)[..self.matrix.m()]
    }
}

with_avx2! {
    /// Of rows laid end to end, those that agree with `query` in at least `t` low bytes.
    fn promising(query: &[u8], rows: &[u8], t: u32, found: &mut Vec<u32>) {
        const USUAL: usize = 128;
        found.clear();
        if let Ok(query) = <&[u8; USUAL]>::try_from(query) {
            // The number of dimensions is known here, so that the loop below has no loop inside.
            for (at, row) in rows.as_chunks::<USUAL>().0.iter().enumerate() {
                let mut same = 0u8;
                for i in 0..USUAL {
                    same += u8::from(row[i] == query[i]);
                }
                if u32::from(same) >= t {
                    found.push(at as u32);
                }
            }
        } else {
            for (at, row) in rows.chunks_exact(query.len()).enumerate() {
                if agreeing(query, row) >= t {
                    found.push(at as u32);
                }
            }
        }
    }
}

/// Links of a bucket in which every pair counts. `label` says what is joined already. Pairs in which neither what
/// the one nor what the other is joined to is `fresh` do not matter.
pub fn all_pairs(
    check: PairCheck<'_>,
    members: &[u32],
    label: impl Fn(u32) -> u32,
    fresh: impl Fn(u32) -> bool,
    scratch: &mut BucketBuffers,
    edges: &mut Vec<Edge>,
) {
    let BucketBuffers { rows, found, tagged } = scratch;
    tagged.clear();
    tagged.extend(members.iter().map(|&row| (label(row), row)));
    tagged.sort_unstable();
    if tagged.first().map(|t| t.0) == tagged.last().map(|t| t.0) {
        return;
    }
    // What is joined already lies together; behind those groups come the members that are alone.
    let mut groups: Vec<(usize, usize)> = Vec::new();
    let mut order: Vec<u32> = Vec::with_capacity(tagged.len());
    for group in tagged.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1) {
        groups.push((order.len(), order.len() + group.len()));
        order.extend(group.iter().map(|t| t.1));
    }
    let alone = order.len();
    order.extend(tagged.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() == 1).map(|group| group[0].1));
    order[alone..].sort_unstable_by_key(|&row| (!fresh(label(row)), row));
    groups.extend((alone..order.len()).map(|at| (at, at + 1)));
    let crowds = groups.partition_point(|(start, end)| end - start > 1);
    let m = check.matrix.m();
    rows.clear();
    order.iter().for_each(|&row| rows.extend_from_slice(check.low(row)));
    let low = |at: usize| &rows[at * m..(at + 1) * m];
    let mut joined = UnionFind::new(groups.len());
    let matters: Vec<bool> = groups.iter().map(|&(from, _)| fresh(label(order[from]))).collect();

    // Each group against the larger ones before it, until one pair is found.
    for (g, &(start, end)) in groups.iter().enumerate() {
        for (h, &(from, to)) in groups[..g.min(crowds)].iter().enumerate() {
            if !(matters[g] || matters[h]) || joined.find(g as u32) == joined.find(h as u32) {
                continue;
            }
            let edge = (start..end).find_map(|i| {
                promising(low(i), &rows[from * m..to * m], check.t, found);
                let matching = found.iter().find(|&&j| check.similar(order[i], order[from + j as usize]));
                matching.map(|&j| (order[i], order[from + j as usize]))
            });
            if let Some(edge) = edge {
                joined.join(g as u32, h as u32);
                edges.push(edge);
            }
        }
    }
    // Those that are alone against each other.
    let mattering = matters[crowds..].partition_point(|matters| *matters);
    for i in alone..alone + mattering {
        promising(low(i), &rows[(i + 1) * m..], check.t, found);
        for &j in found.iter() {
            let (g, h) = (crowds + i - alone, crowds + i + 1 + j as usize - alone);
            let edge = (order[i], order[i + 1 + j as usize]);
            if joined.find(g as u32) != joined.find(h as u32) && check.similar(edge.0, edge.1) {
                joined.join(g as u32, h as u32);
                edges.push(edge);
            }
        }
    }
}

/// The leaders of one round in a bucket with more than `budget` members.
pub struct Leaders<'a> {
    check: PairCheck<'a>,
    rows: &'a [u32],
    /// Their low bytes, end to end.
    block: Vec<u8>,
    /// Leaders with an edge between them count as one: a member similar to one is not compared with the next.
    groups: Vec<u32>,
}

impl<'a> Leaders<'a> {
    /// Compares the leaders, at most 128, with each other.
    pub fn new(check: PairCheck<'a>, rows: &'a [u32], edges: &mut Vec<Edge>) -> Self {
        let block = rows.iter().flat_map(|&row| check.low(row)).copied().collect();
        let mut joined = UnionFind::new(rows.len());
        for (i, j) in (0..rows.len()).flat_map(|i| (0..i).map(move |j| (i, j))) {
            if check.similar(rows[i], rows[j]) && joined.join(i as u32, j as u32) {
                edges.push((rows[i], rows[j]));
            }
        }
        Leaders { check, rows, block, groups: joined.labels().to_vec() }
    }

    /// Links a member to the leaders that it is similar to; says whether there are such.
    pub fn join(&self, row: u32, found: &mut Vec<u32>, edges: &mut Vec<Edge>) -> bool {
        let many = edges.len();
        promising(self.check.low(row), &self.block, self.check.t, found);
        let mut done: u128 = 0;
        for &at in found.iter() {
            let (leader, group) = (self.rows[at as usize], 1 << self.groups[at as usize]);
            if done & group == 0 && self.check.similar(leader, row) {
                done |= group;
                edges.push((leader, row));
            }
        }
        edges.len() > many
    }
}

/// Links of a bucket with more than `budget` members, in parallel; the members that were compared with leaders only
/// are fewer than all pairs would need.
pub fn with_leaders(check: PairCheck<'_>, members: &[u32], hashes: &[u64], budget: usize, edges: &mut Vec<Edge>) {
    let mut rest = members.to_vec();
    rest.par_sort_unstable_by_key(|&row| (hashes[row as usize], check.matrix.page(row as usize)));
    for count in LEADERS {
        if rest.len() <= budget {
            break;
        }
        let (leaders, others) = rest.split_at(count.min(rest.len()));
        let leaders = Leaders::new(check, leaders, edges);
        let parts: Vec<(Vec<Edge>, Vec<u32>)> = others
            .par_chunks(1 << 14)
            .map(|part| {
                let (mut edges, mut found) = (Vec::new(), Vec::new());
                let left = part.iter().copied().filter(|&row| !leaders.join(row, &mut found, &mut edges)).collect();
                (edges, left)
            })
            .collect();
        rest = parts.iter().flat_map(|(_, left)| left).copied().collect();
        edges.extend(parts.into_iter().flat_map(|(found, _)| found));
    }
    if rest.len() <= budget {
        all_pairs(check, &rest, |row| row, |_| true, &mut BucketBuffers::default(), edges);
    }
}
