//! Style fingerprints: m minima over the hashed n-grams of the noise (Urvoy et al. 2006, Procedure 1).
//!
//! A rolling hash gives 64 bits for each n-gram. They choose one of the m dimensions, and in it the n-gram is kept
//! whose bits, rotated and masked in that dimension's own way, are smallest. What is stored of a minimum are 16 bits
//! of it, remixed: the minimum itself begins with zeros, and all hashes of a dimension share the bits that chose it.
//! Zero stands for a dimension that met no n-gram.

use std::hint;
use std::ops::{Range, RangeInclusive};

use hashbrown::HashSet;

use crate::hash::mix;
use crate::style::rolling_hash::RollingHash;

/// How fingerprints are made. Pages are comparable only under the same parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StyleParams {
    /// Characters in an n-gram.
    pub n: usize,
    pub m: usize,
    /// Another seed makes other choices.
    pub seed: u64,
    /// The noise of the page's content counts too, as in the paper.
    pub content: bool,
    /// Pages have a fingerprint of their structure too.
    pub structure: bool,
}

impl StyleParams {
    /// What n may be: characters 64 apart would cancel out in the rolling hash.
    pub const N: RangeInclusive<usize> = 1..=64;
    pub const M: RangeInclusive<usize> = 1..=4096;
}

impl Default for StyleParams {
    fn default() -> Self {
        StyleParams { n: 32, m: 128, seed: 0, content: true, structure: false }
    }
}

/// One dimension: its permutation, and the smallest permuted hash it met.
#[derive(Clone, Copy)]
struct Dimension {
    mask: u64,
    rotation: u32,
    min: u64,
}

/// Makes fingerprints; reused from page to page.
#[derive(Clone)]
pub struct Fingerprinter {
    hash: RollingHash,
    dimensions: Vec<Dimension>,
}

impl Fingerprinter {
    /// For these parameters, which must be in their ranges.
    pub fn new(params: StyleParams) -> Self {
        let StyleParams { n, m, seed, .. } = params;
        assert!(StyleParams::N.contains(&n) && StyleParams::M.contains(&m), "style parameters out of range");
        let dimensions = (0..m as u64)
            .map(|i| {
                let random = mix(mix(seed) ^ mix(i + 1));
                Dimension { mask: mix(random), rotation: (random >> 58) as u32, min: u64::MAX }
            })
            .collect();
        Fingerprinter { hash: RollingHash::new(n, seed), dimensions }
    }

    /// The fingerprint of a noise: m numbers of 16 bits, or none if the noise has no n-gram.
    pub fn fingerprint(&mut self, noise: &[u8]) -> Option<Vec<u16>> {
        self.dimensions.iter_mut().for_each(|d| d.min = u64::MAX);
        let dimensions = &mut self.dimensions[..];
        let m = dimensions.len() as u64;
        self.hash.roll(noise, |gram| {
            // Below m, and as even as the hash: its upper bits, where m is a power of two.
            let i = (((gram >> 32) * m) >> 32) as usize;
            if let Some(dimension) = dimensions.get_mut(i) {
                let permuted = gram.rotate_left(dimension.rotation) ^ dimension.mask;
                // Without a branch, which would be mispredicted: any gram of a short page may be a new minimum.
                dimension.min = hint::select_unpredictable(permuted < dimension.min, permuted, dimension.min);
            }
        });
        let any = self.dimensions.iter().any(|dimension| dimension.min != u64::MAX);
        any.then(|| self.dimensions.iter().map(Dimension::stored).collect())
    }
}

impl Dimension {
    /// 16 bits of the minimum; zero for none. The permutation has already made the dimension part of it.
    fn stored(&self) -> u16 {
        if self.min == u64::MAX {
            return 0;
        }
        // 1..=65535, each equally likely to one part in 2^48.
        1 + ((u128::from(mix(self.min)) * 65535) >> 64) as u16
    }
}

/// A fingerprint as it is stored.
pub fn to_bytes(fingerprint: &[u16]) -> Vec<u8> {
    fingerprint.iter().flat_map(|v| v.to_le_bytes()).collect()
}

pub fn from_bytes(stored: &[u8]) -> Vec<u16> {
    stored.as_chunks().0.iter().map(|&v| u16::from_le_bytes(v)).collect()
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Matches {
    /// Dimensions in which both hold the same minimum.
    pub matching: u32,
    /// Dimensions that are filled in either.
    pub filled: u32,
}

/// Compares two fingerprints. An empty dimension never matches.
pub fn compare(a: &[u16], b: &[u16]) -> Matches {
    let mut found = Matches::default();
    for (&x, &y) in a.iter().zip(b) {
        found.matching += u32::from(x == y && x != 0);
        found.filled += u32::from(x | y != 0);
    }
    found
}

/// Two pages' sets of n-grams, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overlap {
    pub a: usize,
    pub b: usize,
    pub both: usize,
}

/// Counts the n-grams of two noises, exactly but for collisions of 64-bit hashes.
pub fn overlap(a: &[u8], b: &[u8], n: usize) -> Overlap {
    let mut hash = RollingHash::new(n, 0);
    let (a, b) = (gram_set(&mut hash, a), gram_set(&mut hash, b));
    Overlap { a: a.len(), b: b.len(), both: a.iter().filter(|gram| b.contains(*gram)).count() }
}

/// The stretches of `a`, in characters, that are covered by n-grams it shares with `b`.
pub fn shared_spans(a: &[u8], b: &[u8], n: usize) -> Vec<Range<usize>> {
    let mut hash = RollingHash::new(n, 0);
    let others = gram_set(&mut hash, b);
    let mut spans: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    hash.roll(a, |gram| {
        if others.contains(&gram) {
            match spans.last_mut() {
                Some(span) if at <= span.end => span.end = at + n,
                _ => spans.push(at..at + n),
            }
        }
        at += 1;
    });
    spans
}

fn gram_set(hash: &mut RollingHash, noise: &[u8]) -> HashSet<u64> {
    let mut grams = HashSet::new();
    hash.roll(noise, |gram| {
        grams.insert(gram);
    });
    grams
}

/// What the number of matching dimensions is divided by to make a similarity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Divisor {
    /// The dimensions that either page fills: the unbiased estimate of Jaccard.
    Filled,
    /// All of them, this many, as in the paper: a page too small to fill them is not even quite similar to itself.
    All(usize),
}

impl Divisor {
    /// The rule for fingerprints of m dimensions: the paper's or the unbiased one.
    pub fn new(m: usize, over_m: bool) -> Self {
        if over_m { Divisor::All(m) } else { Divisor::Filled }
    }

    pub fn similarity(self, found: Matches) -> f64 {
        match self {
            Divisor::Filled => found.jaccard(),
            Divisor::All(m) => f64::from(found.matching) / m as f64,
        }
    }

    /// The similarity in millionths.
    pub fn millionths(self, found: Matches) -> u32 {
        (self.similarity(found) * f64::from(ONE)).round() as u32
    }
}

/// What one is in millionths.
pub const ONE: u32 = 1_000_000;

/// The chance that two different minima are stored alike.
const STORED_ALIKE: f64 = 1.0 / 65535.0;

impl Matches {
    /// The unbiased estimate of Jaccard: over the dimensions filled in either page, less chance matches.
    pub fn jaccard(self) -> f64 {
        if self.filled == 0 {
            return 0.0;
        }
        let rate = f64::from(self.matching) / f64::from(self.filled);
        ((rate - STORED_ALIKE) / (1.0 - STORED_ALIKE)).max(0.0)
    }

    /// The standard error of that estimate.
    pub fn standard_error(self) -> f64 {
        let j = self.jaccard();
        if self.filled == 0 { 0.0 } else { (j * (1.0 - j) / f64::from(self.filled)).sqrt() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn small_noises_have_no_fingerprint() {
        let mut fingerprinter = Fingerprinter::new(StyleParams::default());
        assert_eq!(fingerprinter.fingerprint(b""), None);
        assert_eq!(fingerprinter.fingerprint(&[b'<'; 31]), None);
        let one = fingerprinter.fingerprint(&[b'<'; 32]).unwrap();
        assert_eq!(one.iter().filter(|&&v| v != 0).count(), 1);
        assert_eq!(fingerprinter.fingerprint(&[b'<'; 5000]).unwrap(), one);
    }

    #[test]
    fn an_empty_dimension_never_matches() {
        let found = compare(&[0, 0, 5, 6], &[0, 7, 5, 8]);
        assert_eq!(found, Matches { matching: 1, filled: 3 });
        assert_eq!(Matches::default().jaccard(), 0.0);
        assert_eq!(Divisor::All(4).millionths(found), 250_000);
        assert_eq!(Divisor::Filled.millionths(Matches { matching: 3, filled: 3 }), ONE);
    }

    #[test]
    fn overlaps_and_runs() {
        assert_eq!(overlap(b"<<<<>", b"<<>>", 2), Overlap { a: 2, b: 3, both: 2 });
        assert_eq!(overlap(b"", b"<>", 2), Overlap { a: 0, b: 1, both: 0 });
        assert_eq!(shared_spans(b"-<>-//-", b"<>//", 2), [1..3, 4..6]);
        let joined = shared_spans("«»-<>".as_bytes(), "«»--<>".as_bytes(), 2);
        assert_eq!((joined.len(), joined[0].clone()), (1, 0..5));
    }

    proptest! {
        /// A fingerprint depends on the set of n-grams alone, and says which minima two sets share.
        #[test]
        fn minima_of_a_union(a in "[<>/= ]{40,90}", b in "[<>/= ]{40,90}", m in 1usize..40) {
            let mut fingerprinter = Fingerprinter::new(StyleParams { n: 8, m, seed: 3, ..StyleParams::default() });
            let (fa, fb) = (fingerprinter.fingerprint(a.as_bytes()).unwrap(), fingerprinter.fingerprint(b.as_bytes()).unwrap());
            // Joined by a separator that adds n-grams of its own, the union's minimum is one of three.
            let joined = fingerprinter.fingerprint(format!("{a}\u{1}{b}").as_bytes()).unwrap();
            let own = fingerprinter.fingerprint(format!("{}\u{1}{}", &a[a.len() - 7..], &b[..7]).as_bytes()).unwrap();
            for i in 0..m {
                prop_assert!([fa[i], fb[i], own[i]].contains(&joined[i]));
            }
            let same = compare(&fa, &fa);
            prop_assert_eq!(same.matching, same.filled);
            prop_assert_eq!(compare(&fa, &fb), compare(&fb, &fa));
        }
    }
}
