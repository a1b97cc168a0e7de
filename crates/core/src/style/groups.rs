//! Complete groups of fingerprints, wherever they meet: the pairs of a bucket, and what a chunk of a large group has to
//! be compared with.
//!
//! A group that may be large is divided into chunks. Each chunk holds some of its members (`role` 1) and a copy of the few
//! that represent all (`role` 0): leaders, a sample, or the centroid. Rows come sorted by chunk, group, role and
//! hash.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BinaryArray, BooleanArray, Float64Array, Int64Array, RecordBatch};
use arrow_schema::ArrowError;
use hashbrown::HashMap;
use rayon::prelude::*;

use crate::arrow::{batch_of, column, wrong};
use crate::style::bucket::{BucketBuffers, Edge, Leaders, PairCheck, all_pairs};
use crate::style::fingerprint::ONE;
use crate::style::keys::{Keys, stored_matrix};
use crate::style::members::is_worm;
use crate::style::prints::Prints;
use crate::style::shape::{ALONE, candidate, linked_pairs, nearest, sample_parts};

type Ints = Int64Array;

fn ints(values: impl IntoIterator<Item = i64>) -> ArrayRef {
    Arc::new(Ints::from_iter_values(values))
}

/// Where rows lie that are equal in all of these columns, which are sorted.
fn ranges(batch: &RecordBatch, by: &[&str]) -> Result<Vec<Range<usize>>, ArrowError> {
    let columns: Vec<&Ints> = by.iter().map(|name| column(batch, name)).collect::<Result<_, _>>()?;
    let differ = |row: &usize| columns.iter().any(|column| column.value(*row) != column.value(row - 1));
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut begin = 0;
    for end in (1..batch.num_rows()).filter(differ).chain([batch.num_rows()]).filter(|end| *end > 0) {
        found.push(begin..end);
        begin = end;
    }
    Ok(found)
}

/// One chunk of one group: rows that represent the group, then members.
struct GroupChunk {
    spoken: Vec<u32>,
    members: Vec<u32>,
}

fn chunks(batch: &RecordBatch, group: &str) -> Result<Vec<GroupChunk>, ArrowError> {
    let role: &Ints = column(batch, "role")?;
    let divided = |rows: Range<usize>| {
        let (spoken, members) = rows.map(|row| row as u32).partition(|&row| role.value(row as usize) == 0);
        GroupChunk { spoken, members }
    };
    Ok(ranges(batch, &["chunk", group])?.into_iter().map(divided).collect())
}

fn prints(batch: &RecordBatch, keys: &Keys) -> Result<Prints, ArrowError> {
    let mut prints = Prints::new(keys.m, &keys.params);
    prints.push_batch(batch)?;
    // Rows of the batch are rows of the prints.
    if prints.len() == batch.num_rows() { Ok(prints) } else { Err(wrong("style")) }
}

/// Of complete buckets (`key`): edges that join what all similar pairs would join.
pub fn bucket_edges(batch: &RecordBatch, keys: &Keys) -> Result<RecordBatch, ArrowError> {
    let place: &Ints = column(batch, "place")?;
    let matrix = stored_matrix(batch, keys.m)?;
    let found: Vec<Vec<Edge>> = ranges(batch, &["key"])?
        .par_chunks(64)
        .map_init(BucketBuffers::default, |scratch, buckets| {
            let mut edges = Vec::new();
            for bucket in buckets.iter().filter(|bucket| bucket.len() > 1) {
                let check = PairCheck { matrix: &matrix, t: keys.enough_at(place.value(bucket.start)) };
                let members: Vec<u32> = bucket.clone().map(|row| row as u32).collect();
                all_pairs(check, &members, |row| row, |_| true, scratch, &mut edges);
            }
            edges
        })
        .collect();
    let pages = found.iter().flatten().map(|&(a, b)| [a, b].map(|row| matrix.page(row as usize)));
    let (page, other): (Vec<i64>, Vec<i64>) = pages.map(|[a, b]| (a, b)).unzip();
    batch_of(vec![("page", ints(page)), ("other", ints(other))])
}

/// One round in chunks of large buckets: an edge for each pair found, with `other`; and the members that are like no
/// leader, with null there.
pub fn leader_round(batch: &RecordBatch, keys: &Keys) -> Result<RecordBatch, ArrowError> {
    let numbers = |name| column::<Ints>(batch, name);
    let (key, place, hash) = (numbers("key")?, numbers("place")?, numbers("hash")?);
    let print: &BinaryArray = column(batch, "print")?;
    let matrix = stored_matrix(batch, keys.m)?;
    let found: Vec<(Vec<Edge>, Vec<u32>)> = chunks(batch, "key")?
        .par_iter()
        .map(|GroupChunk { spoken, members }| {
            let (mut edges, mut found) = (Vec::new(), Vec::new());
            let first = spoken.iter().chain(members).next().map_or(0, |&row| place.value(row as usize));
            let check = PairCheck { matrix: &matrix, t: keys.enough_at(first) };
            let leaders = Leaders::new(check, spoken, &mut edges);
            let pages: Vec<i64> = spoken.iter().map(|&row| matrix.page(row as usize)).collect();
            // Leaders are members too; they are done.
            let others = members.iter().copied().filter(|&row| !pages.contains(&matrix.page(row as usize)));
            let left = others.filter(|&row| !leaders.join(row, &mut found, &mut edges)).collect();
            (edges, left)
        })
        .collect();
    let edges = found.iter().flat_map(|(edges, _)| edges);
    let left = found.iter().flat_map(|(_, left)| left);
    let rows: Vec<(usize, Option<i64>)> = edges
        .map(|&(a, b)| (a as usize, Some(matrix.page(b as usize))))
        .chain(left.map(|&row| (row as usize, None)))
        .collect();
    let take = |column: &Ints| ints(rows.iter().map(|(row, _)| column.value(*row)).collect::<Vec<_>>());
    let prints = rows.iter().map(|(row, other)| other.is_none().then(|| print.value(*row)));
    batch_of(vec![
        ("key", take(key)),
        ("place", take(place)),
        ("page", ints(rows.iter().map(|(row, _)| matrix.page(*row)))),
        ("hash", take(hash)),
        ("print", Arc::new(prints.collect::<BinaryArray>())),
        ("other", Arc::new(rows.iter().map(|(_, other)| *other).collect::<Ints>())),
    ])
}

/// For each chunk of a cluster with its sample: the best centroid in it, its score, and how many pairs of the sample
/// have an edge.
pub fn candidates(batch: &RecordBatch, keys: &Keys) -> Result<RecordBatch, ArrowError> {
    let cluster: &Ints = column(batch, "cluster")?;
    let prints = prints(batch, keys)?;
    let found: Vec<[i64; 6]> = chunks(batch, "cluster")?
        .par_iter()
        .filter_map(|GroupChunk { spoken, members }| {
            // A member that is in the sample too is the same row: it is not compared with itself.
            let sampled: HashMap<i64, u32> = spoken.iter().map(|&row| (prints.page(row as usize), row)).collect();
            let own = |row: &u32| sampled.get(&prints.page(*row as usize)).copied().unwrap_or(*row);
            let best = candidate(&prints, &members.iter().map(own).collect::<Vec<_>>(), spoken)?;
            let n = spoken.len() as u64;
            let (row, edges, pairs) = (best.row as usize, linked_pairs(&prints, spoken), n * (n - 1) / 2);
            let worm = i64::from(is_worm(edges, pairs));
            Some([cluster.value(row), prints.page(row), best.score as i64, edges as i64, pairs as i64, worm])
        })
        .collect();
    let names = ["cluster", "page", "score", "edges", "pairs", "worm"];
    batch_of(names.into_iter().enumerate().map(|(at, name)| (name, ints(found.iter().map(|row| row[at])))).collect())
}

/// For each member in chunks of clusters with their centroids: what the table of members says.
pub fn to_centroid(batch: &RecordBatch, keys: &Keys) -> Result<RecordBatch, ArrowError> {
    let numbers = |name| column::<Ints>(batch, name);
    let (cluster, edges, pairs) = (numbers("cluster")?, numbers("edges")?, numbers("pairs")?);
    let prints = prints(batch, keys)?;
    let divided = chunks(batch, "cluster")?;
    let rows: Vec<(usize, usize)> = divided
        .iter()
        .filter_map(|chunk| chunk.spoken.first().map(|&centroid| (centroid as usize, &chunk.members)))
        .flat_map(|(centroid, members)| members.iter().map(move |&row| (row as usize, centroid)))
        .collect();
    let similarity: Vec<f64> = rows
        .par_iter()
        .map(|&(row, centroid)| f64::from(prints.similarity(centroid as u32, row as u32)) / f64::from(ONE))
        .collect();
    let shape = |centroid: usize| (edges.value(centroid) as u64, pairs.value(centroid) as u64);
    let cohesion = rows.iter().map(|row| shape(row.1)).map(|(edges, pairs)| edges as f64 / pairs as f64);
    let worm = rows.iter().map(|row| shape(row.1)).map(|(edges, pairs)| Some(is_worm(edges, pairs)));
    batch_of(vec![
        ("cluster", ints(rows.iter().map(|row| cluster.value(row.0)))),
        ("page", ints(rows.iter().map(|row| prints.page(row.0)))),
        ("similarity", Arc::new(Float64Array::from_iter_values(similarity))),
        ("centroid", ints(rows.iter().map(|row| prints.page(row.1)))),
        ("cohesion", Arc::new(Float64Array::from_iter_values(cohesion))),
        ("worm", Arc::new(worm.collect::<BooleanArray>())),
    ])
}

/// Of complete samples (`cluster`) of worms: the part that each row goes with once weak bridges are cut, -1 for none.
/// Of clusters that no strong edge holds together, nothing.
pub fn cut_samples(batch: &RecordBatch, keys: &Keys) -> Result<RecordBatch, ArrowError> {
    let numbers = |name| column::<Ints>(batch, name);
    let (cluster, size, hash) = (numbers("cluster")?, numbers("size")?, numbers("hash")?);
    let prints = prints(batch, keys)?;
    let mut rows: Vec<(usize, i64)> = Vec::new();
    for range in ranges(batch, &["cluster"])? {
        let sample: Vec<u32> = range.clone().map(|row| row as u32).collect();
        let labels = sample_parts(&prints, &sample).into_iter().flatten();
        rows.extend(range.zip(labels.map(|label| if label == ALONE { -1 } else { i64::from(label) })));
    }
    let take = |column: &Ints| ints(rows.iter().map(|row| column.value(row.0)));
    let stored = |name| -> Result<ArrayRef, ArrowError> {
        let column: &BinaryArray = column(batch, name)?;
        let values = rows.iter().map(|row| column.is_valid(row.0).then(|| column.value(row.0)));
        Ok(Arc::new(values.collect::<BinaryArray>()))
    };
    batch_of(vec![
        ("cluster", take(cluster)),
        ("size", take(size)),
        ("page", ints(rows.iter().map(|row| prints.page(row.0)))),
        ("hash", take(hash)),
        ("style", stored("style")?),
        ("structure", stored("structure")?),
        ("part", ints(rows.iter().map(|row| row.1))),
    ])
}

/// The parts that the members of worms go with, in chunks with the samples that were cut (`part`).
pub fn parts(batch: &RecordBatch, keys: &Keys) -> Result<RecordBatch, ArrowError> {
    let (cluster, part): (&Ints, &Ints) = (column(batch, "cluster")?, column(batch, "part")?);
    let prints = prints(batch, keys)?;
    let found: Vec<[i64; 3]> = chunks(batch, "cluster")?
        .iter()
        .flat_map(|GroupChunk { spoken, members }| {
            let places: HashMap<i64, usize> =
                spoken.iter().enumerate().map(|(at, &row)| (prints.page(row as usize), at)).collect();
            let of = |&row: &u32| {
                let page = prints.page(row as usize);
                let place = places.get(&page).copied().or_else(|| nearest(&prints, spoken, row))?;
                let part = part.value(spoken[place] as usize);
                (part >= 0).then(|| [cluster.value(row as usize), page, part])
            };
            members.par_iter().filter_map(of).collect::<Vec<_>>()
        })
        .collect();
    let names = ["cluster", "page", "part"];
    batch_of(names.into_iter().enumerate().map(|(at, name)| (name, ints(found.iter().map(|row| row[at])))).collect())
}
