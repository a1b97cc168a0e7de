//! Digests found by the n-grams they share: every digest that has a score with a given one.

use crate::ssdeep::ngram_postings::{NgramPostings, ngram_hash};
use crate::ssdeep::score::{Digest, Pattern, ngrams};
use crate::ssdeep::store::{DigestStore, StoredDigest};

/// Digests by number, and postings of their n-grams.
pub struct DigestIndex {
    digests: DigestStore,
    ngrams: NgramPostings,
    /// For each digest the last lookup that met it.
    met: Vec<u32>,
    lookup: u32,
}

impl DigestIndex {
    /// An n-gram lists at most `max_holders` digests.
    pub fn new(max_holders: usize) -> Self {
        DigestIndex {
            digests: DigestStore::default(),
            ngrams: NgramPostings::new(max_holders),
            met: Vec::new(),
            lookup: 0,
        }
    }

    /// Takes in a digest; its number is how many were there before.
    pub fn add(&mut self, digest: &Digest) {
        let stored = StoredDigest::of(digest);
        for (level, signature) in stored.signatures() {
            for ngram in ngrams(signature) {
                self.ngrams.add(ngram_hash(level, ngram), self.met.len() as u32);
            }
        }
        self.digests.push(&stored);
        self.met.push(0);
    }

    /// Calls `found` with number and score of each digest that shares an n-gram with this one: once for each signature
    /// that does.
    pub fn matches(&mut self, digest: &Digest, mut found: impl FnMut(u32, u32)) {
        let stored = StoredDigest::of(digest);
        for (level, signature) in stored.signatures() {
            self.lookup = self.lookup.wrapping_add(1);
            let pattern = Pattern::of(signature, level);
            for ngram in ngrams(signature) {
                for &holder in self.ngrams.holders(ngram_hash(level, ngram)) {
                    if std::mem::replace(&mut self.met[holder as usize], self.lookup) == self.lookup {
                        continue;
                    }
                    let other = self.digests.get(holder);
                    let score =
                        if other == stored { Some(100) } else { other.at(level).and_then(|s| pattern.score(s)) };
                    if let Some(score) = score {
                        found(holder, score);
                    }
                }
            }
        }
    }
}
