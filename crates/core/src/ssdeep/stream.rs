//! Pages as they come, each compared with those before it: exact copy, near copy, or new.
//!
//! Exact copies have the same MD5. Near copies are found among the *unique* pages so far: a page that is a copy of one
//! of them is not compared with again, so that a thousand copies cost no more than one. Where there are few pages and
//! none may be missed, they can be compared with every page so far instead.

use hashbrown::HashMap;

use crate::ssdeep::index::DigestIndex;
use crate::ssdeep::score::Digest;

/// An n-gram lists at most so many unique pages; later holders are found by their other n-grams.
pub const MAX_HOLDERS: usize = 256;

/// What a page is to the pages before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyKind {
    /// Like none of them.
    Unique,
    /// Its text is that of an earlier page.
    Exact,
    /// Its digest scores high enough against that of an earlier page.
    Near,
}

/// The answer for one page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamMatch {
    pub kind: CopyKind,
    /// The page most like it: its place in the order in which pages came.
    pub of: Option<u32>,
    /// The score against that page; 0 if there is none.
    pub score: u32,
}

/// The pages so far.
pub struct DigestStream {
    threshold: u32,
    min_length: usize,
    pages: u32,
    every: bool,
    texts: HashMap<[u8; 16], u32>,
    compared: DigestIndex,
    /// Places of the pages that are compared with in the order of all.
    places: Vec<u32>,
}

impl DigestStream {
    /// Scores from `threshold` make near copies; digests of fewer than `min_length` characters, seven or more, make none.
    /// With `every`, pages are compared with near copies too, and n-grams list every holder.
    pub fn new(threshold: u32, min_length: usize, every: bool) -> Self {
        let compared = DigestIndex::new(if every { usize::MAX } else { MAX_HOLDERS });
        DigestStream { threshold, min_length, pages: 0, every, texts: HashMap::new(), compared, places: Vec::new() }
    }

    /// Compares a page with those before it, and remembers it.
    pub fn add(&mut self, digest: &Digest, md5: [u8; 16]) -> StreamMatch {
        let place = self.pages;
        self.pages += 1;
        let first = *self.texts.entry(md5).or_insert(place);
        if first != place {
            return StreamMatch { kind: CopyKind::Exact, of: Some(first), score: 100 };
        }
        if digest.len() < self.min_length {
            return StreamMatch { kind: CopyKind::Unique, of: None, score: 0 };
        }
        let (of, score) = self.best(digest).map_or((None, 0), |(of, score)| (Some(of), score));
        let kind = if score >= self.threshold { CopyKind::Near } else { CopyKind::Unique };
        if kind == CopyKind::Unique || self.every {
            self.compared.add(digest);
            self.places.push(place);
        }
        StreamMatch { kind, of, score }
    }

    /// The page with the highest score of those that are compared with, the earliest among equals; none if nothing is alike.
    fn best(&mut self, digest: &Digest) -> Option<(u32, u32)> {
        let mut best: Option<(u32, u32)> = None;
        self.compared.matches(digest, |number, score| {
            // Numbers follow the order in which pages came.
            if best.is_none_or(|(of, high)| score > high || score == high && number < of) {
                best = Some((number, score));
            }
        });
        best.map(|(number, score)| (self.places[number as usize], score))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ssdeep::score::compare;
    use proptest::prelude::*;

    /// Digests over a small alphabet of blocks, so that they share n-grams.
    fn digests() -> impl Strategy<Value = Vec<(String, u8)>> {
        let block =
            prop_oneof![Just("ABCDEFGHIJ"), Just("klmnopqr"), Just("012345678"), Just("x"), Just("yz"), Just("Q")];
        let signature = proptest::collection::vec(block, 0..6).prop_map(|blocks| blocks.concat());
        let digest = (0u32..5, signature.clone(), signature)
            .prop_map(|(level, a, b)| format!("{}:{a}:{}", 48 << level, &b[..b.len().min(32)]));
        proptest::collection::vec((digest, 0u8..60), 1..60)
    }

    proptest! {
        /// Against comparing with every unique page, or with every page.
        #[test]
        fn as_comparing_all(pages in digests(), threshold in 1u32..101, min_length in 7usize..20, every: bool) {
            let mut stream = DigestStream::new(threshold, min_length, every);
            let (mut unique, mut seen): (Vec<(u32, Digest)>, Vec<u8>) = (Vec::new(), Vec::new());
            for (place, (text, md5)) in pages.iter().enumerate() {
                let digest = Digest::parse(text).unwrap();
                let found = stream.add(&digest, [*md5; 16]);
                let copied = seen.iter().position(|other| other == md5);
                seen.push(*md5);
                let best = unique
                    .iter()
                    .map(|(of, other)| (compare(&digest, other).unwrap_or(0), std::cmp::Reverse(*of)))
                    .filter(|(score, _)| *score > 0 && digest.len() >= min_length)
                    .max();
                let (score, of) = best.map_or((0, None), |(score, of)| (score, Some(of.0)));
                let expected = match copied {
                    Some(first) => StreamMatch { kind: CopyKind::Exact, of: Some(first as u32), score: 100 },
                    None if score >= threshold => StreamMatch { kind: CopyKind::Near, of, score },
                    None => StreamMatch { kind: CopyKind::Unique, of, score },
                };
                prop_assert_eq!(found, expected);
                let kept = expected.kind == CopyKind::Unique || every && expected.kind == CopyKind::Near;
                if kept && digest.len() >= min_length {
                    unique.push((place as u32, digest));
                }
            }
        }
    }
}
