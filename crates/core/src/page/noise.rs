//! Noise: the HTML without its alphanumeric characters.
//!
//! Most of a page is ASCII, of which this pass keeps about a third: blocks of 16 bytes are compacted by one shuffle
//! per half where the CPU has it ([`crate::simd::blocks`]), and by a loop without branches elsewhere.

use std::ops::Range;

use crate::page::html::extract::extract;
use crate::page::text::chars::{CharClass, CharClasses, char_at};
#[cfg(simd_x86)]
use crate::simd::blocks;

const BLOCK: usize = 16;

/// A buffer larger than this is not kept for the next page.
const HUGE: usize = 4 << 20;

/// The noise of one page, in a buffer that is reused from page to page.
#[derive(Clone, Default)]
pub struct Noise {
    buffer: Vec<u8>,
    len: usize,
    chars: usize,
}

impl Noise {
    /// Replaces the content by the noise of `html`.
    pub fn fill(&mut self, html: &str) {
        self.fill_without(html, &[]);
    }

    /// The same without some parts of it, which are in order and begin and end at whole characters.
    pub fn fill_without(&mut self, html: &str, holes: &[Range<usize>]) {
        // A block is always written whole, so there must be room for one behind the last byte.
        if self.buffer.len() < html.len() + BLOCK {
            self.buffer.resize(html.len() + BLOCK, 0);
        }
        (self.len, self.chars) = (0, 0);
        let mut from = 0;
        for hole in holes {
            self.append(&html.as_bytes()[from..hole.start]);
            from = hole.end;
        }
        self.append(&html.as_bytes()[from..]);
    }

    fn append(&mut self, bytes: &[u8]) {
        let classes = CharClasses::get();
        let compact = compactor();
        let before = self.len;
        let (mut at, mut len, mut continuation) = (0, before, 0);
        while at < bytes.len() {
            let (read, written) = compact(&bytes[at..], &mut self.buffer[len..]);
            at += read;
            len += written;
            while at < bytes.len() && !bytes[at].is_ascii() {
                let (c, next) = char_at(bytes, at);
                if classes.of(c) == CharClass::Noise {
                    self.buffer[len..len + next - at].copy_from_slice(&bytes[at..next]);
                    len += next - at;
                    continuation += next - at - 1;
                }
                at = next;
            }
        }
        self.len = len;
        self.chars += len - before - continuation;
    }

    /// Gives back a buffer that only a huge page needed.
    pub fn release(&mut self) {
        if self.buffer.len() > HUGE {
            *self = Noise::default();
        }
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.buffer[..self.len]
    }

    pub fn chars(&self) -> usize {
        self.chars
    }
}

/// The noise of `html`; with or without that of the contents of scripts, style sheets and drawings.
pub fn noise(html: &str, scripts: bool) -> String {
    let mut noise = Noise::default();
    if scripts {
        noise.fill(html);
    } else {
        noise.fill_without(html, &extract(html).code);
    }
    String::from_utf8(noise.as_bytes().to_vec()).expect("whole characters were copied from a str")
}

/// Copies the noise of the ASCII bytes at the beginning of the input; returns how many were read and written.
type Compact = fn(&[u8], &mut [u8]) -> (usize, usize);

fn compactor() -> Compact {
    #[cfg(simd_x86)]
    if blocks::available() {
        // SAFETY: the features were just detected.
        return |bytes, out| unsafe { compact_blocks(bytes, out) };
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

#[cfg(simd_x86)]
#[target_feature(enable = "ssse3,popcnt")]
fn compact_blocks(bytes: &[u8], out: &mut [u8]) -> (usize, usize) {
    let (mut at, mut len) = (0, 0);
    while let Some(block) = blocks::ascii_block(bytes, at)
        && let Some(to) = out[len..].first_chunk_mut()
    {
        let stay = !blocks::alphanumeric(block) & 0xFFFF;
        blocks::compact(block, stay, to);
        len += stay.count_ones() as usize;
        at += BLOCK;
    }
    // The rest up to the first character beyond ASCII.
    let rest = &bytes[at..bytes.len().min(at + BLOCK)];
    let (read, written) = compact_plain(rest, &mut out[len..]);
    (at + read, len + written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn noise_of(html: &str) -> String {
        noise(html, true)
    }

    #[test]
    fn code_is_left_out_where_it_is_not_wanted() {
        let page = "<p>a<script src='x'>if (a < b) { c(); }</script>b<STYLE>p { x: 1 }</style><textarea>{}</textarea>";
        assert_eq!(noise(page, false), "<>< =''></><></><>{}</>");
        assert_eq!(noise("<script>{open", false), "<>");
        assert_eq!(noise("<p>;</p>", false), noise("<p>;</p>", true));
    }

    #[test]
    fn keeps_all_but_alphanumerics() {
        assert_eq!(noise_of("<p class=\"x1\">Été,\n 漢字。</p>"), "< =\"\">,\n 。</>");
        assert_eq!(noise_of(""), "");
    }

    #[test]
    fn every_ascii_byte_in_every_place() {
        let all: String = (0..128u8).map(char::from).collect();
        let expected: String = all.chars().filter(|c| !c.is_alphanumeric()).collect();
        for shift in 0..BLOCK {
            let padding = " ".repeat(shift);
            assert_eq!(noise_of(&format!("{padding}{all}")), format!("{padding}{expected}"));
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
