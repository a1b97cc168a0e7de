//! Grams as rows that meet by gram: who holds what, for engines that move rows.
//!
//! ```text
//! page, text, copy ─gram_rows→ gram, page ─patch_rows→ counts of pages, postings of patch grams
//! ```
//!
//! A gram that everybody holds travels as one row a batch: where more than m pages of one batch hold it, it is common
//! wherever else it is, and the pages only need to be told how many such grams they have.

use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, Int64Builder};
use arrow_array::{Array, BooleanArray, Int64Array, RecordBatch, StringArray};
use arrow_buffer::ToByteSlice;
use arrow_schema::ArrowError;
use hashbrown::{HashMap, HashTable};

use crate::arrow::{batch_of, column};
use crate::hash::mix;
use crate::quilts::grams::Grams;
use crate::quilts::lists::HolderLists;
use crate::quilts::shared_grams::is_patch;

/// In the place of a page: more than m pages hold the gram.
const COMMON: i64 = i64::MIN;

/// Added to a page: the row is no gram; it says in its last bits how many common grams the page has.
const COUNTED: i64 = 1 << 62;
const COUNT_BITS: u32 = 20;
const MAX_COUNT: u32 = (1 << COUNT_BITS) - 1;

/// A page as it is in the rows of grams. One that stands for nothing, because it is a copy, is negative.
fn code(page: i64, copy: bool) -> i64 {
    if copy { !page } else { page }
}

/// The page of a code, and whether it counts.
fn decode(code: i64) -> (i64, bool) {
    if code < 0 { (!code, false) } else { (code, true) }
}

/// The distinct grams of pages (`page`, `text`, `copy`) as rows of `gram` and `page`.
pub fn gram_rows(batch: &RecordBatch, k: usize, seed: u64, m: usize) -> Result<RecordBatch, ArrowError> {
    let (ids, texts): (&Int64Array, &StringArray) = (column(batch, "page")?, column(batch, "text")?);
    let copies: &BooleanArray = column(batch, "copy")?;
    if let Some(page) = ids.values().iter().find(|page| !(0..COUNTED).contains(*page)) {
        return Err(ArrowError::ComputeError(format!("page id {page} is out of range")));
    }
    let mut hasher = Grams::new(k, seed);
    let mut grams = Vec::new();
    let mut ends = Vec::with_capacity(batch.num_rows());
    for row in 0..batch.num_rows() {
        if texts.is_valid(row) {
            hasher.set(texts.value(row), &mut grams);
        }
        ends.push(grams.len());
    }
    let common = CommonGrams::find(&grams, &ends, |row| !copies.value(row), m);
    let (mut keys, mut pages) = (Vec::with_capacity(grams.len()), Vec::with_capacity(grams.len()));
    let mut begin = 0;
    for (row, end) in ends.into_iter().enumerate() {
        let page = ids.value(row);
        let mut told = 0;
        for &gram in &grams[begin..end] {
            if common.contains(gram) {
                told += 1;
            } else {
                keys.push(gram as i64);
                pages.push(code(page, copies.value(row)));
            }
        }
        begin = end;
        while told > 0 {
            let now = told.min(MAX_COUNT);
            keys.push((mix(page as u64) & !u64::from(MAX_COUNT) | u64::from(now)) as i64);
            pages.push(page | COUNTED);
            told -= now;
        }
    }
    for gram in common.grams() {
        keys.push(gram as i64);
        pages.push(COMMON);
    }
    batch_of(vec![("gram", Arc::new(Int64Array::from(keys))), ("page", Arc::new(Int64Array::from(pages)))])
}

/// Grams that more than m pages of a batch hold, copies not counted.
struct CommonGrams {
    /// By the first bits of a gram: how many pages, added up over all grams that agree in them.
    slots: Vec<u32>,
    holders: HashMap<u64, usize>,
    m: usize,
}

impl CommonGrams {
    fn find(grams: &[u64], ends: &[usize], counts: impl Fn(usize) -> bool, m: usize) -> Self {
        let mut found = CommonGrams { slots: Vec::new(), holders: HashMap::new(), m };
        if ends.len() <= m {
            return found;
        }
        // Nearly all grams are told to be rare by their slot alone.
        found.slots.resize(grams.len().max(2).next_power_of_two(), 0);
        let counting = || {
            let starts = std::iter::once(0).chain(ends.iter().copied());
            starts
                .zip(ends)
                .enumerate()
                .filter(|(row, _)| counts(*row))
                .flat_map(|(_, (begin, end))| &grams[begin..*end])
        };
        for &gram in counting() {
            let slot = found.slot(gram);
            found.slots[slot] += 1;
        }
        for &gram in counting() {
            if found.slots[found.slot(gram)] as usize > m {
                *found.holders.entry(gram).or_default() += 1;
            }
        }
        found.holders.retain(|_, holders| *holders > m);
        found
    }

    fn slot(&self, gram: u64) -> usize {
        (gram >> (64 - self.slots.len().trailing_zeros())) as usize
    }

    fn contains(&self, gram: u64) -> bool {
        !self.holders.is_empty() && self.slots[self.slot(gram)] as usize > self.m && self.holders.contains_key(&gram)
    }

    fn grams(&self) -> impl Iterator<Item = u64> {
        self.holders.keys().copied()
    }
}

/// Grams, shared grams and patch grams of a page.
type Counts = [i64; 3];

/// From complete groups of `gram`, sorted by `page`, to three kinds of rows:
///
/// - `page`, and how many `grams`, `shared` grams and `patch` grams it has in this batch;
/// - `posting`, which is a gram of it, the `holders` that count, and how many `grams` have just these;
/// - neither: how many `grams` are `shared`.
pub fn patch_rows(batch: &RecordBatch, m: usize) -> Result<RecordBatch, ArrowError> {
    let grams = column::<Int64Array>(batch, "gram")?.values();
    let codes = column::<Int64Array>(batch, "page")?.values();
    let mut counts: HashMap<i64, Counts> = HashMap::new();
    let mut lists = HolderLists::<i64>::default();
    let (mut known, mut first_grams) = (HashTable::new(), Vec::new());
    let mut shared_grams = 0;
    let mut begin = 0;
    let mut holders: Vec<i64> = Vec::new();
    for group in grams.chunk_by(|a, b| a == b) {
        let rows = &codes[begin..begin + group.len()];
        begin += group.len();
        // By the order of the codes: that it is common, copies, pages that count, counts.
        let (rows, told) = rows.split_at(rows.partition_point(|code| *code < COUNTED));
        for page in told {
            let n = group[0] & i64::from(MAX_COUNT);
            let sums = counts.entry(page & !COUNTED).or_default();
            sums[0] += n;
            sums[1] += n;
        }
        let rare = &rows[rows.partition_point(|code| *code == COMMON)..];
        let common = rare.len() < rows.len();
        let shared = common || rare.len() > 1;
        shared_grams += i64::from(shared);
        holders.clear();
        holders.extend(rare.iter().map(|code| decode(*code)).filter(|(_, counts)| *counts).map(|(page, _)| page));
        let patch = !common && is_patch(holders.len(), m);
        for code in rare {
            let (page, counting) = decode(*code);
            let sums = counts.entry(page).or_default();
            sums[0] += 1;
            sums[1] += i64::from(shared);
            sums[2] += i64::from(patch && counting);
        }
        if patch && lists.add(&holders, &mut known) {
            first_grams.push(group[0]);
        }
    }
    let mut rows = PatchRows::default();
    for (page, sums) in counts {
        rows.push(Some(page), None, None, sums);
    }
    for (number, gram) in first_grams.into_iter().enumerate() {
        rows.push(None, Some(gram), Some(lists.list(number)), [i64::from(lists.grams[number]), 0, 0]);
    }
    rows.push(None, None, None, [0, shared_grams, 0]);
    rows.finish()
}

#[derive(Default)]
struct PatchRows {
    page: Int64Builder,
    posting: Int64Builder,
    holders: BinaryBuilder,
    counts: [Int64Builder; 3],
}

impl PatchRows {
    fn push(&mut self, page: Option<i64>, posting: Option<i64>, holders: Option<&[i64]>, counts: Counts) {
        self.page.append_option(page);
        self.posting.append_option(posting);
        self.holders.append_option(holders.map(|holders| holders.to_byte_slice()));
        self.counts.iter_mut().zip(counts).for_each(|(column, count)| column.append_value(count));
    }

    fn finish(mut self) -> Result<RecordBatch, ArrowError> {
        let [grams, shared, patch] = &mut self.counts;
        batch_of(vec![
            ("page", Arc::new(self.page.finish())),
            ("posting", Arc::new(self.posting.finish())),
            ("holders", Arc::new(self.holders.finish())),
            ("grams", Arc::new(grams.finish())),
            ("shared", Arc::new(shared.finish())),
            ("patch", Arc::new(patch.finish())),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn rows_of(pages: &[(i64, BTreeSet<u8>, bool)], m: usize) -> Vec<(i64, i64)> {
        let text = |words: &BTreeSet<u8>| words.iter().map(|word| format!("w{word}")).collect::<Vec<_>>().join(" ");
        let batch = batch_of(vec![
            ("page", Arc::new(pages.iter().map(|page| Some(page.0)).collect::<Int64Array>())),
            ("text", Arc::new(pages.iter().map(|page| Some(text(&page.1))).collect::<StringArray>())),
            ("copy", Arc::new(pages.iter().map(|page| Some(page.2)).collect::<BooleanArray>())),
        ]);
        let rows = gram_rows(&batch.unwrap(), 1, 0, m).unwrap();
        let [gram, page] = [0, 1].map(|at| rows.column(at).as_primitive::<Int64Type>().values().to_vec());
        gram.into_iter().zip(page).collect()
    }

    proptest! {
        /// However pages are cut into batches: the counts and the holders are those of the definition.
        #[test]
        fn counts_and_holders(
            pages in prop::collection::vec((prop::collection::btree_set(0u8..30, 0..12), any::<bool>()), 0..24),
            m in 1usize..8, cut in 1usize..24,
        ) {
            let pages: Vec<(i64, BTreeSet<u8>, bool)> =
                pages.into_iter().enumerate().map(|(page, (words, copy))| (page as i64 * 7, words, copy)).collect();
            let mut rows: Vec<(i64, i64)> = pages.chunks(cut).flat_map(|part| rows_of(part, m)).collect();
            rows.sort_unstable();
            let batch = batch_of(vec![
                ("gram", Arc::new(rows.iter().map(|row| Some(row.0)).collect::<Int64Array>())),
                ("page", Arc::new(rows.iter().map(|row| Some(row.1)).collect::<Int64Array>())),
            ]);
            let found = patch_rows(&batch.unwrap(), m).unwrap();
            let [page, posting, grams, shared, patch] = ["page", "posting", "grams", "shared", "patch"]
                .map(|name| found.column_by_name(name).unwrap().as_primitive::<Int64Type>().clone());
            let mut expected: BTreeMap<i64, [i64; 3]> = BTreeMap::new();
            let mut lists: BTreeMap<Vec<i64>, i64> = BTreeMap::new();
            let mut total = 0;
            for word in 0..30 {
                let holders: Vec<_> = pages.iter().filter(|page| page.1.contains(&word)).collect();
                let counting: Vec<i64> = holders.iter().filter(|page| !page.2).map(|page| page.0).collect();
                total += i64::from(holders.len() > 1);
                for (page, _, copy) in &holders {
                    let sums = expected.entry(*page).or_default();
                    sums[0] += 1;
                    sums[1] += i64::from(holders.len() > 1);
                    sums[2] += i64::from(!copy && is_patch(counting.len(), m));
                }
                if is_patch(counting.len(), m) {
                    *lists.entry(counting).or_default() += 1;
                }
            }
            let mut counted: BTreeMap<i64, [i64; 3]> = BTreeMap::new();
            let mut held: BTreeMap<Vec<i64>, i64> = BTreeMap::new();
            for row in 0..found.num_rows() {
                let numbers = [grams.value(row), shared.value(row), patch.value(row)];
                if page.is_valid(row) {
                    counted.insert(page.value(row), numbers);
                } else if posting.is_valid(row) {
                    let bytes = found.column_by_name("holders").unwrap().as_binary::<i32>().value(row);
                    held.insert(bytes.as_chunks::<8>().0.iter().map(|b| i64::from_ne_bytes(*b)).collect(), grams.value(row));
                } else {
                    prop_assert_eq!(shared.value(row), total);
                }
            }
            prop_assert_eq!(counted, expected);
            prop_assert_eq!(held, lists);
        }
    }

    #[test]
    fn a_gram_of_every_page_is_one_row_a_batch() {
        let pages: Vec<_> = (0..100).map(|page| (page, BTreeSet::from([1, 2]), false)).collect();
        let rows = rows_of(&pages, 10);
        assert_eq!(rows.iter().filter(|row| row.1 == COMMON).count(), 2);
        assert_eq!(rows.len(), 2 + 100, "and one row a page");
    }
}
