//! Which characters are alphanumeric, and which of them are words by themselves.

use std::sync::LazyLock;

/// What a character means to noise and words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum CharClass {
    /// Not alphanumeric: stays in the noise, separates words.
    Noise = 0,
    /// Alphanumeric in a script written with spaces.
    Letter = 1,
    /// Alphanumeric in a script written without spaces: a word by itself.
    Alone = 2,
}

/// Blocks of the scripts that are written without spaces between words.
const ALONE: &[(u32, u32)] = &[
    (0x0E00, 0x0E7F),   // Thai
    (0x0E80, 0x0EFF),   // Lao
    (0x1000, 0x109F),   // Myanmar
    (0x1780, 0x17FF),   // Khmer
    (0x1950, 0x197F),   // Tai Le
    (0x1980, 0x19DF),   // New Tai Lue
    (0x1A20, 0x1AAF),   // Tai Tham
    (0x1B00, 0x1B7F),   // Balinese
    (0x3005, 0x3007),   // ideographic iteration mark, closing mark, zero
    (0x3021, 0x3029),   // Hangzhou numerals
    (0x3031, 0x3035),   // kana repeat marks
    (0x3038, 0x303B),   // Hangzhou numerals, vertical ideographic iteration mark
    (0x3040, 0x30FF),   // Hiragana, Katakana
    (0x3100, 0x312F),   // Bopomofo
    (0x31A0, 0x31BF),   // Bopomofo extended
    (0x31F0, 0x31FF),   // Katakana phonetic extensions
    (0x3400, 0x4DBF),   // CJK extension A
    (0x4E00, 0x9FFF),   // CJK unified ideographs
    (0xA980, 0xA9DF),   // Javanese
    (0xA9E0, 0xA9FF),   // Myanmar extended B
    (0xAA60, 0xAA7F),   // Myanmar extended A
    (0xAA80, 0xAADF),   // Tai Viet
    (0xF900, 0xFAFF),   // CJK compatibility ideographs
    (0xFF66, 0xFF9F),   // half-width Katakana
    (0x116D0, 0x116E3), // Myanmar extended C
    (0x16FE3, 0x16FE3), // old Chinese iteration mark
    (0x16FF0, 0x16FF6), // Vietnamese reading marks, Chinese numerals
    (0x1AFF0, 0x1AFFE), // Kana extended B
    (0x1B000, 0x1B16F), // Kana supplement and extensions
    (0x20000, 0x3FFFF), // CJK extensions B and later
];

fn classify(c: char) -> CharClass {
    if !c.is_alphanumeric() {
        return CharClass::Noise;
    }
    let code = u32::from(c);
    let after = ALONE.partition_point(|&(first, _)| first <= code);
    if after > 0 && code <= ALONE[after - 1].1 { CharClass::Alone } else { CharClass::Letter }
}

/// The classes of the basic plane: the standard library's tables are several times slower to ask.
static BASIC: LazyLock<Box<[CharClass; 0x10000]>> = LazyLock::new(|| {
    let mut table = Box::new([CharClass::Noise; 0x10000]);
    for (code, slot) in table.iter_mut().enumerate() {
        if let Some(c) = char::from_u32(code as u32) {
            *slot = classify(c);
        }
    }
    table
});

/// A handle on the table of classes; take it once, outside the loop.
#[derive(Clone, Copy)]
pub struct CharClasses(&'static [CharClass; 0x10000]);

impl CharClasses {
    /// The table, built on first use.
    pub fn get() -> Self {
        CharClasses(&BASIC)
    }

    /// What `c` means to noise and words.
    #[inline(always)]
    pub fn of(self, c: char) -> CharClass {
        match self.0.get(c as usize) {
            Some(&class) => class,
            None => classify(c),
        }
    }
}

/// The first character of `bytes` from `at`, and where the next one begins.
///
/// `bytes` must be a part of a `str`, and `at` the beginning of a character in it.
#[inline(always)]
pub fn char_at(bytes: &[u8], at: usize) -> (char, usize) {
    let first = bytes[at];
    let tail = |i: usize| u32::from(bytes[at + i] & 0x3F);
    let (code, len) = match first {
        0..=0x7F => (u32::from(first), 1),
        0x80..=0xDF => (u32::from(first & 0x1F) << 6 | tail(1), 2),
        0xE0..=0xEF => (u32::from(first & 0x0F) << 12 | tail(1) << 6 | tail(2), 3),
        _ => (u32::from(first & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3), 4),
    };
    (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), at + len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_sorted_and_apart() {
        assert!(ALONE.windows(2).all(|w| w[0].1 < w[1].0));
        assert!(ALONE.iter().all(|r| r.0 <= r.1));
    }

    #[test]
    fn table_agrees_with_the_definition() {
        let classes = CharClasses::get();
        for c in (0..=0x10FFFF).filter_map(char::from_u32) {
            assert_eq!(classes.of(c), classify(c));
            assert_eq!(classes.of(c) == CharClass::Noise, !c.is_alphanumeric());
        }
    }

    #[test]
    fn examples() {
        let classes = CharClasses::get();
        for (c, class) in
            [('a', CharClass::Letter), ('é', CharClass::Letter), ('ह', CharClass::Letter), ('한', CharClass::Letter)]
        {
            assert_eq!(classes.of(c), class, "{c}");
        }
        for c in ['漢', 'か', 'ไ', 'ខ', '𠀋'] {
            assert_eq!(classes.of(c), CharClass::Alone, "{c}");
        }
        for c in [' ', '。', '<', '\u{1F600}', '\u{0301}'] {
            assert_eq!(classes.of(c), CharClass::Noise, "{c}");
        }
    }

    #[test]
    fn char_at_walks_any_string() {
        let s = "aé漢𠀋\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}z";
        let mut at = 0;
        let mut seen = String::new();
        while at < s.len() {
            let (c, next) = char_at(s.as_bytes(), at);
            seen.push(c);
            at = next;
        }
        assert_eq!(seen, s);
    }
}
