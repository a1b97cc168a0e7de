//! From counted grams to covers: which pages are quilts, and of what.
//!
//! Postings are shared between the pages that hold them: a page has the numbers of its lists, never the lists. When
//! not all fit in memory, ranges of pages take turns, and each passes over the postings anew.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use hashbrown::HashTable;
use rayon::prelude::*;

use crate::greedy_cover::{GreedyCover, HolderList, IdleCovers};
use crate::quilts::collection::QuiltParams;
use crate::quilts::covered::{CoveredPage, QuiltCandidate, covered_batch};
use crate::quilts::lists::HolderLists;
use crate::quilts::postings::CountedGrams;

/// Pages in a batch that comes out.
const BATCH: usize = 1 << 14;

/// Pages that one thread takes at a time.
const PIECE: usize = 128;

/// Bytes of a list in the table that finds equal ones.
const TABLE_ENTRY: usize = 12;

/// The lists that a range of pages needs, each once.
#[derive(Default)]
struct RangeLists {
    distinct: HolderLists<u32>,
    /// The numbers of the lists, one page of the range after the other.
    of_page: Vec<u32>,
    /// Where a page's numbers end.
    page_ends: Vec<usize>,
}

impl RangeLists {
    fn of(&self, place: usize) -> &[u32] {
        &self.of_page[place.checked_sub(1).map_or(0, |before| self.page_ends[before])..self.page_ends[place]]
    }
}

/// Covers of all pages of a collection, in the order of page ids.
pub struct QuiltCovers {
    counted: Arc<CountedGrams>,
    params: QuiltParams,
    /// A page that holds this fraction of a quilt's grams is named, whatever it adds.
    min_shared: f64,
    patch: Vec<u32>,
    /// Pages with enough patch grams to be quilts.
    wanted: Vec<bool>,
    ranges: Vec<Range<usize>>,
    range: usize,
    lists: RangeLists,
    next: usize,
    idle: IdleCovers<u32>,
}

impl QuiltCovers {
    /// Counts the patch grams of each page, and plans. `params.m` may not exceed that of the postings. With each quilt
    /// come all pages that hold at least the fraction `min_shared` of its grams.
    pub fn new(counted: Arc<CountedGrams>, params: QuiltParams, min_shared: f64) -> io::Result<Self> {
        assert!(params.m <= counted.m, "postings with more holders were dropped");
        let (mut entries, mut lists) = counted.size();
        let mut patch = counted.patch.clone();
        if params.m < counted.m {
            (entries, lists) = (0, 0);
            patch.fill(0);
            counted.each(|postings| {
                for list in postings.iter().filter(|list| list.len() <= params.m) {
                    list.iter().for_each(|page| patch[*page as usize] += 1);
                    entries += list.len();
                    lists += 1;
                }
            })?;
        }
        let wanted: Vec<bool> = (0..patch.len())
            .map(|page| counted.sites.is_representative[page] && params.may_be_quilt(patch[page], counted.grams[page]))
            .collect();
        let mut covers = QuiltCovers {
            counted,
            params,
            min_shared,
            patch,
            wanted,
            ranges: Vec::new(),
            range: 0,
            lists: RangeLists::default(),
            next: 0,
            idle: IdleCovers::default(),
        };
        let numbers: usize = covers.wanted_pages().map(|page| covers.patch[page] as usize).sum();
        let memory = covers.counted.budget.memory / 2;
        let pages = covers.patch.len();
        covers.ranges = if 4 * entries + (12 + TABLE_ENTRY) * lists + 4 * numbers <= memory {
            std::iter::once(0..pages).collect()
        } else {
            covers.split(memory)?
        };
        covers.load(covers.ranges[0].clone())?;
        Ok(covers)
    }

    fn wanted_pages(&self) -> impl Iterator<Item = usize> {
        self.wanted.iter().enumerate().filter(|(_, wanted)| **wanted).map(|(page, _)| page)
    }

    /// Ranges whose lists surely fit.
    fn split(&self, memory: usize) -> io::Result<Vec<Range<usize>>> {
        let mut bytes = vec![0usize; self.patch.len()];
        self.counted.each(|postings| {
            for list in postings.iter().filter(|list| list.len() <= self.params.m) {
                for &page in list.iter().filter(|page| self.wanted[**page as usize]) {
                    bytes[page as usize] += 4 * list.len() + 16 + TABLE_ENTRY;
                }
            }
        })?;
        let mut ranges = Vec::new();
        let (mut begin, mut held) = (0, 0);
        for (page, bytes) in bytes.into_iter().enumerate() {
            if held + bytes > memory && page > begin {
                ranges.push(begin..page);
                (begin, held) = (page, 0);
            }
            held += bytes;
        }
        ranges.push(begin..self.patch.len());
        Ok(ranges)
    }

    fn load(&mut self, range: Range<usize>) -> io::Result<()> {
        self.lists = RangeLists::default();
        let mut lists = RangeLists::default();
        let mut known = HashTable::new();
        let wanted = |page: &u32| range.contains(&(*page as usize)) && self.wanted[*page as usize];
        // A range without a page that may be a quilt needs no lists.
        if self.wanted[range.clone()].contains(&true) {
            self.counted.each(|postings| {
                for list in postings.iter().filter(|list| list.len() <= self.params.m && list.iter().any(wanted)) {
                    lists.distinct.add(list, &mut known);
                }
            })?;
        }
        drop(known);
        lists.page_ends.resize(range.len(), 0);
        for page in lists.distinct.pages.iter().filter(|page| wanted(page)) {
            lists.page_ends[*page as usize - range.start] += 1;
        }
        let mut end = 0;
        for page_end in &mut lists.page_ends {
            end += *page_end;
            *page_end = end;
        }
        lists.of_page.resize(end, 0);
        // Backwards, so that each page's numbers ascend and the ends become starts; then they are set right.
        let mut at = lists.page_ends.clone();
        for number in (0..lists.distinct.ends.len()).rev() {
            for page in lists.distinct.list(number) {
                if wanted(page) {
                    let place = *page as usize - range.start;
                    at[place] -= 1;
                    lists.of_page[at[place]] = number as u32;
                }
            }
        }
        self.lists = lists;
        Ok(())
    }

    /// The next pages; none when all are done. Works in parallel on the current rayon pool.
    pub fn next_batch(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        while self.next == self.ranges[self.range].end {
            if self.range + 1 == self.ranges.len() {
                return Ok(None);
            }
            self.range += 1;
            self.load(self.ranges[self.range].clone())?;
        }
        let range = self.ranges[self.range].clone();
        let pages = self.next..range.end.min(self.next + BATCH);
        self.next = pages.end;
        let this = &*self;
        let pieces: Vec<Range<usize>> =
            pages.clone().step_by(PIECE).map(|begin| begin..pages.end.min(begin + PIECE)).collect();
        let found: Vec<CoveredPage> = pieces
            .into_par_iter()
            .flat_map_iter(|piece| {
                let cover = |greedy: &mut _| piece.map(|page| this.cover(greedy, page, range.start)).collect();
                let found: Vec<CoveredPage> = this.idle.with(this.patch.len(), cover);
                found
            })
            .collect();
        covered_batch(&found).map(Some)
    }

    fn cover(&self, greedy: &mut GreedyCover<u32>, page: usize, start: usize) -> CoveredPage {
        let counted = &*self.counted;
        let grams = counted.grams[page];
        let quilt = self.wanted[page].then(|| {
            let distinct = &self.lists.distinct;
            let alike = |n: &u32| (distinct.list(*n as usize), distinct.grams[*n as usize]);
            let lists: Vec<HolderList<'_>> = self.lists.of(page - start).iter().map(alike).collect();
            let allows = |source| counted.sites.allows(page as u32, source);
            let name = |source| {
                let (member, foreign) = counted.sites.name(page as u32, source);
                (counted.pages[member as usize], foreign)
            };
            let candidate = QuiltCandidate { page: page as u32, grams, lists: &lists };
            candidate.cover(greedy, self.params, self.min_shared, allows, name)
        });
        CoveredPage {
            page: counted.pages[page],
            grams,
            shared: counted.shared[page],
            patch: counted.sites.is_representative[page].then_some(self.patch[page]),
            quilt: quilt.flatten(),
        }
    }
}
