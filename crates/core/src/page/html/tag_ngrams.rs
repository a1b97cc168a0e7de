//! The n-grams of a page's tags, hashed: what skeletons and structures have minima of.

use crate::hash::mix;

/// Tags in an n-gram.
const TAGS: usize = 4;

/// The last tags, each as a number.
#[derive(Default)]
pub struct TagNgrams {
    last: [u64; TAGS],
    tags: usize,
}

impl TagNgrams {
    /// The hash of the n-gram that ends with this tag; none for the first few.
    #[inline(always)]
    pub fn push(&mut self, tag: u64) -> Option<u64> {
        self.last[self.tags % TAGS] = tag;
        self.tags += 1;
        let ngram = (0..TAGS).fold(0u64, |ngram, back| ngram.rotate_left(16) ^ self.last[(self.tags + back) % TAGS]);
        self.any().then(|| mix(ngram))
    }

    /// Whether there was an n-gram.
    pub fn any(&self) -> bool {
        self.tags >= TAGS
    }
}

/// 16 bits of a minimum, 0 for none.
pub fn stored(min: u64) -> u16 {
    if min == u64::MAX { 0 } else { 1 + (mix(min) % 65535) as u16 }
}
