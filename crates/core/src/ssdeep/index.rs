//! Digests found by the pieces they share: every digest that has a score with a given one.

use crate::ssdeep::ngram_postings::{Pieces, hash};
use crate::ssdeep::score::{Digest, Pattern, windows};
use crate::ssdeep::store::{Shelf, Stored};

/// Digests by number, and their pieces.
pub struct Index {
    digests: Shelf,
    pieces: Pieces,
    /// For each digest the last look-up that met it.
    met: Vec<u32>,
    lookup: u32,
}

impl Index {
    /// A piece that `most` digests hold takes no more holders.
    pub fn new(most: usize) -> Self {
        Index { digests: Shelf::default(), pieces: Pieces::new(most), met: Vec::new(), lookup: 0 }
    }

    /// Takes in a digest; its number is how many were there before.
    pub fn add(&mut self, digest: &Digest) {
        let stored = Stored::of(digest);
        for (level, signature) in stored.signatures() {
            for window in windows(signature) {
                self.pieces.add(hash(level, window), self.met.len() as u32);
            }
        }
        self.digests.push(&stored);
        self.met.push(0);
    }

    /// Calls `found` with number and score of each digest that shares a piece with this one: once for each signature
    /// that does.
    pub fn matches(&mut self, digest: &Digest, mut found: impl FnMut(u32, u32)) {
        let stored = Stored::of(digest);
        for (level, signature) in stored.signatures() {
            self.lookup = self.lookup.wrapping_add(1);
            let pattern = Pattern::of(signature, level);
            for window in windows(signature) {
                for &holder in self.pieces.holders(hash(level, window)) {
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

    /// How many digests there are.
    pub fn len(&self) -> usize {
        self.digests.len()
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.digests.is_empty()
    }

    /// Bytes of memory taken.
    pub fn memory(&self) -> usize {
        self.met.capacity() * size_of::<u32>() + self.digests.memory() + self.pieces.memory()
    }
}
