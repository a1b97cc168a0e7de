//! Character references: `&amp;`, `&#233;`, `&#x1F600;` and the 2,231 names of the HTML standard.

use std::borrow::Cow;
use std::sync::LazyLock;

use hashbrown::HashMap;

/// What a reference stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expansion {
    /// A numeric reference.
    Char(char),
    /// A named one; some names stand for two characters.
    Str(&'static str),
}

/// Name (without `&`, with `;` where it has one) to characters.
static NAMED: LazyLock<HashMap<&'static [u8], &'static str>> =
    LazyLock::new(|| entities::ENTITIES.iter().map(|e| (&e.entity.as_bytes()[1..], e.characters)).collect());

/// The longest name, and the longest of those that need no semicolon.
const LONGEST: usize = 31;
const LONGEST_BARE: usize = 6;

/// Numeric references 0x80 to 0x9F, which the web writes in windows-1252. Zero: no such character there.
const WINDOWS_1252: [u16; 32] = [
    0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0, 0,
    0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
];

/// Decodes the reference that begins with the `&` at `at`; returns what it stands for and where it ends.
///
/// `None`: not a reference, the `&` is text.
pub fn reference(bytes: &[u8], at: usize, in_attribute: bool) -> Option<(Expansion, usize)> {
    let rest = &bytes[at + 1..];
    match rest.first()? {
        b'#' => numeric(rest).map(|(c, len)| (Expansion::Char(c), at + 1 + len)),
        b if b.is_ascii_alphanumeric() => named(rest, in_attribute).map(|(s, len)| (Expansion::Str(s), at + 1 + len)),
        _ => None,
    }
}

fn numeric(rest: &[u8]) -> Option<(char, usize)> {
    let (radix, begin) = match rest.get(1)? {
        b'x' | b'X' => (16, 2),
        _ => (10, 1),
    };
    let mut end = begin;
    let mut code = 0u32;
    while let Some(digit) = rest.get(end).and_then(|&b| char::from(b).to_digit(radix)) {
        code = code.saturating_mul(radix).saturating_add(digit);
        end += 1;
    }
    if end == begin {
        return None;
    }
    if rest.get(end) == Some(&b';') {
        end += 1;
    }
    if let 0x80..=0x9F = code
        && let mapped @ 1.. = WINDOWS_1252[(code - 0x80) as usize]
    {
        code = u32::from(mapped);
    }
    let c = char::from_u32(code).filter(|&c| c != '\0').unwrap_or(char::REPLACEMENT_CHARACTER);
    Some((c, end))
}

fn named(rest: &[u8], in_attribute: bool) -> Option<(&'static str, usize)> {
    let window = &rest[..rest.len().min(LONGEST + 1)];
    let len = window.iter().position(|b| !b.is_ascii_alphanumeric()).unwrap_or(window.len());
    if window.get(len) == Some(&b';')
        && let Some(found) = common(&window[..len]).or_else(|| NAMED.get(&window[..=len]).copied())
    {
        return Some((found, len + 1));
    }
    (2..=len.min(LONGEST_BARE)).rev().find_map(|len| {
        let found = NAMED.get(&window[..len])?;
        let next = rest.get(len).copied().unwrap_or(b' ');
        let part_of_query = in_attribute && (next == b'=' || next.is_ascii_alphanumeric());
        (!part_of_query).then_some((*found, len))
    })
}

/// The handful that pages are full of, without a look into the table.
fn common(name: &[u8]) -> Option<&'static str> {
    Some(match name {
        b"amp" => "&",
        b"lt" => "<",
        b"gt" => ">",
        b"quot" => "\"",
        b"nbsp" => "\u{A0}",
        _ => return None,
    })
}

/// An attribute's value with its references decoded (and zero bytes replaced, as the standard has it).
pub fn attribute_value(value: &str) -> Cow<'_, str> {
    if memchr::memchr2(b'&', 0, value.as_bytes()).is_none() {
        return Cow::Borrowed(value);
    }
    let value = &*value.replace('\0', "\u{FFFD}");
    let bytes = value.as_bytes();
    let mut out = String::with_capacity(value.len());
    let mut copied = 0;
    for at in memchr::memchr_iter(b'&', bytes) {
        if at < copied {
            continue;
        }
        if let Some((expansion, end)) = reference(bytes, at, true) {
            out.push_str(&value[copied..at]);
            match expansion {
                Expansion::Char(c) => out.push(c),
                Expansion::Str(s) => out.push_str(s),
            }
            copied = end;
        }
    }
    out.push_str(&value[copied..]);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(s: &str, in_attribute: bool) -> Option<(Expansion, usize)> {
        reference(s.as_bytes(), 0, in_attribute)
    }

    #[test]
    fn table_is_whole() {
        assert_eq!(NAMED.len(), 2231);
        assert_eq!(NAMED.keys().map(|k| k.len() - usize::from(k.ends_with(b";"))).max(), Some(LONGEST));
        assert_eq!(NAMED.keys().filter(|k| !k.ends_with(b";")).map(|k| k.len()).max(), Some(LONGEST_BARE));
        for name in [&b"amp"[..], b"lt", b"gt", b"quot", b"nbsp"] {
            assert_eq!(common(name), NAMED.get(&[name, b";"].concat()[..]).copied());
        }
    }

    #[test]
    fn named_references() {
        assert_eq!(decode("&eacute;x", false), Some((Expansion::Str("é"), 8)));
        assert_eq!(decode("&notit;", false), Some((Expansion::Str("¬"), 4)));
        assert_eq!(decode("&notin;", false), Some((Expansion::Str("∉"), 7)));
        assert_eq!(decode("&amp", false), Some((Expansion::Str("&"), 4)));
        assert_eq!(decode("&nGt;", false), Some((Expansion::Str("≫\u{20D2}"), 5)));
        assert_eq!(decode("&copy=2", true), None);
        assert_eq!(decode("&copy=2", false), Some((Expansion::Str("©"), 5)));
        assert_eq!(decode("&copy;=2", true), Some((Expansion::Str("©"), 6)));
        assert_eq!(decode("& b", false), None);
        assert_eq!(decode("&", false), None);
        assert_eq!(decode("&zzz;", false), None);
    }

    #[test]
    fn numeric_references() {
        assert_eq!(decode("&#233;", false), Some((Expansion::Char('é'), 6)));
        assert_eq!(decode("&#xE9", false), Some((Expansion::Char('é'), 5)));
        assert_eq!(decode("&#128;", false), Some((Expansion::Char('€'), 6)));
        assert_eq!(decode("&#129;", false), Some((Expansion::Char('\u{81}'), 6)));
        for bad in ["&#0;", "&#xD800;", "&#x110000;", "&#99999999999;"] {
            assert_eq!(decode(bad, false).unwrap().0, Expansion::Char('\u{FFFD}'), "{bad}");
        }
        assert_eq!(decode("&#;", false), None);
        assert_eq!(decode("&#x;", false), None);
    }

    #[test]
    fn attribute_values() {
        assert_eq!(attribute_value("?a=1&amp;b=2&copy=3&#38;"), "?a=1&b=2&copy=3&");
        assert_eq!(attribute_value("plain"), "plain");
        assert_eq!(attribute_value("\0&lt;"), "\u{FFFD}<");
    }
}
