//! How bands of shingles make edges: what a page's keys are, and what a group of pages that share a key amounts to.
//!
//! The shingles are cut into bands, and each band is hashed. The paper's rule: two pages are near-duplicates when at least
//! two of six bands of 14 agree. That is the same as agreeing in one of the 15 pairs of bands, so each pair of bands is a
//! key of its own; pages that share a key get an edge to the first of them, and no two are ever compared.
//!
//! With a similarity to reach, one band that agrees makes a pair of pages a candidate, to be verified on their phrases
//! (`classes`). A key that many pages share offers each of them a stated number of others, so that the work stays
//! linear. Offers are sifted by the shingles that two pages have in common, of which 16 bits each are enough.

use std::sync::Arc;

use arrow_array::builder::BinaryBuilder;
use arrow_array::{Array, BinaryArray, Int64Array, RecordBatch};
use arrow_schema::ArrowError;

use crate::arrow::{batch_of, column};
use crate::hash::mix;

/// How bands of shingles make edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BandRule {
    pub bands: usize,
    /// Shingles in a band.
    pub band_length: usize,
    /// How many bands must agree.
    pub evidence: Evidence,
}

/// What two pages need in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Evidence {
    /// Two equal bands make an edge: the paper's rule.
    TwoBands,
    /// One equal band makes a candidate pair for this Jaccard coefficient.
    OneBand(f64),
}

/// In a group of at most this many pages every pair is a candidate.
const ALL_PAIRS: usize = 40;
/// In a larger one each page is paired with so many that follow it, and with as many chosen by hash.
const OFFERED: usize = 20;

impl BandRule {
    /// The shingles of a page, of which there must be enough.
    pub fn read(&self, bytes: &[u8], list: &mut Vec<u64>) -> Result<(), ArrowError> {
        list.clear();
        list.extend(bytes.as_chunks::<8>().0.iter().map(|&b| u64::from_le_bytes(b)));
        if list.len() < self.bands * self.band_length {
            return Err(ArrowError::InvalidArgumentError("a page has too few shingles for these bands".into()));
        }
        Ok(())
    }

    /// The hash of a band of a page's shingles.
    pub fn hash(&self, list: &[u64], band: usize) -> u64 {
        hash_band(&list[band * self.band_length..(band + 1) * self.band_length])
    }

    /// The hash of each band.
    pub fn hashes(&self, list: &[u64]) -> impl Iterator<Item = u64> {
        (0..self.bands).map(|band| self.hash(list, band))
    }

    /// The shingles that two pages must have in common to be worth a look: four standard deviations below what is
    /// wanted, so that one true pair in 30,000 is lost.
    pub fn min_equal(&self, similarity: f64) -> usize {
        let m = (self.bands * self.band_length) as f64;
        (m * similarity - 4.0 * (m * similarity * (1.0 - similarity)).sqrt()).ceil().max(1.0) as usize
    }
}

/// One number for a band of shingles.
fn hash_band(band: &[u64]) -> u64 {
    band.iter().fold(band.len() as u64, |hash, &shingle| mix(hash ^ shingle))
}

/// One number for two bands.
pub fn hash_pair(a: u64, b: u64) -> u64 {
    mix(a).wrapping_add(b)
}

/// What is left of a shingle where pages are sifted.
pub fn tag(shingle: u64) -> u16 {
    shingle as u16
}

/// The pairs that a group of pages offers, smaller page first.
pub fn offer(group: &[u32], pairs: &mut Vec<(u32, u32)>) {
    if group.len() <= ALL_PAIRS {
        for (i, &a) in group.iter().enumerate() {
            pairs.extend(group[i + 1..].iter().map(|&b| (a, b)));
        }
        return;
    }
    // Chosen by hash of the place in the group: a stated number of pages that everybody meets.
    let mut chosen: Vec<usize> = (0..group.len()).collect();
    chosen.select_nth_unstable_by_key(OFFERED, |&i| mix(i as u64 + 1));
    chosen.truncate(OFFERED);
    for (i, &a) in group.iter().enumerate() {
        pairs.extend(group[i + 1..].iter().take(OFFERED).map(|&b| (a, b)));
        let others = chosen.iter().filter(|&&j| j != i).map(|&j| (group[i.min(j)], group[i.max(j)]));
        pairs.extend(others);
    }
}

/// One row for each key of each page, from `page` and `shingles`: `key`, `page`, and where offers are to be sifted, `tags`.
pub fn band_rows(batch: &RecordBatch, rule: BandRule) -> Result<RecordBatch, ArrowError> {
    let (pages, shingles): (&Int64Array, &BinaryArray) = (column(batch, "page")?, column(batch, "shingles")?);
    let (mut keys, mut holders, mut tags) = (Vec::new(), Vec::new(), BinaryBuilder::new());
    let (mut list, mut hashes) = (Vec::new(), Vec::new());
    // The same hash in another place is another key.
    let key = |place: usize, hash: u64| mix(hash.wrapping_add(mix(place as u64 + 1))) as i64;
    for row in (0..batch.num_rows()).filter(|&row| shingles.is_valid(row)) {
        rule.read(shingles.value(row), &mut list)?;
        hashes.clear();
        hashes.extend(rule.hashes(&list));
        let before = keys.len();
        match rule.evidence {
            Evidence::TwoBands => {
                for a in 0..rule.bands {
                    keys.extend((0..a).map(|b| key(a * rule.bands + b, hash_pair(hashes[a], hashes[b]))));
                }
            }
            Evidence::OneBand(_) => {
                keys.extend(hashes.iter().enumerate().map(|(band, &hash)| key(band, hash)));
                let bytes: Vec<u8> = list.iter().flat_map(|&shingle| tag(shingle).to_le_bytes()).collect();
                (before..keys.len()).for_each(|_| tags.append_value(&bytes));
            }
        }
        holders.resize(keys.len(), pages.value(row));
    }
    let mut columns: Vec<(&str, arrow_array::ArrayRef)> =
        vec![("key", Arc::new(Int64Array::from(keys))), ("page", Arc::new(Int64Array::from(holders)))];
    if rule.evidence != Evidence::TwoBands {
        columns.push(("tags", Arc::new(tags.finish())));
    }
    batch_of(columns)
}

/// The edges of complete groups of `key` in which `page` ascends: `page` and `other`, which is smaller. By the paper's
/// rule everybody is joined to the first; else offers that pass the sift, of which the larger page is new.
pub fn band_edges(batch: &RecordBatch, rule: BandRule, first_new: i64) -> Result<RecordBatch, ArrowError> {
    let (keys, pages): (&Int64Array, &Int64Array) = (column(batch, "key")?, column(batch, "page")?);
    let mut edges: Vec<(i64, i64)> = Vec::new();
    let rows: Vec<u32> = (0..batch.num_rows() as u32).collect();
    let groups = rows.chunk_by(|&a, &b| keys.value(a as usize) == keys.value(b as usize)).filter(|rows| rows.len() > 1);
    let page = |row: u32| pages.value(row as usize);
    match rule.evidence {
        Evidence::TwoBands => {
            groups.for_each(|group| edges.extend(group[1..].iter().map(|&row| (page(row), page(group[0])))))
        }
        Evidence::OneBand(similarity) => {
            let tags: &BinaryArray = column(batch, "tags")?;
            let tags = |row: u32| tags.value(row as usize).as_chunks::<2>().0;
            let min_equal = rule.min_equal(similarity);
            let mut pairs = Vec::new();
            for group in groups {
                pairs.clear();
                offer(group, &mut pairs);
                pairs.retain(|&(_, later)| page(later) >= first_new);
                pairs.retain(|&(a, b)| tags(a).iter().zip(tags(b)).filter(|(a, b)| a == b).count() >= min_equal);
                edges.extend(pairs.iter().map(|&(a, b)| (page(b), page(a))));
            }
        }
    }
    edges.sort_unstable();
    edges.dedup();
    batch_of(vec![
        ("page", Arc::new(edges.iter().map(|edge| edge.0).collect::<Int64Array>())),
        ("other", Arc::new(edges.iter().map(|edge| edge.1).collect::<Int64Array>())),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::text::words::Words;
    use crate::shingles::minwise::{Family, ShingleParams, Shingler};

    /// How many bands of two sketches agree.
    fn matching_bands(a: &[u64], b: &[u64], bands: usize, band_length: usize) -> usize {
        a.chunks_exact(band_length).zip(b.chunks_exact(band_length)).take(bands).filter(|(a, b)| a == b).count()
    }

    /// The chance that at least two of six bands of 14 agree.
    fn chance(jaccard: f64) -> f64 {
        let x = jaccard.powi(14);
        1.0 - (1.0 - x).powi(6) - 6.0 * x * (1.0 - x).powi(5)
    }

    fn text(words: impl Iterator<Item = u64>) -> String {
        words.map(|w| format!("{w:x} ")).collect()
    }

    /// How often the paper's rule finds two pages of so many random words, `shared` of them in both.
    fn simulate(family: Family, shared: u64, own: u64, trials: u64) -> f64 {
        let mut shingler = Shingler::new(ShingleParams { k: 1, m: 84, family, seed: 3 });
        let mut words = Words::default();
        let mut sketch = |text: &str| {
            words.fill(text);
            shingler.shingles(&words).unwrap()
        };
        let joined = (0..trials).filter(|trial| {
            let base = trial * 1_000_003;
            let both = text((0..shared).map(|i| mix(base + i)));
            let [a, b] = [1, 2].map(|side| both.clone() + &text((0..own).map(|i| mix(base + side * 100_000 + i))));
            matching_bands(&sketch(&a), &sketch(&b), 6, 14) >= 2
        });
        joined.count() as f64 / trials as f64
    }

    fn check(family: Family, trials: u64) {
        for (shared, own, expected) in [(825, 175, 0.057), (770, 230, 0.009), (965, 35, 0.962)] {
            let jaccard = shared as f64 / (shared + own) as f64;
            assert!((chance(jaccard) - expected).abs() < 0.0006, "{jaccard}: {}", chance(jaccard));
            // `own` words in all, half of them on either side.
            let found = simulate(family, 2 * shared, own, trials);
            let error = (expected * (1.0 - expected) / trials as f64).sqrt();
            assert!((found - expected).abs() < 4.0 * error, "{family:?} at {jaccard}: {found}, not {expected}");
        }
    }

    #[test]
    fn operating_points_of_the_fast_family() {
        check(Family::Bins, 3000);
    }

    #[test]
    fn operating_points_of_the_paper_s_family() {
        check(Family::Rabin, 800);
    }

    #[test]
    fn offers_are_linear() {
        let group: Vec<u32> = (0..5000).collect();
        let mut pairs = Vec::new();
        offer(&group, &mut pairs);
        assert!(pairs.len() <= group.len() * 2 * OFFERED);
        assert!(pairs.iter().all(|(a, b)| a < b));
        let small = &group[..ALL_PAIRS];
        pairs.clear();
        offer(small, &mut pairs);
        assert_eq!(pairs.len(), ALL_PAIRS * (ALL_PAIRS - 1) / 2);
    }
}
