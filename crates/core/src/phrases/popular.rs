//! Popular phrases: those that the same function chose on enough pages.
//!
//! Every (function, phrase, page) is a row; rows of one phrase meet, and a function under which enough pages hold it
//! makes it popular. A phrase that very many pages hold offers a stated number of them as donors: first one of each
//! server, in order of a hash, then a second one of each, and so on. So covers cost the same for every phrase.

use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{Int64Builder, ListBuilder};
use arrow_array::{Array, ArrayRef, BinaryArray, Int32Array, Int64Array, RecordBatch};
use arrow_schema::ArrowError;
use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;

use crate::arrow::{batch_of, column};
use crate::hash::mix;
use crate::spill::partitions::{Row, SpillPartitions};

/// Where each page lives, as numbers: pages in ascending order.
#[derive(Clone)]
pub struct PageSites {
    pub pages: Vec<i64>,
    pub hosts: Vec<i32>,
    /// Domains, or what the user says belongs together.
    pub servers: Vec<i32>,
    /// Addresses; negative where unknown.
    pub ips: Vec<i32>,
}

impl PageSites {
    /// From a batch of `page`, `host`, `server` and `ip`, ordered by page.
    pub fn new(batch: &RecordBatch) -> Result<Self, ArrowError> {
        let pages = column::<Int64Array>(batch, "page")?.values().to_vec();
        let numbers = |name| -> Result<Vec<i32>, ArrowError> {
            let column: &Int32Array = column(batch, name)?;
            Ok(column.iter().map(|v| v.unwrap_or(-1)).collect())
        };
        if !pages.is_sorted() {
            return Err(ArrowError::InvalidArgumentError("sites are not ordered by page".into()));
        }
        Ok(PageSites { pages, hosts: numbers("host")?, servers: numbers("server")?, ips: numbers("ip")? })
    }

    pub fn index(&self, page: i64) -> Option<u32> {
        self.pages.binary_search(&page).ok().map(|i| i as u32)
    }
}

/// A popular phrase under one function, as it comes out.
struct PopularPhrase {
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
pub struct PopularPhrases {
    sites: PageSites,
    min_pages: usize,
    holders: usize,
    rows: SpillPartitions,
}

/// Partitions on disk: each is sorted in memory.
const PARTITIONS: usize = 64;

impl PopularPhrases {
    /// A phrase needs `min_pages` pages; it offers up to `holders` of them.
    pub fn new(sites: PageSites, min_pages: usize, holders: usize, memory: usize, spill: &Path) -> Self {
        PopularPhrases { sites, min_pages, holders, rows: SpillPartitions::new(PARTITIONS, memory / 2, spill) }
    }

    /// More pages: `page` and `shingles`. Pages that are in no site are left out.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let pages = column::<Int64Array>(batch, "page")?;
        for row in 0..batch.num_rows() {
            let Some(index) = self.sites.index(pages.value(row)) else { continue };
            for (function, &shingle) in shingles(batch, row)?.iter().enumerate() {
                let shingle = u64::from_le_bytes(shingle);
                self.rows.push((shingle, (function as u64) << 32 | u64::from(index)))?;
            }
        }
        Ok(())
    }

    /// What is popular: a batch for each partition, by phrase and function.
    pub fn finish(mut self) -> Result<Vec<RecordBatch>, ArrowError> {
        let mut found = Vec::with_capacity(PARTITIONS);
        for partition in 0..self.rows.len() {
            let mut rows = self.rows.take(partition)?;
            rows.par_sort_unstable();
            let phrases: Vec<&[Row]> = rows.chunk_by(|a, b| a.0 == b.0).filter(|p| p.len() >= self.min_pages).collect();
            let popular: Vec<PopularPhrase> = phrases.par_iter().flat_map_iter(|rows| self.popular(rows)).collect();
            found.push(to_batch(&popular)?);
        }
        Ok(found)
    }

    /// The functions under which a phrase is popular. Rows are those of the phrase, by function and page.
    fn popular(&self, rows: &[Row]) -> Vec<PopularPhrase> {
        let by_function = |a: &Row, b: &Row| a.1 >> 32 == b.1 >> 32;
        if !rows.chunk_by(by_function).any(|held| held.len() >= self.min_pages) {
            return Vec::new();
        }
        let mut indexes: Vec<u32> = rows.iter().map(|row| row.1 as u32).collect();
        indexes.sort_unstable();
        indexes.dedup();
        let distinct = |of: &[i32]| indexes.iter().map(|&p| of[p as usize]).collect::<HashSet<i32>>().len();
        let (hosts, servers) = (distinct(&self.sites.hosts), distinct(&self.sites.servers));
        rows.chunk_by(by_function)
            .filter(|held| held.len() >= self.min_pages)
            .map(|held| PopularPhrase {
                phrase: held[0].0,
                function: (held[0].1 >> 32) as u32,
                pages: indexes.len(),
                hosts,
                servers,
                example: self.sites.pages[indexes[0] as usize],
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
            for (i, &(_, index)) in hashed.iter().enumerate() {
                let rank = met.entry(self.sites.servers[index as usize]).or_default();
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

fn to_batch(popular: &[PopularPhrase]) -> Result<RecordBatch, ArrowError> {
    let numbers =
        |of: fn(&PopularPhrase) -> i64| -> ArrayRef { Arc::new(popular.iter().map(of).collect::<Int64Array>()) };
    let mut holders = ListBuilder::new(Int64Builder::new());
    for one in popular {
        holders.values().append_slice(&one.holders);
        holders.append(true);
    }
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("fingerprint", numbers(|p| p.phrase as i64)),
        ("function", numbers(|p| i64::from(p.function))),
        ("pages", numbers(|p| p.pages as i64)),
        ("hosts", numbers(|p| p.hosts as i64)),
        ("servers", numbers(|p| p.servers as i64)),
        ("example", numbers(|p| p.example)),
        ("held", numbers(|p| p.held as i64)),
        ("holders", Arc::new(holders.finish())),
    ];
    batch_of(columns)
}

/// The shingles of one row; none for a page without words.
pub(crate) fn shingles(batch: &RecordBatch, row: usize) -> Result<&[[u8; 8]], ArrowError> {
    let column: &BinaryArray = column(batch, "shingles")?;
    Ok(if column.is_valid(row) { column.value(row).as_chunks().0 } else { &[] })
}
