//! What must hold of any page, whatever is in it. The targets feed it; a broken rule is a panic.

pub mod work;

use std::collections::HashSet;

use caseless::Caseless;
use pagekin_core::page::text::chars::{CharClass, CharClasses};
use pagekin_core::page::html::extract::{Extract, extract};
use pagekin_core::page::url::links::{Link, links};
use pagekin_core::page::noise::Noise;
use pagekin_core::page::html::text::is_blank;
use pagekin_core::page::text::words::Words;
use url::Url;

/// Longer targets are dropped (docs/reference/text.md).
const LONGEST_URL: usize = 4096;

/// The first line, if it is UTF-8, and the rest: how targets get a header from one string of bytes.
pub fn first_line(data: &[u8]) -> (Option<&str>, &[u8]) {
    let end = data.iter().position(|&b| b == b'\n').unwrap_or(0);
    let rest = data.get(end + 1..).unwrap_or_default();
    (std::str::from_utf8(&data[..end]).ok().filter(|line| !line.is_empty()), rest)
}

/// Frames and refreshes lead to what is written there.
pub fn check_auto_targets(html: &str) {
    for address in pagekin_core::page::html::auto_targets::auto_targets(html) {
        assert!(html.contains(address));
    }
}

/// Noise is what is left without the alphanumeric characters.
pub fn check_noise(html: &str, noise: &Noise) {
    let expected: String = html.chars().filter(|c| !c.is_alphanumeric()).collect();
    assert_eq!(noise.as_bytes(), expected.as_bytes());
    assert_eq!(noise.chars(), expected.chars().count());
}

/// Text has single gaps, none at its ends, and is not longer than the page.
pub fn check_text(html: &str, text: &str) {
    // The worst is a reference of five bytes for two characters of three.
    assert!(text.len() <= 2 * html.len(), "{} bytes of text from {}", text.len(), html.len());
    let mut after_gap = true;
    for c in text.chars() {
        let gap = is_blank(c);
        assert!(!gap || c == ' ' || c == '\n', "{c:?} in the text");
        assert!(!(gap && after_gap), "a gap at the beginning, or two in a row");
        after_gap = gap;
    }
    assert!(!after_gap || text.is_empty(), "a gap at the end");
}

/// Words are maximal alphanumeric runs, folded; in some scripts single characters.
pub fn check_words(text: &str, words: &Words) {
    let classes = CharClasses::get();
    let mut expected: Vec<String> = vec![String::new()];
    for c in text.chars() {
        assert_eq!(classes.of(c) == CharClass::Noise, !c.is_alphanumeric(), "{c:?}");
        match classes.of(c) {
            CharClass::Noise => expected.push(String::new()),
            CharClass::Alone => expected.extend([c.to_string(), String::new()]),
            CharClass::Letter => expected.last_mut().expect("never empty").push(c),
        }
    }
    expected.retain(|word| !word.is_empty());
    let found: Vec<&[u8]> = words.iter().collect();
    assert_eq!(found.len(), words.len());
    assert_eq!(found.len(), expected.len());
    for (word, run) in found.iter().zip(&expected) {
        let folded: String = run.chars().default_case_fold().collect();
        assert_eq!(*word, folded.as_bytes());
    }
}

/// Targets are distinct absolute web addresses without a fragment, and no more than the page has links.
pub fn check_links(page: Option<&Url>, found: &Extract<'_>, links: &[Link]) {
    assert!(links.len() <= found.hrefs.len());
    let mut seen = HashSet::new();
    for link in links {
        assert!(link.url.starts_with("http://") || link.url.starts_with("https://"), "{}", link.url);
        assert!(link.url.len() <= LONGEST_URL && !link.url.contains('#'));
        assert!(seen.insert(&link.url), "twice: {}", link.url);
        let target = Url::parse(&link.url).expect("a target is a URL");
        assert_eq!(target.as_str(), link.url, "a target is written as the standard writes it");
        let domain: &str = link.domain.as_ref();
        assert!(!domain.is_empty(), "{} has no domain", link.url);
        assert!(target.host_str().is_some_and(|host| host.contains(domain)), "{domain} in {}", link.url);
        if let Some(page) = page {
            assert_ne!(page.as_str().split('#').next(), Some(link.url.as_str()), "a link to the page itself");
        }
    }
}

/// All that comes from decoded HTML: text, title and links.
pub fn check_markup(html: &str, page: Option<&Url>) {
    let mut noise = Noise::default();
    noise.fill(html);
    check_noise(html, &noise);
    let found = extract(html);
    check_text(html, &found.text);
    if let Some(title) = &found.title {
        assert!(!title.is_empty() && !title.contains('\n'));
        check_text(html, title);
    }
    let size: usize = found.hrefs.iter().map(|href| href.len()).sum();
    assert!(size <= html.len());
    let mut words = Words::default();
    words.fill(&found.text);
    check_words(&found.text, &words);
    check_links(page, &found, &links(page, found.base, &found.hrefs));
}
