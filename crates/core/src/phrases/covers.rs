//! Covers: a few other pages that together hold a page's popular phrases.
//!
//! Greedy: the page that holds most of what is still uncovered, among equals the one that holds most in all, then the
//! one of smallest id. Foreign pages come first; pages of the own site only when no foreign page helps any more.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Int64Builder, ListBuilder, StructBuilder};
use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Fields};
use hashbrown::HashMap;
use rayon::prelude::*;

use crate::arrow::{ListColumn, batch_of, column};
use crate::greedy_cover::{GreedyCover, HolderList, IdleCovers, Source};
use crate::phrases::popular::shingles;
use crate::phrases::sites::{PageSites, UNKNOWN};

/// One donor of a cover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Donor {
    pub page: i64,
    /// Shingles that it is the first to cover.
    pub shingles: usize,
    /// It is of another site.
    pub foreign: bool,
}

/// The cover of one page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cover {
    pub donors: Vec<Donor>,
    /// Shingles that foreign donors cover.
    pub foreign: usize,
}

/// What is known of one page: how many shingles are popular, and its cover if it has one.
struct Covered {
    page: i64,
    popular: usize,
    cover: Option<Cover>,
}

/// How donors rank: it is foreign, what it adds, what it holds.
type Rank = (bool, u32, u32);

/// The greedy cover of a page whose popular shingles these pages hold; pages are numbered in the order of their ids.
fn cover(
    greedy: &mut GreedyCover<Rank>,
    page: u32,
    popular: &[HolderList<'_>],
    is_own: impl Fn(u32) -> bool,
    prune: bool,
    id: impl Fn(u32) -> i64,
) -> Cover {
    let rank = |donor: &Source| (!is_own(donor.page), donor.new_grams, donor.shared_grams);
    let found = greedy.cover(page, popular, |_| true, rank, 0.0).into_iter();
    let mut chosen: Vec<(Source, bool)> = found.map(|donor| (donor, !is_own(donor.page))).collect();
    let foreign = chosen.iter().filter(|donor| donor.1).map(|donor| donor.0.new_grams as usize).sum();
    if prune {
        chosen = pruned(greedy, chosen, popular.len());
    }
    let mut met = vec![false; popular.len()];
    let donors = chosen.iter().map(|(donor, foreign)| Donor {
        page: id(donor.page),
        shingles: greedy.held(donor).iter().filter(|held| !std::mem::replace(&mut met[**held as usize], true)).count(),
        foreign: *foreign,
    });
    Cover { donors: donors.collect(), foreign }
}

/// Without those that later choices made redundant; a foreign one only if foreign ones did.
fn pruned(greedy: &GreedyCover<Rank>, chosen: Vec<(Source, bool)>, shingles: usize) -> Vec<(Source, bool)> {
    let mut times = [vec![0usize; shingles], vec![0; shingles]];
    for (donor, foreign) in &chosen {
        greedy.held(donor).iter().for_each(|held| times[usize::from(*foreign)][*held as usize] += 1);
    }
    let mut kept = Vec::new();
    for (donor, foreign) in chosen {
        let spare = |i: usize| if foreign { times[1][i] > 1 } else { times[0][i] + times[1][i] > 1 };
        let held = greedy.held(&donor);
        if held.iter().all(|held| spare(*held as usize)) {
            held.iter().for_each(|held| times[usize::from(foreign)][*held as usize] -= 1);
        } else {
            kept.push((donor, foreign));
        }
    }
    kept
}

/// Whether a donor is of a page's own site: same server, or an IP address from which the page's host was served.
///
/// This is the rule of the phrases paper. That of the quilts (`quilts::sites::Foreign`) is another: there an IP address
/// stands in the place of the name, here it counts beside the name, and all that a host was served from count. In a
/// made-up web of 5,000 pages the rule of the quilts, by host, judges 361 of 1,392 donors otherwise, by domain 351.
fn is_own(same_server: bool, ip: i64, seen: impl Fn(i64) -> bool) -> bool {
    same_server || (ip != UNKNOWN && seen(ip))
}

/// What is popular, to be looked up: covers in the memory of one process.
#[derive(Default)]
pub struct PhraseCovers {
    sites: PageSites,
    /// The IP addresses from which a host was served.
    ips: HashMap<i64, Vec<i64>>,
    /// The offered pages, as indexes among the sites: those of an entry begin where those of the one before end.
    holders: Vec<u32>,
    entries: HashMap<(u64, u32), (u64, u32)>,
    idle: IdleCovers<Rank>,
}

impl PhraseCovers {
    /// More sites: all of them come before what is popular.
    pub fn push_sites(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let (hosts, ips) = (column::<Int64Array>(batch, "host")?, column::<Int64Array>(batch, "ip")?);
        for (&host, &ip) in hosts.values().iter().zip(ips.values()).filter(|(_, ip)| **ip != UNKNOWN) {
            let seen = self.ips.entry(host).or_default();
            if !seen.contains(&ip) {
                seen.push(ip);
            }
        }
        self.sites.push(batch)
    }

    /// More of what is popular: all of it comes before the first page.
    pub fn push_popular(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        self.sites.sort();
        let (phrase, function) =
            (column::<Int64Array>(batch, "fingerprint")?, column::<Int64Array>(batch, "function")?);
        let lists = ListColumn::new(batch, "holders")?;
        for row in 0..batch.num_rows() {
            let at = self.holders.len() as u64;
            let sites = &self.sites;
            self.holders.extend(lists.of(row).iter().filter_map(|&page| sites.index(page)));
            let count = (self.holders.len() as u64 - at) as u32;
            self.entries.insert((phrase.value(row) as u64, function.value(row) as u32), (at, count));
        }
        Ok(())
    }

    /// The holders of each popular shingle of a page.
    fn popular(&self, shingles: &[[u8; 8]]) -> Vec<HolderList<'_>> {
        let keys = shingles.iter().enumerate().map(|(i, &shingle)| (u64::from_le_bytes(shingle), i as u32));
        let found = keys.filter_map(|key| self.entries.get(&key));
        found.map(|&(at, count)| (&self.holders[at as usize..at as usize + count as usize], 1)).collect()
    }

    /// How many shingles of each page (`page`, `shingles`) are popular, and the covers of those that have enough.
    pub fn covered(&self, batch: &RecordBatch, min_popular: usize, prune: bool) -> Result<RecordBatch, ArrowError> {
        let pages: &Int64Array = column(batch, "page")?;
        let found = (0..batch.num_rows()).into_par_iter().map(|row| {
            let (page, popular) = (pages.value(row), self.popular(shingles(batch, row)?));
            let index = self.sites.index(page).filter(|_| popular.len() >= min_popular && !popular.is_empty());
            let cover = index.map(|index| self.cover(index, &popular, prune));
            Ok(Covered { page, popular: popular.len(), cover })
        });
        to_batch(&found.collect::<Result<Vec<_>, ArrowError>>()?)
    }

    fn cover(&self, index: u32, popular: &[HolderList<'_>], prune: bool) -> Cover {
        let sites = &self.sites;
        let (server, ips) = (sites.servers.numbers[index as usize], self.ips.get(&sites.hosts.name(index)));
        let own = |donor: u32| {
            let seen = |ip: i64| ips.is_some_and(|ips| ips.contains(&ip));
            is_own(server == sites.servers.numbers[donor as usize], sites.ips.name(donor), seen)
        };
        let id = |page: u32| sites.pages[page as usize];
        self.idle.with(sites.pages.len(), |greedy| cover(greedy, index, popular, own, prune, id))
    }
}

/// Covers by row groups. Rows are complete pages, each sorted by `function`: the pages that hold its shingle of this
/// function (`holders`, `holder_servers`, `holder_ips`). The first row of a page has no function (-1): its lists of
/// servers and addresses are the page's own server, and the addresses of its host.
pub fn cover_groups(batch: &RecordBatch, prune: bool) -> Result<RecordBatch, ArrowError> {
    let numbers = |name| column::<Int64Array>(batch, name).map(|column| column.values().as_ref());
    let (page, function): (&[i64], &[i64]) = (numbers("page")?, numbers("function")?);
    let lists = ["holders", "holder_servers", "holder_ips"].map(|name| ListColumn::new(batch, name));
    let [holders, servers, ips] = lists;
    let (holders, servers, ips) = (holders?, servers?, ips?);
    let order: Vec<usize> = (0..batch.num_rows()).collect();
    let mut found: Vec<Covered> = Vec::new();
    let mut greedy = GreedyCover::new(0);
    for rows in order.chunk_by(|a, b| page[*a] == page[*b]) {
        let (site, rows) = rows.split_at(rows.partition_point(|row| function[*row] < 0));
        let Some(&site) = site.first().filter(|_| !rows.is_empty()) else { continue };
        let mut ids: Vec<i64> = rows.iter().flat_map(|row| holders.of(*row)).copied().chain([page[site]]).collect();
        ids.sort_unstable();
        ids.dedup();
        let number = |id: i64| ids.partition_point(|other| *other < id) as u32;
        let (server, addresses) = (servers.of(site).first(), ips.of(site));
        let mut own = vec![false; ids.len()];
        let mut lists: Vec<Vec<u32>> = Vec::new();
        for &row in rows {
            let list: Vec<u32> = holders.of(row).iter().map(|holder| number(*holder)).collect();
            for (donor, (of, ip)) in list.iter().zip(servers.of(row).iter().zip(ips.of(row))) {
                own[*donor as usize] |= is_own(Some(of) == server, *ip, |ip| addresses.contains(&ip));
            }
            lists.push(list);
        }
        let popular: Vec<HolderList<'_>> = lists.iter().map(|list| (&list[..], 1)).collect();
        greedy.reserve(ids.len());
        let (is_own, id) = (|donor: u32| own[donor as usize], |donor: u32| ids[donor as usize]);
        let cover = cover(&mut greedy, number(page[site]), &popular, is_own, prune, id);
        found.push(Covered { page: page[site], popular: popular.len(), cover: Some(cover) });
    }
    to_batch(&found)
}

fn to_batch(covered: &[Covered]) -> Result<RecordBatch, ArrowError> {
    let fields = Fields::from(vec![
        Field::new("page", DataType::Int64, true),
        Field::new("shingles", DataType::Int64, true),
        Field::new("foreign", DataType::Boolean, true),
    ]);
    let mut donors = ListBuilder::new(StructBuilder::from_fields(fields, covered.len()));
    for one in covered {
        for donor in one.cover.iter().flat_map(|cover| &cover.donors) {
            let row = donors.values();
            let made = "the fields were made above";
            row.field_builder::<Int64Builder>(0).expect(made).append_value(donor.page);
            row.field_builder::<Int64Builder>(1).expect(made).append_value(donor.shingles as i64);
            row.field_builder::<BooleanBuilder>(2).expect(made).append_value(donor.foreign);
            row.append(true);
        }
        donors.append(one.cover.is_some());
    }
    let numbers =
        |of: fn(&Covered) -> Option<i64>| -> ArrayRef { Arc::new(covered.iter().map(of).collect::<Int64Array>()) };
    batch_of(vec![
        ("page", numbers(|c| Some(c.page))),
        ("popular", numbers(|c| Some(c.popular as i64))),
        ("cover", numbers(|c| c.cover.as_ref().map(|cover| cover.donors.len() as i64))),
        ("foreign", numbers(|c| c.cover.as_ref().map(|cover| cover.foreign as i64))),
        ("donors", Arc::new(donors.finish())),
    ])
}
