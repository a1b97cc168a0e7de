//! Writing visible text: white space collapsed, breaks kept, character references decoded.

use crate::page::html::entities::{Expansion, reference};
use crate::page::text::chars::char_at;

/// What stands between what was written and what comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Pending {
    None,
    Space,
    Break,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Written as it is.
    Visible,
    /// ASCII white space and control characters.
    Space,
    /// Line feed and carriage return.
    Line,
    /// Perhaps a character reference.
    Ampersand,
    /// First byte of a character that may be white space or a control character beyond ASCII.
    Lead,
}

const CLASS: [Class; 256] = {
    let mut table = [Class::Visible; 256];
    let mut b = 0;
    while b <= 0x20 {
        table[b] = Class::Space;
        b += 1;
    }
    table[0x7F] = Class::Space;
    table[b'\n' as usize] = Class::Line;
    table[b'\r' as usize] = Class::Line;
    table[b'&' as usize] = Class::Ampersand;
    // U+0080..U+00BF, U+1680, U+2000..U+205F, U+3000 begin with these.
    table[0xC2] = Class::Lead;
    table[0xE1] = Class::Lead;
    table[0xE2] = Class::Lead;
    table[0xE3] = Class::Lead;
    table
};

/// Collects the text of one page.
pub struct TextWriter {
    out: Vec<u8>,
    pending: Pending,
    lines_count: bool,
}

impl TextWriter {
    /// An empty text with room for `capacity` bytes.
    pub fn with_capacity(capacity: usize) -> Self {
        TextWriter { out: Vec::with_capacity(capacity), pending: Pending::None, lines_count: false }
    }

    /// Begins a new line before what comes next.
    #[inline]
    pub fn line_break(&mut self) {
        self.pending = Pending::Break;
    }

    /// Puts a space before what comes next.
    #[inline]
    pub fn space(&mut self) {
        self.pending = self.pending.max(Pending::Space);
    }

    /// From here on line feeds break the line, or no longer do.
    #[inline]
    pub fn count_lines(&mut self, count: bool) {
        self.lines_count = count;
    }

    /// Writes a piece of the page that holds no tags. `segment` must begin and end at characters.
    pub fn write(&mut self, segment: &[u8], references: bool) {
        let mut at = 0;
        while let Some(&b) = segment.get(at) {
            match CLASS[usize::from(b)] {
                Class::Visible => {
                    self.fill_gap();
                    at = self.copy_visible(segment, at);
                }
                Class::Space => {
                    self.space();
                    at += 1;
                }
                Class::Line => {
                    self.line_feed();
                    at += 1;
                }
                Class::Ampersand => match references.then(|| reference(segment, at, false)).flatten() {
                    Some((expansion, end)) => {
                        match expansion {
                            Expansion::Char(c) => self.write_char(c),
                            Expansion::Str(s) => s.chars().for_each(|c| self.write_char(c)),
                        }
                        at = end;
                    }
                    None => {
                        self.write_char('&');
                        at += 1;
                    }
                },
                Class::Lead => {
                    let (c, next) = char_at(segment, at);
                    self.write_char(c);
                    at = next;
                }
            }
        }
    }

    /// Copies visible characters and single blanks between them, from a visible one on; returns where it stopped.
    #[inline]
    fn copy_visible(&mut self, segment: &[u8], begin: usize) -> usize {
        let at = self.copy_visible_blocks(segment, begin);
        let mut end = at;
        while segment.get(end).is_some_and(|&b| CLASS[usize::from(b)] == Class::Visible) {
            end += 1;
        }
        self.out.extend_from_slice(&segment[at..end]);
        end
    }

    #[cfg(not(simd_x86))]
    fn copy_visible_blocks(&mut self, _: &[u8], begin: usize) -> usize {
        begin
    }

    /// Whole blocks: as long as every blank stands alone, it can be written at once.
    #[cfg(simd_x86)]
    #[inline]
    fn copy_visible_blocks(&mut self, segment: &[u8], begin: usize) -> usize {
        use std::arch::x86_64::*;
        const BLOCK: usize = 16;
        let mut at = begin;
        while let Some(block) = segment.get(at..at + BLOCK) {
            // SAFETY: SSE2 is part of x86-64, and both slices are as long as the register.
            let (len, written) = unsafe {
                let block = _mm_loadu_si128(block.as_ptr().cast());
                let is = |b: u8| _mm_cmpeq_epi8(block, _mm_set1_epi8(b as i8));
                let or = |a, b| _mm_or_si128(a, b);
                let low = _mm_cmpeq_epi8(_mm_max_epu8(block, _mm_set1_epi8(0x20)), _mm_set1_epi8(0x20));
                let lines = or(is(b'\n'), is(b'\r'));
                let blanks = or(lines, or(is(b' '), is(b'\t')));
                let leads = _mm_cmpeq_epi8(
                    _mm_min_epu8(_mm_max_epu8(block, _mm_set1_epi8(0xE1u8 as i8)), _mm_set1_epi8(0xE3u8 as i8)),
                    block,
                );
                let special = or(or(_mm_andnot_si128(blanks, low), leads), or(or(is(b'&'), is(0x7F)), is(0xC2)));
                let blank = _mm_movemask_epi8(blanks) as u32;
                let special = _mm_movemask_epi8(special) as u32;
                // Stop at what is special, and at a blank that is not followed by a visible byte of this block.
                let stop = special | blank & ((blank | special) >> 1) | blank & 1 << (BLOCK - 1) | 1 << BLOCK;
                let len = stop.trailing_zeros() as usize;
                let plain = _mm_andnot_si128(blanks, block);
                let line = if self.lines_count { b'\n' } else { b' ' };
                let gaps = or(
                    _mm_and_si128(lines, _mm_set1_epi8(line as i8)),
                    _mm_and_si128(_mm_andnot_si128(lines, blanks), _mm_set1_epi8(b' ' as i8)),
                );
                let mut written = [0u8; BLOCK];
                _mm_storeu_si128(written.as_mut_ptr().cast(), or(plain, gaps));
                (len, written)
            };
            self.out.extend_from_slice(&written);
            self.out.truncate(self.out.len() - BLOCK + len);
            at += len;
            if len < BLOCK {
                break;
            }
        }
        at
    }

    fn write_char(&mut self, c: char) {
        if c == '\n' || c == '\r' {
            self.line_feed();
        } else if is_blank(c) {
            self.space();
        } else {
            self.fill_gap();
            self.out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }

    #[inline]
    fn line_feed(&mut self) {
        if self.lines_count { self.line_break() } else { self.space() }
    }

    #[inline(always)]
    fn fill_gap(&mut self) {
        if self.pending != Pending::None {
            if !self.out.is_empty() {
                self.out.push(if self.pending == Pending::Break { b'\n' } else { b' ' });
            }
            self.pending = Pending::None;
        }
    }

    pub fn finish(mut self) -> String {
        self.out.shrink_to_fit();
        String::from_utf8(self.out).expect("only whole characters are written")
    }
}

/// White space and control characters, which all collapse.
pub fn is_blank(c: char) -> bool {
    c.is_whitespace() || c.is_control()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn collapsed(segment: &str) -> String {
        let mut writer = TextWriter::with_capacity(0);
        writer.write(segment.as_bytes(), false);
        writer.finish()
    }

    #[test]
    fn lead_bytes_cover_every_blank() {
        for c in (0x80..=0x10FFFF).filter_map(char::from_u32).filter(|&c| is_blank(c)) {
            let first = c.to_string().as_bytes()[0];
            assert!(CLASS[usize::from(first)] == Class::Lead, "{:04X}", c as u32);
        }
    }

    #[test]
    fn gaps() {
        let mut writer = TextWriter::with_capacity(0);
        writer.line_break();
        writer.write(b" a\nb &amp; c&nbsp;&#10;d ", true);
        writer.space();
        writer.line_break();
        writer.space();
        writer.count_lines(true);
        writer.write("e\n\n f\u{3000}漢".as_bytes(), true);
        writer.line_break();
        assert_eq!(writer.finish(), "a b & c d\ne\nf 漢");
    }

    proptest! {
        #[test]
        fn collapses(segment in "[a-d \\n\\t]{0,99}|([ a-c\\t\\n\\r\u{0}\u{85}\u{A0}\u{3000}\u{2028}é漢]|\\PC){0,60}") {
            let expected: Vec<&str> = segment.split(is_blank).filter(|w| !w.is_empty()).collect();
            prop_assert_eq!(collapsed(&segment), expected.join(" "));
        }
    }
}
