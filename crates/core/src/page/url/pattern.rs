//! URLs by keys and shapes: the query in order of its keys, and the pattern, which is path shape and query keys.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use crate::hash::name_hash;
use crate::page::url::parts;

/// Query keys with which software chooses what to show, not of what: their values stay in patterns.
const ROUTES: [&str; 16] = [
    "act", "action", "cmd", "do", "format", "layout", "mod", "mode", "module", "op", "option", "route", "task", "tmpl",
    "type", "view",
];

const LONGEST_WORD: usize = 24;

/// A URL taken apart. Never fails: what names no host is all path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedUrl<'a> {
    pub scheme: String,
    /// In lower case, with user and port where they are given: they tell sites apart too.
    pub host: String,
    pub path: Cow<'a, str>,
    /// Keys and values in order of the keys; `;jsessionid=…` in the path counts as one.
    pub query: Vec<(&'a str, &'a str)>,
}

impl<'a> ParsedUrl<'a> {
    pub fn new(url: &'a str) -> Self {
        let (mut scheme, mut host, mut path, mut query) = (String::new(), String::new(), url, "");
        if let Some(found) = parts::split(url) {
            scheme = found.scheme.to_ascii_lowercase();
            if let Some(user) = found.userinfo {
                host = user.to_lowercase() + "@";
            }
            host += &found.host.to_lowercase();
            if let Some(port) = found.port {
                host = host + ":" + port;
            }
            (path, query) = (found.path, found.query.unwrap_or_default());
        }
        let parts = query.split('&').filter(|part| !part.is_empty());
        let mut pairs: Vec<(&str, &str)> = parts.map(|part| part.split_once('=').unwrap_or((part, ""))).collect();
        let path = if path.contains(';') { without_parameters(path, &mut pairs) } else { Cow::Borrowed(path) };
        pairs.sort_unstable();
        ParsedUrl { scheme, host, path: if path.is_empty() { Cow::Borrowed("/") } else { path }, query: pairs }
    }

    /// Stands for the URL but for its scheme and one of its parameters.
    pub fn hash_without(&self, parameter: Option<&str>) -> i64 {
        let pairs = self.query.iter().filter(|pair| Some(pair.0) != parameter).flat_map(|pair| [pair.0, pair.1]);
        name_hash([&self.host, &*self.path].into_iter().chain(pairs)) as i64
    }

    /// Stands for the URL.
    pub fn key(&self) -> i64 {
        let pairs = self.query.iter().flat_map(|pair| [pair.0, pair.1]);
        name_hash([&self.scheme, &self.host, &*self.path].into_iter().chain(pairs)) as i64
    }

    pub fn pattern(&self) -> String {
        pattern(&self.host, &self.path, &self.query)
    }
}

/// Takes parameters like `;key=value` out of a path.
fn without_parameters<'a>(path: &'a str, pairs: &mut Vec<(&'a str, &'a str)>) -> Cow<'a, str> {
    static PARAMETER: LazyLock<Regex> = LazyLock::new(|| regex(";([A-Za-z_]+)=([^/;]*)"));
    pairs.extend(PARAMETER.captures_iter(path).map(|found| {
        let [key, value] = found.extract().1;
        (key, value)
    }));
    PARAMETER.replace_all(path, "")
}

/// Host, path shape and query keys.
///
/// Folders are kept as they are while they are plain words: they tell sections of a site apart. The last segment is
/// always a shape, since it tells pages apart.
pub fn pattern(host: &str, path: &str, query: &[(&str, &str)]) -> String {
    let mut found = String::with_capacity(host.len() + path.len());
    found.push_str(host);
    let rest = path.split_once('/').map_or("", |parts| parts.1);
    let (folders, last) = rest.rsplit_once('/').map_or((None, rest), |(folders, last)| (Some(folders), last));
    for folder in folders.into_iter().flat_map(|folders| folders.split('/')) {
        found.push('/');
        if is_word(folder) {
            found.push_str(folder);
        } else {
            push_shape(folder, &mut found);
        }
    }
    found.push('/');
    push_shape(last, &mut found);
    let mut keys: Vec<Cow<'_, str>> = Vec::with_capacity(query.len());
    for &(key, value) in query {
        let routed = ROUTES.contains(&key) && is_word(value);
        let key = if routed { Cow::Owned(format!("{key}={value}")) } else { Cow::Borrowed(key) };
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    for (at, key) in keys.iter().enumerate() {
        found.push(if at == 0 { '?' } else { '&' });
        found.push_str(key);
    }
    found
}

/// Adds what a path segment looks like: `{date}`, `{n}`, `{id}`, `{w}` or `{s}`, and its extension.
fn push_shape(segment: &str, shape: &mut String) {
    let (stem, extension) = segment.split_at(extension(segment));
    shape.push_str(match stem {
        _ if is_date(stem) => "{date}",
        _ if is_number(stem) => "{n}",
        _ if is_id(stem) => "{id}",
        _ if is_word(stem) => "{w}",
        "" => "",
        _ => "{s}",
    });
    shape.push_str(&extension.to_ascii_lowercase());
}

/// Where a dot, a letter and one to four letters or digits begin that end the segment.
fn extension(segment: &str) -> usize {
    let Some(dot) = segment.rfind('.') else { return segment.len() };
    let name = &segment.as_bytes()[dot + 1..];
    let is = (2..=5).contains(&name.len())
        && name[0].is_ascii_alphabetic()
        && name.iter().all(|byte| byte.is_ascii_alphanumeric());
    if is { dot } else { segment.len() }
}

fn is_date(text: &str) -> bool {
    static DATE: LazyLock<Regex> = LazyLock::new(|| regex(r"^(?:19|20)\d\d(?:-?[01]\d(?:-?[0-3]\d)?)?$"));
    (text.starts_with("19") || text.starts_with("20")) && DATE.is_match(text)
}

fn is_number(text: &str) -> bool {
    static NUMBER: LazyLock<Regex> = LazyLock::new(|| regex(r"^\d+$"));
    if text.is_ascii() {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
    } else {
        NUMBER.is_match(text)
    }
}

/// Hexadecimal digits and dashes, eight or more, or letters and digits, sixteen or more; a digit among them.
fn is_id(text: &str) -> bool {
    let (bytes, all) = (text.as_bytes(), |is: fn(&u8) -> bool| text.as_bytes().iter().all(is));
    bytes.len() >= 8
        && bytes.iter().any(u8::is_ascii_digit)
        && (all(|byte| byte.is_ascii_hexdigit() || *byte == b'-')
            || (bytes.len() >= 16 && all(u8::is_ascii_alphanumeric) && bytes.iter().any(u8::is_ascii_alphabetic)))
}

fn is_word(text: &str) -> bool {
    static WORD: LazyLock<Regex> = LazyLock::new(|| regex(r"^[\p{L}\p{Nl}\p{No}]+$"));
    if text.is_ascii() {
        (1..=LONGEST_WORD).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphabetic())
    } else {
        text.chars().count() <= LONGEST_WORD && WORD.is_match(text)
    }
}

pub(crate) fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a pattern of our own")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parsed() {
        let found = ParsedUrl::new("HTTP://U@A.example:81/b;jsessionid=1F?z=2&y=1&&w#top");
        assert_eq!((&*found.scheme, &*found.host, &*found.path), ("http", "u@a.example:81", "/b"));
        assert_eq!(found.query, [("jsessionid", "1F"), ("w", ""), ("y", "1"), ("z", "2")]);
        assert_eq!(ParsedUrl::new("no url").path, "no url");
        assert_eq!(ParsedUrl::new("").path, "/");
    }

    #[test]
    fn shapes() {
        for (segment, shape) in [
            ("2019", "{date}"),
            ("2019-1", "{s}"),
            ("2019-12-24", "{date}"),
            ("17", "{n}"),
            ("blue-shoes.HTML", "{s}.html"),
            ("shoes", "{w}"),
            ("9f86d081884c7d65", "{id}"),
            ("deadbeef", "{w}"),
            ("a1b2c3d4e5f6g7h8", "{id}"),
            ("\u{e9}t\u{e9}", "{w}"),
            ("\u{663}", "{n}"),
            (".html", ".html"),
            ("a.tar.gz", "{s}.gz"),
            ("", ""),
        ] {
            let mut found = String::new();
            push_shape(segment, &mut found);
            assert_eq!(found, shape, "{segment}");
        }
    }

    #[test]
    fn patterns() {
        for (url, pattern) in [
            (
                "http://a.example/news/2019/blue-shoes.html?id=7&view=print",
                "a.example/news/{date}/{s}.html?id&view=print",
            ),
            ("http://a.example", "a.example/"),
            ("http://a.example/", "a.example/"),
            ("http://a.example//x/", "a.example//x/"),
            ("http://a.example/x?b=1&a=2&b=3", "a.example/{w}?a&b"),
            ("nothing", "/"),
        ] {
            assert_eq!(ParsedUrl::new(url).pattern(), pattern, "{url}");
        }
    }

    #[test]
    fn hashes_without_a_parameter() {
        let of = |url| ParsedUrl::new(url).hash_without(None);
        assert_eq!(of("http://a.example/x?a=1&b=2"), of("https://A.example/x?b=2&a=1#top"));
        assert_ne!(of("http://a.example/x?a=1"), of("http://a.example/x?a=2"));
        assert_eq!(ParsedUrl::new("http://a.example/x?a=1&b=2").hash_without(Some("a")), of("http://a.example/x?b=2"));
        assert_ne!(ParsedUrl::new("http://a.example/x").key(), ParsedUrl::new("https://a.example/x").key());
    }
}
