//! Any characters as a page: noise, text, title, words and links keep their rules.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pagekin_core::page::html::auto_targets::auto_targets;
use pagekin_fuzz::work::assert_linear;
use pagekin_fuzz::{check_auto_targets, check_markup};
use url::Url;

fuzz_target!(|html: &str| {
    let page = Url::parse("https://www.example.co.uk/folder/page.html?query=1").ok();
    check_markup(html, page.as_ref());
    check_markup(html, None);
    check_auto_targets(html);
    // Repeated, valid characters stay so.
    assert_linear(html.as_bytes(), |bytes| drop(std::str::from_utf8(bytes).map(auto_targets)));
});
