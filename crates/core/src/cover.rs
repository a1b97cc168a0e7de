//! The greedy cover: few other pages that together hold a page's patch grams (Najork 2012, section 2).
//!
//! Counts are kept exact while grams are covered, so that a page costs as much as its grams have holders, however many
//! sources it needs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A page that holds patch grams of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// Which page.
    pub page: u32,
    /// Grams that no source before it holds.
    pub new_grams: u32,
    /// Grams it holds in all.
    pub shared_grams: u32,
}

/// A slot is for a page that may be a source; these two are not.
const UNSEEN: u32 = u32::MAX;
const REFUSED: u32 = u32::MAX - 1;

/// Buffers for covers, reused from page to page.
pub struct Coverer {
    /// By page: its slot among the holders that were met.
    slots: Vec<u32>,
    holders: Vec<u32>,
    met: Vec<u32>,
    counts: Vec<u32>,
    shared: Vec<u32>,
    starts: Vec<u32>,
    grams: Vec<u32>,
    covered: Vec<bool>,
    heap: BinaryHeap<(u32, Reverse<u32>)>,
}

impl Coverer {
    /// For a collection of so many pages.
    pub fn new(pages: usize) -> Self {
        Coverer {
            slots: vec![UNSEEN; pages],
            holders: Vec::new(),
            met: Vec::new(),
            counts: Vec::new(),
            shared: Vec::new(),
            starts: Vec::new(),
            grams: Vec::new(),
            covered: Vec::new(),
            heap: BinaryHeap::new(),
        }
    }

    /// The sources of `page` in the order of choice, given the holders of each of its patch grams.
    ///
    /// Each time the page with the most grams still uncovered, of several the one with the smallest number; until
    /// none is left, or the best has less than the share `least` of all patch grams.
    pub fn cover(
        &mut self,
        page: u32,
        lists: &[&[u32]],
        allows: impl Fn(u32) -> bool,
        least: f64,
        sources: &mut Vec<Source>,
    ) {
        self.count(page, lists, allows);
        self.invert(page, lists);
        self.covered.clear();
        self.covered.resize(lists.len(), false);
        self.heap.clear();
        self.heap.extend(self.counts.iter().zip(&self.holders).map(|(count, holder)| (*count, Reverse(*holder))));
        while let Some((count, Reverse(holder))) = self.heap.pop() {
            let slot = self.slots[holder as usize] as usize;
            let now = self.counts[slot];
            if now < count {
                // What was first in line by an old count waits again with the new one.
                if now > 0 {
                    self.heap.push((now, Reverse(holder)));
                }
                continue;
            }
            if f64::from(now) / (lists.len() as f64) < least {
                break;
            }
            sources.push(Source { page: holder, new_grams: now, shared_grams: self.shared[slot] });
            self.take(page, slot, lists);
        }
        for &holder in &self.met {
            self.slots[holder as usize] = UNSEEN;
        }
    }

    fn count(&mut self, page: u32, lists: &[&[u32]], allows: impl Fn(u32) -> bool) {
        self.holders.clear();
        self.met.clear();
        self.counts.clear();
        for &holder in lists.iter().copied().flatten().filter(|holder| **holder != page) {
            let slot = &mut self.slots[holder as usize];
            if *slot == UNSEEN {
                self.met.push(holder);
                *slot = REFUSED;
                if allows(holder) {
                    *slot = self.holders.len() as u32;
                    self.holders.push(holder);
                    self.counts.push(0);
                }
            }
            if *slot != REFUSED {
                self.counts[*slot as usize] += 1;
            }
        }
        self.shared.clone_from(&self.counts);
    }

    /// The grams of each slot, one slot after the other.
    fn invert(&mut self, page: u32, lists: &[&[u32]]) {
        self.starts.clear();
        let mut end = 0;
        for count in &self.counts {
            end += count;
            self.starts.push(end);
        }
        self.grams.clear();
        self.grams.resize(end as usize, 0);
        for (gram, list) in lists.iter().enumerate() {
            for &holder in list.iter().filter(|holder| **holder != page) {
                let slot = self.slots[holder as usize];
                if slot != REFUSED {
                    // From the back, so that `starts` ends as what it is called.
                    self.starts[slot as usize] -= 1;
                    self.grams[self.starts[slot as usize] as usize] = gram as u32;
                }
            }
        }
    }

    /// Covers the grams of a slot.
    fn take(&mut self, page: u32, slot: usize, lists: &[&[u32]]) {
        let begin = self.starts[slot] as usize;
        for i in begin..begin + self.shared[slot] as usize {
            let gram = self.grams[i] as usize;
            if std::mem::replace(&mut self.covered[gram], true) {
                continue;
            }
            for &holder in lists[gram].iter().filter(|holder| **holder != page) {
                let slot = self.slots[holder as usize];
                if slot != REFUSED {
                    self.counts[slot as usize] -= 1;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn cover(page: u32, lists: &[&[u32]], least: f64) -> Vec<(u32, u32, u32)> {
        let mut sources = Vec::new();
        let mut coverer = Coverer::new(20);
        coverer.cover(page, lists, |holder| holder != 13, least, &mut sources);
        assert!(coverer.slots.iter().all(|slot| *slot == UNSEEN));
        sources.iter().map(|s| (s.page, s.new_grams, s.shared_grams)).collect()
    }

    /// The paper's algorithm, spelled out.
    fn obvious(page: u32, lists: &[&[u32]], least: f64) -> Vec<(u32, u32, u32)> {
        let mut open: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
        for (gram, list) in lists.iter().enumerate() {
            for &holder in list.iter().filter(|h| **h != page && **h != 13) {
                open.entry(holder).or_default().insert(gram);
            }
        }
        let all = open.clone();
        let mut sources = Vec::new();
        while let Some((&best, grams)) = open.iter().max_by_key(|(page, grams)| (grams.len(), Reverse(**page))) {
            let taken = grams.clone();
            if taken.is_empty() || (taken.len() as f64) / (lists.len() as f64) < least {
                break;
            }
            sources.push((best, taken.len() as u32, all[&best].len() as u32));
            open.values_mut().for_each(|grams| *grams = &*grams - &taken);
        }
        sources
    }

    #[test]
    fn ties_go_to_the_smallest() {
        let lists: [&[u32]; 4] = [&[0, 3, 7], &[0, 3, 7], &[0, 5], &[0, 4]];
        assert_eq!(cover(0, &lists, 0.0), [(3, 2, 2), (4, 1, 1), (5, 1, 1)]);
        assert_eq!(cover(0, &lists, 0.5), [(3, 2, 2)]);
        assert_eq!(cover(0, &[&[0, 13]], 0.0), []);
    }

    proptest! {
        #[test]
        fn is_greedy(lists in prop::collection::vec(prop::collection::btree_set(0u32..20, 2..6), 0..40), least in 0.0..0.4) {
            let lists: Vec<Vec<u32>> = lists.into_iter().map(|l| l.into_iter().collect()).collect();
            let lists: Vec<&[u32]> = lists.iter().map(|l| &l[..]).collect();
            for page in [0, 7] {
                prop_assert_eq!(cover(page, &lists, least), obvious(page, &lists, least));
                prop_assert_eq!(cover(page, &lists, 0.0), obvious(page, &lists, 0.0));
            }
        }
    }
}
