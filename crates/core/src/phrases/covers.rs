//! Covers: a few other pages that together hold a page's popular phrases.
//!
//! Greedy: the page that holds most of what is still uncovered, among equals the one that holds most in all, then the
//! one of smallest id. Foreign pages come first; pages of the own site only when no foreign page helps any more.
//!
//! `quilts::greedy_cover` follows another rule: ties go to the smallest id at once, there are no two rounds, and nothing
//! is pruned. It keeps exact counts for thousands of grams a page; here a page has at most m popular shingles, whose
//! gain is counted again.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Int64Builder, ListBuilder, StructBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, Int64Array, ListArray, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Fields};
use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;

use crate::arrow::{batch_of, column, wrong};
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

/// The greedy cover of a page whose popular shingles these pages hold.
fn cover(page: i64, popular: &[&[i64]], is_own: impl Fn(i64) -> bool, prune: bool) -> Cover {
    let lists = popular.iter().enumerate();
    let mut offers: Vec<(i64, u32)> =
        lists.flat_map(|(i, list)| list.iter().map(move |&donor| (donor, i as u32))).collect();
    offers.retain(|offer| offer.0 != page);
    offers.sort_unstable();
    let candidates: Vec<(i64, &[(i64, u32)])> =
        offers.chunk_by(|a, b| a.0 == b.0).map(|held| (held[0].0, held)).collect();
    let (own, foreign): (Vec<_>, Vec<_>) = candidates.into_iter().partition(|candidate| is_own(candidate.0));
    let mut covered = vec![false; popular.len()];
    let mut chosen = greedy(&foreign, &mut covered, true);
    let by_foreign = covered.iter().filter(|c| **c).count();
    chosen.extend(greedy(&own, &mut covered, false));
    if prune {
        chosen = pruned(chosen, popular.len());
    }
    let mut met = vec![false; popular.len()];
    let donors = chosen.into_iter().map(|choice| Donor {
        page: choice.donor,
        shingles: choice.held.iter().filter(|held| !std::mem::replace(&mut met[held.1 as usize], true)).count(),
        foreign: choice.foreign,
    });
    Cover { donors: donors.collect(), foreign: by_foreign }
}

/// Whether a donor is of a page's own site: same server, or an IP address from which the page's host was served.
///
/// This is the rule of the phrases paper, whatever `foreign` of the quilts is (`quilts::sites::Foreign`).
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
        let lists: &ListArray = column(batch, "holders")?;
        for row in 0..batch.num_rows() {
            let list = lists.value(row);
            let list = list.as_primitive_opt::<Int64Type>().ok_or_else(|| wrong("holders"))?;
            let at = self.holders.len() as u64;
            let sites = &self.sites;
            self.holders.extend(list.values().iter().filter_map(|&page| sites.index(page)));
            let count = (self.holders.len() as u64 - at) as u32;
            self.entries.insert((phrase.value(row) as u64, function.value(row) as u32), (at, count));
        }
        Ok(())
    }

    /// The holders of each popular shingle of a page.
    fn popular(&self, shingles: &[[u8; 8]]) -> Vec<&[u32]> {
        let keys = shingles.iter().enumerate().map(|(i, &shingle)| (u64::from_le_bytes(shingle), i as u32));
        let found = keys.filter_map(|key| self.entries.get(&key));
        found.map(|&(at, count)| &self.holders[at as usize..at as usize + count as usize]).collect()
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

    fn cover(&self, index: u32, popular: &[&[u32]], prune: bool) -> Cover {
        let sites = &self.sites;
        let lists: Vec<Vec<i64>> =
            popular.iter().map(|list| list.iter().map(|&at| sites.pages[at as usize]).collect()).collect();
        let lists: Vec<&[i64]> = lists.iter().map(Vec::as_slice).collect();
        let (server, ips) = (sites.servers.name(index), self.ips.get(&sites.hosts.name(index)));
        let own = |donor: i64| {
            let Some(donor) = sites.index(donor) else { return false };
            let seen = |ip: i64| ips.is_some_and(|ips| ips.contains(&ip));
            is_own(server == sites.servers.name(donor), sites.ips.name(donor), seen)
        };
        cover(sites.pages[index as usize], &lists, own, prune)
    }
}

/// Covers by row groups. Rows are complete pages, each sorted by `function`: the pages that hold its shingle of this
/// function (`holders`, `holder_servers`, `holder_ips`). The first row of a page has no function (-1): its lists of
/// servers and addresses are the page's own server, and the addresses of its host.
pub fn cover_groups(batch: &RecordBatch, prune: bool) -> Result<RecordBatch, ArrowError> {
    let numbers = |name| column::<Int64Array>(batch, name).map(|column| column.values().as_ref());
    let (page, function): (&[i64], &[i64]) = (numbers("page")?, numbers("function")?);
    let lists = ["holders", "holder_servers", "holder_ips"].map(|name| Lists::new(batch, name));
    let [holders, servers, ips] = lists;
    let (holders, servers, ips) = (holders?, servers?, ips?);
    let order: Vec<usize> = (0..batch.num_rows()).collect();
    let mut found: Vec<Covered> = Vec::new();
    for rows in order.chunk_by(|a, b| page[*a] == page[*b]) {
        let (site, rows) = rows.split_at(rows.partition_point(|row| function[*row] < 0));
        let Some(&site) = site.first().filter(|_| !rows.is_empty()) else { continue };
        let (server, addresses) = (servers.of(site).first(), ips.of(site));
        let mut own: HashSet<i64> = HashSet::new();
        for &row in rows {
            for (at, &donor) in holders.of(row).iter().enumerate() {
                let of_server = Some(&servers.of(row)[at]) == server;
                if is_own(of_server, ips.of(row)[at], |ip| addresses.contains(&ip)) {
                    own.insert(donor);
                }
            }
        }
        let popular: Vec<&[i64]> = rows.iter().map(|row| holders.of(*row)).collect();
        let cover = cover(page[site], &popular, |donor| own.contains(&donor), prune);
        found.push(Covered { page: page[site], popular: popular.len(), cover: Some(cover) });
    }
    to_batch(&found)
}

/// A column of lists of numbers.
struct Lists<'a> {
    ends: &'a [i32],
    values: &'a [i64],
}

impl<'a> Lists<'a> {
    fn new(batch: &'a RecordBatch, name: &str) -> Result<Self, ArrowError> {
        let lists: &ListArray = column(batch, name)?;
        let values = lists.values().as_primitive_opt::<Int64Type>().ok_or_else(|| wrong(name))?.values();
        Ok(Lists { ends: lists.value_offsets(), values })
    }

    fn of(&self, row: usize) -> &'a [i64] {
        &self.values[self.ends[row] as usize..self.ends[row + 1] as usize]
    }
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

struct Choice<'a> {
    donor: i64,
    held: &'a [(i64, u32)],
    foreign: bool,
}

/// Chooses until nothing more is covered. What a page would add only ever shrinks, so an old figure is an upper bound.
fn greedy<'a>(candidates: &[(i64, &'a [(i64, u32)])], covered: &mut [bool], foreign: bool) -> Vec<Choice<'a>> {
    let gain = |held: &[(i64, u32)], covered: &[bool]| held.iter().filter(|h| !covered[h.1 as usize]).count();
    let mut heap: BinaryHeap<(usize, usize, Reverse<i64>, usize)> = candidates
        .iter()
        .enumerate()
        .map(|(i, (donor, held))| (gain(held, covered), held.len(), Reverse(*donor), i))
        .filter(|entry| entry.0 > 0)
        .collect();
    let mut chosen = Vec::new();
    while let Some((old, total, donor, i)) = heap.pop() {
        let held = candidates[i].1;
        let now = gain(held, covered);
        if now == old {
            held.iter().for_each(|h| covered[h.1 as usize] = true);
            chosen.push(Choice { donor: donor.0, held, foreign });
        } else if now > 0 {
            heap.push((now, total, donor, i));
        }
    }
    chosen
}

/// Without those that later choices made redundant; a foreign one only if foreign ones did.
fn pruned(chosen: Vec<Choice<'_>>, shingles: usize) -> Vec<Choice<'_>> {
    let mut times = [vec![0usize; shingles], vec![0; shingles]];
    for choice in &chosen {
        for held in choice.held {
            times[usize::from(choice.foreign)][held.1 as usize] += 1;
        }
    }
    let mut kept = Vec::new();
    for choice in chosen {
        let foreign = usize::from(choice.foreign);
        let spare = |i: usize| if foreign == 1 { times[1][i] > 1 } else { times[0][i] + times[1][i] > 1 };
        if choice.held.iter().all(|held| spare(held.1 as usize)) {
            choice.held.iter().for_each(|held| times[foreign][held.1 as usize] -= 1);
        } else {
            kept.push(choice);
        }
    }
    kept
}
