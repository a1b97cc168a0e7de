//! Sixteen ASCII bytes at a time: which are alphanumeric, and moving the chosen ones together.
//!
//! Noise keeps what words leave out, so both use this. Everything here needs SSSE3 and POPCNT, which
//! every x86-64 CPU of the last fifteen years has; `available` tells. Other CPUs take the plain loops beside the callers.

use std::arch::x86_64::*;

pub const BLOCK: usize = 16;

/// The CPU has what the functions below need.
pub fn available() -> bool {
    std::arch::is_x86_feature_detected!("ssse3") && std::arch::is_x86_feature_detected!("popcnt")
}

/// For each set of 8 bytes that stay, the shuffle that moves them together.
static SHUFFLES: [[u8; 8]; 256] = {
    let mut table = [[0x80u8; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut bit, mut to) = (0, 0);
        while bit < 8 {
            if mask >> bit & 1 == 1 {
                table[mask][to] = bit as u8;
                to += 1;
            }
            bit += 1;
        }
        mask += 1;
    }
    table
};

/// The block at `at`, if there is a whole one and it is all ASCII.
#[inline]
#[target_feature(enable = "ssse3,popcnt")]
pub fn ascii_block(bytes: &[u8], at: usize) -> Option<__m128i> {
    let block: &[u8; BLOCK] = bytes.get(at..at + BLOCK)?.try_into().ok()?;
    // SAFETY: the array is as long as the register, and unaligned access is allowed.
    let block = unsafe { _mm_loadu_si128(block.as_ptr().cast()) };
    (_mm_movemask_epi8(block) == 0).then_some(block)
}

/// One bit for each alphanumeric byte of an ASCII block.
#[inline]
#[target_feature(enable = "ssse3,popcnt")]
pub fn alphanumeric(block: __m128i) -> u32 {
    // ASCII is positive, so signed comparisons do.
    let between = |block, low: u8, high: u8| {
        let above = _mm_cmpgt_epi8(block, _mm_set1_epi8(low as i8 - 1));
        _mm_and_si128(above, _mm_cmplt_epi8(block, _mm_set1_epi8(high as i8 + 1)))
    };
    let letter = between(lower(block), b'a', b'z');
    let digit = between(block, b'0', b'9');
    _mm_movemask_epi8(_mm_or_si128(letter, digit)) as u32
}

/// Lower case, for the alphanumeric bytes of an ASCII block.
#[inline]
#[target_feature(enable = "ssse3,popcnt")]
pub fn lower(block: __m128i) -> __m128i {
    _mm_or_si128(block, _mm_set1_epi8(0x20))
}

/// Writes the bytes whose bits are set, one behind the other. `out` is overwritten for a whole block.
#[inline]
#[target_feature(enable = "ssse3,popcnt")]
pub fn compact(block: __m128i, stay: u32, out: &mut [u8; BLOCK]) {
    let (low, high) = ((stay & 0xFF) as usize, (stay >> 8 & 0xFF) as usize);
    // SAFETY: a row of the table and each half are 8 bytes; at most 8 bytes come before the second half.
    unsafe {
        let to = out.as_mut_ptr();
        let row = |mask: usize| _mm_loadl_epi64(SHUFFLES[mask].as_ptr().cast());
        _mm_storel_epi64(to.cast(), _mm_shuffle_epi8(block, row(low)));
        let upper = _mm_shuffle_epi8(_mm_srli_si128(block, 8), row(high));
        _mm_storel_epi64(to.add(low.count_ones() as usize).cast(), upper);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mask() {
        if !available() {
            return;
        }
        let bytes: [u8; BLOCK] = *b"0123456789abcdef";
        for stay in 0..=0xFFFFu32 {
            let mut out = [0; BLOCK];
            // SAFETY: the features are there.
            unsafe { compact(ascii_block(&bytes, 0).unwrap(), stay, &mut out) };
            let expected: Vec<u8> = (0..BLOCK).filter(|i| stay >> i & 1 == 1).map(|i| bytes[i]).collect();
            assert_eq!(&out[..expected.len()], expected);
        }
    }

    #[test]
    fn every_ascii_byte() {
        if !available() {
            return;
        }
        for b in 0..128u8 {
            // SAFETY: the features are there.
            let found = unsafe { alphanumeric(ascii_block(&[b; BLOCK], 0).unwrap()) };
            assert_eq!(found, if b.is_ascii_alphanumeric() { 0xFFFF } else { 0 }, "{b}");
        }
    }
}
