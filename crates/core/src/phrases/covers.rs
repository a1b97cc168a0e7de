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
use hashbrown::HashMap;
use rayon::prelude::*;

use crate::arrow::{batch_of, column, wrong};
use crate::phrases::popular::{PageSites, shingles};

/// What is popular, to be looked up.
pub struct PhraseCovers {
    sites: PageSites,
    /// The IP addresses from which a host was served.
    ips: HashMap<i32, Vec<i32>>,
    /// The offered pages, as indexes among the sites: those of an entry begin where those of the one before end.
    holders: Vec<u32>,
    entries: HashMap<(u64, u32), (u64, u32)>,
}

/// One donor of a cover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Donor {
    pub index: u32,
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

impl PhraseCovers {
    /// From what `PopularPhrases` found.
    pub fn new(sites: PageSites, popular: &[RecordBatch]) -> Result<Self, ArrowError> {
        let mut ips: HashMap<i32, Vec<i32>> = HashMap::new();
        for (&host, &ip) in sites.hosts.iter().zip(&sites.ips).filter(|(_, ip)| **ip >= 0) {
            let seen = ips.entry(host).or_default();
            if !seen.contains(&ip) {
                seen.push(ip);
            }
        }
        let mut donors = PhraseCovers { sites, ips, holders: Vec::new(), entries: HashMap::new() };
        for batch in popular {
            let (phrase, function) =
                (column::<Int64Array>(batch, "fingerprint")?, column::<Int64Array>(batch, "function")?);
            let lists: &ListArray = column(batch, "holders")?;
            for row in 0..batch.num_rows() {
                let list = lists.value(row);
                let list = list.as_primitive_opt::<Int64Type>().ok_or_else(|| wrong("holders"))?;
                let at = donors.holders.len() as u64;
                let sites = &donors.sites;
                donors.holders.extend(list.values().iter().filter_map(|&page| sites.index(page)));
                let count = (donors.holders.len() as u64 - at) as u32;
                donors.entries.insert((phrase.value(row) as u64, function.value(row) as u32), (at, count));
            }
        }
        Ok(donors)
    }

    /// The holders of each popular shingle of a page.
    fn popular(&self, shingles: &[[u8; 8]]) -> Vec<&[u32]> {
        let keys = shingles.iter().enumerate().map(|(i, &shingle)| (u64::from_le_bytes(shingle), i as u32));
        let found = keys.filter_map(|key| self.entries.get(&key));
        found.map(|&(at, count)| &self.holders[at as usize..at as usize + count as usize]).collect()
    }

    /// How many shingles of each page are popular: `page` and `popular`.
    pub fn count(&self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let pages: &Int64Array = column(batch, "page")?;
        let rows = 0..batch.num_rows();
        let counts: Vec<i64> = rows
            .into_par_iter()
            .map(|row| Ok(self.popular(shingles(batch, row)?).len() as i64))
            .collect::<Result<Vec<_>, ArrowError>>()?;
        // A copy: a column that is shared would keep the whole batch, shingles and all, in memory.
        let pages = Int64Array::from(pages.values().to_vec());
        batch_of(vec![("page", Arc::new(pages)), ("popular", Arc::new(Int64Array::from(counts)))])
    }

    /// The covers of the pages of a batch that have at least `min_popular` popular shingles.
    pub fn cover_batch(&self, batch: &RecordBatch, min_popular: usize, prune: bool) -> Result<RecordBatch, ArrowError> {
        let pages: &Int64Array = column(batch, "page")?;
        let covers = (0..batch.num_rows())
            .into_par_iter()
            .map(|row| {
                let popular = self.popular(shingles(batch, row)?);
                let index = self.sites.index(pages.value(row));
                let (Some(index), true) = (index, popular.len() >= min_popular && !popular.is_empty()) else {
                    return Ok(None);
                };
                Ok(Some((pages.value(row), popular.len() as i64, self.cover(index, &popular, prune))))
            })
            .collect::<Result<Vec<_>, ArrowError>>()?;
        let covers: Vec<_> = covers.into_iter().flatten().collect();
        let fields = Fields::from(vec![
            Field::new("page", DataType::Int64, true),
            Field::new("shingles", DataType::Int64, true),
            Field::new("foreign", DataType::Boolean, true),
        ]);
        let mut donors = ListBuilder::new(StructBuilder::from_fields(fields, covers.len()));
        for donor in covers.iter().map(|(_, _, cover)| cover) {
            for donor in &donor.donors {
                let row = donors.values();
                let made = "the fields were made above";
                let page = self.sites.pages[donor.index as usize];
                row.field_builder::<Int64Builder>(0).expect(made).append_value(page);
                row.field_builder::<Int64Builder>(1).expect(made).append_value(donor.shingles as i64);
                row.field_builder::<BooleanBuilder>(2).expect(made).append_value(donor.foreign);
                row.append(true);
            }
            donors.append(true);
        }
        let numbers =
            |of: fn(&(i64, i64, Cover)) -> i64| -> ArrayRef { Arc::new(covers.iter().map(of).collect::<Int64Array>()) };
        batch_of(vec![
            ("page", numbers(|c| c.0)),
            ("popular", numbers(|c| c.1)),
            ("cover", numbers(|c| c.2.donors.len() as i64)),
            ("foreign", numbers(|c| c.2.foreign as i64)),
            ("donors", Arc::new(donors.finish())),
        ])
    }

    /// A donor is of the page's own site: same server, or an IP address from which the page's host was served.
    ///
    /// This is the rule of the phrases paper, whatever `foreign` of the quilts is (`quilts::sites::Foreign`).
    fn is_own(&self, page: u32, donor: u32) -> bool {
        let (page, donor) = (page as usize, donor as usize);
        let ip = self.sites.ips[donor];
        let seen = || self.ips.get(&self.sites.hosts[page]).is_some_and(|seen| seen.contains(&ip));
        self.sites.servers[page] == self.sites.servers[donor] || (ip >= 0 && seen())
    }

    /// The greedy cover of a page whose popular shingles these pages hold.
    fn cover(&self, page: u32, popular: &[&[u32]], prune: bool) -> Cover {
        let lists = popular.iter().enumerate();
        let mut offers: Vec<(u32, u32)> =
            lists.flat_map(|(i, list)| list.iter().map(move |&donor| (donor, i as u32))).collect();
        offers.retain(|offer| offer.0 != page);
        offers.sort_unstable();
        let candidates: Vec<(u32, &[(u32, u32)])> =
            offers.chunk_by(|a, b| a.0 == b.0).map(|held| (held[0].0, held)).collect();
        let (own, foreign): (Vec<_>, Vec<_>) = candidates.into_iter().partition(|c| self.is_own(page, c.0));
        let mut covered = vec![false; popular.len()];
        let mut chosen = greedy(&foreign, &mut covered, true);
        let by_foreign = covered.iter().filter(|c| **c).count();
        chosen.extend(greedy(&own, &mut covered, false));
        if prune {
            chosen = pruned(chosen, popular.len());
        }
        let mut met = vec![false; popular.len()];
        let donors = chosen.into_iter().map(|choice| Donor {
            index: choice.donor,
            shingles: choice.held.iter().filter(|held| !std::mem::replace(&mut met[held.1 as usize], true)).count(),
            foreign: choice.foreign,
        });
        Cover { donors: donors.collect(), foreign: by_foreign }
    }
}

struct Choice<'a> {
    donor: u32,
    held: &'a [(u32, u32)],
    foreign: bool,
}

/// Chooses until nothing more is covered. What a page would add only ever shrinks, so an old figure is an upper bound.
fn greedy<'a>(candidates: &[(u32, &'a [(u32, u32)])], covered: &mut [bool], foreign: bool) -> Vec<Choice<'a>> {
    let gain = |held: &[(u32, u32)], covered: &[bool]| held.iter().filter(|h| !covered[h.1 as usize]).count();
    let mut heap: BinaryHeap<(usize, usize, Reverse<u32>, usize)> = candidates
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
