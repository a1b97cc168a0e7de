//! What becomes of one page, and the row that says so.

use std::cmp::Reverse;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Int64Array, ListArray, RecordBatch, StructArray};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{ArrowError, DataType, Field, Fields};

use crate::arrow::batch_of;
use crate::greedy_cover::{GreedyCover, HolderList, Source};
use crate::quilts::collection::QuiltParams;

/// A page that holds patch grams of a quilt, under the name that the tables give it.
pub struct NamedSource {
    pub source: i64,
    /// Grams that no source before it holds; none for a page that is no source.
    pub new_grams: u32,
    pub shared_grams: u32,
    /// It is on another domain.
    pub foreign: bool,
}

/// The cover of a quilt.
pub struct QuiltCover {
    pub sources: Vec<NamedSource>,
    /// Every page that shares enough, by how much it shares.
    pub holders: Vec<NamedSource>,
}

/// A page with enough patch grams: their holders, and how many grams it has.
pub struct QuiltCandidate<'a> {
    pub page: u32,
    pub grams: u32,
    pub lists: &'a [HolderList<'a>],
}

impl QuiltCandidate<'_> {
    /// The cover, if it makes the page a quilt. `allows` says who may be a source, `name` which page of a class to
    /// name and whether that is on another domain. A page that holds the fraction `min_shared` of the grams is named
    /// whatever it adds.
    pub fn cover(
        &self,
        greedy: &mut GreedyCover<u32>,
        params: QuiltParams,
        min_shared: f64,
        allows: impl Fn(u32) -> bool,
        name: impl Fn(u32) -> (i64, bool),
    ) -> Option<QuiltCover> {
        let sources = greedy.cover(self.page, self.lists, allows, |source| source.new_grams, params.min_share);
        if !params.is_quilt(self.grams, &sources) {
            return None;
        }
        let min_grams = ((min_shared * f64::from(self.grams)).ceil() as u32).max(1);
        let new_grams = |page| sources.iter().find(|source| source.page == page).map_or(0, |source| source.new_grams);
        let mut holders: Vec<Source> = greedy
            .holders(min_grams)
            .map(|(page, shared_grams)| Source { page, new_grams: new_grams(page), shared_grams })
            .collect();
        holders.sort_unstable_by_key(|holder| (Reverse(holder.shared_grams), holder.page));
        let named = |found: Vec<Source>| {
            let named = found.into_iter().map(|Source { page, new_grams, shared_grams }| {
                let (source, foreign) = name(page);
                NamedSource { source, new_grams, shared_grams, foreign }
            });
            named.collect()
        };
        Some(QuiltCover { holders: named(holders), sources: named(sources) })
    }
}

/// One row of what comes out.
pub struct CoveredPage {
    pub page: i64,
    /// Distinct grams.
    pub grams: u32,
    /// Of those, how many another page holds.
    pub shared: u32,
    /// How many of them are patch grams; a copy of another page has none.
    pub patch: Option<u32>,
    /// Its cover, if it is a quilt.
    pub quilt: Option<QuiltCover>,
}

/// The rows as a batch.
pub fn covered_batch(rows: &[CoveredPage]) -> Result<RecordBatch, ArrowError> {
    let numbers = |of: fn(&CoveredPage) -> u32| Int64Array::from_iter_values(rows.iter().map(|row| i64::from(of(row))));
    let uncovered = |row: &CoveredPage| {
        let covered: u32 = row.quilt.as_ref()?.sources.iter().map(|source| source.new_grams).sum();
        Some(i64::from(row.patch? - covered))
    };
    batch_of(vec![
        ("page", Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.page)))),
        ("grams", Arc::new(numbers(|row| row.grams))),
        ("own_grams", Arc::new(numbers(|row| row.grams - row.shared))),
        ("patch_grams", Arc::new(rows.iter().map(|row| row.patch.map(i64::from)).collect::<Int64Array>())),
        ("quilt", Arc::new(rows.iter().map(|row| Some(row.quilt.is_some())).collect::<BooleanArray>())),
        ("uncovered", Arc::new(rows.iter().map(uncovered).collect::<Int64Array>())),
        ("sources", lists(rows, |quilt| &quilt.sources)?),
        ("holders", lists(rows, |quilt| &quilt.holders)?),
    ])
}

/// A list for each page; none is an empty one.
fn lists(rows: &[CoveredPage], list: fn(&QuiltCover) -> &Vec<NamedSource>) -> Result<ArrayRef, ArrowError> {
    let all = || rows.iter().flat_map(|row| row.quilt.iter().flat_map(list));
    let fields = Fields::from(vec![
        Field::new("source", DataType::Int64, true),
        Field::new("new_grams", DataType::Int64, true),
        Field::new("shared_grams", DataType::Int64, true),
        Field::new("foreign", DataType::Boolean, true),
    ]);
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int64Array::from_iter_values(all().map(|named| named.source))),
        Arc::new(Int64Array::from_iter_values(all().map(|named| i64::from(named.new_grams)))),
        Arc::new(Int64Array::from_iter_values(all().map(|named| i64::from(named.shared_grams)))),
        Arc::new(all().map(|named| Some(named.foreign)).collect::<BooleanArray>()),
    ];
    let offsets = OffsetBuffer::from_lengths(rows.iter().map(|row| row.quilt.as_ref().map_or(0, |q| list(q).len())));
    let field = Arc::new(Field::new("item", DataType::Struct(fields.clone()), true));
    Ok(Arc::new(ListArray::try_new(field, offsets, Arc::new(StructArray::try_new(fields, columns, None)?), None)?))
}
