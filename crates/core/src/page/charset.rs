//! From bytes to characters: which encoding a page is in, and its decoding.
//!
//! The rules and their order are those of docs/reference/text.md. A detector is asked last: asked before UTF-8 it
//! gets real UTF-8 pages wrong.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

use crate::page::html::markup::{attributes, name_end};

/// How far into the page a declaring `meta` is looked for.
const PRESCAN: usize = 4096;
/// How much of the page the detector is shown: its verdict does not change much after that.
const DETECT: usize = 64 * 1024;

pub struct Decoded<'a> {
    /// The characters, without a byte order mark.
    pub html: Cow<'a, str>,
    /// The encoding's name in the Encoding Standard.
    pub charset: &'static str,
    /// Malformed sequences were replaced by U+FFFD.
    pub lossy: bool,
}

/// Decodes a page; never fails.
pub fn decode<'a>(bytes: &'a [u8], content_type: Option<&str>, tld: Option<&str>) -> Decoded<'a> {
    // Valid UTF-8 is needed as an answer below and as the decoding itself: look once.
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return decode_as(&bytes[mark..], encoding);
    }
    if let Some(encoding) = declared(bytes, content_type) {
        return decode_as(bytes, encoding);
    }
    if let Ok(html) = std::str::from_utf8(bytes)
        && !has_escapes(bytes)
    {
        return Decoded { html: Cow::Borrowed(html), charset: UTF_8.name(), lossy: false };
    }
    decode_as(bytes, detect(bytes, tld))
}

fn decode_as<'a>(bytes: &'a [u8], encoding: &'static Encoding) -> Decoded<'a> {
    let (html, lossy) = encoding.decode_without_bom_handling(bytes);
    Decoded { html, charset: encoding.name(), lossy }
}

/// What the HTTP header, the page's own declarations or its zero bytes say.
fn declared(bytes: &[u8], content_type: Option<&str>) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(PRESCAN)];
    content_type
        .and_then(|value| http_charset(value.as_bytes()))
        .and_then(|label| readable(&label))
        .or_else(|| meta(head))
        .or_else(|| xml(head))
        .or_else(|| zeros(bytes))
}

/// The encoding of a label, except those that the standard gave up for safety: they would swallow the page.
fn readable(label: &[u8]) -> Option<&'static Encoding> {
    Encoding::for_label_no_replacement(label)
}

/// The encoding of a label that could be read byte by byte: not UTF-16, whatever it says.
fn readable_in_ascii(label: &[u8]) -> Option<&'static Encoding> {
    readable(label).map(|e| if e == UTF_16LE || e == UTF_16BE { UTF_8 } else { e })
}

/// UTF-16 without a byte order mark, as markup shows it: the other byte of its first characters is zero.
fn zeros(bytes: &[u8]) -> Option<&'static Encoding> {
    let begins_markup = |b: u8| b.is_ascii_alphabetic() || b == b'!' || b == b'?';
    match *bytes {
        [b'<', 0, b, 0, ..] if begins_markup(b) => Some(UTF_16LE),
        [0, b'<', 0, b, ..] if begins_markup(b) => Some(UTF_16BE),
        _ => None,
    }
}

/// The encoding in an XML declaration, which must be the very beginning of the page.
fn xml(head: &[u8]) -> Option<&'static Encoding> {
    let declaration = &head[..memchr::memchr(b'>', head)?];
    if !declaration.starts_with(b"<?xml") {
        return None;
    }
    let mut rest = declaration;
    loop {
        rest = &rest[memchr::memmem::find(rest, b"encoding")? + b"encoding".len()..];
        let skip = |bytes: &'_ [u8]| bytes.iter().position(|&b| b > b' ').unwrap_or(bytes.len());
        let Some(after) = rest[skip(rest)..].strip_prefix(b"=") else {
            continue;
        };
        let after = &after[skip(after)..];
        let Some(&quote @ (b'"' | b'\'')) = after.first() else {
            continue;
        };
        let Some(len) = memchr::memchr(quote, &after[1..]) else {
            continue;
        };
        let label = &after[1..=len];
        return if label.iter().any(|&b| b <= b' ') { None } else { readable_in_ascii(label) };
    }
}

/// Escape sequences of ISO-2022-JP, which is ASCII otherwise.
fn has_escapes(bytes: &[u8]) -> bool {
    memchr::memchr_iter(0x1B, bytes).any(|at| matches!(bytes.get(at + 1), Some(b'$' | b'(')))
}

fn detect(bytes: &[u8], tld: Option<&str>) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    // ASCII tells nothing: begin with the line in which something else comes first.
    let begin = bytes.iter().position(|b| !b.is_ascii() || *b == 0x1B).unwrap_or(0);
    let bytes = &bytes[memchr::memrchr(b'\n', &bytes[..begin]).unwrap_or(0)..];
    detector.feed(&bytes[..bytes.len().min(DETECT)], bytes.len() <= DETECT);
    // chardetng wants the label in lower-case ASCII and panics on anything else.
    let tld =
        tld.filter(|t| !t.is_empty() && t.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'));
    detector.guess(tld.map(str::as_bytes), Utf8Detection::Deny)
}

/// The first `charset` parameter of a Content-Type, by the MIME Sniffing Standard.
fn http_charset(value: &[u8]) -> Option<Vec<u8>> {
    let value = trim_http(value);
    let essence_end = memchr::memchr(b';', value).unwrap_or(value.len());
    let mut parts = trim_http(&value[..essence_end]).split(|&b| b == b'/');
    let is_token = |part: &[u8]| !part.is_empty() && part.iter().all(|&b| is_http_token(b));
    if !(parts.next().is_some_and(is_token) && parts.next().is_some_and(is_token) && parts.next().is_none()) {
        return None;
    }
    let mut at = essence_end;
    while at < value.len() {
        at += 1;
        at += value[at..].iter().position(|b| !HTTP_SPACE.contains(b)).unwrap_or(value.len() - at);
        let name_end = at + value[at..].iter().position(|b| matches!(b, b';' | b'=')).unwrap_or(value.len() - at);
        let name = &value[at..name_end];
        at = name_end;
        if value.get(at) != Some(&b'=') {
            continue;
        }
        at += 1;
        let mut parameter = Vec::new();
        let quoted = value.get(at) == Some(&b'"');
        if quoted {
            at += 1;
            while at < value.len() && value[at] != b'"' {
                at += usize::from(value[at] == b'\\' && at + 1 < value.len());
                parameter.push(value[at]);
                at += 1;
            }
        }
        let end = at + memchr::memchr(b';', &value[at..]).unwrap_or(value.len() - at);
        if !quoted {
            parameter.extend_from_slice(trim_http_end(&value[at..end]));
        }
        at = end;
        let printable = |&b: &u8| b == b'\t' || (b >= b' ' && b != 0x7F);
        if name.eq_ignore_ascii_case(b"charset") && (quoted || !parameter.is_empty()) && parameter.iter().all(printable)
        {
            return Some(parameter);
        }
    }
    None
}

const HTTP_SPACE: &[u8] = b"\t\n\r ";

fn is_http_token(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b)
}

fn trim_http_end(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.iter().rposition(|b| !HTTP_SPACE.contains(b)).map_or(0, |last| last + 1)]
}

fn trim_http(bytes: &[u8]) -> &[u8] {
    let bytes = trim_http_end(bytes);
    &bytes[bytes.iter().position(|b| !HTTP_SPACE.contains(b)).unwrap_or(0)..]
}

/// The value of `charset=` in a meta's content.
fn charset_parameter(value: &[u8]) -> Option<&[u8]> {
    let mut rest = value;
    loop {
        let at = find_ignoring_case(rest, b"charset")?;
        rest = trim_start(&rest[at + b"charset".len()..]);
        if let Some(after) = rest.strip_prefix(b"=") {
            let after = trim_start(after);
            return match after.first() {
                Some(&quote @ (b'"' | b'\'')) => {
                    let inner = &after[1..];
                    memchr::memchr(quote, inner).map(|end| &inner[..end])
                }
                _ => {
                    let end = after.iter().position(|&b| b == b';' || b.is_ascii_whitespace());
                    Some(&after[..end.unwrap_or(after.len())])
                }
            };
        }
    }
}

/// The encoding a `meta` in the first bytes declares.
fn meta(head: &[u8]) -> Option<&'static Encoding> {
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'<', &head[at..]) {
        at += found + 1;
        let rest = &head[at..];
        match rest.first()? {
            // The dashes of the beginning may be those of the end.
            b'!' if rest.starts_with(b"!--") => at += memchr::memmem::find(&rest[1..], b"-->")? + 4,
            b'!' | b'?' => at += memchr::memchr(b'>', rest)? + 1,
            b'/' if !rest.get(1)?.is_ascii_alphabetic() => at += memchr::memchr(b'>', rest)? + 1,
            b'/' => at = attributes(head, name_end(head, at + 1), |_, _| ())?,
            b if b.is_ascii_alphabetic() => {
                let name_to = name_end(head, at);
                let is_meta = head[at..name_to].eq_ignore_ascii_case(b"meta");
                let mut tag = MetaTag::default();
                let end = attributes(head, name_to, |name, value| {
                    if is_meta {
                        tag.attribute(&head[name], &head[value]);
                    }
                });
                // A tag that the first bytes cut off declares nothing.
                at = end?;
                if let Some(encoding) = tag.label().and_then(readable_in_ascii) {
                    return Some(if encoding == X_USER_DEFINED { WINDOWS_1252 } else { encoding });
                }
            }
            _ => (),
        }
    }
    None
}

/// The attributes of a `meta` that may declare an encoding; the first of each name counts.
#[derive(Default)]
struct MetaTag<'a> {
    charset: Option<&'a [u8]>,
    content: Option<&'a [u8]>,
    http_equiv: Option<&'a [u8]>,
}

impl<'a> MetaTag<'a> {
    fn attribute(&mut self, name: &[u8], value: &'a [u8]) {
        let slot = match name {
            n if n.eq_ignore_ascii_case(b"charset") => &mut self.charset,
            n if n.eq_ignore_ascii_case(b"content") => &mut self.content,
            n if n.eq_ignore_ascii_case(b"http-equiv") => &mut self.http_equiv,
            _ => return,
        };
        slot.get_or_insert(value);
    }

    fn label(&self) -> Option<&'a [u8]> {
        self.charset.or_else(|| {
            self.http_equiv.filter(|v| v.eq_ignore_ascii_case(b"content-type"))?;
            self.content.and_then(charset_parameter)
        })
    }
}

fn trim_start(bytes: &[u8]) -> &[u8] {
    bytes.trim_ascii_start()
}

fn find_ignoring_case(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|w| w.eq_ignore_ascii_case(needle))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn charset(bytes: &[u8], content_type: Option<&str>) -> &'static str {
        decode(bytes, content_type, None).charset
    }

    #[test]
    fn order_of_the_rules() {
        let meta = b"<meta charset=koi8-r>\xC1";
        assert_eq!(charset(b"\xEF\xBB\xBF<meta charset=koi8-r>", Some("text/html; charset=big5")), "UTF-8");
        assert_eq!(charset(meta, Some("text/html; charset=big5")), "Big5");
        assert_eq!(charset(meta, Some("text/html; charset=nonsense")), "KOI8-R");
        assert_eq!(charset("<p>caf\u{e9}".as_bytes(), None), "UTF-8");
        assert_ne!(charset(b"<p>caf\xE9 cr\xE8me br\xFBl\xE9e", None), "UTF-8");
    }

    #[test]
    fn meta_forms() {
        for page in [
            &b"<META HTTP-EQUIV=\"Content-Type\" CONTENT=\"text/html; charset=ISO-8859-2\">"[..],
            b"<meta content='text/html;charset=iso-8859-2' http-equiv=content-type />",
            b"<!-- <meta charset=utf-8> --><meta\ncharset = 'latin2'>",
        ] {
            assert_eq!(charset(page, None), "ISO-8859-2", "{}", String::from_utf8_lossy(page));
        }
        assert_eq!(charset(b"<?xml version='1.0' encoding='iso-8859-2'?><html>\xB1", None), "ISO-8859-2");
        assert_eq!(charset(b"\x1B$B$3$s$K$A$O\x1B(B", None), "ISO-2022-JP");
        assert_eq!(charset(b"<meta charset=utf-16>", None), "UTF-8");
        assert_eq!(charset(b"<metadata charset=koi8-r>", None), "UTF-8");
        assert_eq!(charset(b"<meta name=description content='charset=koi8-r'>", None), "UTF-8");
    }

    #[test]
    fn utf_16_with_and_without_mark() {
        let le: Vec<u8> = "<p>héllo</p>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let marked: Vec<u8> = [&b"\xFF\xFE"[..], &le].concat();
        assert_eq!(decode(&marked, None, None).html, "<p>héllo</p>");
        let plain: Vec<u8> = "<p>hello</p>".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(decode(&plain, None, None).html, "<p>hello</p>");
    }

    #[test]
    fn malformed_is_lossy_and_odd_labels_do_not_panic() {
        let decoded = decode(b"a\xFFb", Some("text/html; charset=utf-8"), None);
        assert!(decoded.lossy);
        assert_eq!(decoded.html, "a\u{FFFD}b");
        for tld in ["", "ÄÖ", "COM", "a b", "xn--p1ai"] {
            decode(b"\xC0\xC1\xC2", None, Some(tld));
        }
        assert_eq!(charset_parameter(b"charset charset=\"x"), None);
    }
}
