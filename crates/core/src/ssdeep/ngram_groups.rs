//! The same classes from rows that travel: what a digest's n-grams are, and what the holders of one amount to.

use std::sync::Arc;

use arrow_array::builder::BinaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, BinaryArray, BooleanArray, Int32Array, Int64Array, ListArray, RecordBatch, StringArray};
use arrow_schema::ArrowError;

use crate::arrow::{any_column, batch_of, column, string};
use crate::ssdeep::classes::score;
use crate::ssdeep::digest::MIN_BLOCK;
use crate::ssdeep::hot_ngrams::HotNgrams;
use crate::ssdeep::near_join::{NearJoin, NgramHolder, Profile, Signatures, promises};
use crate::ssdeep::ngram_postings::ngram_hash;
use crate::ssdeep::score::{Digest, ngrams};
use crate::ssdeep::store::StoredDigest;
use crate::union_find::UnionFind;

fn parse(text: &str) -> Result<Digest, ArrowError> {
    Digest::parse(text).map_err(|error| ArrowError::InvalidArgumentError(error.to_string()))
}

/// From `page`, `md5` and `ssdeep` to `page`, `md5`, `digest` (what is compared: equal for equal digests), and whether
/// it is `long` enough to be compared with others.
pub fn comparable(batch: &RecordBatch, min_length: usize) -> Result<RecordBatch, ArrowError> {
    let texts: &StringArray = column(batch, "ssdeep")?;
    let (mut digests, mut long) = (Vec::new(), Vec::new());
    for row in 0..batch.num_rows() {
        let digest = parse(string(texts, row).unwrap_or_default())?;
        let [first, second] =
            [&digest.first, &digest.second].map(|s| String::from_utf8_lossy(s.characters()).into_owned());
        digests.push(Some(format!("{}:{first}:{second}", MIN_BLOCK << digest.level)));
        long.push(Some(digest.len() >= min_length));
    }
    batch_of(vec![
        ("page", any_column(batch, "page")?.clone()),
        ("md5", any_column(batch, "md5")?.clone()),
        ("digest", Arc::new(StringArray::from(digests))),
        ("long", Arc::new(BooleanArray::from(long))),
    ])
}

/// The n-grams of each `digest`, once for each signature that holds it: `key`, `page` and `holders`, which is 1.
pub fn ngram_keys(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let (pages, digests): (&Int64Array, &StringArray) = (column(batch, "page")?, column(batch, "digest")?);
    let (mut keys, mut holders): (Vec<i64>, Vec<i64>) = (Vec::new(), Vec::new());
    for row in 0..batch.num_rows() {
        let digest = parse(digests.value(row))?;
        for (level, signature) in StoredDigest::of(&digest).signatures() {
            let begin = keys.len();
            keys.extend(ngrams(signature).map(|ngram| ngram_hash(level, ngram) as i64));
            keys[begin..].sort_unstable();
            let mut kept = begin;
            for at in begin..keys.len() {
                if at == begin || keys[at] != keys[kept - 1] {
                    keys[kept] = keys[at];
                    kept += 1;
                }
            }
            keys.truncate(kept);
        }
        holders.resize(keys.len(), pages.value(row));
    }
    let ones = Int64Array::from(vec![1; keys.len()]);
    batch_of(vec![
        ("key", Arc::new(Int64Array::from(keys))),
        ("page", Arc::new(Int64Array::from(holders))),
        ("holders", Arc::new(ones)),
    ])
}

/// A row for each n-gram in each `digest` at which its `page` is compared with others: `key`, `page`, `second` (which
/// signature), `level`, `before` (the character before it), `hot`, and the `signature`. The column `hot` lists those
/// of a digest's n-grams that are hot; without it none is.
pub fn ngram_rows(batch: &RecordBatch, threshold: u32) -> Result<RecordBatch, ArrowError> {
    let (pages, digests): (&Int64Array, &StringArray) = (column(batch, "page")?, column(batch, "digest")?);
    let marked = batch.column_by_name("hot").map(|_| column::<ListArray>(batch, "hot")).transpose()?;
    let (mut keys, mut holders, mut seconds) = (Vec::new(), Vec::new(), Vec::new());
    let (mut levels, mut befores, mut hots) = (Vec::new(), Vec::new(), Vec::new());
    let mut signatures = BinaryBuilder::new();
    for row in 0..batch.num_rows() {
        let digest = parse(digests.value(row))?;
        let hot = match marked {
            Some(lists) if lists.is_valid(row) => {
                HotNgrams::of(lists.value(row).as_primitive::<Int64Type>().values().iter().map(|&key| key as u64))
            }
            _ => HotNgrams::default(),
        };
        for (second, (level, signature)) in (0i64..).zip(StoredDigest::of(&digest).signatures()) {
            if !promises(threshold, level, signature) {
                continue;
            }
            for found in hot.occurrences(level, signature, |_| true) {
                if found.hot && !found.edge {
                    continue;
                }
                keys.push(found.hash as i64);
                holders.push(pages.value(row));
                seconds.push(second);
                levels.push(i64::from(level));
                befores.push(i64::from(found.before));
                hots.push(found.hot);
                signatures.append_value(signature);
            }
        }
    }
    batch_of(vec![
        ("key", Arc::new(Int64Array::from(keys))),
        ("page", Arc::new(Int64Array::from(holders))),
        ("second", Arc::new(Int64Array::from(seconds))),
        ("level", Arc::new(Int64Array::from(levels))),
        ("before", Arc::new(Int64Array::from(befores))),
        ("hot", Arc::new(BooleanArray::from(hots))),
        ("signature", Arc::new(signatures.finish())),
    ])
}

/// The signatures in a batch of rows, by the ranks of its pages.
struct SignatureRows<'a> {
    levels: &'a Int64Array,
    signatures: &'a BinaryArray,
    /// A row for each member.
    of: Vec<u32>,
}

impl Signatures for SignatureRows<'_> {
    fn signature(&self, member: NgramHolder) -> (u8, &[u8]) {
        let row = self.of[member.0 as usize] as usize;
        (self.levels.value(row) as u8, self.signatures.value(row))
    }
}

/// Edges between near copies among the holders of n-grams, from complete groups of `key`: `page` and `other`, which is
/// smaller. Pages that edges join already are not compared.
pub fn ngram_edges(batch: &RecordBatch, threshold: u32) -> Result<RecordBatch, ArrowError> {
    let [keys, pages, seconds, levels, befores] =
        ["key", "page", "second", "level", "before"].map(|name| column::<Int64Array>(batch, name));
    let (keys, pages, seconds, levels, befores) = (keys?, pages?, seconds?, levels?, befores?);
    let (hot, signatures): (&BooleanArray, &BinaryArray) = (column(batch, "hot")?, column(batch, "signature")?);
    let mut ranked: Vec<i64> = pages.values().to_vec();
    ranked.sort_unstable();
    ranked.dedup();
    let member = |row: usize| {
        let rank = ranked.binary_search(&pages.value(row)).unwrap_or_default();
        NgramHolder::new(rank as u32, seconds.value(row) == 1)
    };
    let members: Vec<NgramHolder> = (0..batch.num_rows()).map(member).collect();
    let mut of = vec![0; 2 * ranked.len()];
    members.iter().zip(0..).for_each(|(member, row)| of[member.0 as usize] = row);
    let join = NearJoin::new(SignatureRows { levels, signatures, of }, threshold, usize::MAX);
    let mut classes = UnionFind::new(ranked.len());
    let rows: Vec<usize> = (0..batch.num_rows()).collect();
    for group in rows.chunk_by(|&a, &b| keys.value(a) == keys.value(b)).filter(|group| group.len() > 1) {
        let (mut profiles, mut holders) = (Vec::new(), Vec::new());
        for &row in group {
            let (level, before) = (levels.value(row) as u8, befores.value(row) as u8);
            let profile = Profile::of(members[row], level, signatures.value(row), before);
            if hot.value(row) { holders.push((keys.value(row) as u64, profile)) } else { profiles.push(profile) }
        }
        join.join_hot(holders, &mut classes);
        join.join_profiles(profiles, &mut classes);
    }
    let roots: Vec<u32> = (0..ranked.len() as u32).map(|rank| classes.find(rank)).collect();
    let edges = || (0..ranked.len()).filter(|&rank| roots[rank] as usize != rank);
    batch_of(vec![
        ("page", Arc::new(edges().map(|rank| ranked[rank]).collect::<Int64Array>())),
        ("other", Arc::new(edges().map(|rank| ranked[roots[rank] as usize]).collect::<Int64Array>())),
    ])
}

/// The scores of pairs, `digest` and `other_digest`; 100 where the texts are the same, `exact`.
pub fn pair_scores(batch: &RecordBatch) -> Result<Int32Array, ArrowError> {
    let [own, other] = ["digest", "other_digest"].map(|name| column::<StringArray>(batch, name));
    let (own, other, exact): (_, _, &BooleanArray) = (own?, other?, column(batch, "exact")?);
    let score = |row: usize| {
        if exact.value(row) {
            return Ok(100);
        }
        let (a, b) = (parse(own.value(row))?, parse(other.value(row))?);
        Ok(score(&StoredDigest::of(&a), &StoredDigest::of(&b)) as i32)
    };
    Ok((0..batch.num_rows()).map(score).collect::<Result<Vec<i32>, ArrowError>>()?.into())
}
