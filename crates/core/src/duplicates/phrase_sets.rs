//! The phrases of texts, and which share of them two texts have in common.

use std::io;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{Array, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::ArrowError;
use rayon::prelude::*;

use crate::arrow::{batch_of, column, string};
use crate::page::text::words::Words;
use crate::shingles::minwise::Shingler;
use crate::spill::lists::{SpillLists, jaccard};

/// No text of this page was seen.
const NONE: u32 = u32::MAX;
/// The text of this page is not compared.
const NEEDLESS: u32 = u32::MAX - 1;

/// How texts become phrases.
#[derive(Clone)]
pub struct Phrasing {
    pub shingler: Shingler,
    /// A text is a circle of words, as in the paper: its last words and its first make phrases too.
    pub wrap: bool,
}

/// The distinct phrases of some pages, in memory up to a budget and then in a file. Pages are known by their ordinals.
pub struct PhraseSets {
    pages: Vec<i64>,
    /// Which set is a page's.
    set: Vec<u32>,
    sets: SpillLists<u64>,
    phrasing: Phrasing,
}

impl PhraseSets {
    /// For these pages, in ascending order.
    pub fn new(pages: Vec<i64>, phrasing: Phrasing, memory: usize, spill: &Path) -> Self {
        let set = vec![NONE; pages.len()];
        PhraseSets { pages, set, sets: SpillLists::new(memory, spill), phrasing }
    }

    pub fn pages(&self) -> &[i64] {
        &self.pages
    }

    /// The text of this page will not be asked for.
    pub fn leave_out(&mut self, ordinal: u32) {
        self.set[ordinal as usize] = NEEDLESS;
    }

    /// More texts, of whatever pages: `page` and `text`.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let (ids, texts): (&Int64Array, &StringArray) = (column(batch, "page")?, column(batch, "text")?);
        let wanted: Vec<(usize, usize)> = (0..batch.num_rows())
            .filter_map(|row| Some((row, self.pages.binary_search(&ids.value(row)).ok()?)))
            .filter(|&(row, i)| self.set[i] != NEEDLESS && texts.is_valid(row))
            .collect();
        let found: Vec<Vec<u64>> = wanted
            .par_iter()
            .map_init(
                || (self.phrasing.clone(), Words::default()),
                |(phrasing, words), &(row, _)| phrase_set(texts.value(row), words, phrasing),
            )
            .collect();
        for ((_, i), set) in wanted.into_iter().zip(found) {
            self.set[i] = self.sets.len() as u32;
            self.sets.push(&set)?;
        }
        Ok(())
    }

    /// No more texts come; pages may be compared from now on.
    pub fn seal(&mut self) -> io::Result<()> {
        self.sets.seal()
    }

    /// The Jaccard coefficient of two pages, unless the text of one was never seen.
    pub fn jaccard(&self, a: u32, b: u32, buffers: &mut [Vec<u64>; 2]) -> io::Result<Option<f64>> {
        if a == b {
            return Ok(Some(1.0));
        }
        let Some([a, b]) = self.sets_of(a, b) else { return Ok(None) };
        let [x, y] = buffers;
        Ok(Some(jaccard(self.sets.get(a, x)?, self.sets.get(b, y)?)))
    }

    /// The same if it reaches a similarity, else none.
    pub fn similar(&self, a: u32, b: u32, min_similarity: f64, buffers: &mut [Vec<u64>; 2]) -> io::Result<Option<f64>> {
        if let Some([a, b]) = self.sets_of(a, b)
            && hopeless(self.sets.size(a), self.sets.size(b), min_similarity)
        {
            return Ok(None);
        }
        Ok(self.jaccard(a, b, buffers)?.filter(|&found| found >= min_similarity))
    }

    fn sets_of(&self, a: u32, b: u32) -> Option<[usize; 2]> {
        let sets = [a, b].map(|i| self.set[i as usize]);
        sets.iter().all(|&set| set < NEEDLESS).then(|| sets.map(|set| set as usize))
    }
}

/// Sets of these sizes are too different in size to be similar.
fn hopeless(a: usize, b: usize, min_similarity: f64) -> bool {
    (a.min(b) as f64) < min_similarity * a.max(b) as f64
}

/// The distinct phrases of a text, in ascending order. Unless they wrap, a text shorter than a phrase has one: its words.
fn phrase_set(text: &str, words: &mut Words, phrasing: &mut Phrasing) -> Vec<u64> {
    words.fill(text);
    let (n, k) = (words.len(), phrasing.shingler.k());
    let plain = if phrasing.wrap { n } else { (n + 1).saturating_sub(k).max(1).min(n) };
    let mut set = phrasing.shingler.phrases(words)[..plain].to_vec();
    set.sort_unstable();
    set.dedup();
    words.release();
    phrasing.shingler.release();
    set
}

/// Texts compared where they meet. A group has one `key` and one `other`; of its rows `page` and `text` the first is
/// that of `other` itself, with which all others are compared. Gives `page`, `other`, `jaccard`, and whether they are
/// `similar`.
pub fn compare_texts(batch: &RecordBatch, phrasing: &Phrasing, min_similarity: f64) -> Result<RecordBatch, ArrowError> {
    let [keys, others, pages] = ["key", "other", "page"].map(|name| column::<Int64Array>(batch, name));
    let (keys, others, pages, texts): (_, _, _, &StringArray) = (keys?, others?, pages?, column(batch, "text")?);
    let rows: Vec<usize> = (0..batch.num_rows()).collect();
    let group_of = |row: usize| (keys.value(row), others.value(row));
    let groups: Vec<&[usize]> = rows.chunk_by(|&a, &b| group_of(a) == group_of(b)).collect();
    let found: Vec<(usize, f64, bool)> = groups
        .par_iter()
        .map_init(
            || (phrasing.clone(), Words::default()),
            |(phrasing, words), group| {
                let mut set = |row: usize| Some(phrase_set(string(texts, row)?, words, phrasing));
                let first = if pages.value(group[0]) == others.value(group[0]) { set(group[0]) } else { None };
                let Some(first) = first else { return Vec::new() };
                let compare = |&row: &usize| {
                    let own = set(row)?;
                    let found = jaccard(&first, &own);
                    Some((row, found, found >= min_similarity && !hopeless(first.len(), own.len(), min_similarity)))
                };
                group[1..].iter().filter_map(compare).collect()
            },
        )
        .flatten()
        .collect();
    batch_of(vec![
        ("page", Arc::new(found.iter().map(|row| pages.value(row.0)).collect::<Int64Array>())),
        ("other", Arc::new(found.iter().map(|row| others.value(row.0)).collect::<Int64Array>())),
        ("jaccard", Arc::new(found.iter().map(|row| Some(row.1)).collect::<Float64Array>())),
        ("similar", Arc::new(found.iter().map(|row| Some(row.2)).collect::<BooleanArray>())),
    ])
}
