//! Popular phrases: those that the same function chose on enough pages.
//!
//! Every (function, phrase, page) is a row; rows of one phrase meet, and a function under which enough pages hold it
//! makes it popular. A phrase that very many pages hold offers a stated number of them as donors: first one of each
//! server, in order of a hash, then a second one of each, and so on. So covers cost the same for every phrase.
//!
//! What a phrase amounts to is a pure function of its rows ([`popular`]). `popular_groups` finds it by row groups,
//! [`PopularPhrases`] in the memory of one process.

use std::io;
use std::path::Path;

use arrow_array::{Array, BinaryArray, Int64Array, RecordBatch};
use arrow_schema::ArrowError;
use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;

use crate::arrow::column;
use crate::hash::mix;
use crate::phrases::popular_groups::to_batch;
use crate::phrases::sites::PageSites;
use crate::spill::pairs::{BUCKETS, SpillPairs};

/// A page that holds a phrase under one function; or several of one host, of which only the number is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holding {
    pub function: u32,
    /// The page; of several, the smallest.
    pub page: i64,
    pub host: i64,
    pub server: i64,
    pub ip: i64,
    /// How many of the pages have no holding of a smaller function: these add up to the pages of the phrase.
    pub first: i64,
    pub held: i64,
    /// It stands for several, none of which the phrase will offer.
    pub tally: bool,
}

/// A popular phrase under one function, as it comes out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PopularPhrase {
    pub phrase: i64,
    pub function: u32,
    /// Of the phrase, over all functions.
    pub pages: i64,
    pub hosts: usize,
    pub servers: usize,
    /// The first page that holds it.
    pub example: i64,
    /// Pages that hold it under this function.
    pub held: i64,
    pub holders: Vec<Holding>,
}

/// The functions under which a phrase is popular, from all its holdings.
pub fn popular(phrase: i64, rows: &[Holding], min_pages: i64, holders: usize) -> Vec<PopularPhrase> {
    let mut by_function: HashMap<u32, (i64, Vec<Holding>)> = HashMap::new();
    for row in rows {
        let (held, pages) = by_function.entry(row.function).or_default();
        *held += row.held;
        if !row.tally {
            pages.push(*row);
        }
    }
    let mut functions: Vec<_> = by_function.into_iter().filter(|(_, (held, _))| *held >= min_pages).collect();
    if functions.is_empty() {
        return Vec::new();
    }
    functions.sort_unstable_by_key(|entry| entry.0);
    let distinct = |of: fn(&Holding) -> i64| rows.iter().map(of).collect::<HashSet<i64>>().len();
    let (hosts, servers) = (distinct(|row| row.host), distinct(|row| row.server));
    let pages = rows.iter().map(|row| row.first).sum();
    let example = rows.iter().map(|row| row.page).min().unwrap_or_default();
    let found = functions.into_iter().map(|(function, (held, mut offered))| {
        offer(&mut offered, holders);
        PopularPhrase { phrase, function, pages, hosts, servers, example, held, holders: offered }
    });
    found.collect()
}

/// Leaves the pages that a phrase offers: at most so many, spread over servers, by page. The rest is given back.
///
/// Of a part of the pages, this leaves at least those that are offered of all: what comes before a page in its part
/// has at least as many before it among all. So parts can be made smaller first.
pub fn offer(held: &mut Vec<Holding>, holders: usize) -> Vec<Holding> {
    let mut rest = Vec::new();
    if held.len() > holders {
        held.sort_unstable_by_key(|row| mix(row.page as u64));
        let mut met: HashMap<i64, u32> = HashMap::new();
        let mut ranked: Vec<(u32, usize)> = Vec::with_capacity(held.len());
        for (i, row) in held.iter().enumerate() {
            let rank = met.entry(row.server).or_default();
            ranked.push((*rank, i));
            *rank += 1;
        }
        ranked.sort_unstable();
        rest = ranked[holders..].iter().map(|&(_, i)| held[i]).collect();
        *held = ranked[..holders].iter().map(|&(_, i)| held[i]).collect();
    }
    held.sort_unstable_by_key(|row| row.page);
    rest
}

/// Collects shingles, then finds what is popular.
pub struct PopularPhrases {
    sites: PageSites,
    min_pages: usize,
    holders: usize,
    /// By shingle: function << 32 | index of the page.
    rows: SpillPairs<u64>,
}

/// A shingle, and under which function which page has it.
type Row = (u64, u64);

/// What is popular comes in so many parts.
const PARTS: usize = 64;

impl PopularPhrases {
    /// A phrase needs `min_pages` pages; it offers up to `holders` of them.
    pub fn new(min_pages: usize, holders: usize, memory: usize, spill: &Path) -> Self {
        let rows = SpillPairs::new(memory / 2, spill);
        PopularPhrases { sites: PageSites::default(), min_pages, holders, rows }
    }

    /// More sites: all of them come before the first page.
    pub fn push_sites(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        self.sites.push(batch)
    }

    /// More pages: `page` and `shingles`. Pages that are in no site are left out.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        self.sites.sort();
        let pages = column::<Int64Array>(batch, "page")?;
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        for row in 0..batch.num_rows() {
            let Some(index) = self.sites.index(pages.value(row)) else { continue };
            for (function, &shingle) in shingles(batch, row)?.iter().enumerate() {
                keys.push(u64::from_le_bytes(shingle));
                values.push((function as u64) << 32 | u64::from(index));
            }
        }
        Ok(self.rows.extend(&keys, &values)?)
    }

    pub fn parts(&self) -> usize {
        PARTS
    }

    /// What is popular in a part, by phrase and function.
    pub fn part(&self, number: usize) -> Result<RecordBatch, ArrowError> {
        const EACH: usize = BUCKETS / PARTS;
        let found = (number * EACH..(number + 1) * EACH).into_par_iter().map(|bucket| {
            let rows = self.rows.sorted(bucket)?;
            let phrases: Vec<&[Row]> = rows.chunk_by(|a, b| a.0 == b.0).filter(|p| p.len() >= self.min_pages).collect();
            Ok(phrases.par_iter().flat_map_iter(|rows| self.popular(rows)).collect())
        });
        to_batch(&found.collect::<io::Result<Vec<Vec<PopularPhrase>>>>()?.concat())
    }

    /// Rows are those of the phrase, by function and page.
    fn popular(&self, rows: &[Row]) -> Vec<PopularPhrase> {
        // Most phrases end here.
        let by_function = |a: &Row, b: &Row| a.1 >> 32 == b.1 >> 32;
        if !rows.chunk_by(by_function).any(|held| held.len() >= self.min_pages) {
            return Vec::new();
        }
        let mut met = HashSet::with_capacity(rows.len());
        let holding = |row: &Row| {
            let index = row.1 as u32;
            Holding {
                function: (row.1 >> 32) as u32,
                page: self.sites.pages[index as usize],
                host: self.sites.hosts.name(index),
                server: self.sites.servers.name(index),
                ip: self.sites.ips.name(index),
                first: i64::from(met.insert(index)),
                held: 1,
                tally: false,
            }
        };
        let held: Vec<Holding> = rows.iter().map(holding).collect();
        popular(rows[0].0 as i64, &held, self.min_pages as i64, self.holders)
    }
}

/// The shingles of one row; none for a page without words.
pub(crate) fn shingles(batch: &RecordBatch, row: usize) -> Result<&[[u8; 8]], ArrowError> {
    let column: &BinaryArray = column(batch, "shingles")?;
    Ok(if column.is_valid(row) { column.value(row).as_chunks().0 } else { &[] })
}
