//! Grams: k consecutive words, as 64-bit hashes (Najork 2012).
//!
//! A word hashes to 64 bits, and a gram to a polynomial in its words' hashes, rolled from word to word and mixed at
//! the end. Two different grams get the same hash with a chance of about 2^-64 (2^-59 at worst, for grams that differ by
//! two swapped words). To be certain, `verify` compares the words.

use crate::hash::{WordRoller, mix, word_hash};
use crate::page::text::words::Words;

pub const K: std::ops::RangeInclusive<usize> = 1..=64;

/// Hashes words and grams, with buffers that are reused from page to page.
pub struct Grams {
    k: usize,
    seed: u64,
    roller: WordRoller,
    words: Words,
    hashes: Vec<u64>,
    table: Vec<u64>,
}

impl Grams {
    /// For grams of `k` words. Another seed gives other hashes.
    pub fn new(k: usize, seed: u64) -> Self {
        Grams {
            k,
            seed: mix(seed ^ 0x7175_696C),
            roller: WordRoller::new(k),
            words: Words::default(),
            hashes: Vec::new(),
            table: Vec::new(),
        }
    }

    /// The hash of each gram of `text` in order, repeated ones too: word i begins the i-th.
    pub fn all(&mut self, text: &str) -> Vec<u64> {
        let mut found = Vec::new();
        self.fill(text);
        roll(&self.hashes, self.k, self.roller, |gram| found.push(gram));
        self.release();
        found
    }

    /// Appends the distinct grams of `text` to `found`, in order of first appearance.
    pub fn set(&mut self, text: &str, found: &mut Vec<u64>) {
        self.fill(text);
        let max_grams = (self.hashes.len() + 1).saturating_sub(self.k);
        let size = (2 * max_grams).next_power_of_two();
        self.table.clear();
        self.table.resize(size, 0);
        let (table, shift) = (&mut self.table[..], 64 - size.trailing_zeros().max(1));
        roll(&self.hashes, self.k, self.roller, |gram| {
            // The hash is mixed: its upper bits are as good a place as any.
            let mut at = (gram >> shift) as usize & (size - 1);
            while table[at] != 0 {
                if table[at] == gram {
                    return;
                }
                at = (at + 1) & (size - 1);
            }
            table[at] = gram;
            found.push(gram);
        });
        self.release();
    }

    /// The words of the page that was last hashed.
    pub fn words(&self) -> &Words {
        &self.words
    }

    fn fill(&mut self, text: &str) {
        self.words.fill(text);
        self.hashes.clear();
        self.hashes.reserve(self.words.len());
        let (bytes, ends) = self.words.parts();
        let mut begin = 0;
        for &end in ends {
            self.hashes.push(word_hash(bytes, begin, end as usize, self.seed));
            begin = end as usize;
        }
    }

    /// Gives back what only a huge page needed.
    fn release(&mut self) {
        const HUGE: usize = 1 << 20;
        if self.table.len() > HUGE {
            self.table = Vec::new();
            self.hashes = Vec::new();
        }
    }
}

/// Calls `found` with the hash of every k consecutive words. Zero is left free for tables.
#[inline(always)]
fn roll(words: &[u64], k: usize, roller: WordRoller, mut found: impl FnMut(u64)) {
    if words.len() < k {
        return;
    }
    let mut number = roller.start(&words[..k]);
    found(mix(number).max(1));
    for (new, old) in words[k..].iter().zip(words) {
        number = roller.slide(number, *old, *new);
        found(mix(number).max(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{HashMap, HashSet};

    fn set(text: &str, k: usize) -> Vec<u64> {
        let mut found = Vec::new();
        Grams::new(k, 0).set(text, &mut found);
        found
    }

    #[test]
    fn short_pages() {
        assert!(set("", 1).is_empty() && set("a b c", 4).is_empty());
        assert_eq!(set("a b c", 3).len(), 1);
        assert_eq!(set("a a a a a", 2).len(), 1);
        assert_ne!(set("a b", 2), set("b a", 2));
        assert_ne!(set("ab c", 2), set("a bc", 2));
    }

    proptest! {
        #[test]
        fn equal_hashes_are_equal_words(text in "([a-c] ){0,80}|([a-c]{0,20} ){0,20}", k in 1usize..8, seed in any::<u64>()) {
            let words = crate::page::text::words::words(&text);
            let mut grams = Grams::new(k, seed);
            let all = grams.all(&text);
            prop_assert_eq!(all.len(), (words.len() + 1).saturating_sub(k));
            let mut known: HashMap<u64, &[String]> = HashMap::new();
            let mut distinct = HashSet::new();
            for (gram, words) in all.iter().zip(words.windows(k)) {
                prop_assert_eq!(*known.entry(*gram).or_insert(words), words);
                distinct.insert(words);
            }
            let mut found = Vec::new();
            grams.set(&text, &mut found);
            prop_assert_eq!(found.len(), distinct.len());
            let mut seen = HashSet::new();
            let expected: Vec<u64> = all.into_iter().filter(|g| seen.insert(*g)).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
