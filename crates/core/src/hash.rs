//! Hashes of numbers, words and sequences of words.

/// The finaliser of splitmix64: a permutation of 64 bits in which every bit depends on every bit.
#[inline(always)]
pub fn mix(mut x: u64) -> u64 {
    x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ x >> 31
}

/// The hash of one word: eight bytes at a time, the last of them with the length.
///
/// Stored gram indexes hold it. Shingles are hashed by a function of their own (`shingles::minwise::hash_word`), because
/// stored sketches hold that one.
#[inline]
pub fn word_hash(word: &[u8], seed: u64) -> u64 {
    let mut hash = seed;
    let (chunks, rest) = word.as_chunks::<8>();
    for chunk in chunks {
        hash = mix(hash ^ u64::from_le_bytes(*chunk));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    last[7] = rest.len() as u8;
    mix(hash ^ u64::from_le_bytes(last))
}

/// Rolls the hash of k consecutive words: the words' hashes are the digits of a number.
#[derive(Clone, Copy)]
pub struct WordRoller {
    base: u64,
    /// What a digit has been multiplied by when it leaves: the base to the power of k.
    leaving: u64,
}

impl WordRoller {
    pub fn new(base: u64, k: usize) -> Self {
        WordRoller { base, leaving: base.wrapping_pow(k as u32) }
    }

    /// The number of the first k words.
    #[inline(always)]
    pub fn start(&self, words: &[u64]) -> u64 {
        words.iter().fold(0, |number, word| number.wrapping_mul(self.base).wrapping_add(*word))
    }

    /// The number when the word `old` leaves at the front and `new` enters at the end.
    #[inline(always)]
    pub fn slide(&self, number: u64, old: u64, new: u64) -> u64 {
        number.wrapping_mul(self.base).wrapping_add(new.wrapping_sub(old.wrapping_mul(self.leaving)))
    }
}
