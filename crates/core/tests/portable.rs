//! The same numbers with and without vector code: `cargo test` runs this with and without `--features portable`.

use pagekin_core::hash::mix;
use pagekin_core::page::{Page, Scratch, sketch};
use pagekin_core::shingles::minwise::{Family, ShingleParams};
use pagekin_core::style::fingerprint::StyleParams;

/// What the sketches below amount to. It changes when sketches are meant to change.
const EXPECTED: u64 = 0x0a7f_0074_72f3_49dc;

/// Pages of tags, words, entities and characters of one to four bytes, the same on every machine.
fn pages() -> Vec<String> {
    const PIECES: [&str; 24] = [
        "<p class=\"x1\">",
        "</p>",
        "<a href='/a?b=1&c=2'>",
        "</a>",
        "<!-- no -->",
        "<br/>",
        "&amp;",
        "&nbsp;",
        " ",
        "\n",
        "word",
        "Another",
        "ÉTÉ",
        "naïve",
        "漢字",
        "日本語。",
        "😀",
        "x",
        "3.14",
        "_",
        "<script>if (a<b) {}</script>",
        "<title>T</title>",
        "ﬁ",
        "İstanbul",
    ];
    let mut state = 42u64;
    let mut next = |bound: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % bound
    };
    (0..300)
        .map(|_| {
            let length = next(2000);
            (0..length).map(|_| PIECES[next(PIECES.len())]).collect()
        })
        .collect()
}

#[test]
fn sketches_do_not_depend_on_vector_code() {
    let mut digest = 0u64;
    let mut take = |value: u64| digest = mix(digest.rotate_left(7) ^ value);
    for family in [Family::Bins, Family::Rabin] {
        let mut scratch = Scratch::new(StyleParams::default(), ShingleParams { family, ..ShingleParams::default() });
        for html in pages() {
            let page = Page { url: Some("http://a.example/b"), html: Some(html.as_bytes()), ..Page::default() };
            let found = sketch(page, &mut scratch);
            let markup = found.markup.unwrap();
            take(markup.noise_chars as u64);
            take(markup.links.len() as u64);
            take(found.words as u64);
            markup.style.iter().flatten().for_each(|&minimum| take(minimum.into()));
            markup.skeleton.iter().flatten().for_each(|&minimum| take(minimum.into()));
            found.shingles.iter().flatten().for_each(|&shingle| take(shingle));
            found.md5.iter().for_each(|&byte| take(byte.into()));
            found.ssdeep.bytes().for_each(|byte| take(byte.into()));
        }
    }
    assert_eq!(digest, EXPECTED, "with and without `portable` it must be the same: {digest:#x}");
}
