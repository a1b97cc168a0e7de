//! Finding one byte that is probably near.
//!
//! Between tags there are a few dozen bytes: too few for the call into `memchr` to pay, which takes over from there.

/// Where `byte` is next, from `from` on.
#[inline(always)]
pub fn find(byte: u8, bytes: &[u8], from: usize) -> Option<usize> {
    #[cfg(simd_x86)]
    {
        use std::arch::x86_64::*;
        const BLOCK: usize = 16;
        let mut at = from;
        for _ in 0..4 {
            let Some(block) = bytes.get(at..at + BLOCK) else { break };
            // SAFETY: SSE2 is part of x86-64, and the slice is as long as the register.
            let equal = unsafe {
                let block = _mm_loadu_si128(block.as_ptr().cast());
                _mm_movemask_epi8(_mm_cmpeq_epi8(block, _mm_set1_epi8(byte as i8)))
            };
            if equal != 0 {
                return Some(at + equal.trailing_zeros() as usize);
            }
            at += BLOCK;
        }
        memchr::memchr(byte, &bytes[at..]).map(|found| at + found)
    }
    #[cfg(not(simd_x86))]
    memchr::memchr(byte, &bytes[from..]).map(|found| from + found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place() {
        for len in 0..150 {
            let mut bytes = vec![b'a'; len];
            for from in 0..=len {
                assert_eq!(find(b'<', &bytes, from), None);
            }
            for place in 0..len {
                bytes[place] = b'<';
                for from in 0..=len {
                    assert_eq!(find(b'<', &bytes, from), (from <= place).then_some(place));
                }
                bytes[place] = b'a';
            }
        }
    }
}
