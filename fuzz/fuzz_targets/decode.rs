//! Any bytes, with any Content-Type (the first line), are decoded, and by the rules.
#![no_main]

use encoding_rs::Encoding;
use libfuzzer_sys::fuzz_target;
use pagekin_core::page::charset::decode;
use pagekin_fuzz::first_line;
use pagekin_fuzz::work::assert_linear;

fuzz_target!(|data: &[u8]| {
    let (content_type, bytes) = first_line(data);
    for tld in [None, Some("jp"), Some("xn--p1ai")] {
        let decoded = decode(bytes, content_type, tld);
        let encoding = Encoding::for_label(decoded.charset.as_bytes()).expect("a name of the Encoding Standard");
        assert_eq!(encoding.name(), decoded.charset);
        // One byte becomes one character of three bytes at most; what is cut off at the end, one more.
        assert!(decoded.html.len() <= 3 * bytes.len() + 3);
        assert!(!decoded.lossy || decoded.html.contains('\u{FFFD}'), "lossy without a trace");
        if decoded.charset == "UTF-8" && !decoded.lossy {
            assert_eq!(decoded.html.as_bytes(), bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes));
        }
        if content_type.is_none() && bytes.is_ascii() && !bytes.contains(&b'<') && !bytes.contains(&0x1B) {
            assert_eq!(decoded.charset, "UTF-8", "plain ASCII needs no guess");
        }
    }
    assert_linear(bytes, |bytes| drop(decode(bytes, content_type, None)));
});
