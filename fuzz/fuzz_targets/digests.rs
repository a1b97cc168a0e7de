//! Any bytes have a digest, any text is read as one or refused, and scores do not depend on the order of two.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pagekin_core::ssdeep::digest::digest;
use pagekin_core::ssdeep::score::{Digest, compare};
use pagekin_core::ssdeep::index::DigestIndex;
use pagekin_fuzz::first_line;
use pagekin_fuzz::work::assert_linear;

fuzz_target!(|data: &[u8]| {
    let (line, rest) = first_line(data);
    let told = line.and_then(|text| Digest::parse(text).ok());
    let made = [data, rest].map(|bytes| Digest::parse(&digest(bytes)).expect("what we write we read"));
    let all: Vec<&Digest> = made.iter().chain(&told).collect();
    for a in &all {
        let mut index = DigestIndex::new(usize::MAX);
        index.add(a);
        for b in &all {
            let score = compare(a, b).unwrap_or(0);
            assert!(score <= 100);
            assert_eq!(score, compare(b, a).unwrap_or(0));
            let mut best = 0;
            index.matches(b, |_, found| best = best.max(found));
            // Equal digests that share no piece are joined without the index.
            assert!(best == score || best == 0 && score == 100, "{best} by pieces, {score} by comparing");
        }
    }
    assert_linear(data, |bytes| drop(digest(bytes)));
});
