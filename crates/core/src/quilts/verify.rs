//! Proof that no two different grams have the same hash, by comparing their words where the hashes meet.

use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, Int64Builder};
use arrow_array::{BinaryArray, Int64Array, RecordBatch, StringArray};
use arrow_schema::ArrowError;

use crate::arrow::{batch_of, column};
use crate::quilts::grams::Grams;

/// Grams with their words, how many others were compared with them, and how many of those had other words.
#[derive(Default)]
struct WordRows {
    gram: Int64Builder,
    words: BinaryBuilder,
    compared: Int64Builder,
    collisions: Int64Builder,
}

impl WordRows {
    fn push(&mut self, gram: i64, words: &[u8], compared: i64, collisions: i64) {
        self.gram.append_value(gram);
        self.words.append_value(words);
        self.compared.append_value(compared);
        self.collisions.append_value(collisions);
    }

    fn finish(mut self) -> Result<RecordBatch, ArrowError> {
        batch_of(vec![
            ("gram", Arc::new(self.gram.finish())),
            ("words", Arc::new(self.words.finish())),
            ("compared", Arc::new(self.compared.finish())),
            ("collisions", Arc::new(self.collisions.finish())),
        ])
    }
}

/// The distinct grams of pages (`text`) with their words; a gram that a page has twice is compared at once.
pub fn gram_words(batch: &RecordBatch, k: usize, seed: u64) -> Result<RecordBatch, ArrowError> {
    let mut hasher = Grams::new(k, seed);
    let mut rows = WordRows::default();
    let mut packed = Vec::new();
    for text in column::<StringArray>(batch, "text")?.iter().flatten() {
        let mut order: Vec<(u64, u32)> = hasher.all(text).into_iter().zip(0..).collect();
        order.sort_unstable();
        let words: Vec<&[u8]> = hasher.words().iter().collect();
        let at = |place: u32| &words[place as usize..][..k];
        for same in order.chunk_by(|a, b| a.0 == b.0) {
            let first = at(same[0].1);
            let wrong = same[1..].iter().filter(|other| at(other.1) != first).count();
            packed.clear();
            for word in first {
                packed.extend_from_slice(&(word.len() as u32).to_le_bytes());
                packed.extend_from_slice(word);
            }
            rows.push(same[0].0 as i64, &packed, same.len() as i64 - 1, wrong as i64);
        }
    }
    rows.finish()
}

/// Complete groups of `gram`, or parts of them, as one row each: all words are compared with the first.
pub fn compare_words(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let words: &BinaryArray = column(batch, "words")?;
    let [gram, compared, collisions] = ["gram", "compared", "collisions"].map(|name| column::<Int64Array>(batch, name));
    let (compared, collisions) = (compared?.values(), collisions?.values());
    let mut rows = WordRows::default();
    let mut begin = 0;
    for group in gram?.values().chunk_by(|a, b| a == b) {
        let end = begin + group.len();
        let first = words.value(begin);
        let wrong = (begin + 1..end).filter(|row| words.value(*row) != first).count() as i64;
        let sum = |counts: &[i64]| counts[begin..end].iter().sum::<i64>();
        rows.push(group[0], first, sum(compared) + group.len() as i64 - 1, sum(collisions) + wrong);
        begin = end;
    }
    rows.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;

    fn sums(batch: &RecordBatch) -> [i64; 2] {
        let sum = |at: usize| batch.column(at).as_primitive::<Int64Type>().values().iter().sum();
        [sum(2), sum(3)]
    }

    fn words(text: &str) -> RecordBatch {
        let texts: StringArray = [Some(text), None].into_iter().collect();
        gram_words(&batch_of(vec![("text", Arc::new(texts))]).unwrap(), 2, 0).unwrap()
    }

    #[test]
    fn finds_what_is_planted() {
        assert_eq!(sums(&words("x x x x x")), [3, 0], "x x is there four times");
        let (once, twice) = (words("one two"), words("one three"));
        assert_ne!(once.column(0).as_primitive::<Int64Type>(), twice.column(0).as_primitive::<Int64Type>());
        // As if both had one hash.
        let both = |rows: [&RecordBatch; 3]| {
            let words = rows.map(|row| row.column(1).as_binary::<i32>().value(0));
            let zeros = || Arc::new(Int64Array::from(vec![0; 3])) as Arc<dyn Array>;
            let words = Arc::new(BinaryArray::from(words.to_vec()));
            batch_of(vec![("gram", zeros()), ("words", words), ("compared", zeros()), ("collisions", zeros())]).unwrap()
        };
        assert_eq!(sums(&compare_words(&both([&once, &once, &once])).unwrap()), [2, 0]);
        assert_eq!(sums(&compare_words(&both([&once, &twice, &once])).unwrap()), [2, 1]);
    }
}
