//! Shingles: of a page's k-word phrases, the one that is smallest under each of m functions (Fetterly et al. 2005).
//!
//! The page is a circle of words, so n words give n phrases. A phrase has a fingerprint of 64 bits, and a shingle is
//! stored as the fingerprint of the phrase that was chosen: every function is one to one, so equal shingles mean equal
//! phrases and the other way round, and a phrase is known again whichever function chose it.
//!
//! Two families of functions:
//! - `Rabin`, as in the paper: each function is a Rabin fingerprint of the phrase's fingerprint. m times n steps.
//! - `Bins`: the m functions share their work. In each round a phrase falls into one of m bins, by a hash that also
//!   ranks it there; a bin keeps the smallest of the first round in which it was hit. One round suffices for most
//!   pages. Each bin's choice is as even as one of m separate functions', and no two bins of a round choose the same
//!   phrase, which makes the sample better (docs/decisions/0020).

use std::ops::RangeInclusive;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BinaryArray, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use md5::{Digest, Md5};
use rayon::prelude::*;

use crate::arrow::{column, string};
use crate::hash::{WordRoller, mix, word_hash};
use crate::page::batch::hex;
use crate::page::text::words::Words;
use crate::shingles::rabin::{self, Polynomial, Window};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    Rabin,
    Bins,
}

/// How shingles are made. Pages are comparable only under the same parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShingleParams {
    /// Words in a phrase.
    pub k: usize,
    pub m: usize,
    pub family: Family,
    /// Another seed makes other choices.
    pub seed: u64,
}

impl ShingleParams {
    pub const K: RangeInclusive<usize> = 1..=64;
    pub const M: RangeInclusive<usize> = 1..=4096;

    /// The parameters are in their ranges.
    pub fn are_valid(&self) -> bool {
        Self::K.contains(&self.k) && Self::M.contains(&self.m)
    }
}

impl Default for ShingleParams {
    fn default() -> Self {
        ShingleParams { k: 5, m: 84, family: Family::Bins, seed: 0 }
    }
}

/// A buffer of more phrases than this is not kept for the next page.
const HUGE: usize = 1 << 20;

/// Pages of fewer phrases are searched again with their repetitions: finding those would take longer.
const SMALL: usize = 4096;

/// Makes shingles; reused from page to page, and cheap to clone.
#[derive(Clone)]
pub struct Shingler {
    params: ShingleParams,
    seed: u64,
    /// For words, for phrases, and one for each function; none in the family that needs none.
    polynomials: Arc<[Polynomial]>,
    phrases: Vec<u64>,
}

impl Shingler {
    /// For these parameters, which must be in their ranges.
    pub fn new(params: ShingleParams) -> Self {
        assert!(params.are_valid(), "shingle parameters out of range");
        let seed = mix(params.seed ^ 0x7061_6765_6B69_6E32);
        let polynomials = match params.family {
            Family::Bins => Arc::default(),
            Family::Rabin => (0..params.m as u64 + 2).map(|i| Polynomial::random(mix(seed ^ mix(i + 1)))).collect(),
        };
        Shingler { params, seed, polynomials, phrases: Vec::new() }
    }

    /// Words in a phrase.
    pub fn k(&self) -> usize {
        self.params.k
    }

    /// The fingerprints of a page's phrases, in order of their first words: as many as there are words.
    pub fn phrases(&mut self, words: &Words) -> &[u64] {
        let k = self.params.k;
        let mut tokens = std::mem::take(&mut self.phrases);
        tokens.clear();
        self.hash_words(words, &mut tokens);
        let n = tokens.len();
        if n > 0 {
            // The circle goes on, several times round if need be.
            (0..k).for_each(|i| tokens.push(tokens[i]));
            match self.params.family {
                Family::Bins => roll_polynomial(&mut tokens, n, k),
                Family::Rabin => roll_rabin(&mut tokens, n, k, &self.polynomials[1]),
            }
            tokens.truncate(n);
        }
        self.phrases = tokens;
        &self.phrases
    }

    /// The shingles of a page: m fingerprints of phrases, or none if it has no words.
    pub fn shingles(&mut self, words: &Words) -> Option<Vec<u64>> {
        self.phrases(words);
        if self.phrases.is_empty() {
            return None;
        }
        let found = match self.params.family {
            Family::Bins => bins(&mut self.phrases, self.params.m, self.seed),
            Family::Rabin => rabin::minima(&self.phrases, &self.polynomials[2..]),
        };
        Some(found)
    }

    /// Gives back a buffer that only a huge page needed.
    pub fn release(&mut self) {
        if self.phrases.capacity() > HUGE {
            self.phrases = Vec::new();
        }
    }

    fn hash_words(&self, words: &Words, tokens: &mut Vec<u64>) {
        let (bytes, ends) = words.parts();
        tokens.reserve(ends.len() + self.params.k);
        let mut begin = 0;
        for &end in ends {
            let end = end as usize;
            tokens.push(match self.params.family {
                Family::Bins => word_hash(bytes, begin, end, self.seed),
                Family::Rabin => self.polynomials[0].fingerprint(&bytes[begin..end]),
            });
            begin = end;
        }
    }
}

/// Shingles as bytes, little-endian.
pub fn to_bytes(shingles: &[u64]) -> Vec<u8> {
    shingles.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// Each `text` of a batch replaced by its `shingles`, and if wanted its `md5`, in parallel on the current rayon pool.
pub fn shingle_batch(texts: &RecordBatch, fresh: &Shingler, digests: bool) -> Result<RecordBatch, ArrowError> {
    let column: &StringArray = column(texts, "text")?;
    let of = |(shingler, words): &mut (Shingler, Words), row: usize| {
        words.fill(string(column, row)?);
        let found = shingler.shingles(words).map(|found| to_bytes(&found));
        shingler.release();
        words.release();
        found
    };
    let found: Vec<Option<Vec<u8>>> =
        (0..column.len()).into_par_iter().map_init(|| (fresh.clone(), Words::default()), of).collect();
    let found: BinaryArray = found.into_iter().collect();
    let schema = texts.schema();
    let kept = schema.fields().iter().zip(texts.columns()).filter(|(field, _)| field.name() != "text");
    let (mut fields, mut columns): (Vec<_>, Vec<_>) = kept.map(|(f, c)| (f.clone(), c.clone())).unzip();
    fields.push(Arc::new(Field::new("shingles", DataType::Binary, true)));
    columns.push(Arc::new(found) as ArrayRef);
    if digests {
        let of = |row: usize| string(column, row).map(|text| hex(&Md5::digest(text).into()));
        let found: Vec<Option<String>> = (0..column.len()).into_par_iter().map(of).collect();
        fields.push(Arc::new(Field::new("md5", DataType::Utf8, true)));
        columns.push(Arc::new(found.into_iter().collect::<StringArray>()));
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
}

/// `tokens[i]` becomes the hash of the k words from i on.
fn roll_polynomial(tokens: &mut [u64], n: usize, k: usize) {
    let roller = WordRoller::new(k);
    let mut number = roller.start(&tokens[..k]);
    for i in 0..n {
        let (old, new) = (tokens[i], tokens[i + k]);
        tokens[i] = mix(number);
        number = roller.slide(number, old, new);
    }
}

/// The same by extension and prefix deletion.
fn roll_rabin(tokens: &mut [u64], n: usize, k: usize, polynomial: &Polynomial) {
    let window = Window::new(polynomial, k);
    let mut fingerprint = tokens[..k].iter().fold(polynomial.empty(), |f, &t| polynomial.extend(f, t));
    for i in 0..n {
        let (old, new) = (tokens[i], tokens[i + k]);
        tokens[i] = fingerprint;
        fingerprint = window.slide(fingerprint, old, new);
    }
}

/// Which of m bins a hash falls into: m even stretches of all hashes.
#[inline(always)]
fn bin(hash: u64, m: usize) -> usize {
    ((u128::from(hash) * m as u128) >> 64) as usize
}

/// The smallest phrase of each bin, in the first round that hits it. May sort the phrases and drop repetitions.
fn bins(phrases: &mut Vec<u64>, m: usize, seed: u64) -> Vec<u64> {
    // A fingerprint is as good as a hash of it: round 0 takes it as it is. Nothing is as large as an empty bin.
    let mut chosen = vec![u64::MAX; m];
    for &phrase in phrases.iter() {
        let smallest = &mut chosen[bin(phrase, m)];
        *smallest = (*smallest).min(phrase);
    }
    let mut empty: Vec<bool> = chosen.iter().map(|&c| c == u64::MAX).collect();
    if !empty.contains(&true) {
        return chosen;
    }
    if phrases.len() > SMALL {
        phrases.sort_unstable();
        phrases.dedup();
    }
    let mut smallest = vec![u64::MAX; m];
    for round in 1..m as u64 {
        let key = mix(seed.wrapping_add(round));
        for &phrase in phrases.iter() {
            let hash = mix(phrase ^ key);
            let bin = bin(hash, m);
            if empty[bin] && hash < smallest[bin] {
                smallest[bin] = hash;
                chosen[bin] = phrase;
            }
        }
        smallest.iter().zip(&mut empty).for_each(|(&smallest, empty)| *empty &= smallest == u64::MAX);
        if !empty.contains(&true) {
            return chosen;
        }
    }
    // Only pages of a few phrases come here: what is still empty chooses among all.
    for (i, chosen) in chosen.iter_mut().enumerate().filter(|(i, _)| empty[*i]) {
        let key = mix(seed.wrapping_add((m + i) as u64));
        *chosen = phrases.iter().copied().min_by_key(|&phrase| mix(phrase ^ key)).unwrap_or(u64::MAX);
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn filled(text: &str) -> Words {
        let mut words = Words::default();
        words.fill(text);
        words
    }

    fn shingler(k: usize, m: usize, family: Family) -> Shingler {
        Shingler::new(ShingleParams { k, m, family, seed: 7 })
    }

    const FAMILIES: [Family; 2] = [Family::Bins, Family::Rabin];

    #[test]
    fn no_words_one_word_and_one_word_often() {
        for family in FAMILIES {
            let mut s = shingler(5, 84, family);
            assert_eq!(s.shingles(&filled(" .,")), None);
            let one = s.shingles(&filled("word")).unwrap();
            assert_eq!(one.len(), 84);
            assert!(one.iter().all(|&v| v == one[0]));
            assert_eq!(s.shingles(&filled(&"word ".repeat(10_000))).unwrap(), one);
            assert_ne!(s.shingles(&filled("words")).unwrap(), one);
        }
    }

    #[test]
    fn a_huge_buffer_is_given_back() {
        let mut s = shingler(5, 84, Family::Bins);
        s.phrases(&filled(&"w ".repeat(HUGE + 1)));
        s.release();
        assert_eq!(s.phrases.capacity(), 0);
    }

    proptest! {
        /// A phrase's fingerprint depends on its words alone, wherever it stands and whatever the page's length.
        #[test]
        fn fingerprints_are_of_words(text in "[ab] ?([a-c]{1,12} ){0,12}", k in 1usize..9, rabin in any::<bool>()) {
            let family = FAMILIES[usize::from(rabin)];
            let words = crate::page::text::words::words(&text);
            let mut s = shingler(k, 1, family);
            let found = s.phrases(&filled(&text)).to_vec();
            prop_assert_eq!(found.len(), words.len());
            let circle = |i: usize| (0..k).map(|j| words[(i + j) % words.len()].as_str()).collect::<Vec<_>>();
            for (i, &fingerprint) in found.iter().enumerate() {
                let alone = s.phrases(&filled(&circle(i).join(" ")))[0];
                prop_assert_eq!(fingerprint, alone);
            }
            for i in 0..found.len() {
                for j in 0..i {
                    prop_assert_eq!(found[i] == found[j], circle(i) == circle(j));
                }
            }
        }

        /// Shingles depend on the set of phrases alone: turning the circle or repeating the page changes nothing.
        #[test]
        fn shingles_are_of_the_set(text in "([a-e]{1,2} ){1,40}", turn in 0usize..40, m in 1usize..90, rabin in any::<bool>()) {
            let mut s = shingler(3, m, FAMILIES[usize::from(rabin)]);
            let expected = s.shingles(&filled(&text)).unwrap();
            let mut words = crate::page::text::words::words(&text);
            let n = words.len();
            words.rotate_left(turn % n);
            prop_assert_eq!(&s.shingles(&filled(&words.join(" "))).unwrap(), &expected);
            prop_assert_eq!(&s.shingles(&filled(&vec![words.join(" "); 2].join(" "))).unwrap(), &expected);
            let phrases = s.phrases(&filled(&text));
            prop_assert!(expected.iter().all(|v| phrases.contains(v)));
        }

        /// The shingle of a union is the shingle of one of its parts: what makes them min-wise.
        #[test]
        fn shingles_of_a_union(a in proptest::collection::vec(any::<u64>(), 1..300), b in proptest::collection::vec(any::<u64>(), 1..300), m in 1usize..90) {
            let both: Vec<u64> = a.iter().chain(&b).copied().collect();
            let (x, y, z) = (bins(&mut a.clone(), m, 1), bins(&mut b.clone(), m, 1), bins(&mut both.clone(), m, 1));
            for i in 0..m {
                prop_assert!(z[i] == x[i] || z[i] == y[i]);
            }
        }
    }
}
