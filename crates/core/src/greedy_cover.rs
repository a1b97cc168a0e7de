//! The greedy cover: few other pages that together hold what a page shares with others.
//!
//! Of quilts it is their patch grams (Najork 2012, section 2), of others their popular phrases. Which page is chosen next
//! is up to the caller, as long as a page never ranks higher when it adds less. Counts are kept exact while grams are
//! covered, so that a page costs as much as its grams have holders, however many sources it needs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Mutex;

/// A page that holds grams of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    pub page: u32,
    /// Grams that no source before it holds.
    pub new_grams: u32,
    /// Grams it holds in all.
    pub shared_grams: u32,
}

/// The pages that hold a gram, and how many grams these very pages hold: consecutive grams mostly have the same holders.
pub type HolderList<'a> = (&'a [u32], u32);

/// A slot is for a page that may be a source; these two are not.
const UNSEEN: u32 = u32::MAX;
const REFUSED: u32 = u32::MAX - 1;

/// Buffers for covers that rank pages by `K`, reused from page to page.
pub struct GreedyCover<K> {
    /// By page: its slot among the holders that were met.
    slots: Vec<u32>,
    holders: Vec<u32>,
    met: Vec<u32>,
    counts: Vec<u32>,
    shared: Vec<u32>,
    starts: Vec<u32>,
    lists: Vec<u32>,
    covered: Vec<bool>,
    heap: BinaryHeap<(K, Reverse<u32>)>,
}

impl<K: Ord + Copy> GreedyCover<K> {
    /// For a collection of so many pages.
    pub fn new(pages: usize) -> Self {
        GreedyCover {
            slots: vec![UNSEEN; pages],
            holders: Vec::new(),
            met: Vec::new(),
            counts: Vec::new(),
            shared: Vec::new(),
            starts: Vec::new(),
            lists: Vec::new(),
            covered: Vec::new(),
            heap: BinaryHeap::new(),
        }
    }

    /// From now on for at least so many pages.
    pub fn reserve(&mut self, pages: usize) {
        if self.slots.len() < pages {
            self.slots.resize(pages, UNSEEN);
        }
    }

    /// The sources of `page` in the order of choice, given the holders of its grams.
    ///
    /// Each time the page that ranks highest by what it would add now, of several the one with the smallest number;
    /// until nothing is left, or the best adds less than the share `min_share` of all grams.
    pub fn cover(
        &mut self,
        page: u32,
        lists: &[HolderList<'_>],
        allows: impl Fn(u32) -> bool,
        rank: impl Fn(&Source) -> K,
        min_share: f64,
    ) -> Vec<Source> {
        self.count(page, lists, allows);
        self.invert(page, lists);
        let total: u32 = lists.iter().map(|list| list.1).sum();
        self.covered.clear();
        self.covered.resize(lists.len(), false);
        let mut heap = std::mem::take(&mut self.heap);
        heap.extend((0..self.holders.len()).map(|slot| (rank(&self.source(slot)), Reverse(self.holders[slot]))));
        let mut sources = Vec::new();
        while let Some((old, Reverse(holder))) = heap.pop() {
            let slot = self.slots[holder as usize] as usize;
            let source = self.source(slot);
            let now = rank(&source);
            if source.new_grams == 0 {
                continue;
            }
            if now < old {
                // What was first in line by an old count waits again with the new one.
                heap.push((now, Reverse(holder)));
                continue;
            }
            if f64::from(source.new_grams) / f64::from(total) < min_share {
                break;
            }
            sources.push(source);
            self.take(page, slot, lists);
        }
        heap.clear();
        self.heap = heap;
        sources
    }

    fn source(&self, slot: usize) -> Source {
        Source { page: self.holders[slot], new_grams: self.counts[slot], shared_grams: self.shared[slot] }
    }

    /// After `cover`: the numbers of the lists that a source is in.
    pub fn held(&self, source: &Source) -> &[u32] {
        let slot = self.slots[source.page as usize] as usize;
        &self.lists[self.starts[slot] as usize..self.starts[slot + 1] as usize]
    }

    /// After `cover`: every page that might have been a source and holds at least `min_shared` grams, and how many.
    pub fn holders(&self, min_shared: u32) -> impl Iterator<Item = (u32, u32)> {
        let all = self.holders.iter().copied().zip(self.shared.iter().copied());
        all.filter(move |(_, shared)| *shared >= min_shared)
    }

    fn count(&mut self, page: u32, lists: &[HolderList<'_>], allows: impl Fn(u32) -> bool) {
        for holder in self.met.drain(..) {
            self.slots[holder as usize] = UNSEEN;
        }
        self.holders.clear();
        self.counts.clear();
        self.starts.clear();
        for &(list, grams) in lists {
            for &holder in list.iter().filter(|holder| **holder != page) {
                let slot = &mut self.slots[holder as usize];
                if *slot == UNSEEN {
                    self.met.push(holder);
                    *slot = REFUSED;
                    if allows(holder) {
                        *slot = self.holders.len() as u32;
                        self.holders.push(holder);
                        self.counts.push(0);
                        self.starts.push(0);
                    }
                }
                if *slot != REFUSED {
                    self.counts[*slot as usize] += grams;
                    self.starts[*slot as usize] += 1;
                }
            }
        }
        self.shared.clone_from(&self.counts);
    }

    /// The lists of each slot, one slot after the other; `starts` has how many they are.
    fn invert(&mut self, page: u32, lists: &[HolderList<'_>]) {
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.starts.push(end);
        self.lists.clear();
        self.lists.resize(end as usize, 0);
        for (number, (list, _)) in lists.iter().enumerate() {
            for &holder in list.iter().filter(|holder| **holder != page) {
                let slot = self.slots[holder as usize];
                if slot != REFUSED {
                    // Filled from the back: `starts` counts down from where a list ends to where it begins.
                    self.starts[slot as usize] -= 1;
                    self.lists[self.starts[slot as usize] as usize] = number as u32;
                }
            }
        }
    }

    /// Covers the grams of a slot.
    fn take(&mut self, page: u32, slot: usize, lists: &[HolderList<'_>]) {
        for i in self.starts[slot]..self.starts[slot + 1] {
            let number = self.lists[i as usize] as usize;
            if std::mem::replace(&mut self.covered[number], true) {
                continue;
            }
            let (list, grams) = lists[number];
            for &holder in list.iter().filter(|holder| **holder != page) {
                let slot = self.slots[holder as usize];
                if slot != REFUSED {
                    self.counts[slot as usize] -= grams;
                }
            }
        }
    }
}

/// Buffers that no thread uses now. Each has a number for every page of the collection, so they are reused.
#[derive(Default)]
pub struct IdleCovers<K>(Mutex<Vec<GreedyCover<K>>>);

impl<K: Ord + Copy> IdleCovers<K> {
    /// Does work that needs buffers for a collection of so many pages.
    pub fn with<T>(&self, pages: usize, work: impl FnOnce(&mut GreedyCover<K>) -> T) -> T {
        let idle = || self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut greedy = idle().pop().unwrap_or_else(|| GreedyCover::new(0));
        greedy.reserve(pages);
        let done = work(&mut greedy);
        idle().push(greedy);
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    type Key = (bool, u32, u32);

    /// Quilts: what adds most.
    fn most(source: &Source) -> Key {
        (true, source.new_grams, 0)
    }

    /// Phrases: some before all others, and of those that add the same who holds most.
    fn even_first(source: &Source) -> Key {
        (source.page.is_multiple_of(2), source.new_grams, source.shared_grams)
    }

    fn plain(page: u32, lists: &[&[u32]], min_share: f64) -> Vec<(u32, u32, u32)> {
        cover(page, &lists.iter().map(|list| (*list, 1)).collect::<Vec<_>>(), most, min_share)
    }

    fn cover(page: u32, lists: &[HolderList<'_>], rank: fn(&Source) -> Key, min_share: f64) -> Vec<(u32, u32, u32)> {
        let mut greedy = GreedyCover::new(20);
        let mut again = || greedy.cover(page, lists, |holder| holder != 13, rank, min_share);
        let sources = again();
        assert_eq!(sources, again(), "the buffers are as before");
        for source in &sources {
            let held = greedy.held(source).iter().map(|number| lists[*number as usize]);
            assert_eq!(held.clone().map(|list| list.1).sum::<u32>(), source.shared_grams);
            assert!(held.map(|list| list.0).all(|list| list.contains(&source.page)));
        }
        sources.iter().map(|s| (s.page, s.new_grams, s.shared_grams)).collect()
    }

    /// The paper's algorithm, spelled out.
    fn obvious(page: u32, lists: &[&[u32]], rank: fn(&Source) -> Key, min_share: f64) -> Vec<(u32, u32, u32)> {
        let mut open: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
        for (gram, list) in lists.iter().enumerate() {
            for &holder in list.iter().filter(|h| **h != page && **h != 13) {
                open.entry(holder).or_default().insert(gram);
            }
        }
        let all = open.clone();
        let mut sources = Vec::new();
        loop {
            open.retain(|_, grams| !grams.is_empty());
            let source = |(page, grams): (&u32, &BTreeSet<usize>)| {
                let [new_grams, shared_grams] = [grams, &all[page]].map(|grams| grams.len() as u32);
                Source { page: *page, new_grams, shared_grams }
            };
            let best = open.iter().map(source).max_by_key(|source| (rank(source), Reverse(source.page)));
            let Some(best) = best.filter(|best| f64::from(best.new_grams) / lists.len() as f64 >= min_share) else {
                return sources;
            };
            sources.push((best.page, best.new_grams, best.shared_grams));
            let taken = open[&best.page].clone();
            open.values_mut().for_each(|grams| *grams = &*grams - &taken);
        }
    }

    #[test]
    fn ties_go_to_the_smallest() {
        let lists: [&[u32]; 4] = [&[0, 3, 7], &[0, 3, 7], &[0, 5], &[0, 4]];
        assert_eq!(plain(0, &lists, 0.0), [(3, 2, 2), (4, 1, 1), (5, 1, 1)]);
        assert_eq!(plain(0, &lists, 0.5), [(3, 2, 2)]);
        assert_eq!(plain(0, &[&[0, 13]], 0.0), []);
    }

    proptest! {
        #[test]
        fn is_greedy(lists in prop::collection::vec(prop::collection::btree_set(0u32..20, 2..6), 0..40), min_share in 0.0..0.4) {
            let lists: Vec<Vec<u32>> = lists.into_iter().map(|l| l.into_iter().collect()).collect();
            let lists: Vec<&[u32]> = lists.iter().map(|l| &l[..]).collect();
            for page in [0, 7] {
                let each: Vec<HolderList<'_>> = lists.iter().map(|list| (*list, 1)).collect();
                for rank in [most, even_first] {
                    prop_assert_eq!(cover(page, &each, rank, min_share), obvious(page, &lists, rank, min_share));
                    prop_assert_eq!(cover(page, &each, rank, 0.0), obvious(page, &lists, rank, 0.0));
                }
            }
        }

        #[test]
        fn grams_alike_count_each(
            lists in prop::collection::vec((prop::collection::btree_set(0u32..9, 2..5), 1u32..6), 0..20), min_share in 0.0..0.4,
        ) {
            let lists: Vec<(Vec<u32>, u32)> = lists.into_iter().map(|(l, n)| (l.into_iter().collect(), n)).collect();
            let alike: Vec<HolderList<'_>> = lists.iter().map(|(l, n)| (&l[..], *n)).collect();
            let each: Vec<&[u32]> = alike.iter().flat_map(|(l, n)| std::iter::repeat_n(*l, *n as usize)).collect();
            prop_assert_eq!(cover(0, &alike, most, min_share), obvious(0, &each, most, min_share));
        }
    }
}
