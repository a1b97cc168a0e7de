//! Words back in their text: where they stand, and what phrases read like.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::ArrowError;
use hashbrown::HashMap;
use rayon::prelude::*;

use crate::page::text::chars::{Kind, Kinds, char_at};
use crate::page::text::words::Words;
use crate::phrases::popular::{batch_of, numbers, wrong};
use crate::shingles::minwise::Shingler;

/// Where the words of a text stand, in bytes: as many as `Words` finds.
pub fn spans(text: &str) -> Vec<Range<usize>> {
    let kinds = Kinds::get();
    let bytes = text.as_bytes();
    let (mut spans, mut begin, mut at) = (Vec::new(), None, 0);
    while at < bytes.len() {
        let (c, next) = char_at(bytes, at);
        let kind = if c.is_ascii_alphanumeric() { Kind::Letter } else { kinds.of(c) };
        if kind == Kind::Letter {
            begin.get_or_insert(at);
        } else {
            spans.extend(begin.take().map(|begin| begin..at));
            if kind == Kind::Alone {
                spans.push(at..next);
            }
        }
        at = next;
    }
    spans.extend(begin.map(|begin| begin..bytes.len()));
    spans
}

/// The phrases that are wanted of each page.
pub type Wanted = HashMap<i64, Vec<u64>>;

/// What the wanted phrases (`page` and `fingerprint`) read like on the pages of a batch (`page` and `text`).
pub fn quote(texts: &RecordBatch, wanted: &Wanted, fresh: &Shingler, k: usize) -> Result<RecordBatch, ArrowError> {
    let pages = numbers(texts, "page")?;
    let text = texts.column_by_name("text").and_then(|c| c.as_string_opt::<i32>()).ok_or_else(|| wrong("text"))?;
    let found: Vec<Vec<(i64, String)>> = (0..texts.num_rows())
        .into_par_iter()
        .map_init(
            || (fresh.clone(), Words::default()),
            |(shingler, words), row| {
                let Some(wanted) = wanted.get(&pages.value(row)).filter(|_| text.is_valid(row)) else {
                    return Vec::new();
                };
                words.fill(text.value(row));
                let mut first: HashMap<u64, usize> = HashMap::new();
                for (i, &phrase) in shingler.phrases(words).iter().enumerate() {
                    first.entry(phrase).or_insert(i);
                }
                let all: Vec<&[u8]> = words.iter().collect();
                let say = |i: usize| {
                    let words = (i..i + k).map(|j| String::from_utf8_lossy(all[j % all.len()]));
                    words.collect::<Vec<_>>().join(" ")
                };
                wanted.iter().filter_map(|phrase| Some((*phrase as i64, say(*first.get(phrase)?)))).collect()
            },
        )
        .collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("fingerprint", Arc::new(found.iter().flatten().map(|(phrase, _)| *phrase).collect::<Int64Array>())),
        ("phrase", Arc::new(found.iter().flatten().map(|(_, text)| Some(text)).collect::<StringArray>())),
    ];
    batch_of(columns)
}

/// The wanted phrases of each page, from a batch of `page` and `fingerprint`.
pub fn wanted(batch: &RecordBatch) -> Result<HashMap<i64, Vec<u64>>, ArrowError> {
    let (pages, phrases) = (numbers(batch, "page")?, numbers(batch, "fingerprint")?);
    let mut found: HashMap<i64, Vec<u64>> = HashMap::new();
    for row in 0..batch.num_rows() {
        found.entry(pages.value(row)).or_default().push(phrases.value(row) as u64);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::text::words::words;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn spans_are_of_words(text in "([a-zA-Z0-9 ,ÀéßİΣ漢ไ\u{0301}]|\\PC){0,60}") {
            let found: Vec<String> = spans(&text).into_iter().flat_map(|span| words(&text[span])).collect();
            prop_assert_eq!(found.len(), spans(&text).len());
            prop_assert_eq!(found, words(&text));
        }
    }
}
