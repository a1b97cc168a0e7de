//! The skeleton of a page: which elements follow which, whatever is between them.
//!
//! Style fingerprints see scripts, licences and framesets as well as templates. The skeleton tells them apart: minima
//! over the n-grams of four start tags, without those that only carry what others wrote.

use crate::hash::mix;
use crate::page::html::tag_ngrams::{TagNgrams, stored};

pub const MINIMA: usize = 32;

pub struct Skeleton {
    ngrams: TagNgrams,
    min: [u64; MINIMA],
}

impl Default for Skeleton {
    fn default() -> Self {
        Skeleton { ngrams: TagNgrams::default(), min: [u64::MAX; MINIMA] }
    }
}

impl Skeleton {
    /// One more start tag, by a number for its name.
    #[inline]
    pub fn tag(&mut self, name: u64) {
        if let Some(hash) = self.ngrams.push(name) {
            let min = &mut self.min[(hash >> 59) as usize];
            *min = hash.min(*min);
        }
    }

    /// The minima, 16 bits of each and 0 for none; nothing for a page of fewer tags than an n-gram has.
    pub fn finish(&self) -> Option<[u16; MINIMA]> {
        self.ngrams.any().then(|| self.min.map(stored))
    }
}

/// A number for a tag's name, whatever its case; none for tags that are no part of the skeleton.
#[inline]
pub fn number(name: &[u8]) -> Option<u64> {
    const CARRIERS: [&[u8]; 9] =
        [b"script", b"style", b"frame", b"frameset", b"noframes", b"iframe", b"meta", b"link", b"br"];
    if CARRIERS.iter().any(|carrier| name.eq_ignore_ascii_case(carrier)) {
        return None;
    }
    Some(mix(name.iter().fold(0, |number: u64, b| number.rotate_left(8) ^ u64::from(b.to_ascii_lowercase())) + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::fingerprint::compare;

    fn minima(tags: &str) -> Option<[u16; MINIMA]> {
        let mut skeleton = Skeleton::default();
        tags.split(' ').filter_map(|tag| number(tag.as_bytes())).for_each(|tag| skeleton.tag(tag));
        skeleton.finish()
    }

    #[test]
    fn runs_of_tags_count_once_and_carriers_not_at_all() {
        let list = minima("html head title body div h1 p div ul li a li a li a").unwrap();
        assert_eq!(minima("HTML head title meta body div h1 p div ul li a li script a li a li a li a"), Some(list));
        let other = minima("html head title body div h1 p div table tr td tr td tr td").unwrap();
        let found = compare(&list, &other);
        assert!(found.matching >= 1 && found.matching < found.filled);
        assert_eq!(minima("html head frameset frame frame frame"), None);
    }
}
