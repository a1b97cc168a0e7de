//! Noise: the HTML without its alphanumeric characters.
//!
//! Most of a page is ASCII, of which this pass keeps about a third: blocks of 16 bytes are compacted by one shuffle
//! per half where the CPU has it, and by a loop without branches elsewhere.

use crate::chars::{Kind, Kinds, char_at};

/// Bytes handled at once.
const BLOCK: usize = 16;

/// The noise of one page, in a buffer that is reused from page to page.
#[derive(Default)]
pub struct Noise {
    buffer: Vec<u8>,
    len: usize,
    chars: usize,
}

impl Noise {
    /// Replaces the content by the noise of `html`.
    pub fn fill(&mut self, html: &str) {
        let bytes = html.as_bytes();
        // A block is always written whole, so there must be room for one behind the last byte.
        if self.buffer.len() < bytes.len() + BLOCK {
            self.buffer.resize(bytes.len() + BLOCK, 0);
        }
        let kinds = Kinds::get();
        let compact = compactor();
        let (mut at, mut len, mut continuation) = (0, 0, 0);
        while at < bytes.len() {
            let (read, written) = compact(&bytes[at..], &mut self.buffer[len..]);
            at += read;
            len += written;
            while at < bytes.len() && !bytes[at].is_ascii() {
                let (c, next) = char_at(bytes, at);
                if kinds.of(c) == Kind::Noise {
                    self.buffer[len..len + next - at].copy_from_slice(&bytes[at..next]);
                    len += next - at;
                    continuation += next - at - 1;
                }
                at = next;
            }
        }
        self.len = len;
        self.chars = len - continuation;
    }

    /// The noise as UTF-8.
    pub fn as_bytes(&self) -> &[u8] {
        &self.buffer[..self.len]
    }

    /// Its number of characters.
    pub fn chars(&self) -> usize {
        self.chars
    }
}

/// The noise of `html`.
pub fn noise(html: &str) -> String {
    let mut noise = Noise::default();
    noise.fill(html);
    String::from_utf8(noise.as_bytes().to_vec()).expect("whole characters were copied from a str")
}

/// Copies the noise of the ASCII bytes at the beginning of the input; returns how many were read and written.
type Compact = fn(&[u8], &mut [u8]) -> (usize, usize);

fn compactor() -> Compact {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("ssse3") && std::arch::is_x86_feature_detected!("popcnt") {
        // SAFETY: the features were just detected.
        return |bytes, out| unsafe { shuffled::compact(bytes, out) };
    }
    compact_plain
}

/// Any CPU: every byte is written, and the ones that stay move the end.
fn compact_plain(bytes: &[u8], out: &mut [u8]) -> (usize, usize) {
    let ascii = bytes.iter().position(|b| !b.is_ascii()).unwrap_or(bytes.len());
    let mut len = 0;
    for &b in &bytes[..ascii] {
        out[len] = b;
        len += usize::from(!b.is_ascii_alphanumeric());
    }
    (ascii, len)
}

#[cfg(target_arch = "x86_64")]
mod shuffled {
    use super::{BLOCK, compact_plain};
    use std::arch::x86_64::*;

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

    /// # Safety
    /// The CPU must have SSSE3 and POPCNT.
    #[target_feature(enable = "ssse3,popcnt")]
    pub unsafe fn compact(bytes: &[u8], out: &mut [u8]) -> (usize, usize) {
        let (mut at, mut len) = (0, 0);
        while at + BLOCK <= bytes.len() && len + BLOCK <= out.len() {
            // SAFETY: both ranges were just checked, and unaligned access is allowed.
            let block = unsafe { _mm_loadu_si128(bytes.as_ptr().add(at).cast()) };
            if _mm_movemask_epi8(block) != 0 {
                break;
            }
            // ASCII is positive, so signed comparisons do.
            let folded = _mm_or_si128(block, _mm_set1_epi8(0x20));
            let letter = between(folded, b'a', b'z');
            let digit = between(block, b'0', b'9');
            let stays = !_mm_movemask_epi8(_mm_or_si128(letter, digit)) as usize & 0xFFFF;
            let (low, high) = (stays & 0xFF, stays >> 8);
            let low_len = low.count_ones() as usize;
            // SAFETY: a half is 8 bytes, and at most 8 were written before the second one: within the block checked above.
            unsafe {
                let to = out.as_mut_ptr().add(len);
                _mm_storel_epi64(to.cast(), _mm_shuffle_epi8(block, half(low)));
                let upper = _mm_srli_si128(block, 8);
                _mm_storel_epi64(to.add(low_len).cast(), _mm_shuffle_epi8(upper, half(high)));
            }
            len += stays.count_ones() as usize;
            at += BLOCK;
        }
        // The rest up to the first character beyond ASCII: less than a block, unless that is where we stopped.
        let rest = &bytes[at..bytes.len().min(at + BLOCK)];
        let (read, written) = compact_plain(rest, &mut out[len..]);
        (at + read, len + written)
    }

    #[inline]
    #[target_feature(enable = "ssse3")]
    fn between(block: __m128i, low: u8, high: u8) -> __m128i {
        let above = _mm_cmpgt_epi8(block, _mm_set1_epi8(low as i8 - 1));
        _mm_and_si128(above, _mm_cmplt_epi8(block, _mm_set1_epi8(high as i8 + 1)))
    }

    #[inline]
    #[target_feature(enable = "ssse3")]
    fn half(mask: usize) -> __m128i {
        // SAFETY: the row is 8 bytes long.
        unsafe { _mm_loadl_epi64(SHUFFLES[mask].as_ptr().cast()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn keeps_all_but_alphanumerics() {
        assert_eq!(noise("<p class=\"x1\">Été,\n 漢字。</p>"), "< =\"\">,\n 。</>");
        assert_eq!(noise(""), "");
    }

    #[test]
    fn every_ascii_byte_in_every_place() {
        let all: String = (0..128u8).map(char::from).collect();
        let expected: String = all.chars().filter(|c| !c.is_alphanumeric()).collect();
        for shift in 0..BLOCK {
            let padding = " ".repeat(shift);
            assert_eq!(noise(&format!("{padding}{all}")), format!("{padding}{expected}"));
        }
    }

    proptest! {
        #[test]
        fn is_the_filter(html in "([a-z<>/= \"']|\\PC){0,200}", again in any::<String>()) {
            let mut noise = Noise::default();
            for page in [&html, &again] {
                noise.fill(page);
                let expected: String = page.chars().filter(|c| !c.is_alphanumeric()).collect();
                prop_assert_eq!(noise.chars(), expected.chars().count());
                prop_assert_eq!(noise.as_bytes(), expected.as_bytes());
            }
            let mut out = vec![0; html.len() + BLOCK];
            let (read, written) = compact_plain(html.as_bytes(), &mut out);
            let (fast_read, fast_written) = compactor()(html.as_bytes(), &mut vec![0; html.len() + BLOCK]);
            prop_assert!(fast_read <= read && fast_written <= written);
        }
    }
}
