//! Which words a page holds, as hashes: what a word search is built from.

use std::sync::Arc;

use arrow_array::{Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::ArrowError;

use crate::arrow::{batch_of, column};
use crate::hash::word_hash;
use crate::page::text::words::Words;

/// 64 bits that depend on nothing but a folded word.
pub fn hash_of(word: &[u8]) -> i64 {
    word_hash(word, 0, word.len(), 0) as i64
}

/// The hashes of a text's distinct words, sorted.
pub fn word_hashes(words: &mut Words, text: &str) -> Vec<i64> {
    words.fill(text);
    let mut hashes: Vec<i64> = words.iter().map(hash_of).collect();
    words.release();
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

/// From `page` and `text` to `word` and `page`: one row for each distinct word of a page.
pub fn page_words(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let (page, text): (&Int64Array, &StringArray) = (column(batch, "page")?, column(batch, "text")?);
    let mut words = Words::default();
    let (mut found, mut pages) = (Vec::new(), Vec::new());
    for row in (0..batch.num_rows()).filter(|&row| text.is_valid(row)) {
        let hashes = word_hashes(&mut words, text.value(row));
        pages.resize(pages.len() + hashes.len(), page.value(row));
        found.extend(hashes);
    }
    batch_of(vec![("word", Arc::new(Int64Array::from(found))), ("page", Arc::new(Int64Array::from(pages)))])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    use arrow_array::ArrayRef;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;

    #[test]
    fn each_word_of_a_page_once() {
        let texts = ["The cat, the CAT and the dog", "", "dog"];
        let batch = RecordBatch::try_from_iter([
            ("page", Arc::new(Int64Array::from(vec![7, 8, 9])) as ArrayRef),
            ("text", Arc::new(StringArray::from(texts.to_vec()))),
        ]);
        let found = page_words(&batch.unwrap()).unwrap();
        let (word, page) = (found.column(0).as_primitive::<Int64Type>(), found.column(1).as_primitive::<Int64Type>());
        let pairs: BTreeSet<(i64, i64)> = (0..found.num_rows()).map(|i| (page.value(i), word.value(i))).collect();
        let hash = |word: &str| hash_of(word.as_bytes());
        let expected = [(7, hash("the")), (7, hash("cat")), (7, hash("and")), (7, hash("dog")), (9, hash("dog"))];
        assert_eq!(found.num_rows(), expected.len());
        assert_eq!(pairs, expected.into_iter().collect());
    }
}
