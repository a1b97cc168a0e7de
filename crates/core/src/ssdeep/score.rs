//! Digests compared: the score of the `ssdeep` command, from 0 to 100, and why it is zero.
//!
//! Two signatures of the same block size are compared when they share seven characters in a row; the score falls with
//! the insertions and deletions that lead from one to the other. Both questions are answered for all places of one
//! signature at once, one bit a place: a signature has at most 64 characters.

use std::fmt;

use memchr::memchr;

use crate::ssdeep::digest::{ALPHABET, LEVELS, MAX_LENGTH, MIN_BLOCK, WINDOW};

/// Equal characters in a row that count; more of them say nothing.
const MAX_REPEATS: usize = 3;

/// The value of each character of the alphabet.
static VALUES: [u8; 256] = {
    let mut values = [0; 256];
    let mut i = 0;
    while i < ALPHABET.len() {
        values[ALPHABET[i] as usize] = i as u8;
        i += 1;
    }
    values
};

/// A signature without long repeats.
#[derive(Clone, Copy)]
pub struct Signature {
    /// Zero behind the end. There is room to look ahead from any place.
    characters: [u8; MAX_LENGTH + MAX_REPEATS],
    len: u8,
    /// Repeats were cut.
    cut: bool,
}

impl Signature {
    const EMPTY: Self = Signature { characters: [0; MAX_LENGTH + MAX_REPEATS], len: 0, cut: false };

    /// Reads an empty signature's text.
    #[inline(always)]
    fn fill(&mut self, text: &[u8]) -> Result<(), NotADigest> {
        match self.characters[..MAX_LENGTH].get_mut(..text.len()) {
            Some(place) => place.copy_from_slice(text),
            None => return self.cut_repeats(text),
        }
        self.len = text.len() as u8;
        // Asked of all places, whatever the length, so that the answer comes for many at a time.
        let all = &self.characters;
        let good = all[..MAX_LENGTH].iter().map(|&byte| u8::from(is_character(byte))).sum::<u8>();
        let repeats = (0..MAX_LENGTH).fold(0, |any, i| {
            let here = all[i];
            any | u8::from((here != 0) & (here == all[i + 1]) & (here == all[i + 2]) & (here == all[i + 3]))
        });
        if repeats != 0 || good != self.len { self.cut_repeats(text) } else { Ok(()) }
    }

    /// The plain way, character by character.
    #[cold]
    fn cut_repeats(&mut self, text: &[u8]) -> Result<(), NotADigest> {
        *self = Signature::EMPTY;
        let (mut repeats, mut before) = (0, 0);
        for &byte in text {
            if !is_character(byte) {
                return Err(NotADigest);
            }
            repeats = if byte == before { repeats + 1 } else { 1 };
            before = byte;
            if repeats > MAX_REPEATS {
                self.cut = true;
                continue;
            }
            *self.characters[..MAX_LENGTH].get_mut(usize::from(self.len)).ok_or(NotADigest)? = byte;
            self.len += 1;
        }
        Ok(())
    }

    #[inline]
    pub fn characters(&self) -> &[u8] {
        &self.characters[..usize::from(self.len)]
    }
}

/// The value of a character, six bits.
#[inline]
pub fn value(character: u8) -> u64 {
    u64::from(VALUES[usize::from(character)])
}

/// Each n-gram: seven characters in a row of a signature, as a number of 42 bits.
pub fn ngrams(characters: &[u8]) -> impl Iterator<Item = u64> + '_ {
    characters.windows(WINDOW).map(|window| window.iter().fold(0, |all, &byte| all << 6 | value(byte)))
}

#[inline(always)]
fn is_character(byte: u8) -> bool {
    let letter = (byte | 0x20).wrapping_sub(b'a') < 26;
    // The digits come right behind the slash.
    letter | (byte.wrapping_sub(b'/') < 11) | (byte == b'+')
}

/// A digest that can be compared.
#[derive(Clone, Copy)]
pub struct Digest {
    /// The block size is 3 << level.
    pub level: u8,
    /// The signature at the block size.
    pub first: Signature,
    /// The signature at twice the block size.
    pub second: Signature,
}

/// What is wrong with a digest.
#[derive(Debug, PartialEq, Eq)]
pub struct NotADigest;

impl fmt::Display for NotADigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not an ssdeep digest: BLOCKSIZE:SIGNATURE:SIGNATURE with a block size of 3, 6, 12, ...")
    }
}

/// Why two digests have nothing in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ZeroReason {
    /// One block size is more than twice the other.
    BlockSizes,
    /// A signature has fewer than seven characters.
    TooShort,
    /// A signature has fewer than seven characters without its repeats.
    TooRepetitive,
    /// No seven characters in a row are common.
    NoCommonNgram,
}

impl ZeroReason {
    pub fn as_str(self) -> &'static str {
        match self {
            ZeroReason::BlockSizes => "the block sizes are too far apart",
            ZeroReason::TooShort => "too short: a signature has fewer than 7 characters",
            ZeroReason::TooRepetitive => "too repetitive: a signature without its runs has fewer than 7 characters",
            ZeroReason::NoCommonNgram => "the signatures share no 7 characters in a row",
        }
    }
}

impl Digest {
    /// Reads a digest; what follows a comma (a file name) is left out.
    pub fn parse(text: &str) -> Result<Self, NotADigest> {
        let bytes = text.as_bytes();
        let digits = bytes.iter().take(12).position(|&b| b == b':').ok_or(NotADigest)?;
        let mut block = 0u64;
        for &digit in &bytes[..digits] {
            if !digit.is_ascii_digit() {
                return Err(NotADigest);
            }
            block = block * 10 + u64::from(digit - b'0');
        }
        let level = (block / MIN_BLOCK).trailing_zeros() as usize;
        if block == 0 || level >= LEVELS || MIN_BLOCK << level != block {
            return Err(NotADigest);
        }
        let rest = &bytes[digits + 1..];
        let (first, second) = rest.split_at(memchr(b':', rest).ok_or(NotADigest)?);
        let second = &second[1..];
        let second = &second[..memchr(b',', second).unwrap_or(second.len())];
        let mut digest = Digest { level: level as u8, first: Signature::EMPTY, second: Signature::EMPTY };
        digest.first.fill(first)?;
        digest.second.fill(second)?;
        Ok(digest)
    }

    /// Equal in all that is compared. Long repeats are cut and do not count.
    pub fn same(&self, other: &Self) -> bool {
        self.level == other.level
            && self.first.characters() == other.first.characters()
            && self.second.characters() == other.second.characters()
    }

    /// Characters of the longer signature, without repeats.
    pub fn len(&self) -> usize {
        usize::from(self.first.len.max(self.second.len))
    }
}

/// The score of two digests, or why it is zero.
pub fn compare(a: &Digest, b: &Digest) -> Result<u32, ZeroReason> {
    if a.same(b) {
        return Ok(100);
    }
    match i16::from(a.level) - i16::from(b.level) {
        0 => {
            let first = score(&a.first, &b.first, a.level);
            let second = score(&a.second, &b.second, a.level + 1);
            match (first, second) {
                (Ok(x), Ok(y)) => Ok(x.max(y)),
                (Err(x), Err(y)) => Err(x.max(y)),
                (found, Err(_)) | (Err(_), found) => found,
            }
        }
        1 => score(&a.first, &b.second, a.level),
        -1 => score(&a.second, &b.first, b.level),
        _ => Err(ZeroReason::BlockSizes),
    }
}

/// The score of two signatures of one block size.
fn score(a: &Signature, b: &Signature, level: u8) -> Result<u32, ZeroReason> {
    let short = |s: &Signature| usize::from(s.len) < WINDOW;
    if short(a) || short(b) {
        let repetitive = [a, b].into_iter().filter(|s| short(s)).all(|s| s.cut);
        return Err(if repetitive { ZeroReason::TooRepetitive } else { ZeroReason::TooShort });
    }
    Pattern::of(a.characters(), level).score(b.characters()).ok_or(ZeroReason::NoCommonNgram)
}

/// A signature to be compared with many.
pub struct Pattern {
    places: CharPositions,
    len: u32,
    level: u8,
}

impl Pattern {
    /// The signature made at this level.
    #[inline]
    pub fn of(characters: &[u8], level: u8) -> Self {
        Pattern { places: CharPositions::of(characters), len: characters.len() as u32, level }
    }

    /// The score against a signature of the same level; none if they share no n-gram.
    #[inline]
    pub fn score(&self, other: &[u8]) -> Option<u32> {
        if !self.places.share_ngram(other) {
            return None;
        }
        let (a, b) = (self.len, other.len() as u32);
        let distance = a + b - 2 * self.places.longest_common_subsequence(other);
        let longest = MAX_LENGTH as u32;
        let found = 100 - 100 * (distance * longest / (a + b)) / longest;
        Some(found.min(max_score(self.level, a.min(b))))
    }
}

/// The highest score of two signatures, given the length of the shorter: small blocks come from little text.
#[inline]
pub fn max_score(level: u8, len: u32) -> u32 {
    len << level.min(7)
}

/// Where each character stands in a signature: one bit a place.
struct CharPositions {
    bits: [u64; 128],
}

impl CharPositions {
    #[inline]
    fn of(characters: &[u8]) -> Self {
        let mut bits = [0; 128];
        for (place, &byte) in characters.iter().enumerate() {
            bits[usize::from(byte & 127)] |= 1 << place;
        }
        CharPositions { bits }
    }

    /// Whether seven characters in a row are common. Pairs are joined to fours, and fours to sevens.
    #[inline]
    fn share_ngram(&self, other: &[u8]) -> bool {
        let (mut one, mut found) = (0u64, 0u64);
        let (mut pairs, mut fours) = ([0u64; 2], [0u64; 3]);
        for &byte in other {
            let here = self.bits[usize::from(byte & 127)];
            let pair = here & one << 1;
            let four = pair & pairs[1] << 2;
            found |= four & fours[2] << 3;
            one = here;
            pairs = [pair, pairs[0]];
            fours = [four, fours[0], fours[1]];
        }
        found != 0
    }

    /// The length of the longest common subsequence (Allison and Dix 1986): zeros mark its growth.
    #[inline]
    fn longest_common_subsequence(&self, other: &[u8]) -> u32 {
        let mut open = u64::MAX;
        for &byte in other {
            let matching = open & self.bits[usize::from(byte & 127)];
            open = open.wrapping_add(matching) | (open & !matching);
        }
        open.count_zeros()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn score_of(a: &str, b: &str) -> Result<u32, ZeroReason> {
        compare(&Digest::parse(a).unwrap(), &Digest::parse(b).unwrap())
    }

    #[test]
    fn reasons() {
        assert_eq!(score_of("3:ABCDEFGH:A", "12:ABCDEFGH:A"), Err(ZeroReason::BlockSizes));
        assert_eq!(score_of("3:ABCDEF:A", "3:ABCDEFGH:A"), Err(ZeroReason::TooShort));
        assert_eq!(score_of("3:AAAAAAAAAAAB:A", "3:ABCDEFGH:A"), Err(ZeroReason::TooRepetitive));
        assert_eq!(score_of("3:ABCDEFGH:A", "3:ABCDEFHG:A"), Err(ZeroReason::NoCommonNgram));
        assert_eq!(score_of("3:C:C", "3:C:C"), Ok(100));
        assert_eq!(score_of("3:ABCDEFG:ABCD", "3:ABCDEFGH:ABCD"), Ok(7));
    }

    #[test]
    fn alphabet() {
        for byte in 0..=255 {
            assert_eq!(is_character(byte), ALPHABET.contains(&byte), "{byte}");
        }
    }

    #[test]
    fn not_digests() {
        let long = format!("3:{}:", "AB".repeat(33));
        let bad =
            ["", "3", "3:", "3:A", "x:A:B", "4:A:B", "0:A:B", ":A:B", "3:A:B:C", "3:A b:C", "-3:A:B", "3:é:", &long];
        for text in bad {
            assert!(Digest::parse(text).is_err(), "{text}");
        }
        assert!(Digest::parse("6442450944:A:B").is_err(), "no such block size");
        assert!(Digest::parse("3221225472:A:B,\"file, name\"").is_ok());
    }

    proptest! {
        #[test]
        fn quick_and_plain_parsing_agree(text in "[A-C+/09é:,\\x00]{0,70}") {
            let (mut quick, mut plain) = (Signature::EMPTY, Signature::EMPTY);
            prop_assert_eq!(quick.fill(text.as_bytes()), plain.cut_repeats(text.as_bytes()));
            prop_assert_eq!((quick.characters(), quick.cut), (plain.characters(), plain.cut));
        }

        #[test]
        fn never_panics(text in "[0-9]{0,14}:?[A-C/+]{0,80}:?[A-C ]{0,9}") {
            let _ = Digest::parse(&text);
        }

        #[test]
        fn bits_agree_with_the_table(a in "[A-E]{0,64}", b in "[A-E]{0,64}") {
            let (mut x, mut y) = (Signature::EMPTY, Signature::EMPTY);
            x.fill(a.as_bytes()).unwrap();
            y.fill(b.as_bytes()).unwrap();
            let (x, y) = (x.characters(), y.characters());
            let mut table = vec![vec![0; y.len() + 1]; x.len() + 1];
            for i in 0..x.len() {
                for j in 0..y.len() {
                    table[i + 1][j + 1] =
                        if x[i] == y[j] { table[i][j] + 1 } else { table[i][j + 1].max(table[i + 1][j]) };
                }
            }
            prop_assert_eq!(CharPositions::of(x).longest_common_subsequence(y), table[x.len()][y.len()]);
            let shared = x.windows(WINDOW).any(|w| y.windows(WINDOW).any(|v| w == v));
            prop_assert_eq!(CharPositions::of(x).share_ngram(y), shared);
        }
    }
}
