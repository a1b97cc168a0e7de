//! Proof that no two different grams have the same hash, by comparing their words.
//!
//! Only grams whose hash several pages have, or one page twice, can hide a collision. Of each hash that several pages
//! have the words are kept where they are first met, and compared wherever they are met again.

use arrow_array::{RecordBatch, StringArray};
use arrow_schema::ArrowError;
use hashbrown::HashMap;

use crate::arrow::column;
use crate::quilts::grams::Grams;

/// Compares the words of grams with equal hashes.
pub struct GramVerifier {
    grams: Grams,
    k: usize,
    /// Where the words of a shared gram are in `words`; none yet.
    known: HashMap<u64, Option<u64>>,
    words: Vec<u8>,
    /// Grams that were compared.
    pub compared: u64,
    /// Grams that have the hash of a gram of other words.
    pub collisions: u64,
}

impl GramVerifier {
    /// For the grams that several pages share.
    pub fn new(k: usize, seed: u64, shared: &[u64]) -> Self {
        GramVerifier {
            grams: Grams::new(k, seed),
            k,
            known: shared.iter().map(|gram| (*gram, None)).collect(),
            words: Vec::new(),
            compared: 0,
            collisions: 0,
        }
    }

    /// Compares the grams of pages: `text`.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        column::<StringArray>(batch, "text")?.iter().flatten().for_each(|text| self.page(text));
        Ok(())
    }

    /// Compares the grams of a page.
    pub fn page(&mut self, text: &str) {
        let hashes = self.grams.all(text);
        let words: Vec<&[u8]> = self.grams.words().iter().collect();
        let mut order: Vec<(u64, u32)> = hashes.iter().enumerate().map(|(at, gram)| (*gram, at as u32)).collect();
        order.sort_unstable();
        for same in order.chunk_by(|a, b| a.0 == b.0) {
            let first = &words[same[0].1 as usize..][..self.k];
            for other in &same[1..] {
                self.compared += 1;
                self.collisions += u64::from(first != &words[other.1 as usize..][..self.k]);
            }
            match self.known.get_mut(&same[0].0) {
                None => {}
                Some(place @ None) => {
                    *place = Some(self.words.len() as u64);
                    for word in first {
                        self.words.extend_from_slice(&(word.len() as u32).to_le_bytes());
                        self.words.extend_from_slice(word);
                    }
                }
                Some(Some(place)) => {
                    self.compared += 1;
                    self.collisions += u64::from(!same_words(&self.words[*place as usize..], first));
                }
            }
        }
    }
}

fn same_words(mut kept: &[u8], words: &[&[u8]]) -> bool {
    words.iter().all(|word| {
        let Some((len, rest)) = kept.split_first_chunk::<4>() else { return false };
        let len = u32::from_le_bytes(*len) as usize;
        let same = len == word.len() && rest[..len] == **word;
        kept = &rest[len..];
        same
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_is_planted() {
        let (a, b) = ("one two three four", "two three four five");
        let shared: Vec<u64> = Grams::new(3, 0).all(a)[1..].to_vec();
        let mut honest = GramVerifier::new(3, 0, &shared);
        honest.page(a);
        honest.page(b);
        honest.page("x x x x x x");
        assert_eq!((honest.compared, honest.collisions), (1 + 3, 0));
        // As if the grams of another page had these hashes.
        let mut fooled = GramVerifier::new(3, 0, &shared);
        fooled.page(a);
        fooled.words.iter_mut().filter(|byte| **byte == b'f').for_each(|byte| *byte = b'p');
        fooled.page(b);
        assert_eq!((fooled.compared, fooled.collisions), (1, 1));
    }
}
