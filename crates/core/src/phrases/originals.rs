//! What of a text is the page's own: not on any page that comes before it in a given order.
//!
//! Every phrase of every page is a row; rows of one phrase meet, and on all pages but the first that has it the
//! phrase is borrowed. Here a text has a beginning and an end: n words give n - k + 1 phrases.

use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{Int64Builder, ListBuilder, StringBuilder, StructBuilder};
use arrow_array::{Int64Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Fields};
use rayon::prelude::*;

use crate::arrow::{batch_of, column, string};
use crate::page::text::words::{Words, word_spans};
use crate::shingles::minwise::Shingler;
use crate::spill::lists::SpillLists;
use crate::spill::pairs::{BUCKETS, SpillPairs};

/// Marks that are put in order together.
const MARKS: usize = 1 << 18;

/// Finds and cuts out what earlier pages have.
pub struct Originals {
    /// Page ids, ascending, and the place of each in the order that says who was first.
    pages: Vec<i64>,
    ranks: Vec<i64>,
    k: usize,
    shingler: Shingler,
    /// Phrases by their hash, and where they are: index of the page << 32 | first word.
    phrases: SpillPairs<u64>,
    /// Where borrowed phrases are, by page: a number that grows with the index.
    marks: SpillPairs<u64>,
    /// The borrowed words of each page: begin << 32 | end.
    borrowed: SpillLists<u64>,
}

impl Originals {
    /// `order` is a batch of `page`, ascending, and `rank`.
    pub fn new(
        order: &RecordBatch,
        shingler: Shingler,
        k: usize,
        memory: usize,
        spill: &Path,
    ) -> Result<Self, ArrowError> {
        let phrases = SpillPairs::new(memory / 2, spill);
        let marks = SpillPairs::new(memory / 8, spill);
        let borrowed = SpillLists::new(memory / 8, spill);
        let pages = column::<Int64Array>(order, "page")?.values().to_vec();
        let ranks = column::<Int64Array>(order, "rank")?.values().to_vec();
        Ok(Originals { pages, ranks, k, shingler, phrases, marks, borrowed })
    }

    /// More texts: `page` and `text`.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let pages: &Int64Array = column(batch, "page")?;
        let texts: &StringArray = column(batch, "text")?;
        let found: Vec<Vec<u64>> = (0..batch.num_rows())
            .into_par_iter()
            .map_init(
                || (self.shingler.clone(), Words::default()),
                |(shingler, words), row| {
                    words.fill(string(texts, row).unwrap_or_default());
                    let n = words.len();
                    shingler.phrases(words)[..(n + 1).saturating_sub(self.k)].to_vec()
                },
            )
            .collect();
        let (mut keys, mut places) = (Vec::new(), Vec::new());
        for (row, phrases) in found.into_iter().enumerate() {
            let Ok(index) = self.pages.binary_search(&pages.value(row)) else { continue };
            places.extend((0..phrases.len() as u64).map(|at| (index as u64) << 32 | at));
            keys.extend(phrases);
        }
        Ok(self.phrases.extend(&keys, &places)?)
    }

    /// All texts have come; they may be cut from now on.
    pub fn seal(&mut self) -> Result<(), ArrowError> {
        let scale = u64::MAX / (self.pages.len() as u64 + 1);
        let (mut keys, mut places) = (Vec::new(), Vec::new());
        for bucket in 0..BUCKETS {
            let rows = self.phrases.sorted(bucket)?;
            for held in rows.chunk_by(|a, b| a.0 == b.0) {
                let rank = |row: &(u64, u64)| self.ranks[(row.1 >> 32) as usize];
                let Some(first) = held.iter().map(rank).min() else { continue };
                for row in held.iter().filter(|row| rank(row) != first) {
                    keys.push((row.1 >> 32) * scale);
                    places.push(row.1);
                }
            }
            if keys.len() > MARKS {
                self.marks.extend(&keys, &places)?;
                (keys, places) = Default::default();
            }
        }
        self.marks.extend(&keys, &places)?;
        self.phrases.clear();
        let mut list: Vec<u64> = Vec::new();
        for bucket in 0..BUCKETS {
            let rows = self.marks.sorted(bucket)?;
            for marks in rows.chunk_by(|a, b| a.0 == b.0) {
                let index = (marks[0].1 >> 32) as usize;
                while self.borrowed.len() < index {
                    self.borrowed.push(&[])?;
                }
                list.clear();
                for &(_, mark) in marks {
                    let (begin, end) = (mark & 0xFFFF_FFFF, (mark & 0xFFFF_FFFF) + self.k as u64);
                    match list.last_mut() {
                        Some(last) if begin <= *last & 0xFFFF_FFFF => *last = *last >> 32 << 32 | end,
                        _ => list.push(begin << 32 | end),
                    }
                }
                self.borrowed.push(&list)?;
            }
        }
        self.marks.clear();
        Ok(self.borrowed.seal()?)
    }

    /// What is left of each text: `page`, `text`, and `passages`: where they were, in characters. Passages of fewer
    /// words than `min_words` are left out.
    pub fn cut(&self, batch: &RecordBatch, min_words: usize) -> Result<RecordBatch, ArrowError> {
        let pages: &Int64Array = column(batch, "page")?;
        let texts: &StringArray = column(batch, "text")?;
        let found = (0..batch.num_rows())
            .into_par_iter()
            .map_init(Vec::new, |buffer, row| {
                let text = string(texts, row).unwrap_or_default();
                let index = self.pages.binary_search(&pages.value(row)).unwrap_or(usize::MAX);
                let borrowed = if index < self.borrowed.len() { self.borrowed.get(index, buffer)? } else { &[] };
                Ok(own_passages(text, borrowed, min_words))
            })
            .collect::<Result<Vec<_>, ArrowError>>()?;
        let fields = ["start", "end"].map(|name| Field::new(name, DataType::Int64, true));
        let mut passages = ListBuilder::new(StructBuilder::from_fields(Fields::from(fields.to_vec()), 0));
        let mut text = StringBuilder::new();
        for (left, offsets) in &found {
            text.append_value(left);
            for &(start, end) in offsets {
                let row = passages.values();
                for (i, value) in [start, end].into_iter().enumerate() {
                    let field = row.field_builder::<Int64Builder>(i).expect("the fields were made above");
                    field.append_value(value as i64);
                }
                row.append(true);
            }
            passages.append(true);
        }
        batch_of(vec![
            ("page", Arc::new(pages.clone())),
            ("text", Arc::new(text.finish())),
            ("passages", Arc::new(passages.finish())),
        ])
    }
}

/// The passages between borrowed words (begin << 32 | end, ascending), a line each, and where they were.
fn own_passages(text: &str, borrowed: &[u64], min_words: usize) -> (String, Vec<(usize, usize)>) {
    let words = word_spans(text);
    let (mut left, mut offsets, mut at) = (Vec::new(), Vec::new(), 0);
    let ends = borrowed.iter().map(|b| ((b >> 32) as usize, (b & 0xFFFF_FFFF) as usize));
    for (begin, end) in ends.chain([(words.len(), words.len())]) {
        let own = &words[at.min(begin)..begin];
        at = end;
        let (Some(first), Some(last)) = (own.first(), own.last()) else { continue };
        if own.len() >= min_words {
            left.push(&text[first.bytes.start..last.bytes.end]);
            offsets.push((first.chars.start, last.chars.end));
        }
    }
    (left.join("\n"), offsets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passages_and_offsets() {
        let words = |begin: u64, end: u64| begin << 32 | end;
        let text = "Ein é, zwei drei!";
        for (text, borrowed, min_words, left, spans) in [
            (text, None, 1, "Ein é, zwei drei", &[(0, 16)][..]),
            (text, Some(words(1, 2)), 1, "Ein\nzwei drei", &[(0, 3), (7, 16)]),
            (text, Some(words(1, 2)), 2, "zwei drei", &[(7, 16)]),
            ("a b c", Some(words(0, 3)), 1, "", &[]),
            ("", None, 1, "", &[]),
        ] {
            let found = own_passages(text, borrowed.as_slice(), min_words);
            assert_eq!((found.0.as_str(), &found.1[..]), (left, spans));
        }
    }
}
