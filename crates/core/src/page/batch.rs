//! The sketch kernel: a batch of crawl records in, a batch of sketched records out.
//!
//! Rows stay in order and none is lost: a record that is not a page passes through with its reason, and a page on
//! which the pass itself fails becomes such a record.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, BooleanBuilder, Int64Builder, ListBuilder, StringBuilder, StructBuilder};
use arrow_array::{Array, ArrayRef, BinaryArray, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Fields};
use rayon::prelude::*;

use crate::arrow::{any_column, batch_of, column, string};
use crate::page::{HtmlSketch, Page, Scratch, Sketch, sketch};
use crate::shingles::minwise::to_bytes;
use crate::style::fingerprint as style;

/// The reason given to a page on which the pass fails.
pub const FAILED: &str = "sketch-failed";

/// Pages of more bytes than this are sketched one by one.
const LARGE: usize = 4 << 20;

/// Columns that pass through unchanged.
const CARRIED: [&str; 8] = ["page", "url", "ip", "status", "date", "truncated", "input", "offset"];

/// Sketches every page of a batch of records, in parallel on the current rayon pool, each thread with a clone of `fresh`.
pub fn sketch_batch(records: &RecordBatch, fresh: &Scratch) -> Result<RecordBatch, ArrowError> {
    let strings = |name| column::<StringArray>(records, name);
    let (url, content_type, text) = (strings("url")?, strings("content_type")?, strings("text")?);
    let (reason, detail) = (strings("reason")?, strings("detail")?);
    let html: &BinaryArray = column(records, "html")?;
    let sketch_row = |scratch: &mut Scratch, row: usize| -> Option<Sketch> {
        if reason.is_valid(row) {
            return None;
        }
        let page = Page {
            url: string(url, row),
            content_type: string(content_type, row),
            html: bytes(html, row),
            text: string(text, row),
        };
        // One bad page must not end the run.
        catch_unwind(AssertUnwindSafe(|| sketch(page, scratch))).ok()
    };
    let is_large = |row: usize| bytes(html, row).map_or(0, <[u8]>::len) > LARGE;
    let mut sketches: Vec<Option<Sketch>> = (0..records.num_rows())
        .into_par_iter()
        .map_init(|| fresh.clone(), |scratch, row| if is_large(row) { None } else { sketch_row(scratch, row) })
        .collect();
    // Large pages one by one: several at once would take several times the memory.
    for row in (0..records.num_rows()).filter(|&row| is_large(row)) {
        sketches[row] = sketch_row(&mut fresh.clone(), row);
    }
    assemble(records, &sketches, reason, detail)
}

fn assemble(
    records: &RecordBatch,
    sketches: &[Option<Sketch>],
    reason: &StringArray,
    detail: &StringArray,
) -> Result<RecordBatch, ArrowError> {
    let markup = |s: &Option<Sketch>| s.as_ref().and_then(|s| s.markup.as_ref().map(|_| ())).is_some();
    let mut columns: Vec<(&str, ArrayRef)> = Vec::new();
    for name in CARRIED {
        columns.push((name, any_column(records, name)?.clone()));
    }
    let mut add = |name: &'static str, array: ArrayRef| columns.push((name, array));
    let of_page = |f: fn(&Sketch) -> Option<&str>| -> ArrayRef {
        Arc::new(sketches.iter().map(|s| s.as_ref().and_then(f)).collect::<StringArray>())
    };
    let count = |f: fn(&Sketch) -> Option<usize>| -> ArrayRef {
        let mut builder = Int64Builder::with_capacity(sketches.len());
        sketches.iter().for_each(|s| builder.append_option(s.as_ref().and_then(f).map(|n| n as i64)));
        Arc::new(builder.finish())
    };
    add("host", of_page(|s| s.host.as_deref()));
    add("domain", of_page(|s| s.domain.as_deref()));
    add("charset", of_page(|s| s.markup.as_ref().map(|m| m.charset)));
    let mut lossy = BooleanBuilder::with_capacity(sketches.len());
    sketches.iter().for_each(|s| lossy.append_option(s.as_ref().and_then(|s| s.markup.as_ref()).map(|m| m.lossy)));
    add("lossy", Arc::new(lossy.finish()));
    add("html_bytes", count(|s| s.markup.as_ref().map(|m| m.bytes)));
    add("noise_chars", count(|s| s.markup.as_ref().map(|m| m.noise_chars)));
    add("words", count(|s| Some(s.words)));
    add("links", count(|s| s.markup.as_ref().map(|m| m.links.len())));
    add("title", of_page(|s| s.markup.as_ref().and_then(|m| m.title.as_deref())));
    add("generator", of_page(|s| s.markup.as_ref().and_then(|m| m.generator.as_deref())));
    // The one large column: room for all of it at once, rather than twice that by growing.
    let bytes = sketches.iter().flatten().map(|s| s.text.len()).sum();
    let mut text = StringBuilder::with_capacity(sketches.len(), bytes);
    sketches.iter().for_each(|s| text.append_option(s.as_ref().map(|s| &s.text)));
    add("text", Arc::new(text.finish()));
    add("targets", targets(sketches, markup));
    add("style", minima(sketches, |markup| markup.style.as_deref()));
    add("structure", minima(sketches, |markup| markup.structure.as_deref()));
    add("skeleton", minima(sketches, |markup| markup.skeleton.as_ref().map(|s| &s[..])));
    let mut shingles = BinaryBuilder::new();
    for sketch in sketches {
        let chosen = sketch.as_ref().and_then(|s| s.shingles.as_ref());
        shingles.append_option(chosen.map(|chosen| to_bytes(chosen)));
    }
    add("shingles", Arc::new(shingles.finish()));
    let md5: StringArray = sketches.iter().map(|s| s.as_ref().map(|s| hex(&s.md5))).collect();
    add("md5", Arc::new(md5));
    add("ssdeep", of_page(|s| Some(&s.ssdeep)));
    let failed = |row: usize| reason.is_null(row) && sketches[row].is_none();
    let reasons: StringArray =
        (0..sketches.len()).map(|row| if failed(row) { Some(FAILED) } else { string(reason, row) }).collect();
    add("reason", Arc::new(reasons));
    add("detail", Arc::new(detail.clone()));
    batch_of(columns)
}

/// Numbers of 16 bits that each page's markup gave, as bytes.
fn minima(sketches: &[Option<Sketch>], of: fn(&HtmlSketch) -> Option<&[u16]>) -> ArrayRef {
    let mut builder = BinaryBuilder::new();
    for sketch in sketches {
        let minima = sketch.as_ref().and_then(|s| s.markup.as_ref()).and_then(of);
        builder.append_option(minima.map(style::to_bytes));
    }
    Arc::new(builder.finish())
}

/// The link targets of each page as a list of (target_url, target_domain).
fn targets(sketches: &[Option<Sketch>], has_markup: impl Fn(&Option<Sketch>) -> bool) -> ArrayRef {
    let fields = Fields::from(vec![
        Field::new("target_url", DataType::Utf8, true),
        Field::new("target_domain", DataType::Utf8, true),
    ]);
    let builders: Vec<Box<dyn arrow_array::builder::ArrayBuilder>> =
        vec![Box::new(StringBuilder::new()), Box::new(StringBuilder::new())];
    let mut list = ListBuilder::new(StructBuilder::new(fields, builders));
    for sketch in sketches {
        for link in sketch.iter().flat_map(|s| &s.markup).flat_map(|m| &m.links) {
            let row = list.values();
            for (i, part) in [&*link.url, &*link.domain].into_iter().enumerate() {
                row.field_builder::<StringBuilder>(i).expect("made above").append_value(part);
            }
            row.append(true);
        }
        list.append(has_markup(sketch));
    }
    Arc::new(list.finish())
}

/// A digest as it is written.
pub fn hex(digest: &[u8; 16]) -> String {
    digest.iter().flat_map(|b| [b >> 4, b & 15]).map(|d| char::from_digit(d.into(), 16).unwrap_or('0')).collect()
}

fn bytes(array: &BinaryArray, row: usize) -> Option<&[u8]> {
    array.is_valid(row).then(|| array.value(row))
}
