//! Noise: the HTML without its alphanumeric characters.
//!
//! Most of a page is ASCII, of which this pass keeps about a third: blocks of 16 bytes are compacted by one shuffle
//! per half where the CPU has it ([`crate::simd::blocks`]), and by a loop without branches elsewhere.

use std::ops::Range;

use crate::page::html::content::Content;
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

    /// The same without that of its content. The parts are in order and begin and end at whole characters.
    pub fn fill_without(&mut self, html: &str, content: &[Content]) {
        // A block is always written whole, so there must be room for one behind the last byte.
        if self.buffer.len() < html.len() + BLOCK {
            self.buffer.resize(html.len() + BLOCK, 0);
        }
        (self.len, self.chars) = (0, 0);
        let mut from = 0;
        for part in content {
            // Most texts are a word or two without noise between: they need no cut.
            let Some(cut) = (if part.text { inside(html, &part.at) } else { Some(part.at.clone()) }) else { continue };
            self.append(html, from..cut.start);
            from = cut.end;
        }
        self.append(html, from..html.len());
    }

    fn append(&mut self, html: &str, part: Range<usize>) {
        let (bytes, end) = (html.as_bytes(), part.end);
        let classes = CharClasses::get();
        let compact = compactor();
        let before = self.len;
        let (mut at, mut len, mut continuation) = (part.start, before, 0);
        while at < end {
            let (read, written) = compact(&bytes[at..], end - at, &mut self.buffer[len..]);
            at += read;
            len += written;
            while at < end && !bytes[at].is_ascii() {
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

/// The noise of `html`; with or without that of its content ([`crate::page::html::content`]).
pub fn noise(html: &str, content: bool) -> String {
    let mut noise = Noise::default();
    if content {
        noise.fill(html);
    } else {
        noise.fill_without(html, &extract(html).content);
    }
    String::from_utf8(noise.as_bytes().to_vec()).expect("whole characters were copied from a str")
}

/// Copies the noise of the ASCII bytes at the beginning of the input, of which so many count; returns how many were
/// read and written.
type Compact = fn(&[u8], usize, &mut [u8]) -> (usize, usize);

fn compactor() -> Compact {
    #[cfg(simd_x86)]
    if blocks::available() {
        // SAFETY: the features were just detected.
        return |bytes, wanted, out| unsafe { compact_blocks(bytes, wanted, out) };
    }
    compact_plain
}

/// Any CPU: every byte is written, and the ones that stay move the end.
fn compact_plain(bytes: &[u8], wanted: usize, out: &mut [u8]) -> (usize, usize) {
    let ascii = bytes[..wanted].iter().position(|b| !b.is_ascii()).unwrap_or(wanted);
    let mut len = 0;
    for &b in &bytes[..ascii] {
        out[len] = b;
        len += usize::from(!b.is_ascii_alphanumeric());
    }
    (ascii, len)
}

#[cfg(simd_x86)]
#[target_feature(enable = "ssse3,popcnt")]
fn compact_blocks(bytes: &[u8], wanted: usize, out: &mut [u8]) -> (usize, usize) {
    let (mut at, mut len) = (0, 0);
    while at + BLOCK <= wanted
        && let Some(block) = blocks::ascii_block(bytes, at)
        && let Some(to) = out[len..].first_chunk_mut()
    {
        let stay = !blocks::alphanumeric(block) & 0xFFFF;
        blocks::compact(block, stay, to);
        len += stay.count_ones() as usize;
        at += BLOCK;
    }
    // The last block reaches beyond what is wanted.
    if at < wanted
        && wanted - at < BLOCK
        && let Some(block) = blocks::ascii_block(bytes, at)
        && let Some(to) = out[len..].first_chunk_mut()
    {
        let stay = !blocks::alphanumeric(block) & (0xFFFF >> (BLOCK - (wanted - at)));
        blocks::compact(block, stay, to);
        return (wanted, len + stay.count_ones() as usize);
    }
    // The rest up to the first character beyond ASCII.
    let (read, written) = compact_plain(&bytes[at..], BLOCK.min(wanted - at), &mut out[len..]);
    (at + read, len + written)
}

/// From the first letter or digit of a text to the last, which may be left in; nothing if there is no noise between.
fn inside(html: &str, text: &Range<usize>) -> Option<Range<usize>> {
    #[cfg(simd_x86)]
    if blocks::available()
        // SAFETY: the features were just detected.
        && let Some(found) = unsafe { inside_blocks(html.as_bytes(), text) }
    {
        return found;
    }
    let classes = CharClasses::get();
    let letter = |c: char| classes.of(c) != CharClass::Noise;
    let part = &html[text.clone()];
    Some(text.start + part.find(letter)?..text.start + part.rfind(letter)?)
}

/// The same, if its first and last block are ASCII and have letters.
#[cfg(simd_x86)]
#[inline]
#[target_feature(enable = "ssse3,popcnt")]
fn inside_blocks(bytes: &[u8], text: &Range<usize>) -> Option<Option<Range<usize>>> {
    let first = blocks::alphanumeric(blocks::ascii_block(bytes, text.start)?);
    if text.len() <= BLOCK {
        let letters = first & (0xFFFF >> (BLOCK - text.len()));
        let cut = || {
            let (low, high) = (letters.trailing_zeros(), letters.ilog2());
            let without_noise = (2 << high) - (1 << low) == letters;
            (!without_noise).then(|| text.start + low as usize..text.start + high as usize)
        };
        return Some(if letters == 0 { None } else { cut() });
    }
    let last = blocks::alphanumeric(blocks::ascii_block(bytes, text.end - BLOCK)?);
    let cut = || text.start + first.trailing_zeros() as usize..text.end - BLOCK + last.ilog2() as usize;
    (first != 0 && last != 0).then(|| Some(cut()))
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
        assert_eq!(noise("<p> (a, b; c) <i>d</i>\n<!-- e -->\u{e9}, \u{e9}.</p>", false), "<> () <></>\n<!--  -->.</>");
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
        /// Content anywhere, against the definition: of texts the edges stay, of the rest nothing.
        #[test]
        fn content_is_left_out(
            html in "([a-z<>/= \"'(,)]|\\PC){0,120}",
            cuts in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 0..12),
        ) {
            let ends: Vec<usize> = html.char_indices().map(|(at, _)| at).chain([html.len()]).collect();
            let mut cuts: Vec<(usize, bool)> =
                cuts.iter().map(|(cut, text)| (ends[cut.index(ends.len())], *text)).collect();
            cuts.sort_unstable();
            let content: Vec<Content> =
                cuts.chunks_exact(2).map(|cut| Content { at: cut[0].0..cut[1].0, text: cut[0].1 }).collect();
            let left_out = |at: usize| {
                content.iter().filter(|part| part.at.contains(&at)).any(|part| {
                    let (before, after) = (&html[part.at.start..at], &html[at..part.at.end]);
                    !part.text || before.contains(char::is_alphanumeric) && after.contains(char::is_alphanumeric)
                })
            };
            let expected: String =
                html.char_indices().filter(|(at, c)| !c.is_alphanumeric() && !left_out(*at)).map(|(_, c)| c).collect();
            let mut noise = Noise::default();
            noise.fill_without(&html, &content);
            prop_assert_eq!(noise.chars(), expected.chars().count());
            prop_assert_eq!(noise.as_bytes(), expected.as_bytes());
        }

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
            let (read, written) = compact_plain(html.as_bytes(), html.len(), &mut out);
            let (fast_read, fast_written) =
                compactor()(html.as_bytes(), html.len(), &mut vec![0; html.len() + BLOCK]);
            prop_assert!(fast_read <= read && fast_written <= written);
        }
    }
}
