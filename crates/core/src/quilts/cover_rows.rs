//! Covers from rows that meet by page: its counts, the holders of its patch grams, and which of them may be sources.

use std::sync::Arc;

use arrow_array::builder::Int64Builder;
use arrow_array::{Array, BinaryArray, BooleanArray, Int64Array, RecordBatch};
use arrow_schema::ArrowError;

use crate::arrow::{batch_of, column};
use crate::greedy_cover::{GreedyCover, HolderList};
use crate::quilts::collection::QuiltParams;
use crate::quilts::covered::{CoveredPage, QuiltCandidate, covered_batch};
use crate::quilts::sites::pick;

/// Which rows (`grams`, `patch`, `copy`) are pages that may be quilts.
pub fn candidates(batch: &RecordBatch, params: QuiltParams) -> Result<BooleanArray, ArrowError> {
    let [grams, patch] = ["grams", "patch"].map(|name| column::<Int64Array>(batch, name));
    let (grams, patch, copies) = (grams?, patch?, column::<BooleanArray>(batch, "copy")?);
    let may = |row| !copies.value(row) && params.may_be_quilt(patch.value(row) as u32, grams.value(row) as u32);
    Ok((0..batch.num_rows()).map(|row| Some(may(row))).collect())
}

/// The pages that are packed in a list.
fn unpack(list: &[u8]) -> impl Iterator<Item = i64> {
    list.as_chunks::<8>().0.iter().map(|bytes| i64::from_ne_bytes(*bytes))
}

/// A row for each holder of a posting: `page`, `posting`. Rows without a posting give none.
pub fn posting_pages(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let (postings, holders): (&Int64Array, &BinaryArray) = (column(batch, "posting")?, column(batch, "holders")?);
    let (mut page, mut posting) = (Int64Builder::new(), Int64Builder::new());
    for row in (0..batch.num_rows()).filter(|row| postings.is_valid(*row)) {
        for holder in unpack(holders.value(row)) {
            page.append_value(holder);
            posting.append_value(postings.value(row));
        }
    }
    batch_of(vec![("page", Arc::new(page.finish())), ("posting", Arc::new(posting.finish()))])
}

/// From the lists of pages (`page`, `holders`) to each `page` and `holder`, once in this batch.
pub fn holder_pairs(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let (pages, holders): (&Int64Array, &BinaryArray) = (column(batch, "page")?, column(batch, "holders")?);
    let all = (0..batch.num_rows()).flat_map(|row| {
        let page = pages.value(row);
        unpack(holders.value(row)).filter(move |holder| *holder != page).map(move |holder| (page, holder))
    });
    let mut pairs: Vec<(i64, i64)> = all.collect();
    pairs.sort_unstable();
    pairs.dedup();
    batch_of(vec![
        ("page", Arc::new(Int64Array::from_iter_values(pairs.iter().map(|pair| pair.0)))),
        ("holder", Arc::new(Int64Array::from_iter_values(pairs.iter().map(|pair| pair.1)))),
    ])
}

/// From complete groups of `page` to covered pages. A row of a group is
///
/// - the counts of the page: `grams`, `shared`, `patch`;
/// - or `holders` that have `grams` grams of it;
/// - or a `holder` whose `member` may be a source, and whether that is `foreign`.
pub fn cover_rows(batch: &RecordBatch, params: QuiltParams, min_shared: f64) -> Result<RecordBatch, ArrowError> {
    let rows = CoverRows::of(batch)?;
    let mut greedy = GreedyCover::new(0);
    let mut found = Vec::new();
    let mut begin = 0;
    for group in rows.page.values().chunk_by(|a, b| a == b) {
        found.extend(rows.cover(begin..begin + group.len(), &mut greedy, params, min_shared));
        begin += group.len();
    }
    covered_batch(&found)
}

struct CoverRows<'a> {
    page: &'a Int64Array,
    grams: &'a Int64Array,
    shared: &'a Int64Array,
    patch: &'a Int64Array,
    holders: &'a BinaryArray,
    holder: &'a Int64Array,
    member: &'a Int64Array,
    foreign: &'a BooleanArray,
}

impl<'a> CoverRows<'a> {
    fn of(batch: &'a RecordBatch) -> Result<Self, ArrowError> {
        Ok(CoverRows {
            page: column(batch, "page")?,
            grams: column(batch, "grams")?,
            shared: column(batch, "shared")?,
            patch: column(batch, "patch")?,
            holders: column(batch, "holders")?,
            holder: column(batch, "holder")?,
            member: column(batch, "member")?,
            foreign: column(batch, "foreign")?,
        })
    }

    /// The page of a group, if its counts are there.
    fn cover(
        &self,
        group: std::ops::Range<usize>,
        greedy: &mut GreedyCover<u32>,
        params: QuiltParams,
        min_shared: f64,
    ) -> Option<CoveredPage> {
        let page = self.page.value(group.start);
        let counts = group.clone().find(|row| self.patch.is_valid(*row))?;
        let of_lists = || group.clone().filter(|row| self.holders.is_valid(*row));
        // Numbers in the order of ids: of equal sources the one with the smallest is chosen.
        let mut ids: Vec<i64> = of_lists().flat_map(|row| unpack(self.holders.value(row))).chain([page]).collect();
        ids.sort_unstable();
        ids.dedup();
        greedy.reserve(ids.len());
        let number = |id: i64| ids.partition_point(|other| *other < id) as u32;
        let numbers: Vec<Vec<u32>> =
            of_lists().map(|row| unpack(self.holders.value(row)).map(number).collect()).collect();
        let lists: Vec<HolderList<'_>> =
            of_lists().zip(&numbers).map(|(row, list)| (&list[..], self.grams.value(row) as u32)).collect();
        let mut allowed: Vec<(u32, i64, bool)> = group
            .clone()
            .filter(|row| self.holder.is_valid(*row))
            .map(|row| (number(self.holder.value(row)), self.member.value(row), self.foreign.value(row)))
            .collect();
        allowed.sort_unstable();
        let members = |holder: u32| {
            let begin = allowed.partition_point(|member| member.0 < holder);
            allowed[begin..].iter().take_while(move |member| member.0 == holder).map(|member| (member.1, member.2))
        };
        let grams = self.grams.value(counts) as u32;
        let candidate = QuiltCandidate { page: number(page), grams, lists: &lists };
        let allows = |holder| members(holder).next().is_some();
        let name = |holder| pick(members(holder)).unwrap_or((ids[holder as usize], false));
        Some(CoveredPage {
            page,
            grams,
            shared: self.shared.value(counts) as u32,
            patch: Some(self.patch.value(counts) as u32),
            quilt: candidate.cover(greedy, params, min_shared, allows, name),
        })
    }
}
