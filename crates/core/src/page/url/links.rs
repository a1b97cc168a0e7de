//! From `href` to absolute target URL and its domain.

use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::{DefaultHashBuilder, HashSet, HashTable};
use url::Url;

use crate::page::html::entities::attribute_value;
use crate::page::url::domain::domain;
use crate::page::url::parts::{host, scheme};

/// Longer targets and bases are dropped.
const LONGEST_URL: usize = 4096;
/// All targets of a page together may be so many bytes, and so many more for each byte of its `href`s.
const ROOM: usize = 1 << 20;
const ROOM_PER_BYTE: usize = 4;

#[derive(Debug, PartialEq, Eq)]
pub struct Link {
    /// Absolute URL without fragment.
    pub url: String,
    /// Its registered domain, or its host; neighbours share it.
    pub domain: Arc<str>,
}

/// The distinct targets of a page's `hrefs` in order of first appearance.
///
/// A page whose URL is missing or no URL can still have absolute links.
pub fn links(page_url: Option<&Url>, base: Option<&str>, hrefs: &[&str]) -> Vec<Link> {
    // A long base and many short links would multiply the page's size.
    let mut room = ROOM + hrefs.iter().map(|href| href.len()).sum::<usize>() * ROOM_PER_BYTE;
    let base = base.and_then(|href| resolve_base(page_url, href));
    let base = Base::new(base.as_ref().or(page_url));
    let own = page_url.map_or("", |url| url.as_str().split('#').next().unwrap_or_default());
    let mut seen_hrefs = HashSet::with_capacity(hrefs.len());
    let hasher = DefaultHashBuilder::default();
    let hash = |target: &str| hasher.hash_one(target);
    let mut seen: HashTable<usize> = HashTable::new();
    let mut targets: Vec<Link> = Vec::new();
    for href in hrefs {
        // Most repetitions are repeated to the letter: resolve each spelling once.
        let spelling = href.split('#').next().unwrap_or_default();
        if !seen_hrefs.insert(if href.contains('&') { *href } else { spelling }) {
            continue;
        }
        let Some(target) = base.resolve(&attribute_value(href)) else { continue };
        let known = |&i: &usize| targets[i].url == target;
        if target == own || target.len() > LONGEST_URL || seen.find(hash(&target), known).is_some() {
            continue;
        }
        let target_host = host(&target);
        let domain: Arc<str> = match targets.last() {
            Some(last) if host(&last.url) == target_host => last.domain.clone(),
            _ => domain(target_host).into(),
        };
        let Some(left) = room.checked_sub(target.len() + domain.len()) else { break };
        room = left;
        seen.insert_unique(hash(&target), targets.len(), |&i| hash(&targets[i].url));
        targets.push(Link { url: target, domain });
    }
    targets
}

fn resolve_base(page_url: Option<&Url>, href: &str) -> Option<Url> {
    let href = attribute_value(href);
    let url = join(page_url, href.trim_matches(is_ascii_blank))?;
    (url.as_str().len() <= LONGEST_URL && !matches!(url.scheme(), "data" | "javascript")).then_some(url)
}

fn join(base: Option<&Url>, href: &str) -> Option<Url> {
    match base {
        Some(base) => base.join(href).ok(),
        None => Url::parse(href).ok(),
    }
}

fn is_ascii_blank(c: char) -> bool {
    c.is_ascii_whitespace()
}

/// The absolute http(s) URL, without fragment, that a reference means on a page; none if it leads nowhere.
pub fn resolve(page_url: Option<&str>, href: &str) -> Option<String> {
    let page_url = page_url.and_then(|url| Url::parse(url).ok());
    Base::new(page_url.as_ref()).resolve(href).filter(|target| target.len() <= LONGEST_URL)
}

/// A base URL, taken apart so that plain references need no parser.
struct Base<'a> {
    url: Option<&'a Url>,
    /// `https://host:port` and the path up to its last slash, for bases that can take a path.
    plain: Option<(&'a str, &'a str)>,
}

impl<'a> Base<'a> {
    fn new(url: Option<&'a Url>) -> Self {
        let url = url.filter(|url| url.as_str().len() <= LONGEST_URL);
        let plain = url.filter(|url| matches!(url.scheme(), "http" | "https")).map(|url| {
            let path = url.path();
            (&url[..url::Position::BeforePath], &path[..path.rfind('/').map_or(0, |slash| slash + 1)])
        });
        Base { url, plain }
    }

    /// The absolute http(s) target of a decoded reference, without fragment.
    fn resolve(&self, href: &str) -> Option<String> {
        let href = href.trim_matches(is_ascii_blank);
        let href = &href[..href.find('#').unwrap_or(href.len())];
        if let Some(scheme) = scheme(href)
            && !scheme.eq_ignore_ascii_case("http")
            && !scheme.eq_ignore_ascii_case("https")
        {
            return None;
        }
        self.plain(href).or_else(|| self.parsed(href))
    }

    fn parsed(&self, href: &str) -> Option<String> {
        let mut url = join(self.url, href)?;
        if !matches!(url.scheme(), "http" | "https") {
            return None;
        }
        url.set_fragment(None);
        Some(url.into())
    }

    /// Path references made of characters that the URL standard leaves alone, put together without parsing.
    fn plain(&self, href: &str) -> Option<String> {
        let (origin, base_folder) = self.plain?;
        if href.is_empty() || href.starts_with("//") || !href.bytes().all(|b| PLAIN[usize::from(b)]) {
            return None;
        }
        let (folder, rest) = if href.starts_with('/') {
            ("", href)
        } else {
            let mut folder = base_folder;
            let mut rest = href;
            loop {
                if let Some(inner) = rest.strip_prefix("./") {
                    rest = inner;
                } else if let Some(outer) = rest.strip_prefix("../") {
                    rest = outer;
                    // Above the root is the root.
                    if folder.len() > 1 {
                        folder = &folder[..folder[..folder.len() - 1].rfind('/')? + 1];
                    }
                } else {
                    break (folder, rest);
                }
            }
        };
        // Dot segments elsewhere are for the parser.
        if rest.starts_with('.') || rest.contains("/.") {
            return None;
        }
        let mut target = String::with_capacity(origin.len() + folder.len() + rest.len());
        target.push_str(origin);
        target.push_str(folder);
        target.push_str(rest);
        Some(target)
    }
}

/// Characters that stand for themselves in a path, and no others: no `?`, `%`, `:` or `\`.
const PLAIN: [bool; 256] = {
    let mut table = [false; 256];
    let mut b = 0;
    while b < 128 {
        table[b] =
            (b as u8).is_ascii_alphanumeric() || matches!(b as u8, b'-' | b'.' | b'_' | b'~' | b'/' | b'+' | b',');
        b += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn targets(page: &str, base: Option<&str>, hrefs: &[&str]) -> Vec<String> {
        links(Url::parse(page).ok().as_ref(), base, hrefs).into_iter().map(|l| l.url).collect()
    }

    #[test]
    fn resolution() {
        let page = "http://www.example.com/a/b/c.html?q#f";
        assert_eq!(
            targets(
                page,
                None,
                &[
                    "d.html#x",
                    "d.html",
                    "../e",
                    "../../../f",
                    "/g?h&amp;i",
                    "//other.org",
                    "https://UP.example/%7e",
                    "mailto:a@b",
                    "javascript:x()",
                    "#top",
                    "",
                    "c.html?q",
                    "d.html#y",
                    " j\n",
                    "?k",
                    "data:text/html,x",
                ]
            ),
            [
                "http://www.example.com/a/b/d.html",
                "http://www.example.com/a/e",
                "http://www.example.com/f",
                "http://www.example.com/g?h&i",
                "http://other.org/",
                "https://up.example/%7e",
                "http://www.example.com/a/b/j",
                "http://www.example.com/a/b/c.html?k",
            ]
        );
        assert_eq!(targets(page, Some("/base/"), &["x"]), ["http://www.example.com/base/x"]);
        assert_eq!(targets("file:///tmp/a.html", None, &["b.html", "http://c.example/"]), ["http://c.example/"]);
    }

    #[test]
    fn one_reference() {
        let page = Some("http://www.example.com/a/b?q#f");
        for (page, href, expected) in [
            (page, "c?x=1&y=2#z", Some("http://www.example.com/a/c?x=1&y=2")),
            (page, "", Some("http://www.example.com/a/b?q")),
            (page, "mailto:a@b", None),
            (None, "http://b\u{fc}cher.example:80/a/../b", Some("http://xn--bcher-kva.example/b")),
            (None, "c", None),
            (Some("no url"), "c", None),
        ] {
            assert_eq!(resolve(page, href).as_deref(), expected, "{href}");
        }
        assert_eq!(resolve(page, &"z".repeat(5000)), None);
    }

    #[test]
    fn domains_of_targets() {
        let page = Url::parse("http://a.example/").unwrap();
        let found = links(
            Some(&page),
            None,
            &["http://u@www.b.co.uk:8080/x", "http://[::1]/", "http://192.0.2.1/", "http://h?q"],
        );
        let domains: Vec<&str> = found.iter().map(|l| &*l.domain).collect();
        assert_eq!(domains, ["b.co.uk", "[::1]", "192.0.2.1", "h"]);
    }

    #[test]
    fn long_bases_do_not_multiply() {
        let long = format!("http://a.example/{}/", "x".repeat(5000));
        assert_eq!(targets("http://a.example/", Some(&long), &["y"]), ["http://a.example/y"]);
        assert_eq!(targets(&long, None, &["y", "http://b.example/"]), ["http://b.example/"]);
        assert_eq!(targets("no url", None, &["y", "http://b.example/"]), ["http://b.example/"]);
        assert_eq!(targets("http://a.example/", None, &[&"z".repeat(5000)]), [""; 0]);
    }

    #[test]
    fn all_targets_together_are_bounded() {
        let base = format!("http://a.example/{}/", "x".repeat(4000));
        let names: Vec<String> = (0..60_000).map(|i| i.to_string()).collect();
        let hrefs: Vec<&str> = names.iter().map(String::as_str).collect();
        let found = links(Url::parse("http://a.example/").ok().as_ref(), Some(&base), &hrefs);
        let total: usize = found.iter().map(|l| l.url.len() + l.domain.len()).sum();
        assert!(total > ROOM && total <= ROOM + 60_000 * 5 * ROOM_PER_BYTE, "{total}");
    }

    proptest! {
        #[test]
        fn the_short_way_is_the_parsers_way(
            page in "https?://[a-z]{1,5}\\.example(:81)?/([a-z.]{0,4}/){0,3}[a-z]{0,3}(\\?q)?",
            href in "[a-c./]{1,12}",
        ) {
            let url = Url::parse(&page).unwrap();
            let base = Base::new(Some(&url));
            if let Some(plain) = base.plain(&href) {
                prop_assert_eq!(Some(plain), base.parsed(&href));
            }
        }
    }
}
