//! Popular phrases: those that the same function chose on enough pages.
//!
//! Every (function, phrase, page) is a row; rows of one phrase meet, and a function under which enough pages hold it
//! makes it popular. A phrase that very many pages hold offers a stated number of them as donors: first one of each
//! server, in order of a hash, then a second one of each, and so on. So covers cost the same for every phrase.

use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{Int64Builder, ListBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, Int32Array, Int64Array, RecordBatch};
use arrow_schema::{ArrowError, Field, Schema};
use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;

use crate::hash::mix;
use crate::spill::partitions::{Parts, Row};

/// Where each page lives, as numbers: pages in ascending order.
#[derive(Clone)]
pub struct Sites {
    /// Page ids, ascending.
    pub pages: Vec<i64>,
    /// Host names.
    pub hosts: Vec<i32>,
    /// Domains, or what the user says belongs together.
    pub servers: Vec<i32>,
    /// Addresses; negative where unknown.
    pub addresses: Vec<i32>,
}

impl Sites {
    /// From a batch of `page`, `host`, `server` and `ip`, ordered by page.
    pub fn new(batch: &RecordBatch) -> Result<Self, ArrowError> {
        let pages = numbers(batch, "page")?.values().to_vec();
        let column = |name| -> Result<Vec<i32>, ArrowError> {
            let column = batch.column_by_name(name).and_then(|c| c.as_primitive_opt::<Int32Type>());
            let column: &Int32Array = column.ok_or_else(|| wrong(name))?;
            Ok(column.iter().map(|v| v.unwrap_or(-1)).collect())
        };
        if !pages.is_sorted() {
            return Err(ArrowError::InvalidArgumentError("sites are not ordered by page".into()));
        }
        Ok(Sites { pages, hosts: column("host")?, servers: column("server")?, addresses: column("ip")? })
    }

    /// The place of a page.
    pub fn place(&self, page: i64) -> Option<u32> {
        self.pages.binary_search(&page).ok().map(|i| i as u32)
    }
}

/// A popular phrase under one function, as it comes out.
struct Popular {
    phrase: u64,
    function: u32,
    /// Of the phrase, over all functions.
    pages: usize,
    hosts: usize,
    servers: usize,
    /// The first page that holds it.
    example: i64,
    /// Pages that hold it under this function.
    held: usize,
    holders: Vec<i64>,
}

/// Collects shingles, then finds what is popular.
pub struct FindPopular {
    sites: Sites,
    least: usize,
    holders: usize,
    rows: Parts,
}

/// Rows are divided so that a part of a tenth of the budget is typical.
const PARTS: usize = 64;

impl FindPopular {
    /// A phrase needs `least` pages; it offers up to `holders` of them.
    pub fn new(sites: Sites, least: usize, holders: usize, memory: usize, spill: &Path) -> Self {
        FindPopular { sites, least, holders, rows: Parts::new(PARTS, memory / 2, spill) }
    }

    /// More pages: `page` and `shingles`. Pages that are in no site are left out.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let pages = numbers(batch, "page")?;
        for row in 0..batch.num_rows() {
            let Some(place) = self.sites.place(pages.value(row)) else { continue };
            for (function, &shingle) in shingles(batch, row)?.iter().enumerate() {
                let shingle = u64::from_le_bytes(shingle);
                self.rows.push((shingle, (function as u64) << 32 | u64::from(place)))?;
            }
        }
        Ok(())
    }

    /// What is popular: a batch for each part, by phrase and function.
    pub fn finish(mut self) -> Result<Vec<RecordBatch>, ArrowError> {
        let mut found = Vec::with_capacity(PARTS);
        for part in 0..self.rows.len() {
            let mut rows = self.rows.take(part)?;
            rows.par_sort_unstable();
            let phrases: Vec<&[Row]> = rows.chunk_by(|a, b| a.0 == b.0).filter(|p| p.len() >= self.least).collect();
            let popular: Vec<Popular> = phrases.par_iter().flat_map_iter(|rows| self.popular(rows)).collect();
            found.push(to_batch(&popular)?);
        }
        Ok(found)
    }

    /// The functions under which a phrase is popular. Rows are those of the phrase, by function and page.
    fn popular(&self, rows: &[Row]) -> Vec<Popular> {
        let by_function = |a: &Row, b: &Row| a.1 >> 32 == b.1 >> 32;
        if !rows.chunk_by(by_function).any(|held| held.len() >= self.least) {
            return Vec::new();
        }
        let mut places: Vec<u32> = rows.iter().map(|row| row.1 as u32).collect();
        places.sort_unstable();
        places.dedup();
        let distinct = |of: &[i32]| places.iter().map(|&p| of[p as usize]).collect::<HashSet<i32>>().len();
        let (hosts, servers) = (distinct(&self.sites.hosts), distinct(&self.sites.servers));
        rows.chunk_by(by_function)
            .filter(|held| held.len() >= self.least)
            .map(|held| Popular {
                phrase: held[0].0,
                function: (held[0].1 >> 32) as u32,
                pages: places.len(),
                hosts,
                servers,
                example: self.sites.pages[places[0] as usize],
                held: held.len(),
                holders: self.offer(held),
            })
            .collect()
    }

    /// The pages that a phrase offers: at most so many, spread over servers.
    fn offer(&self, held: &[Row]) -> Vec<i64> {
        let id = |row: &Row| self.sites.pages[row.1 as u32 as usize];
        let mut chosen: Vec<i64> = if held.len() <= self.holders {
            held.iter().map(id).collect()
        } else {
            let mut hashed: Vec<(u64, u32)> = held.iter().map(|row| (mix(id(row) as u64), row.1 as u32)).collect();
            hashed.sort_unstable();
            let mut met: HashMap<i32, u32> = HashMap::new();
            let mut ranked: Vec<(u32, usize)> = Vec::with_capacity(hashed.len());
            for (i, &(_, place)) in hashed.iter().enumerate() {
                let rank = met.entry(self.sites.servers[place as usize]).or_default();
                ranked.push((*rank, i));
                *rank += 1;
            }
            ranked.sort_unstable();
            let first = ranked.iter().take(self.holders);
            first.map(|&(_, i)| self.sites.pages[hashed[i].1 as usize]).collect()
        };
        chosen.sort_unstable();
        chosen
    }
}

fn to_batch(popular: &[Popular]) -> Result<RecordBatch, ArrowError> {
    let column = |of: fn(&Popular) -> i64| -> ArrayRef { Arc::new(popular.iter().map(of).collect::<Int64Array>()) };
    let mut holders = ListBuilder::new(Int64Builder::new());
    for one in popular {
        holders.values().append_slice(&one.holders);
        holders.append(true);
    }
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("fingerprint", column(|p| p.phrase as i64)),
        ("function", column(|p| i64::from(p.function))),
        ("pages", column(|p| p.pages as i64)),
        ("hosts", column(|p| p.hosts as i64)),
        ("servers", column(|p| p.servers as i64)),
        ("example", column(|p| p.example)),
        ("held", column(|p| p.held as i64)),
        ("holders", Arc::new(holders.finish())),
    ];
    batch_of(columns)
}

/// A batch of named columns.
pub(crate) fn batch_of(columns: Vec<(&str, ArrayRef)>) -> Result<RecordBatch, ArrowError> {
    let fields: Vec<Field> =
        columns.iter().map(|(name, column)| Field::new(*name, column.data_type().clone(), true)).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns.into_iter().map(|(_, column)| column).collect())
}

/// The shingles of one row; none for a page without words.
pub(crate) fn shingles(batch: &RecordBatch, row: usize) -> Result<&[[u8; 8]], ArrowError> {
    let column = batch.column_by_name("shingles").and_then(|c| c.as_binary_opt::<i32>());
    let column = column.ok_or_else(|| wrong("shingles"))?;
    Ok(if column.is_valid(row) { column.value(row).as_chunks().0 } else { &[] })
}

pub(crate) fn numbers<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a Int64Array, ArrowError> {
    batch.column_by_name(name).and_then(|c| c.as_primitive_opt::<Int64Type>()).ok_or_else(|| wrong(name))
}

pub(crate) fn wrong(name: &str) -> ArrowError {
    ArrowError::SchemaError(format!("the batch has no column {name} of the right type"))
}
