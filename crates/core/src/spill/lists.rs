//! Many lists of numbers, read back in any order: in memory up to a budget, then in a file.

use std::io;
use std::path::Path;

use arrow_buffer::{ArrowNativeType, MutableBuffer, ToByteSlice};

use crate::spill::SpillFile;

/// Where a list is.
enum ListPlace<T> {
    Held(Box<[T]>),
    Spilled { at: u64, len: u32 },
}

/// Lists of numbers by their ordinals.
pub struct SpillLists<T> {
    slots: Vec<ListPlace<T>>,
    /// Bytes that may still be held in memory.
    left: usize,
    file: SpillFile,
}

impl<T: ArrowNativeType> SpillLists<T> {
    /// An empty store that holds about `memory` bytes, and puts the rest into a file in the folder.
    pub fn new(memory: usize, folder: &Path) -> Self {
        SpillLists { slots: Vec::new(), left: memory, file: SpillFile::new(folder) }
    }

    /// Adds a list; its ordinal is the number of lists before it.
    pub fn push(&mut self, list: &[T]) -> io::Result<()> {
        let cost = size_of_val(list) + size_of::<ListPlace<T>>();
        if cost <= self.left {
            self.left -= cost;
            self.slots.push(ListPlace::Held(list.into()));
        } else {
            let at = self.file.write(list.to_byte_slice())?;
            self.slots.push(ListPlace::Spilled { at, len: list.len() as u32 });
        }
        Ok(())
    }

    /// No more lists come; they may be read from now on.
    pub fn seal(&mut self) -> io::Result<()> {
        self.file.flush()
    }

    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// How many numbers a list has.
    pub fn size(&self, ordinal: usize) -> usize {
        match &self.slots[ordinal] {
            ListPlace::Held(list) => list.len(),
            ListPlace::Spilled { len, .. } => *len as usize,
        }
    }

    /// A list, where it is or read into the buffer.
    pub fn get<'a>(&'a self, ordinal: usize, buffer: &'a mut Vec<T>) -> io::Result<&'a [T]> {
        match &self.slots[ordinal] {
            ListPlace::Held(list) => Ok(list),
            ListPlace::Spilled { len: 0, .. } => Ok(&[]),
            ListPlace::Spilled { at, len } => {
                buffer.clear();
                self.file.read(*at, *len as usize, &mut MutableBuffer::new(0), buffer)?;
                Ok(buffer)
            }
        }
    }
}

/// How many numbers two ascending lists have in common.
pub fn common(a: &[u64], b: &[u64]) -> usize {
    let (mut i, mut j, mut both) = (0, 0, 0);
    while let (Some(&x), Some(&y)) = (a.get(i), b.get(j)) {
        both += usize::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    both
}

/// The share of the union of two ascending lists that is in both; 1 for two empty ones.
pub fn jaccard(a: &[u64], b: &[u64]) -> f64 {
    let both = common(a, b);
    let either = a.len() + b.len() - both;
    if either == 0 { 1.0 } else { both as f64 / either as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn what_goes_in_comes_out(lists in proptest::collection::vec(proptest::collection::vec(any::<u64>(), 0..20), 0..20), memory in 0usize..1000) {
            let mut sets = SpillLists::new(memory, &std::env::temp_dir());
            lists.iter().for_each(|list| sets.push(list).unwrap());
            sets.seal().unwrap();
            prop_assert_eq!(sets.len(), lists.len());
            let mut buffer = Vec::new();
            for (i, list) in lists.iter().enumerate().rev() {
                prop_assert_eq!(sets.get(i, &mut buffer).unwrap(), list);
                prop_assert_eq!(sets.size(i), list.len());
            }
        }

        #[test]
        fn jaccard_is_of_sets(a in proptest::collection::btree_set(0u64..30, 0..20), b in proptest::collection::btree_set(0u64..30, 0..20)) {
            let lists: [Vec<u64>; 2] = [&a, &b].map(|s: &BTreeSet<u64>| s.iter().copied().collect());
            prop_assert_eq!(common(&lists[0], &lists[1]), a.intersection(&b).count());
            let either = a.union(&b).count();
            let expected = if either == 0 { 1.0 } else { a.intersection(&b).count() as f64 / either as f64 };
            prop_assert_eq!(jaccard(&lists[0], &lists[1]), expected);
        }
    }
}
