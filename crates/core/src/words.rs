//! Words: maximal alphanumeric runs, case-folded; in scripts without spaces, single characters.

use caseless::Caseless;

use crate::chars::{Kind, Kinds, char_at};

/// The words of one page, one after the other in a single buffer that is reused from page to page.
#[derive(Default)]
pub struct Words {
    folded: Vec<u8>,
    ends: Vec<u32>,
}

impl Words {
    /// Replaces the content by the words of `text`.
    pub fn fill(&mut self, text: &str) {
        let kinds = Kinds::get();
        let bytes = text.as_bytes();
        self.folded.clear();
        self.ends.clear();
        // Folding lengthens only non-ASCII characters, and `push` grows the buffer for those.
        self.folded.reserve(bytes.len());
        let mut at = 0;
        while at < bytes.len() {
            let begin = at;
            while at < bytes.len() && bytes[at].is_ascii_alphanumeric() {
                at += 1;
            }
            // Lower case of an alphanumeric: digits have that bit already.
            self.folded.extend(bytes[begin..at].iter().map(|b| b | 0x20));
            if at < bytes.len() && !bytes[at].is_ascii() {
                at = self.other(kinds, bytes, at);
                continue;
            }
            if at > begin || self.open() {
                self.close();
            }
            at += 1;
        }
        if self.open() {
            self.close();
        }
    }

    /// One character beyond ASCII; returns where the next begins.
    #[inline]
    fn other(&mut self, kinds: Kinds, bytes: &[u8], at: usize) -> usize {
        let (c, next) = char_at(bytes, at);
        match kinds.of(c) {
            Kind::Letter => self.fold(c),
            kind => {
                if self.open() {
                    self.close();
                }
                if kind == Kind::Alone {
                    self.fold(c);
                    self.close();
                }
            }
        }
        next
    }

    fn fold(&mut self, c: char) {
        let mut utf8 = [0; 4];
        for f in std::iter::once(c).default_case_fold() {
            self.folded.extend_from_slice(f.encode_utf8(&mut utf8).as_bytes());
        }
    }

    /// A word has begun and not ended.
    fn open(&self) -> bool {
        self.folded.len() as u32 > self.ends.last().copied().unwrap_or(0)
    }

    fn close(&mut self) {
        self.ends.push(self.folded.len() as u32);
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
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

/// The words of `text` as strings.
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
        let kinds = Kinds::get();
        let mut all: Vec<String> = Vec::new();
        let mut word = String::new();
        for c in text.chars() {
            match kinds.of(c) {
                Kind::Letter => word.push(c),
                kind => {
                    all.push(std::mem::take(&mut word));
                    if kind == Kind::Alone {
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
        fn is_the_definition(text in "([a-zA-Z0-9 ,ÀéßİΣ漢ไ\u{0301}]|\\PC){0,60}") {
            prop_assert_eq!(words(&text), obvious(&text));
        }
    }
}
