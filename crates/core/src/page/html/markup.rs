//! Tags: element names, attributes, and the ends of elements whose content is not markup.

use std::ops::Range;

use crate::simd::find::find;

/// What an element does to the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// Nothing.
    Inline,
    /// Breaks the line.
    Block,
    /// Breaks the line, and line feeds inside break it too.
    Pre,
    /// The same under its old name.
    Listing,
    /// Puts a space.
    Space,
    /// Its content is dropped.
    Raw,
    /// Its content is dropped, and it puts a space.
    RawSpace,
    /// Text without tags, for the title.
    Title,
    /// Text without tags.
    Textarea,
    /// Text without tags and character references.
    Xmp,
    /// The same, to the end of the page.
    Plaintext,
    /// Nothing inside counts.
    Template,
    /// A drawing, whose `title` is not the page's.
    Svg,
    /// `a` and `area`.
    Link,
    Base,
    Meta,
}

/// The elements that do something, by what they do.
const ELEMENTS: &[(Element, &[&str])] = &[
    (Element::Link, &["a", "area"]),
    (
        Element::Block,
        &[
            "address", "article", "aside", "body", "br", "caption", "center", "colgroup", "dd", "details", "dialog",
            "dir", "div", "dl", "dt", "fieldset", "figure", "footer", "form", "frameset", "h1", "h2", "h3", "h4", "h5",
            "h6", "head", "header", "hgroup", "hr", "html", "legend", "li", "main", "menu", "nav", "ol", "optgroup",
            "option", "p", "search", "section", "summary", "table", "tbody", "tfoot", "thead", "tr", "ul",
        ],
    ),
    (Element::Block, &["blockquote", "figcaption"]),
    (Element::Pre, &["pre"]),
    (Element::Listing, &["listing"]),
    (
        Element::Space,
        &["audio", "button", "canvas", "embed", "img", "input", "math", "object", "select", "td", "th", "video"],
    ),
    (Element::Raw, &["script", "style", "noembed", "noframes", "noscript"]),
    (Element::RawSpace, &["iframe"]),
    (Element::Title, &["title"]),
    (Element::Textarea, &["textarea"]),
    (Element::Xmp, &["xmp"]),
    (Element::Plaintext, &["plaintext"]),
    (Element::Template, &["template"]),
    (Element::Svg, &["svg"]),
    (Element::Base, &["base"]),
    (Element::Meta, &["meta"]),
];

/// The longest name in the list.
const LONGEST_NAME: usize = 10;

/// A name of at most `LONGEST_NAME` bytes as a number; letters in lower case.
#[inline(always)]
const fn packed(name: &[u8]) -> u128 {
    let mut number = 0;
    let mut i = 0;
    while i < name.len() {
        number = number << 8 | name[i].to_ascii_lowercase() as u128;
        i += 1;
    }
    number
}

/// Slots of the table below, enough for a multiplication to tell all names apart.
const SLOT_BITS: u32 = 9;
const MULTIPLIER: u64 = 0x54C5_6C9A_9CC9_AF4F;

#[inline(always)]
const fn slot(packed: u128) -> usize {
    let folded = (packed as u64) ^ ((packed >> 64) as u64).rotate_left(23);
    (folded.wrapping_mul(MULTIPLIER) >> (64 - SLOT_BITS)) as usize
}

const TABLE: [(u128, Element); 1 << SLOT_BITS] = {
    let mut table = [(0, Element::Inline); 1 << SLOT_BITS];
    let mut group = 0;
    while group < ELEMENTS.len() {
        let (what, names) = ELEMENTS[group];
        let mut i = 0;
        while i < names.len() {
            let name = packed(names[i].as_bytes());
            assert!(table[slot(name)].0 == 0, "two names in one slot: choose another multiplier");
            table[slot(name)] = (name, what);
            i += 1;
        }
        group += 1;
    }
    table
};

/// What the element of this name does, whatever its case.
#[inline(always)]
pub fn element(name: &[u8]) -> Element {
    if name.len() > LONGEST_NAME {
        return Element::Inline;
    }
    let name = packed(name);
    let (known, what) = TABLE[slot(name)];
    if known == name { what } else { Element::Inline }
}

/// White space inside tags.
#[inline(always)]
pub fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\n' | b'\t' | b'\r' | 0x0C)
}

/// Where the tag name that begins at `at` ends.
#[inline(always)]
pub fn name_end(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    at + rest.iter().position(|&b| is_space(b) || b == b'/' || b == b'>').unwrap_or(rest.len())
}

/// Walks the attributes of a tag from behind its name; returns where the page goes on behind the `>`.
///
/// `None`: the page ends inside the tag.
#[inline(always)]
pub fn attributes(bytes: &[u8], mut at: usize, mut found: impl FnMut(Range<usize>, Range<usize>)) -> Option<usize> {
    loop {
        while is_space(*bytes.get(at)?) || bytes[at] == b'/' {
            at += 1;
        }
        if bytes[at] == b'>' {
            return Some(at + 1);
        }
        let begin = at;
        // An equals sign in the first place belongs to the name.
        at += 1;
        while let b = *bytes.get(at)?
            && !(is_space(b) || b == b'/' || b == b'>' || b == b'=')
        {
            at += 1;
        }
        let name = begin..at;
        while is_space(*bytes.get(at)?) {
            at += 1;
        }
        if bytes[at] != b'=' {
            found(name, at..at);
            continue;
        }
        at += 1;
        while is_space(*bytes.get(at)?) {
            at += 1;
        }
        let value = match bytes[at] {
            quote @ (b'"' | b'\'') => {
                let begin = at + 1;
                let end = find(quote, bytes, begin)?;
                at = end + 1;
                begin..end
            }
            b'>' => at..at,
            _ => {
                let begin = at;
                while let b = *bytes.get(at)?
                    && !is_space(b)
                    && b != b'>'
                {
                    at += 1;
                }
                begin..at
            }
        };
        found(name, value);
    }
}

/// The tag name at `at` is `name`, whole; returns where it ends.
#[inline]
fn named(bytes: &[u8], at: usize, name: &[u8]) -> Option<usize> {
    let end = at + name.len();
    let next = *bytes.get(end)?;
    (bytes[at..end].eq_ignore_ascii_case(name) && (is_space(next) || next == b'/' || next == b'>')).then_some(end)
}

/// The end tag of `name` at or behind `at`: where it begins, and where its name ends.
pub fn end_tag(bytes: &[u8], mut at: usize, name: &[u8]) -> Option<(usize, usize)> {
    if name.eq_ignore_ascii_case(b"script") {
        return script_end(bytes, at);
    }
    loop {
        at += memchr::memchr(b'<', &bytes[at..])?;
        if bytes.get(at + 1) == Some(&b'/')
            && let Some(end) = named(bytes, at + 2, name)
        {
            return Some((at, end));
        }
        at += 1;
    }
}

/// The same for a script, in which a comment hides the end tags of scripts that the script writes.
fn script_end(bytes: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let (mut in_comment, mut in_inner) = (false, false);
    loop {
        at += memchr::memchr2(b'<', b'-', &bytes[at..])?;
        let rest = &bytes[at..];
        if rest.starts_with(b"-->") {
            (in_comment, in_inner) = (false, false);
            at += 3;
        } else if !in_comment && rest.starts_with(b"<!--") {
            in_comment = true;
            // The dashes may already belong to the comment's end.
            at += 2;
        } else if rest.starts_with(b"</")
            && let Some(end) = named(bytes, at + 2, b"script")
        {
            if !in_inner {
                return Some((at, end));
            }
            in_inner = false;
            at = end;
        } else {
            in_inner |= in_comment && rest[0] == b'<' && named(bytes, at + 1, b"script").is_some();
            at += 1;
        }
    }
}

/// Where the comment whose `<!--` begins at `at` ends, or the end of the page.
pub fn comment_end(bytes: &[u8], at: usize) -> usize {
    let begin = at + 4;
    let rest = &bytes[begin.min(bytes.len())..];
    if rest.starts_with(b">") {
        return begin + 1;
    }
    if rest.starts_with(b"->") {
        return begin + 2;
    }
    let mut from = 0;
    while let Some(found) = memchr::memmem::find(&rest[from..], b"--") {
        let dashes = from + found;
        match (rest.get(dashes + 2), rest.get(dashes + 3)) {
            (Some(b'>'), _) => return begin + dashes + 3,
            (Some(b'!'), Some(b'>')) => return begin + dashes + 4,
            _ => from = dashes + 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(tag: &str) -> (Vec<(&str, &str)>, Option<usize>) {
        let mut list = Vec::new();
        let end = attributes(tag.as_bytes(), 0, |n, v| list.push((&tag[n], &tag[v])));
        (list, end)
    }

    #[test]
    fn attribute_forms() {
        let tag = " a b=1 c='x>y' d=\"z\"e/f = g/>";
        let expected = vec![("a", ""), ("b", "1"), ("c", "x>y"), ("d", "z"), ("e", ""), ("f", "g/")];
        assert_eq!(all(tag), (expected, Some(tag.len())));
        assert_eq!(all(" title=don't>x"), (vec![("title", "don't")], Some(13)));
        assert_eq!(all(" =x=y>"), (vec![("=x", "y")], Some(6)));
        assert_eq!(all(" a=>"), (vec![("a", "")], Some(4)));
        assert_eq!(all(" a='open>"), (vec![], None));
        assert_eq!(all(" a"), (vec![], None));
        assert_eq!(all(">"), (vec![], Some(1)));
    }

    #[test]
    fn names() {
        for (what, names) in ELEMENTS {
            for name in *names {
                assert!(name.len() <= LONGEST_NAME);
                assert_eq!(element(name.as_bytes()), *what, "{name}");
                assert_eq!(element(name.to_ascii_uppercase().as_bytes()), *what, "{name}");
                assert_eq!(element(format!("{name}-").as_bytes()), Element::Inline, "{name}");
            }
        }
        for odd in ["H\u{11}", "\u{10}", "b", "", "custom-element"] {
            assert_eq!(element(odd.as_bytes()), Element::Inline, "{odd:?}");
        }
    }

    #[test]
    fn comments() {
        for (page, end) in [
            ("<!-->x", 5),
            ("<!--->x", 6),
            ("<!---->x", 7),
            ("<!--a-->x", 8),
            ("<!--a--!>x", 9),
            ("<!--a--->x", 9),
            ("<!--a--b-->x", 11),
            ("<!--open --", 11),
            ("<!--", 4),
        ] {
            assert_eq!(comment_end(page.as_bytes(), 0), end, "{page}");
        }
    }

    #[test]
    fn end_tags() {
        assert_eq!(end_tag(b"a</scripty></SCRIPT >", 0, b"script"), Some((11, 19)));
        assert_eq!(end_tag(b"</script", 0, b"script"), None);
        assert_eq!(end_tag(b"<<</p>", 0, b"p"), Some((2, 5)));
        assert_eq!(end_tag(b"<!--<script></script>--></script>", 0, b"script"), Some((24, 32)));
        assert_eq!(end_tag(b"<!--><script></script>", 0, b"script"), Some((13, 21)));
        assert_eq!(end_tag(b"<!--</script>", 0, b"script"), Some((4, 12)));
    }
}
