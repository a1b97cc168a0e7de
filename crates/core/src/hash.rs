//! Hashes of numbers, words and sequences of words.

/// The finaliser of splitmix64: a permutation of 64 bits in which every bit depends on every bit.
#[inline(always)]
pub fn mix(mut x: u64) -> u64 {
    x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ x >> 31
}

/// A base whose powers differ as much as they can: 5 more than a multiple of 8.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;

/// The hash of the word `bytes[begin..end]`: eight bytes at a time, mixed. Words of up to eight bytes and one length never
/// collide.
#[inline(always)]
pub fn word_hash(bytes: &[u8], begin: usize, end: usize, seed: u64) -> u64 {
    let length = end - begin;
    let mut hash = seed.wrapping_add((length as u64).wrapping_mul(BASE));
    let mut at = begin;
    loop {
        let left = end - at;
        // The buffer goes on behind the word, mostly.
        let chunk = match bytes.get(at..at + 8).and_then(|chunk| chunk.first_chunk()) {
            Some(&chunk) if left >= 8 => u64::from_le_bytes(chunk),
            Some(&chunk) => u64::from_le_bytes(chunk) & ((1 << (8 * left)) - 1),
            None => bytes[at..end].iter().rev().fold(0, |chunk, &b| chunk << 8 | u64::from(b)),
        };
        hash = mix(hash ^ chunk);
        if left <= 8 {
            return hash;
        }
        at += 8;
    }
}

/// 64 bits that stand for a sequence of names. Never zero, which is left for what has no name.
pub fn name_hash<'a>(names: impl IntoIterator<Item = &'a str>) -> u64 {
    names.into_iter().fold(0x6E61_6D65, |hash, name| word_hash(name.as_bytes(), 0, name.len(), hash)).max(1)
}

/// Rolls the hash of k consecutive words: the words' hashes are the digits of a number.
#[derive(Clone, Copy)]
pub struct WordRoller {
    /// What a digit has been multiplied by when it leaves: the base to the power of k.
    leaving: u64,
}

impl WordRoller {
    pub fn new(k: usize) -> Self {
        WordRoller { leaving: BASE.wrapping_pow(k as u32) }
    }

    /// The number of the first k words.
    #[inline(always)]
    pub fn start(&self, words: &[u64]) -> u64 {
        words.iter().fold(0, |number, word| number.wrapping_mul(BASE).wrapping_add(*word))
    }

    /// The number when the word `old` leaves at the front and `new` enters at the end.
    #[inline(always)]
    pub fn slide(&self, number: u64, old: u64, new: u64) -> u64 {
        number.wrapping_mul(BASE).wrapping_add(new.wrapping_sub(old.wrapping_mul(self.leaving)))
    }
}
