//! Lists of holders, each once: grams that the same pages hold share a list.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use crate::hash::mix;

/// Distinct lists one after the other, and how many grams have each.
#[derive(Default)]
pub struct HolderLists<P> {
    pub pages: Vec<P>,
    pub grams: Vec<u32>,
    /// Where each list ends in `pages`.
    pub ends: Vec<usize>,
}

impl<P: Copy + Eq + Into<i64>> HolderLists<P> {
    pub fn list(&self, number: usize) -> &[P] {
        &self.pages[number.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[number]]
    }

    /// Adds a list, or a gram to an equal one that is there; whether it is new.
    pub fn add(&mut self, list: &[P], known: &mut HashTable<u32>) -> bool {
        let hash = |list: &[P]| list.iter().fold(0, |hash, page| mix(hash ^ (*page).into() as u64));
        let number = self.ends.len() as u32;
        let found = known.entry(
            hash(list),
            |other| self.list(*other as usize) == list,
            |other| hash(self.list(*other as usize)),
        );
        match found {
            Entry::Occupied(same) => {
                self.grams[*same.get() as usize] += 1;
                false
            }
            Entry::Vacant(place) => {
                place.insert(number);
                self.pages.extend_from_slice(list);
                self.ends.push(self.pages.len());
                self.grams.push(1);
                true
            }
        }
    }
}
