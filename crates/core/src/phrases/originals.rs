//! What of a text is the page's own: not on any page that comes before it in a given order.
//!
//! Every phrase of every page is a row; rows of one phrase meet, and on all pages but the first that has it the
//! phrase is borrowed. Here a text has a beginning and an end: n words give n - k + 1 phrases.

use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{Int64Builder, ListBuilder, StringBuilder, StructBuilder};
use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Fields};
use rayon::prelude::*;

use crate::page::text::words::Words;
use crate::phrases::popular::{batch_of, numbers, wrong};
use crate::phrases::quotes::spans;
use crate::shingles::minwise::Shingler;
use crate::spill::lists::Sets;
use crate::spill::partitions::Parts;

const PARTS: usize = 64;

/// Finds and cuts out what earlier pages have.
pub struct Originals {
    /// Page ids, ascending, and the place of each in the order that says who was first.
    pages: Vec<i64>,
    ranks: Vec<i64>,
    k: usize,
    shingler: Shingler,
    phrases: Parts,
    marks: Parts,
    /// The borrowed words of each page: begin << 32 | end.
    borrowed: Sets,
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
        let folder = |name: &str| -> Result<_, ArrowError> {
            let path = spill.join(name);
            std::fs::create_dir_all(&path)?;
            Ok(path)
        };
        let phrases = Parts::new(PARTS, memory / 2, &folder("phrases")?);
        let marks = Parts::new(PARTS, memory / 8, &folder("marks")?);
        let borrowed = Sets::new(memory / 8, &spill.join("borrowed"));
        let pages = numbers(order, "page")?.values().to_vec();
        let ranks = numbers(order, "rank")?.values().to_vec();
        Ok(Originals { pages, ranks, k, shingler, phrases, marks, borrowed })
    }

    /// More texts: `page` and `text`.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let pages = numbers(batch, "page")?;
        let texts = batch.column_by_name("text").and_then(|c| c.as_string_opt::<i32>()).ok_or_else(|| wrong("text"))?;
        let found: Vec<Vec<u64>> = (0..batch.num_rows())
            .into_par_iter()
            .map_init(
                || (self.shingler.clone(), Words::default()),
                |(shingler, words), row| {
                    words.fill(if texts.is_valid(row) { texts.value(row) } else { "" });
                    let n = words.len();
                    shingler.phrases(words)[..(n + 1).saturating_sub(self.k)].to_vec()
                },
            )
            .collect();
        for (row, phrases) in found.into_iter().enumerate() {
            let Ok(place) = self.pages.binary_search(&pages.value(row)) else { continue };
            for (at, phrase) in phrases.into_iter().enumerate() {
                self.phrases.push((phrase, (place as u64) << 32 | at as u64))?;
            }
        }
        Ok(())
    }

    /// All texts have come; they may be cut from now on.
    pub fn seal(&mut self) -> Result<(), ArrowError> {
        let scale = u64::MAX / (self.pages.len() as u64 + 1);
        for part in 0..self.phrases.len() {
            let mut rows = self.phrases.take(part)?;
            rows.par_sort_unstable();
            for held in rows.chunk_by(|a, b| a.0 == b.0) {
                let rank = |row: &(u64, u64)| self.ranks[(row.1 >> 32) as usize];
                let Some(first) = held.iter().map(rank).min() else { continue };
                for row in held.iter().filter(|row| rank(row) != first) {
                    self.marks.push(((row.1 >> 32) * scale, row.1))?;
                }
            }
        }
        let mut list: Vec<u64> = Vec::new();
        for part in 0..self.marks.len() {
            let mut rows = self.marks.take(part)?;
            rows.par_sort_unstable();
            for marks in rows.chunk_by(|a, b| a.0 == b.0) {
                let place = (marks[0].1 >> 32) as usize;
                while self.borrowed.len() < place {
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
        self.borrowed.seal()?;
        Ok(())
    }

    /// What is left of each text: `page`, `text`, and `passages`: where they were, in characters. Passages of fewer
    /// words than `least` are left out.
    pub fn cut(&self, batch: &RecordBatch, least: usize) -> Result<RecordBatch, ArrowError> {
        let pages = numbers(batch, "page")?;
        let texts = batch.column_by_name("text").and_then(|c| c.as_string_opt::<i32>()).ok_or_else(|| wrong("text"))?;
        let found = (0..batch.num_rows())
            .into_par_iter()
            .map_init(Vec::new, |buffer, row| {
                let text = if texts.is_valid(row) { texts.value(row) } else { "" };
                let place = self.pages.binary_search(&pages.value(row)).unwrap_or(usize::MAX);
                let borrowed = if place < self.borrowed.len() { self.borrowed.get(place, buffer)? } else { &[] };
                Ok(own(text, borrowed, least))
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
fn own(text: &str, borrowed: &[u64], least: usize) -> (String, Vec<(usize, usize)>) {
    let words = spans(text);
    let (mut left, mut offsets) = (String::new(), Vec::new());
    // Characters are counted once, from passage to passage.
    let (mut byte, mut character) = (0, 0);
    let mut at = 0;
    let ends = borrowed.iter().map(|b| ((b >> 32) as usize, (b & 0xFFFF_FFFF) as usize));
    for (begin, end) in ends.chain([(words.len(), words.len())]) {
        let run = &words[at.min(begin)..begin];
        at = end;
        let (Some(first), Some(last)) = (run.first(), run.last()) else { continue };
        if run.len() < least {
            continue;
        }
        let passage = &text[first.start..last.end];
        let start = character + text[byte..first.start].chars().count();
        let stop = start + passage.chars().count();
        (byte, character) = (last.end, stop);
        if !left.is_empty() {
            left.push('\n');
        }
        left.push_str(passage);
        offsets.push((start, stop));
    }
    (left, offsets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passages_and_offsets() {
        let words = |begin: u64, end: u64| begin << 32 | end;
        assert_eq!(own("Ein é, zwei drei!", &[], 1), ("Ein é, zwei drei".into(), vec![(0, 16)]));
        assert_eq!(own("Ein é, zwei drei!", &[words(1, 2)], 1), ("Ein\nzwei drei".into(), vec![(0, 3), (7, 16)]));
        assert_eq!(own("Ein é, zwei drei!", &[words(1, 2)], 2), ("zwei drei".into(), vec![(7, 16)]));
        assert_eq!(own("a b c", &[words(0, 3)], 1), (String::new(), vec![]));
        assert_eq!(own("", &[], 1), (String::new(), vec![]));
    }
}
