//! Why two URLs lead to the same page, as far as the URLs tell.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use caseless::default_case_fold_str;
use regex::Regex;

use crate::page::url::pattern::{ParsedUrl, regex};

/// What the name of a query parameter suggests; the first that fits counts.
const ROLES: [(&str, &str); 6] = [
    (
        "session id",
        r"(php|j|asp|osc|sc|zen)?[-_]?sess(ion)?([-_]?(id|key|hash|token))?|aspsessionid[\p{L}\p{N}_]*|s_?id|oscsid|zenid|cfid|cftoken",
    ),
    ("print view", r"print(able|er|ing)?([-_]?(view|friendly|version|page|mode|ready|layout))?|pf|pdf|plain"),
    (
        "sort order",
        r"sort(ed|ing)?([-_]?(by|on|order|dir(ection)?|col(umn)?|field|key|type))?|order(ed|ing)?([-_]?(by|dir(ection)?))?|dir|asc|desc|o",
    ),
    ("calendar", r"date|day|month|year|week|cal(endar)?([-_]?(view|date|day|month|year))?"),
    ("paging", r"page(d|s)?([-_]?(no|num(ber)?|index|size|start))?|p|pg|start|offset|limit|per_?page|begin"),
    ("tracking", r"utm_.*|gclid|fbclid|ref|referrer|referer|source|campaign|from"),
];

const PRINT: &str = r"(?:print(?:able|er|view|[-_]?version|er[-_]?friendly)?|pf)";

static ROLE_NAMES: LazyLock<Vec<(&str, Regex)>> =
    LazyLock::new(|| ROLES.iter().map(|(role, names)| (*role, regex(&format!("(?i)^(?:{names})$")))).collect());
static PRINTS: LazyLock<Regex> = LazyLock::new(|| regex(&format!("(?i)^{PRINT}$")));
// A match ends where its last group begins: what has to follow is not a part of it.
static PRINTED: LazyLock<Regex> = LazyLock::new(|| regex(&format!(r"(?i)[-_.]{PRINT}(\.|$)|^{PRINT}[-_.](.)")));
static SORTED: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"(?i)/(?:sort(?:ed|ing)?(?:[-_]?by)?|order[-_]?by)(?:/|[-_:=])[^/]+(?:/(?:asc|desc))?(/|$)")
});
static INDEX: LazyLock<Regex> = LazyLock::new(|| regex(r"(?i)/(?:index|default)\.[\p{L}\p{N}_]{2,5}$"));
static SLASHES: LazyLock<Regex> = LazyLock::new(|| regex("//+"));

/// What a query parameter seems to be for.
pub fn role(parameter: &str, value: &str) -> &'static str {
    if PRINTS.is_match(value) {
        return "print view";
    }
    ROLE_NAMES.iter().find(|(_, names)| names.is_match(parameter)).map_or("parameter", |(role, _)| role)
}

/// A cause, and what it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The smaller, the less the URLs differ.
    pub rank: usize,
    pub cause: &'static str,
    pub detail: String,
}

/// The smallest rank that there is.
pub const MIN_RANK: usize = 0;

fn because(rank: usize, cause: &'static str, detail: impl Into<String>) -> Option<Reason> {
    Some(Reason { rank, cause, detail: detail.into() })
}

/// A URL that is compared with many: what comparisons need of it is made once.
pub struct ComparedUrl<'a> {
    pub url: ParsedUrl<'a>,
    spelled: OnceCell<String>,
    unsorted: OnceCell<String>,
    unprinted: OnceCell<String>,
}

impl<'a> ComparedUrl<'a> {
    pub fn new(url: &'a str) -> Self {
        let (spelled, unsorted, unprinted) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        ComparedUrl { url: ParsedUrl::new(url), spelled, unsorted, unprinted }
    }

    fn bare_host(&self) -> &str {
        self.url.host.strip_prefix("www.").unwrap_or(&self.url.host)
    }

    fn spelled(&self) -> &str {
        self.spelled.get_or_init(|| spelling(&self.url.path))
    }

    fn unsorted(&self) -> &str {
        self.unsorted.get_or_init(|| spelling(&without(&self.url.path, &SORTED)))
    }

    /// The path without the parts that ask for a print view.
    fn unprinted(&self) -> &str {
        self.unprinted.get_or_init(|| {
            let parts = self.url.path.split('/').filter(|part| !PRINTS.is_match(part));
            spelling(&parts.map(|part| without(part, &PRINTED)).collect::<Vec<_>>().join("/"))
        })
    }

    /// Why `other` repeats this one; none where the URLs have too little in common.
    pub fn repeated_by(&self, other: &ComparedUrl<'_>, same_domain: bool, same_ip: bool) -> Option<Reason> {
        let (a, b) = (&self.url, &other.url);
        let same_query = a.query == b.query;
        if same_query && a.path == b.path {
            return self.hosts(other, same_domain, same_ip);
        }
        if self.bare_host() != other.bare_host() {
            return None;
        }
        if a.path == b.path {
            return parameters(a, b);
        }
        if !same_query {
            return None;
        }
        if self.spelled() == other.spelled() {
            return because(3, "spelling of the path", "");
        }
        self.views(other)
    }

    fn hosts(&self, other: &ComparedUrl<'_>, same_domain: bool, same_ip: bool) -> Option<Reason> {
        let (a, b) = (&self.url, &other.url);
        if a.host == b.host {
            return if a.scheme == b.scheme {
                because(MIN_RANK, "fetched again", "")
            } else {
                because(MIN_RANK, "scheme", format!("{} and {}", a.scheme, b.scheme))
            };
        }
        if self.bare_host() == other.bare_host() {
            return because(1, "host alias", "www.");
        }
        if same_ip {
            return because(1, "host alias", format!("one address: {}", a.host));
        }
        because(5, if same_domain { "host alias" } else { "mirror" }, &*a.host)
    }

    /// Views that have a folder or a file of their own.
    fn views(&self, other: &ComparedUrl<'_>) -> Option<Reason> {
        if self.unsorted() == other.unsorted() {
            return because(4, "sort order", "");
        }
        if self.unprinted() == other.unprinted() {
            return because(4, "print view", "");
        }
        // One part instead of another: /print/7 for /node/7, /print.php?id=7 for /article.php?id=7.
        let (a, b) = (&self.url.path, &other.url.path);
        if a.matches('/').count() != b.matches('/').count() {
            return None;
        }
        let mut different = a.split('/').zip(b.split('/')).filter(|(a, b)| a != b);
        let (one, other) = different.next()?;
        let prints = |part: &str| PRINTS.is_match(part.split('.').next().unwrap_or_default());
        if different.next().is_none() && (prints(one) || prints(other)) {
            return because(5, "print view", "");
        }
        None
    }
}

fn parameters(a: &ParsedUrl<'_>, b: &ParsedUrl<'_>) -> Option<Reason> {
    let [one, other] = [a, b].map(|url| url.query.iter().copied().collect::<BTreeSet<_>>());
    let different: Vec<(&str, &str)> = one.symmetric_difference(&other).copied().collect();
    let keys: BTreeSet<&str> = different.iter().map(|pair| pair.0).collect();
    if keys.is_empty() {
        // The same parameters, one of them twice.
        return because(3, "spelling of the query", "");
    }
    let roles: BTreeSet<&str> = different.iter().map(|(key, value)| role(key, value)).collect();
    let mut named = roles.into_iter().filter(|role| *role != "parameter");
    let cause = match (named.next(), named.next()) {
        (Some(role), None) => role,
        _ => "parameter",
    };
    because(1 + keys.len(), cause, keys.into_iter().collect::<Vec<_>>().join("&"))
}

/// The path in one spelling: decoded, without doubled slashes, the name of an index file, a slash at the end, and case.
fn spelling(path: &str) -> String {
    let decoded = if path.contains('%') { Cow::Owned(unquoted(path)) } else { Cow::Borrowed(path) };
    let single = SLASHES.replace_all(&decoded, "/");
    let folder = INDEX.replace(&single, "/");
    let bare = folder.trim_end_matches('/');
    if bare.is_ascii() { bare.to_ascii_lowercase() } else { default_case_fold_str(bare) }
}

/// The text with its `%41` decoded, as UTF-8 where it is that.
fn unquoted(text: &str) -> String {
    let digit = |byte: Option<&u8>| byte.and_then(|byte| (*byte as char).to_digit(16));
    let bytes = text.as_bytes();
    let mut found: Vec<u8> = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], digit(bytes.get(at + 1)), digit(bytes.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                found.push((high * 16 + low) as u8);
                at += 3;
            }
            (byte, ..) => {
                found.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&found).into_owned()
}

/// The text without what a pattern matches, up to where its last group begins.
fn without<'a>(text: &'a str, pattern: &Regex) -> Cow<'a, str> {
    let (mut found, mut at) = (String::new(), 0);
    while let Some(groups) = pattern.captures_at(text, at) {
        let begin = groups.get(0).map_or(text.len(), |whole| whole.start());
        found.push_str(&text[at..begin]);
        at = groups.iter().skip(1).flatten().last().map_or(text.len(), |last| last.start());
    }
    if at == 0 { Cow::Borrowed(text) } else { Cow::Owned(found + &text[at..]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_go() {
        for (text, pattern, left) in [
            ("x.print.print.html", &*PRINTED, "x.html"),
            ("x-printable", &*PRINTED, "x"),
            ("printer-friendly-x", &*PRINTED, "friendly-x"),
            ("print_x.html", &*PRINTED, "x.html"),
            ("print.", &*PRINTED, "print."),
            ("blueprint", &*PRINTED, "blueprint"),
            ("/a/sort/x/desc/sort-by/y/b", &*SORTED, "/a/b"),
            ("/a/sort-by", &*SORTED, "/a"),
            ("/a/sort/x/ascii", &*SORTED, "/a/ascii"),
            ("/sorting", &*SORTED, "/sorting"),
        ] {
            assert_eq!(without(text, pattern), left, "{text}");
        }
    }

    #[test]
    fn spellings() {
        for (path, spelled) in [
            ("/X%41//b/Index.HTML", "/xa/b"),
            ("/", ""),
            ("/%e4%zz%C3%84", "/\u{fffd}%zz\u{e4}"),
            ("/Stra\u{df}e/", "/strasse"),
        ] {
            assert_eq!(spelling(path), spelled, "{path}");
        }
    }
}
