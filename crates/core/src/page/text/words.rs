//! Words: maximal alphanumeric sequences, case-folded; in scripts without spaces, single characters.

use std::ops::Range;
use std::sync::LazyLock;

use caseless::Caseless;

use crate::page::text::chars::{CharClass, CharClasses, char_at};
#[cfg(simd_x86)]
use crate::simd::blocks;

/// The words of one page, one after the other in a single buffer that is reused from page to page.
#[derive(Clone, Default)]
pub struct Words {
    /// All words without a gap; longer than what is in use.
    folded: Vec<u8>,
    len: usize,
    ends: Vec<u32>,
}

/// A buffer larger than this is not kept for the next page.
const HUGE: usize = 4 << 20;

/// Room that is always left behind what is in use: a block, or the folding of one character.
const SLACK: usize = 16;

impl Words {
    /// Replaces the content by the words of `text`.
    pub fn fill(&mut self, text: &str) {
        let classes = CharClasses::get();
        let bytes = text.as_bytes();
        self.len = 0;
        self.ends.clear();
        if self.folded.len() < bytes.len() + SLACK {
            self.folded.resize(bytes.len() + SLACK, 0);
        }
        let mut at = 0;
        while at < bytes.len() {
            at = self.ascii(bytes, at);
            while at < bytes.len() && !bytes[at].is_ascii() {
                at = self.other(classes, bytes, at);
            }
        }
        self.close();
    }

    /// Takes ASCII bytes from `at` on; returns where it stopped, at the end or a character beyond ASCII.
    fn ascii(&mut self, bytes: &[u8], at: usize) -> usize {
        #[cfg(simd_x86)]
        if blocks::available() {
            // SAFETY: the features were just detected.
            let at = unsafe { self.ascii_blocks(bytes, at) };
            return self.ascii_plain(bytes, at);
        }
        self.ascii_plain(bytes, at)
    }

    fn ascii_plain(&mut self, bytes: &[u8], at: usize) -> usize {
        for (i, &b) in bytes[at..].iter().enumerate() {
            if b.is_ascii_alphanumeric() {
                self.folded[self.len] = b.to_ascii_lowercase();
                self.len += 1;
            } else if b.is_ascii() {
                self.close();
            } else {
                return at + i;
            }
        }
        bytes.len()
    }

    #[cfg(simd_x86)]
    #[target_feature(enable = "ssse3,popcnt")]
    fn ascii_blocks(&mut self, bytes: &[u8], mut at: usize) -> usize {
        while let Some(block) = blocks::ascii_block(bytes, at)
            && let Some(to) = self.folded[self.len..].first_chunk_mut()
        {
            let letters = blocks::alphanumeric(block);
            blocks::compact(blocks::lower(block), letters, to);
            // A word ends before each byte that is none of its letters: once, so only where a letter comes before.
            let before = u32::from(self.open());
            let mut ends = !letters & (letters << 1 | before) & 0xFFFF;
            while ends != 0 {
                let upto = (1 << ends.trailing_zeros()) - 1;
                self.ends.push((self.len + (letters & upto).count_ones() as usize) as u32);
                ends &= ends - 1;
            }
            self.len += letters.count_ones() as usize;
            at += blocks::BLOCK;
        }
        at
    }

    /// One character beyond ASCII; returns where the next begins.
    #[inline]
    fn other(&mut self, classes: CharClasses, bytes: &[u8], at: usize) -> usize {
        let (c, next) = char_at(bytes, at);
        match classes.of(c) {
            CharClass::Letter => self.fold(c),
            class => {
                self.close();
                if class == CharClass::Alone {
                    self.fold(c);
                    self.close();
                }
            }
        }
        next
    }

    fn fold(&mut self, c: char) {
        if !may_fold(c) {
            return self.push(c);
        }
        for f in std::iter::once(c).default_case_fold() {
            self.push(f);
        }
    }

    #[inline]
    fn push(&mut self, c: char) {
        let mut utf8 = [0; 4];
        let utf8 = c.encode_utf8(&mut utf8).as_bytes();
        self.folded[self.len..self.len + utf8.len()].copy_from_slice(utf8);
        self.len += utf8.len();
        // Few characters grow when folded, but a page may consist of them.
        if self.folded.len() < self.len + SLACK + utf8.len() {
            self.folded.resize(self.folded.len() * 2, 0);
        }
    }

    /// A word has begun and not ended.
    fn open(&self) -> bool {
        self.len as u32 > self.ends.last().copied().unwrap_or(0)
    }

    /// Ends the word that has begun, if one has.
    fn close(&mut self) {
        if self.open() {
            self.ends.push(self.len as u32);
        }
    }

    /// Gives back a buffer that only a huge page needed.
    pub fn release(&mut self) {
        if self.folded.len() > HUGE {
            *self = Words::default();
        }
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// All words in one buffer, which goes on behind the last, and where each ends.
    pub(crate) fn parts(&self) -> (&[u8], &[u32]) {
        (&self.folded, &self.ends)
    }

    /// The words in order, as UTF-8.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut begin = 0;
        self.ends.iter().map(move |&end| {
            let word = &self.folded[begin as usize..end as usize];
            begin = end;
            word
        })
    }
}

/// One bit for each character of the basic plane that folding changes: most stay, and asking is slow.
static FOLDS: LazyLock<Box<[u64; 0x10000 / 64]>> = LazyLock::new(|| {
    let mut bits = Box::new([0; 0x10000 / 64]);
    for c in (0..0x10000).filter_map(char::from_u32) {
        if std::iter::once(c).default_case_fold().ne(std::iter::once(c)) {
            bits[c as usize / 64] |= 1 << (c as usize % 64);
        }
    }
    bits
});

#[inline]
fn may_fold(c: char) -> bool {
    FOLDS.get(c as usize / 64).is_none_or(|bits| bits >> (c as usize % 64) & 1 == 1)
}

/// Where a word stands in its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordSpan {
    pub bytes: Range<usize>,
    pub chars: Range<usize>,
}

/// Where the words of a text stand: as many as `Words` finds.
///
/// A walk of its own: `Words` takes ASCII in blocks and keeps no places. Of English it reads 3,400 MB a second, this 1,220
/// (one core, best of 30), and every page goes through it.
pub fn word_spans(text: &str) -> Vec<WordSpan> {
    let classes = CharClasses::get();
    let bytes = text.as_bytes();
    let mut spans = Vec::new();
    let mut begin: Option<(usize, usize)> = None;
    let (mut at, mut chars) = (0, 0);
    let span = |(byte, char): (usize, usize), at, chars| WordSpan { bytes: byte..at, chars: char..chars };
    while at < bytes.len() {
        // Most text is ASCII, which needs neither decoding nor the table.
        let (class, next) = match bytes[at] {
            b if b.is_ascii_alphanumeric() => (CharClass::Letter, at + 1),
            b if b.is_ascii() => (CharClass::Noise, at + 1),
            _ => {
                let (c, next) = char_at(bytes, at);
                (classes.of(c), next)
            }
        };
        if class == CharClass::Letter {
            begin.get_or_insert((at, chars));
        } else {
            spans.extend(begin.take().map(|begin| span(begin, at, chars)));
            if class == CharClass::Alone {
                spans.push(span((at, chars), next, chars + 1));
            }
        }
        (at, chars) = (next, chars + 1);
    }
    spans.extend(begin.map(|begin| span(begin, at, chars)));
    spans
}

pub fn words(text: &str) -> Vec<String> {
    let mut words = Words::default();
    words.fill(text);
    words.iter().map(|w| String::from_utf8_lossy(w).into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn examples() {
        assert_eq!(words("The quick-brown FOX, 3rd time"), ["the", "quick", "brown", "fox", "3rd", "time"]);
        assert_eq!(words("Straße ΣΊΣΥΦΟΣ éa"), ["strasse", "σίσυφοσ", "éa"]);
        assert_eq!(words("漢字とkana7 ไทย"), ["漢", "字", "と", "kana7", "ไ", "ท", "ย"]);
        assert_eq!(words("  ,.; "), [""; 0]);
        assert_eq!(words("한국어 텍스트"), ["한국어", "텍스트"]);
    }

    /// The definition, spelled out.
    fn obvious(text: &str) -> Vec<String> {
        let classes = CharClasses::get();
        let mut all: Vec<String> = Vec::new();
        let mut word = String::new();
        for c in text.chars() {
            match classes.of(c) {
                CharClass::Letter => word.push(c),
                class => {
                    all.push(std::mem::take(&mut word));
                    if class == CharClass::Alone {
                        all.push(c.to_string());
                    }
                }
            }
        }
        all.push(word);
        all.iter().filter(|w| !w.is_empty()).map(|w| w.chars().default_case_fold().collect()).collect()
    }

    proptest! {
        #[test]
        fn is_the_definition(text in "([a-zA-Z0-9 ,ÀéßİΣ漢ไ\u{0301}]|\\PC){0,60}|[a-cA-C0-1 .]{0,99}|[İΐ]{0,99}") {
            prop_assert_eq!(words(&text), obvious(&text));
            let mut plain = Words { folded: vec![0; 4 * text.len() + SLACK], ..Words::default() };
            let stop = plain.ascii_plain(text.as_bytes(), 0);
            plain.close();
            prop_assert_eq!(plain.iter().map(<[u8]>::to_vec).collect::<Vec<_>>(),
                            words(&text[..stop]).into_iter().map(String::into_bytes).collect::<Vec<_>>());
        }

        #[test]
        fn spans_are_of_words(text in "([a-zA-Z0-9 ,ÀéßİΣ漢ไ\u{0301}]|\\PC){0,60}") {
            let spans = word_spans(&text);
            let found: Vec<String> = spans.iter().flat_map(|span| words(&text[span.bytes.clone()])).collect();
            prop_assert_eq!(found.len(), spans.len());
            prop_assert_eq!(&found, &words(&text));
            let chars: Vec<char> = text.chars().collect();
            for span in spans {
                prop_assert_eq!(&text[span.bytes], chars[span.chars].iter().collect::<String>());
            }
        }
    }
}
