//! The structure of a page: which tags follow which, with the names of their attributes and classes.
//!
//! Noise sees what a template writes between letters; structure sees what it writes in them, and nothing of scripts,
//! style sheets or text. Its fingerprint has m minima over the n-grams of four tags. A page has far fewer of them than
//! n-grams of noise, so that a dimension which met none borrows the minimum of another, chosen by hash (optimal
//! densification): the share of matching dimensions then estimates Jaccard for small pages too.

use crate::hash::mix;
use crate::page::html::tag_ngrams::{TagNgrams, stored};

/// A page that fills less than one in so many dimensions by its own n-grams has too little structure to compare: about
/// 30 different n-grams for 128 dimensions.
const FEWEST: usize = 5;
/// ASCII letters in lower case; what else changes does so alike in all pages.
const LOWER: u64 = 0x2020_2020_2020_2020;

/// Adds some bytes to a hash, whatever their case.
#[inline(always)]
fn fold(hash: u64, bytes: &[u8]) -> u64 {
    const K: u64 = 0x9E37_79B9_7F4A_7C15;
    let (words, rest) = bytes.as_chunks::<8>();
    let mut hash = hash;
    for word in words {
        hash = (hash ^ (u64::from_le_bytes(*word) | LOWER)).wrapping_mul(K).rotate_left(29);
    }
    let tail = rest.iter().fold(bytes.len() as u64, |tail, b| tail << 8 | u64::from(b | 0x20));
    hash = (hash ^ tail).wrapping_mul(K);
    hash ^ hash >> 32
}

/// One tag as a number.
#[derive(Clone, Copy)]
pub struct Tag(u64);

impl Tag {
    /// A start tag of this name.
    #[inline(always)]
    pub fn start(name: &[u8]) -> Self {
        Tag(fold(1, name))
    }

    /// An end tag of this name.
    #[inline(always)]
    pub fn end(name: &[u8]) -> Self {
        Tag(fold(2, name))
    }

    /// An attribute of it. Of the values only the names of classes count.
    #[inline(always)]
    pub fn attribute(&mut self, name: &[u8], value: &[u8]) {
        self.0 = fold(self.0.rotate_left(7), name);
        if name.eq_ignore_ascii_case(b"class") {
            for class in value.split(u8::is_ascii_whitespace).filter(|class| !class.is_empty()) {
                self.0 = fold(self.0.rotate_left(13), class);
            }
        }
    }
}

/// Collects the n-grams of a page's tags.
pub struct Structure {
    ngrams: TagNgrams,
    minima: Vec<u64>,
}

impl Structure {
    /// With m dimensions; with none, nothing is collected.
    pub fn new(m: usize) -> Self {
        Structure { ngrams: TagNgrams::default(), minima: vec![u64::MAX; m] }
    }

    /// Whether anything is collected.
    #[inline(always)]
    pub fn wanted(&self) -> bool {
        !self.minima.is_empty()
    }

    /// One more tag.
    #[inline(always)]
    pub fn push(&mut self, tag: Tag) {
        if !self.wanted() {
            return;
        }
        let Some(hash) = self.ngrams.push(tag.0) else { return };
        let place = ((hash >> 32) * self.minima.len() as u64) >> 32;
        if let Some(minimum) = self.minima.get_mut(place as usize) {
            // The bits that chose the place say nothing within it.
            *minimum = (hash & 0xFFFF_FFFF).min(*minimum);
        }
    }

    /// The fingerprint: 16 bits of each minimum, 0 for none; nothing for a page of fewer tags than an n-gram has.
    pub fn finish(&self) -> Option<Vec<u16>> {
        if !self.ngrams.any() || !self.wanted() {
            return None;
        }
        let own: Vec<u16> = self.minima.iter().map(|minimum| stored(*minimum)).collect();
        let m = own.len();
        if own.iter().filter(|v| **v != 0).count() * FEWEST < m {
            return Some(own);
        }
        let lent = |empty: usize| {
            let mut others = (1u64..).map(|turn| own[(mix((empty as u64) << 32 | turn) % m as u64) as usize]);
            others.find(|v| *v != 0).unwrap_or(0)
        };
        Some(own.iter().enumerate().map(|(at, &v)| if v == 0 { lent(at) } else { v }).collect())
    }
}

/// The structure fingerprint of decoded HTML.
pub fn structure(html: &str, m: usize) -> Option<Vec<u16>> {
    super::extract::extract_with(html, m).structure
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::fingerprint::compare;
    use std::collections::HashSet;

    const M: usize = 128;

    /// A page of so many different paragraphs.
    fn page(tags: std::ops::Range<usize>) -> String {
        tags.map(|i| format!("<p class='c{i}'><b id=x>words {i}</b></p>")).collect()
    }

    #[test]
    fn names_count_and_values_do_not() {
        let one = "<div class='a b' id=x><p>text</p><br><i title=q>t</i></div>".repeat(3);
        let same = "<DIV Class='a  b' ID=y><P>other</P><!-- c --><BR><i title=''>t</i></div>".repeat(3);
        assert_eq!(structure(&one, M), structure(&same, M));
        for other in [one.replace("a b", "a c"), one.replace("id=", "name="), one.replace("</i>", "")] {
            assert_ne!(structure(&one, M), structure(&other, M));
        }
        let script = one.replacen("<p>", "<script>if (a < b) document.write('<td><tr>')</script><p>", 1);
        let empty = one.replacen("<p>", "<script></script><p>", 1);
        assert_eq!(structure(&script, M), structure(&empty, M));
        assert_eq!(structure("<p><p><p>", M), None);
        assert_eq!(structure(&one, 0), None);
    }

    #[test]
    fn small_pages_stay_sparse_and_others_are_full() {
        let filled = |html: &str| structure(html, M).unwrap().iter().filter(|v| **v != 0).count();
        assert!(filled(&page(0..3)) < M / FEWEST);
        assert_eq!(filled(&page(0..20)), M);
    }

    #[test]
    fn matches_estimate_jaccard() {
        // Each page has n-grams enough to be filled up.
        for (a, b) in [(0..80, 0..80), (0..80, 40..120), (0..400, 100..500), (0..80, 80..160), (0..80, 0..160)] {
            let ngrams = |range: std::ops::Range<usize>| -> HashSet<usize> { range.collect() };
            let (x, y) = (ngrams(a.clone()), ngrams(b.clone()));
            let truth = x.intersection(&y).count() as f64 / x.union(&y).count() as f64;
            let (x, y) = (structure(&page(a), 1024).unwrap(), structure(&page(b), 1024).unwrap());
            let found = f64::from(compare(&x, &y).matching) / 1024.0;
            assert!((found - truth).abs() < 0.12, "{found} is not {truth}");
        }
    }
}
