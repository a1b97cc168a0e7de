//! A rolling hash: 64 bits for each n-gram of a text, from character to character.
//!
//! A cyclic polynomial: each character has a random number, and a gram's hash is the exclusive or of its characters'
//! numbers, each rotated by its distance from the end. Every bit of it is as good as any other.
//!
//! Characters are looked up by a code of one byte. That is what ASCII is; a text with others is recoded first, which
//! is cheap because even such a text is mostly ASCII, and keeps the inner loop free of decoding.

use crate::hash::mix;

/// A random number for each code a byte may be, as it enters a gram and as it leaves it.
#[derive(Clone)]
struct Numbers {
    entering: [u64; 256],
    /// The same, rotated to where a character is when it leaves.
    leaving: [u64; 256],
}

/// The hash of the n-grams of a text; reused from text to text.
#[derive(Clone)]
pub struct RollingHash {
    n: usize,
    seed: u64,
    /// For the ASCII characters, and in the upper half for the others of the noise at hand.
    numbers: Box<Numbers>,
    /// The noise at hand with a byte for each character, if it is not all ASCII.
    codes: Vec<u8>,
    /// The characters beyond ASCII of the noise at hand; the first is coded 128.
    others: Vec<char>,
}

impl RollingHash {
    pub fn new(n: usize, seed: u64) -> Self {
        let seed = mix(seed ^ 0x7061_6765_6B69_6E31);
        let numbers = Box::new(Numbers { entering: [0; 256], leaving: [0; 256] });
        let mut hash = RollingHash { n, seed, numbers, codes: Vec::new(), others: Vec::new() };
        for code in 0..128u8 {
            hash.give(code, char::from(code));
        }
        hash
    }

    fn give(&mut self, code: u8, c: char) {
        let number = self.fresh(c);
        self.numbers.entering[usize::from(code)] = number;
        self.numbers.leaving[usize::from(code)] = number.rotate_left(self.n as u32);
    }

    #[inline]
    fn fresh(&self, c: char) -> u64 {
        mix(self.seed.wrapping_add(u64::from(c) + 1))
    }

    /// Calls `found` with the hash of each n-gram of `noise`, which is UTF-8.
    #[inline(always)]
    pub fn roll(&mut self, noise: &[u8], mut found: impl FnMut(u64)) {
        if noise.is_ascii() {
            self.roll_codes(noise, &mut found);
        } else if let Ok(noise) = std::str::from_utf8(noise) {
            let mut codes = std::mem::take(&mut self.codes);
            if self.code(noise, &mut codes) {
                self.roll_codes(&codes, &mut found);
            } else {
                self.roll_characters(noise, &mut found);
            }
            codes.clear();
            codes.shrink_to(CODES_KEPT);
            self.codes = codes;
        }
    }

    /// Gives each character of `noise` a code of one byte; false if there are too many different ones.
    fn code(&mut self, noise: &str, codes: &mut Vec<u8>) -> bool {
        self.others.clear();
        let mut rest = noise;
        while !rest.is_empty() {
            let (run, after) = rest.split_at(ascii_len(rest.as_bytes()));
            codes.extend_from_slice(run.as_bytes());
            let mut chars = after.chars();
            if let Some(c) = chars.next() {
                let known = self.others.iter().position(|&other| other == c);
                let Ok(code) = u8::try_from(128 + known.unwrap_or(self.others.len())) else { return false };
                if known.is_none() {
                    self.others.push(c);
                    self.give(code, c);
                }
                codes.push(code);
            }
            rest = chars.as_str();
        }
        true
    }

    /// The loop that most of the time goes into: two looks into tables for a character, and no branch.
    #[inline(always)]
    fn roll_codes(&self, codes: &[u8], found: &mut impl FnMut(u64)) {
        let Some((first, rest)) = codes.split_at_checked(self.n) else { return };
        let Numbers { entering, leaving } = &*self.numbers;
        let mut hash = first.iter().fold(0u64, |hash, &code| hash.rotate_left(1) ^ entering[usize::from(code)]);
        found(spread(hash));
        let mut step = |new: u8, old: u8| {
            hash = hash.rotate_left(1) ^ (entering[usize::from(new)] ^ leaving[usize::from(old)]);
            found(spread(hash));
        };
        // By eights, which the compiler unrolls: a loop of single steps is a quarter slower.
        let (eights, last) = rest.as_chunks::<8>();
        let (behind, _) = codes.as_chunks::<8>();
        for (new, old) in eights.iter().zip(behind) {
            new.iter().zip(old).for_each(|(&new, &old)| step(new, old));
        }
        last.iter().zip(&codes[8 * eights.len()..]).for_each(|(&new, &old)| step(new, old));
    }

    /// The same for noise of too many characters to have a byte for each: the last ones' numbers are remembered.
    #[inline(always)]
    fn roll_characters(&self, noise: &str, found: &mut impl FnMut(u64)) {
        // As many as the largest n, so that places wrap around by themselves.
        let mut last = [0u64; 64];
        let mut hash = 0u64;
        for (at, c) in noise.chars().enumerate() {
            let new = self.fresh(c);
            // Before n characters have come, what leaves is nothing.
            let old = last[at.wrapping_sub(self.n) & 63].rotate_left(self.n as u32);
            last[at & 63] = new;
            hash = hash.rotate_left(1) ^ new ^ old;
            if at + 1 >= self.n {
                found(spread(hash));
            }
        }
    }
}

/// How many bytes at the beginning are ASCII.
fn ascii_len(bytes: &[u8]) -> usize {
    let (blocks, _) = bytes.as_chunks::<16>();
    let whole = 16 * blocks.iter().take_while(|block| block.is_ascii()).count();
    whole + bytes[whole..].iter().take_while(|b| b.is_ascii()).count()
}

/// A buffer for codes larger than this is not kept for the next page.
const CODES_KEPT: usize = 4 << 20;

/// A permutation of 64 bits that breaks up what neighbouring n-grams have in common.
#[inline(always)]
fn spread(hash: u64) -> u64 {
    let product = hash.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    product ^ product >> 32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn grams(noise: &str, n: usize) -> Vec<u64> {
        let mut all = Vec::new();
        RollingHash::new(n, 0).roll(noise.as_bytes(), |g| all.push(g));
        all
    }

    /// More characters than a byte has codes for are hashed like the few.
    #[test]
    fn many_characters_hash_like_few() {
        let many: Vec<char> = (0..300).filter_map(|i| char::from_u32(0x2200 + i % 150)).collect();
        let rolled = grams(&many.iter().collect::<String>(), 5);
        let anew: Vec<u64> = many.windows(5).flat_map(|w| grams(&w.iter().collect::<String>(), 5)).collect();
        assert_eq!(rolled, anew);
    }

    proptest! {
        /// One hash for many texts: what came before does not matter.
        #[test]
        fn nothing_is_left_of_another_text(before in "[<>/«»。☃]{0,50}", noise in "[<>☃★ ]{0,50}") {
            let mut hash = RollingHash::new(3, 0);
            hash.roll(before.as_bytes(), |_| ());
            let mut after = Vec::new();
            hash.roll(noise.as_bytes(), |g| after.push(g));
            prop_assert_eq!(after, grams(&noise, 3));
        }

        /// Rolled is the same as hashed anew, whatever comes before: equal n-grams, equal hashes, and only those.
        #[test]
        fn rolling_is_a_function_of_the_gram(noise in "[<>/= «。]{0,80}", n in 1usize..12) {
            let chars: Vec<char> = noise.chars().collect();
            let rolled = grams(&noise, n);
            let windows: Vec<String> = chars.windows(n).map(|w| w.iter().collect()).collect();
            prop_assert_eq!(rolled.len(), windows.len());
            for (gram, hash) in windows.iter().zip(&rolled) {
                prop_assert_eq!(grams(gram, n), vec![*hash]);
            }
            for (i, a) in windows.iter().enumerate() {
                for (j, b) in windows.iter().enumerate() {
                    prop_assert_eq!(a == b, rolled[i] == rolled[j]);
                }
            }
        }
    }
}
