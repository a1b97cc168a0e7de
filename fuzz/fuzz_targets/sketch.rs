//! Any bytes as a page with any URL and Content-Type (the first two lines): the one pass gives what its parts give,
//! whatever page was in its buffers before.
#![no_main]

use std::cell::RefCell;

use libfuzzer_sys::fuzz_target;
use pagekin_core::page::charset::decode;
use pagekin_core::page::url::domain;
use pagekin_core::page::html::extract::extract;
use pagekin_core::page::html::structure::structure;
use pagekin_core::page::url::links::links;
use pagekin_core::page::noise::noise;
use pagekin_core::page::{Page, Scratch, Sketch, sketch};
use pagekin_core::shingles::minwise::ShingleParams;
use pagekin_core::style::fingerprint::StyleParams;
use pagekin_core::page::text::words::words;
use pagekin_fuzz::work::assert_linear;
use pagekin_fuzz::{check_markup, first_line};

/// As in the paper, or without what is in content and with the fingerprint of the structure.
fn fresh(content: bool) -> Scratch {
    Scratch::new(StyleParams { content, structure: !content, ..StyleParams::default() }, ShingleParams::default())
}

thread_local! {
    static SCRATCH: [RefCell<Scratch>; 2] = [false, true].map(|content| RefCell::new(fresh(content)));
}

fn same(page: Page<'_>, content: bool) -> Sketch {
    let used = SCRATCH.with(|both| sketch(page, &mut both[usize::from(content)].borrow_mut()));
    let alone = sketch(page, &mut fresh(content));
    assert_eq!(used.text, alone.text);
    assert_eq!((used.words, used.md5, &used.shingles), (alone.words, alone.md5, &alone.shingles));
    let of_markup =
        |found: &Sketch| found.markup.as_ref().map(|m| (m.noise_chars, m.style.clone(), m.structure.clone(), m.skeleton));
    assert_eq!(of_markup(&used), of_markup(&alone));
    used
}

fuzz_target!(|data: &[u8]| {
    let (url, rest) = first_line(data);
    for content in [false, true] {
        check(url, rest, content);
    }
});

fn check(url: Option<&str>, rest: &[u8], content: bool) {
    let (content_type, bytes) = first_line(rest);
    let found = same(Page { url, content_type, html: Some(bytes), text: None }, content);
    let page = url.and_then(domain::parse);
    let host = url.and_then(domain::host);
    assert_eq!(found.host, host);
    assert_eq!(found.domain.as_deref(), host.as_deref().map(domain::domain));
    let markup = found.markup.expect("there was HTML");
    assert_eq!(markup.bytes, bytes.len());

    let tld = host.as_deref().and_then(|host| host.rsplit('.').next());
    let decoded = decode(bytes, content_type, tld);
    assert_eq!((markup.charset, markup.lossy), (decoded.charset, decoded.lossy));
    assert_eq!(markup.noise_chars, noise(&decoded.html, content).chars().count());
    if !content {
        assert_eq!(markup.structure, structure(&decoded.html, StyleParams::default().m));
    }
    let parts = extract(&decoded.html);
    assert_eq!(markup.generator, parts.generator);
    assert_eq!((&found.text, &markup.title), (&parts.text, &parts.title));
    assert_eq!(found.words, words(&parts.text).len());
    assert_eq!(markup.links, links(page.as_ref(), parts.base, &parts.hrefs));
    check_markup(&decoded.html, page.as_ref());
    assert_linear(bytes, |bytes| {
        let page = Page { url, content_type, html: Some(bytes), text: None };
        SCRATCH.with(|both| drop(sketch(page, &mut both[usize::from(content)].borrow_mut())));
    });

    // The same characters as a page of which only the text is known.
    let text = same(Page { url, content_type, html: None, text: Some(&decoded.html) }, content);
    assert!(text.markup.is_none());
    assert_eq!(text.text, decoded.html);
}
