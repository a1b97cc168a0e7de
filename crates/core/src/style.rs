//! Style fingerprints: m minima over the hashed n-grams of the noise (Urvoy et al. 2006, Procedure 1).
//!
//! A rolling hash gives 64 bits for each n-gram. They choose one of the m dimensions, and in it the n-gram is kept
//! whose bits, rotated and masked in that dimension's own way, are smallest. What is stored of a minimum are 16 bits
//! of it, remixed: the minimum itself begins with zeros, and all hashes of a dimension share the bits that chose it.
//! Zero stands for a dimension that met no n-gram.

use std::ops::{Range, RangeInclusive};

use hashbrown::HashSet;

/// How fingerprints are made. Pages are comparable only under the same parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StyleParams {
    /// Characters in an n-gram.
    pub n: usize,
    /// Dimensions.
    pub m: usize,
    /// Another seed makes other choices.
    pub seed: u64,
}

impl StyleParams {
    /// What n may be: characters 64 apart would cancel out in the rolling hash.
    pub const N: RangeInclusive<usize> = 1..=64;
    /// What m may be.
    pub const M: RangeInclusive<usize> = 1..=4096;
}

impl Default for StyleParams {
    fn default() -> Self {
        StyleParams { n: 32, m: 128, seed: 0 }
    }
}

/// The finaliser of splitmix64: a permutation of 64 bits in which every bit depends on every bit.
#[inline(always)]
pub fn mix(mut x: u64) -> u64 {
    x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ x >> 31
}

/// One dimension: its permutation, and the smallest permuted hash it met.
#[derive(Clone, Copy)]
struct Dimension {
    mask: u64,
    rotation: u32,
    least: u64,
}

/// The hash of the n-grams of a text, rolled from character to character.
///
/// A cyclic polynomial: each character has a random number, and a gram's hash is the exclusive or of its characters'
/// numbers, each rotated by its distance from the end. Every bit of it is as good as any other.
#[derive(Clone)]
pub struct RollingHash {
    n: usize,
    /// A random number for each ASCII character; others are mixed when they come.
    entering: Box<[u64; 128]>,
    /// The same, rotated to where a character is when it leaves.
    leaving: Box<[u64; 128]>,
    seed: u64,
}

impl RollingHash {
    /// For n-grams of `n` characters.
    pub fn new(n: usize, seed: u64) -> Self {
        let seed = mix(seed ^ 0x7061_6765_6B69_6E31);
        let mut hash = RollingHash { n, entering: Box::new([0; 128]), leaving: Box::new([0; 128]), seed };
        for code in 0..128u8 {
            let number = hash.fresh(char::from(code));
            hash.entering[usize::from(code)] = number;
            hash.leaving[usize::from(code)] = number.rotate_left(n as u32);
        }
        hash
    }

    #[inline]
    fn fresh(&self, c: char) -> u64 {
        mix(self.seed.wrapping_add(u64::from(c) + 1))
    }

    #[inline(always)]
    fn number(&self, c: char) -> u64 {
        // Even noise that is not all ASCII mostly is.
        self.entering.get(c as usize).copied().unwrap_or_else(|| self.fresh(c))
    }

    /// Calls `found` with the hash of each n-gram of `noise`, which is UTF-8.
    #[inline(always)]
    pub fn roll(&self, noise: &[u8], mut found: impl FnMut(u64)) {
        if noise.is_ascii() {
            let entering = noise.iter().map(|b| self.entering[usize::from(b & 0x7F)]);
            let leaving = noise.iter().map(|b| self.leaving[usize::from(b & 0x7F)]);
            self.roll_over(entering, leaving, &mut found);
        } else if let Ok(noise) = std::str::from_utf8(noise) {
            self.roll_characters(noise, &mut found);
        }
    }

    /// The same for noise that is not all ASCII: each character is decoded once, and the last ones are remembered.
    #[inline(always)]
    fn roll_characters(&self, noise: &str, found: &mut impl FnMut(u64)) {
        // As many as the largest n, so that places wrap around by themselves.
        let mut last = [0u64; 64];
        let mut hash = 0u64;
        for (at, c) in noise.chars().enumerate() {
            let new = self.number(c);
            // Before n characters have come, what leaves is nothing.
            let old = last[at.wrapping_sub(self.n) & 63].rotate_left(self.n as u32);
            last[at & 63] = new;
            hash = hash.rotate_left(1) ^ new ^ old;
            if at + 1 >= self.n {
                found(spread(hash));
            }
        }
    }

    /// `leaving` is n steps behind `entering`.
    #[inline(always)]
    fn roll_over(
        &self,
        mut entering: impl Iterator<Item = u64>,
        leaving: impl Iterator<Item = u64>,
        found: &mut impl FnMut(u64),
    ) {
        let mut hash = 0u64;
        for _ in 0..self.n {
            let Some(number) = entering.next() else { return };
            hash = hash.rotate_left(1) ^ number;
        }
        found(spread(hash));
        for (new, old) in entering.zip(leaving) {
            hash = hash.rotate_left(1) ^ (new ^ old);
            found(spread(hash));
        }
    }
}

/// A permutation of 64 bits that breaks up what neighbouring n-grams have in common.
#[inline(always)]
fn spread(hash: u64) -> u64 {
    let product = hash.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    product ^ product >> 32
}

/// Makes fingerprints; reused from page to page.
#[derive(Clone)]
pub struct Stylist {
    hash: RollingHash,
    dimensions: Vec<Dimension>,
}

impl Stylist {
    /// For these parameters, which must be in their ranges.
    pub fn new(params: StyleParams) -> Self {
        let StyleParams { n, m, seed } = params;
        assert!(StyleParams::N.contains(&n) && StyleParams::M.contains(&m), "style parameters out of range");
        let dimensions = (0..m as u64)
            .map(|i| {
                let random = mix(mix(seed) ^ mix(i + 1));
                Dimension { mask: mix(random), rotation: (random >> 58) as u32, least: u64::MAX }
            })
            .collect();
        Stylist { hash: RollingHash::new(n, seed), dimensions }
    }

    /// The fingerprint of a noise: m numbers of 16 bits, or none if the noise has no n-gram.
    pub fn fingerprint(&mut self, noise: &[u8]) -> Option<Vec<u16>> {
        self.dimensions.iter_mut().for_each(|d| d.least = u64::MAX);
        let dimensions = &mut self.dimensions[..];
        let m = dimensions.len() as u64;
        let bits = m.is_power_of_two().then(|| m.trailing_zeros());
        let mut any = false;
        let hash = self.hash.clone();
        hash.roll(noise, |gram| {
            any = true;
            // Below m, and as even as the hash: its upper bits, where m is a power of two.
            let i = match bits {
                Some(bits) => (gram >> 1 >> (63 - bits)) as usize,
                None => (((gram >> 32) * m) >> 32) as usize,
            };
            if let Some(dimension) = dimensions.get_mut(i) {
                let permuted = gram.rotate_left(dimension.rotation) ^ dimension.mask;
                if permuted < dimension.least {
                    dimension.least = permuted;
                }
            }
        });
        any.then(|| self.dimensions.iter().map(Dimension::stored).collect())
    }
}

impl Dimension {
    /// 16 bits of the minimum; zero for none. The permutation has already made the dimension part of it.
    fn stored(&self) -> u16 {
        if self.least == u64::MAX {
            return 0;
        }
        // 1..=65535, each equally likely to one part in 2^48.
        1 + ((u128::from(mix(self.least)) * 65535) >> 64) as u16
    }
}

/// How two fingerprints compare.
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
    /// N-grams of the first page.
    pub a: usize,
    /// N-grams of the second.
    pub b: usize,
    /// N-grams of both.
    pub both: usize,
}

/// Counts the n-grams of two noises, exactly but for collisions of 64-bit hashes.
pub fn overlap(a: &[u8], b: &[u8], n: usize) -> Overlap {
    let hash = RollingHash::new(n, 0);
    let (a, b) = (gram_set(&hash, a), gram_set(&hash, b));
    Overlap { a: a.len(), b: b.len(), both: a.iter().filter(|gram| b.contains(*gram)).count() }
}

/// The stretches of `a`, in characters, that are covered by n-grams it shares with `b`.
pub fn shared_runs(a: &[u8], b: &[u8], n: usize) -> Vec<Range<usize>> {
    let hash = RollingHash::new(n, 0);
    let others = gram_set(&hash, b);
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    hash.roll(a, |gram| {
        if others.contains(&gram) {
            match runs.last_mut() {
                Some(run) if at <= run.end => run.end = at + n,
                _ => runs.push(at..at + n),
            }
        }
        at += 1;
    });
    runs
}

fn gram_set(hash: &RollingHash, noise: &[u8]) -> HashSet<u64> {
    let mut grams = HashSet::new();
    hash.roll(noise, |gram| {
        grams.insert(gram);
    });
    grams
}

/// The chance that two different minima are stored alike.
const STORED_ALIKE: f64 = 1.0 / 65535.0;

impl Matches {
    /// The paper's estimate: matching dimensions over m. Low for pages that do not fill their dimensions.
    pub fn sim_b(self, m: usize) -> f64 {
        f64::from(self.matching) / m as f64
    }

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

    fn grams(noise: &str, n: usize) -> Vec<u64> {
        let mut all = Vec::new();
        RollingHash::new(n, 0).roll(noise.as_bytes(), |g| all.push(g));
        all
    }

    #[test]
    fn small_noises_have_no_fingerprint() {
        let mut stylist = Stylist::new(StyleParams::default());
        assert_eq!(stylist.fingerprint(b""), None);
        assert_eq!(stylist.fingerprint(&[b'<'; 31]), None);
        let one = stylist.fingerprint(&[b'<'; 32]).unwrap();
        assert_eq!(one.iter().filter(|&&v| v != 0).count(), 1);
        assert_eq!(stylist.fingerprint(&[b'<'; 5000]).unwrap(), one);
    }

    #[test]
    fn an_empty_dimension_never_matches() {
        let found = compare(&[0, 0, 5, 6], &[0, 7, 5, 8]);
        assert_eq!(found, Matches { matching: 1, filled: 3 });
        assert_eq!(Matches::default().jaccard(), 0.0);
    }

    #[test]
    fn overlaps_and_runs() {
        assert_eq!(overlap(b"<<<<>", b"<<>>", 2), Overlap { a: 2, b: 3, both: 2 });
        assert_eq!(overlap(b"", b"<>", 2), Overlap { a: 0, b: 1, both: 0 });
        assert_eq!(shared_runs(b"-<>-//-", b"<>//", 2), [1..3, 4..6]);
        let joined = shared_runs("«»-<>".as_bytes(), "«»--<>".as_bytes(), 2);
        assert_eq!((joined.len(), joined[0].clone()), (1, 0..5));
    }

    proptest! {
        /// Rolled is the same as hashed anew, whatever comes before: equal n-grams, equal hashes, and only those.
        #[test]
        fn rolling_is_a_function_of_the_gram(noise in "[<>/= «。]{0,80}", n in 1usize..12) {
            let chars: Vec<char> = noise.chars().collect();
            let rolled = grams(&noise, n);
            let windows: Vec<String> = chars.windows(n).map(|w| w.iter().collect()).collect();
            prop_assert_eq!(rolled.len(), windows.len());
            for (gram, hash) in windows.iter().zip(&rolled) {
                prop_assert_eq!(grams(gram, n), vec![*hash]);
            }
            for (i, a) in windows.iter().enumerate() {
                for (j, b) in windows.iter().enumerate() {
                    prop_assert_eq!(a == b, rolled[i] == rolled[j]);
                }
            }
        }

        /// A fingerprint depends on the set of n-grams alone, and says which minima two sets share.
        #[test]
        fn minima_of_a_union(a in "[<>/= ]{40,90}", b in "[<>/= ]{40,90}", m in 1usize..40) {
            let mut stylist = Stylist::new(StyleParams { n: 8, m, seed: 3 });
            let (fa, fb) = (stylist.fingerprint(a.as_bytes()).unwrap(), stylist.fingerprint(b.as_bytes()).unwrap());
            // Joined by a separator that adds n-grams of its own, the union's minimum is one of three.
            let joined = stylist.fingerprint(format!("{a}\u{1}{b}").as_bytes()).unwrap();
            let own = stylist.fingerprint(format!("{}\u{1}{}", &a[a.len() - 7..], &b[..7]).as_bytes()).unwrap();
            for i in 0..m {
                prop_assert!([fa[i], fb[i], own[i]].contains(&joined[i]));
            }
            let same = compare(&fa, &fa);
            prop_assert_eq!(same.matching, same.filled);
            prop_assert_eq!(compare(&fa, &fb), compare(&fb, &fa));
        }
    }
}
