//! URLs that a browser loads without a click: those of frames, and of a refresh.

use crate::page::html::markup::{Element, attributes, comment_end, element, end_tag, is_space, name_end};
use crate::simd::find::find;

/// The URLs as written, still with character references, in order.
pub fn auto_targets(html: &str) -> Vec<&str> {
    let bytes = html.as_bytes();
    let mut found = Vec::new();
    let (mut at, mut templates) = (0, 0u64);
    while let Some(open) = find(b'<', bytes, at) {
        if bytes[open..].starts_with(b"<!--") {
            at = comment_end(bytes, open);
            continue;
        }
        let is_end = bytes.get(open + 1) == Some(&b'/');
        let name_from = open + 1 + usize::from(is_end);
        if !bytes.get(name_from).is_some_and(u8::is_ascii_alphabetic) {
            at = open + 1;
            continue;
        }
        let name_to = name_end(bytes, name_from);
        let name = &bytes[name_from..name_to];
        let what = element(name);
        let is_frame = name.eq_ignore_ascii_case(b"frame") || name.eq_ignore_ascii_case(b"iframe");
        let (mut source, mut content, mut refresh) = (None, None, false);
        let Some(end) = attributes(bytes, name_to, |name, value| {
            let name = &bytes[name];
            if is_frame && source.is_none() && name.eq_ignore_ascii_case(b"src") {
                source = Some(value);
            } else if what == Element::Meta && content.is_none() && name.eq_ignore_ascii_case(b"content") {
                content = Some(value);
            } else if what == Element::Meta && name.eq_ignore_ascii_case(b"http-equiv") {
                refresh |= bytes[value].eq_ignore_ascii_case(b"refresh");
            }
        }) else {
            break;
        };
        at = end;
        if what == Element::Template {
            templates = if is_end { templates.saturating_sub(1) } else { templates + 1 };
        }
        if is_end {
            continue;
        }
        if templates == 0 {
            found.extend(source.map(|range| &html[range]));
            found.extend(content.filter(|_| refresh).and_then(|range| target(&html[range])));
        }
        match what {
            Element::Raw | Element::RawSpace | Element::Title | Element::Textarea | Element::Xmp => {
                at = end_tag(bytes, end, name).map_or(bytes.len(), |(_, name_to)| name_to);
            }
            Element::Plaintext => break,
            _ => {}
        }
    }
    found
}

/// The URL in the content of a refresh: `5; url=/there`.
fn target(content: &str) -> Option<&str> {
    let blank = |c: char| c.is_ascii() && is_space(c as u8);
    let rest = content.trim_start_matches(blank);
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let after = rest.trim_start_matches(blank);
    // There must be something between the seconds and the URL.
    let url = match after.strip_prefix([';', ',']) {
        Some(url) => url.trim_start_matches(blank),
        None if after.len() < rest.len() => after,
        None => return None,
    };
    let named = url.get(..3).filter(|word| word.eq_ignore_ascii_case("url")).and_then(|_| {
        url[3..].trim_start_matches(blank).strip_prefix('=').map(|value| value.trim_start_matches(blank))
    });
    let url = named.unwrap_or(url);
    let url = match url.chars().next() {
        Some(quote @ ('"' | '\'')) => url[1..].split(quote).next().unwrap_or_default(),
        _ => url,
    };
    Some(url.trim_matches(blank)).filter(|url| !url.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn found() {
        for (html, expected) in [
            ("<p>nothing<a href=x>", vec![]),
            ("<frameset><frame src=a><FRAME name=x SRC='b c'></frameset>", vec!["a", "b c"]),
            ("<iframe src=\"/x?a=1&amp;b=2\"></iframe><frame>", vec!["/x?a=1&amp;b=2"]),
            ("<meta http-equiv=refresh content='0; url=/next'>", vec!["/next"]),
            ("<META content='5;URL = \"/q\" ' HTTP-EQUIV=Refresh>", vec!["/q"]),
            ("<meta http-equiv=refresh content='1.5, /bare'>", vec!["/bare"]),
            ("<meta http-equiv=refresh content='3 http://a.example/'>", vec!["http://a.example/"]),
            ("<meta http-equiv=refresh content='30'>", vec![]),
            ("<meta http-equiv=refresh content='30;'>", vec![]),
            ("<meta http-equiv=refresh content=\"0;url='/a'/b\">", vec!["/a"]),
            ("<meta name=refresh content='0; url=/next'>", vec![]),
            ("<!-- <frame src=a> --><script>'<frame src=b>'</script><frame src=c>", vec!["c"]),
            ("<template><frame src=a></template><frame src=b>", vec!["b"]),
            ("<iframe src=a><frame src=inside></iframe><textarea><frame src=t></textarea>", vec!["a"]),
            ("<frame src=a", vec![]),
            ("</frame src=a>", vec![]),
            ("<frames src=a>", vec![]),
        ] {
            assert_eq!(auto_targets(html), expected, "{html}");
        }
    }

    proptest! {
        /// Nothing but what is written there, whatever is.
        #[test]
        fn any_page(parts in proptest::collection::vec(prop_oneof![
            Just("<frame src="), Just("<iframe "), Just(">"), Just("<meta http-equiv=refresh content="), Just("'0;url="),
            Just("'"), Just("<!--"), Just("-->"), Just("ü"), Just("<script>"), Just("</script>"), Just("x "), Just("<"),
        ], 0..30)) {
            let html = parts.concat();
            for found in auto_targets(&html) {
                prop_assert!(html.contains(found));
            }
        }
    }
}
