//! From counted grams to covers: which pages are quilts, and of what.
//!
//! Postings are shared between the pages that hold them: a page has the numbers of its lists, never the lists. When
//! not all fit in memory, ranges of pages take turns, and each passes over the postings anew.

use std::cmp::Reverse;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard};

use arrow_array::{ArrayRef, BooleanArray, Int64Array, ListArray, RecordBatch, StructArray, builder::Int64Builder};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{ArrowError, DataType, Field, Fields};
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rayon::prelude::*;

use crate::arrow::batch_of;
use crate::hash::mix;
use crate::quilts::collection::QuiltParams;
use crate::quilts::greedy_cover::{GreedyCover, HolderList, Source};
use crate::quilts::postings::CountedGrams;

/// Pages in a batch that comes out.
const BATCH: usize = 1 << 14;

/// Pages that one thread takes at a time.
const PIECE: usize = 128;

/// Bytes of a list in the table that finds equal ones.
const TABLE_ENTRY: usize = 12;

/// The lists that a range of pages needs, each once.
#[derive(Default)]
struct Lists {
    pages: Vec<u32>,
    /// How many grams have each list.
    grams: Vec<u32>,
    /// Where each list ends in `pages`.
    ends: Vec<usize>,
    /// The numbers of the lists, one page of the range after the other.
    of_page: Vec<u32>,
    /// Where a page's numbers end.
    page_ends: Vec<usize>,
}

impl Lists {
    fn list(&self, number: usize) -> &[u32] {
        &self.pages[number.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[number]]
    }

    /// Adds a list, or a gram to an equal one that is there.
    fn add(&mut self, list: &[u32], known: &mut HashTable<u32>) {
        let hash = |list: &[u32]| list.iter().fold(0, |hash, page| mix(hash ^ u64::from(*page)));
        let number = self.ends.len() as u32;
        let found = known.entry(
            hash(list),
            |other| self.list(*other as usize) == list,
            |other| hash(self.list(*other as usize)),
        );
        match found {
            Entry::Occupied(same) => self.grams[*same.get() as usize] += 1,
            Entry::Vacant(place) => {
                place.insert(number);
                self.pages.extend_from_slice(list);
                self.ends.push(self.pages.len());
                self.grams.push(1);
            }
        }
    }

    fn of(&self, place: usize) -> &[u32] {
        &self.of_page[place.checked_sub(1).map_or(0, |before| self.page_ends[before])..self.page_ends[place]]
    }
}

/// What became of one page. Only quilts keep their sources.
#[derive(Default)]
struct PageCover {
    quilt: bool,
    sources: Vec<Source>,
    /// Every page that shares enough, by how much it shares; sources have their new grams, others none.
    holders: Vec<Source>,
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
    lists: Lists,
    next: usize,
    idle: Mutex<Vec<GreedyCover>>,
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
            .map(|page| {
                let (patch, grams) = (patch[page], counted.grams[page]);
                // A source needs a gram, so that c sources need c.
                counted.sites.is_representative[page] && params.enough(patch, grams) && patch as usize >= params.c
            })
            .collect();
        let mut covers = QuiltCovers {
            counted,
            params,
            min_shared,
            patch,
            wanted,
            ranges: Vec::new(),
            range: 0,
            lists: Lists::default(),
            next: 0,
            idle: Mutex::default(),
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
        self.lists = Lists::default();
        let mut lists = Lists::default();
        let mut known = HashTable::new();
        let wanted = |page: &u32| range.contains(&(*page as usize)) && self.wanted[*page as usize];
        // A range without a page that may be a quilt needs no lists.
        if self.wanted[range.clone()].contains(&true) {
            self.counted.each(|postings| {
                for list in postings.iter().filter(|list| list.len() <= self.params.m && list.iter().any(wanted)) {
                    lists.add(list, &mut known);
                }
            })?;
        }
        drop(known);
        lists.page_ends.resize(range.len(), 0);
        for page in lists.pages.iter().filter(|page| wanted(page)) {
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
        for number in (0..lists.ends.len()).rev() {
            let begin = number.checked_sub(1).map_or(0, |before| lists.ends[before]);
            for page in &lists.pages[begin..lists.ends[number]] {
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
        let found: Vec<PageCover> = pieces
            .into_par_iter()
            .flat_map_iter(|piece| {
                let mut greedy = this.idle_covers().pop().unwrap_or_else(|| GreedyCover::new(this.patch.len()));
                let found: Vec<PageCover> = piece.map(|page| this.cover(&mut greedy, page, range.start)).collect();
                this.idle_covers().push(greedy);
                found
            })
            .collect();
        self.batch(pages, &found).map(Some)
    }

    /// As many as there are threads: each has a number for every page, too much to make anew for every piece.
    fn idle_covers(&self) -> MutexGuard<'_, Vec<GreedyCover>> {
        self.idle.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn cover(&self, greedy: &mut GreedyCover, page: usize, start: usize) -> PageCover {
        let mut found = PageCover::default();
        if self.wanted[page] {
            let alike = |n: &u32| (self.lists.list(*n as usize), self.lists.grams[*n as usize]);
            let lists: Vec<HolderList<'_>> = self.lists.of(page - start).iter().map(alike).collect();
            let allows = |source| self.counted.sites.allows(page as u32, source);
            greedy.cover(page as u32, &lists, allows, self.params.min_share, &mut found.sources);
            let grams = self.counted.grams[page];
            found.quilt = self.params.is_quilt(grams, &found.sources);
            if !found.quilt {
                return PageCover::default();
            }
            let least = ((self.min_shared * f64::from(grams)).ceil() as u32).max(1);
            let new_grams = |page| found.sources.iter().find(|source| source.page == page).map_or(0, |s| s.new_grams);
            let named = greedy.holders(least);
            found.holders =
                named.map(|(page, shared)| Source { page, new_grams: new_grams(page), shared_grams: shared }).collect();
            found.holders.sort_unstable_by_key(|holder| (Reverse(holder.shared_grams), holder.page));
        }
        found
    }

    fn batch(&self, pages: Range<usize>, found: &[PageCover]) -> Result<RecordBatch, ArrowError> {
        let counted = &*self.counted;
        let grams = || counted.grams[pages.clone()].iter();
        let shared = counted.shared[pages.clone()].iter();
        let own: Int64Array = grams().zip(shared).map(|(grams, shared)| Some(i64::from(grams - shared))).collect();
        let is_representative = |page: usize| counted.sites.is_representative[page];
        let patch: Int64Array =
            pages.clone().map(|p| is_representative(p).then_some(i64::from(self.patch[p]))).collect();
        let mut uncovered = Int64Builder::new();
        for (page, found) in pages.clone().zip(found) {
            let covered: u32 = found.sources.iter().map(|source| source.new_grams).sum();
            uncovered.append_option(found.quilt.then(|| i64::from(self.patch[page] - covered)));
        }
        batch_of(vec![
            ("page", Arc::new(Int64Array::from(counted.pages[pages.clone()].to_vec()))),
            ("grams", Arc::new(Int64Array::from_iter_values(grams().map(|n| i64::from(*n))))),
            ("own_grams", Arc::new(own)),
            ("patch_grams", Arc::new(patch)),
            ("quilt", Arc::new(found.iter().map(|found| Some(found.quilt)).collect::<BooleanArray>())),
            ("uncovered", Arc::new(uncovered.finish())),
            ("sources", self.named(pages.clone(), found, |found| &found.sources)?),
            ("holders", self.named(pages, found, |found| &found.holders)?),
        ])
    }

    /// A list for each page, with the ids of the pages in it.
    fn named(
        &self,
        pages: Range<usize>,
        found: &[PageCover],
        list: fn(&PageCover) -> &[Source],
    ) -> Result<ArrayRef, ArrowError> {
        let all = || pages.clone().zip(found).flat_map(|(page, found)| list(found).iter().map(move |s| (page, s)));
        let named: Vec<(u32, bool)> = all().map(|(p, s)| self.counted.sites.name(p as u32, s.page)).collect();
        let fields = Fields::from(vec![
            Field::new("source", DataType::Int64, true),
            Field::new("new_grams", DataType::Int64, true),
            Field::new("shared_grams", DataType::Int64, true),
            Field::new("foreign", DataType::Boolean, true),
        ]);
        let name = |page: &u32| self.counted.pages[*page as usize];
        let columns: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from_iter_values(named.iter().map(|(page, _)| name(page)))),
            Arc::new(Int64Array::from_iter_values(all().map(|(_, s)| i64::from(s.new_grams)))),
            Arc::new(Int64Array::from_iter_values(all().map(|(_, s)| i64::from(s.shared_grams)))),
            Arc::new(named.iter().map(|(_, foreign)| Some(*foreign)).collect::<BooleanArray>()),
        ];
        let offsets = OffsetBuffer::from_lengths(found.iter().map(|found| list(found).len()));
        let field = Arc::new(Field::new("item", DataType::Struct(fields.clone()), true));
        Ok(Arc::new(ListArray::try_new(field, offsets, Arc::new(StructArray::try_new(fields, columns, None)?), None)?))
    }
}
