//! Many lists of 64-bit numbers, read back in any order: in memory up to a budget, then in a file.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Where a list is.
enum Slot {
    Here(Box<[u64]>),
    Away { at: u64, len: u32 },
}

/// Lists of numbers by their ordinals.
pub struct Sets {
    slots: Vec<Slot>,
    /// Bytes that may still be held in memory.
    left: usize,
    path: PathBuf,
    writer: Option<BufWriter<File>>,
    reader: Option<File>,
    written: u64,
}

impl Sets {
    /// An empty store that holds about `memory` bytes, and puts the rest into a file of that name.
    pub fn new(memory: usize, path: &Path) -> Self {
        Sets { slots: Vec::new(), left: memory, path: path.to_owned(), writer: None, reader: None, written: 0 }
    }

    /// Adds a list; its ordinal is the number of lists before it.
    pub fn push(&mut self, list: &[u64]) -> io::Result<()> {
        let cost = list.len() * 8 + size_of::<Slot>();
        if cost <= self.left {
            self.left -= cost;
            self.slots.push(Slot::Here(list.into()));
            return Ok(());
        }
        if self.writer.is_none() {
            let file = File::options().read(true).write(true).create(true).truncate(true).open(&self.path)?;
            self.reader = Some(file.try_clone()?);
            self.writer = Some(BufWriter::with_capacity(1 << 20, file));
        }
        if let Some(writer) = &mut self.writer {
            list.iter().try_for_each(|v| writer.write_all(&v.to_le_bytes()))?;
        }
        self.slots.push(Slot::Away { at: self.written, len: list.len() as u32 });
        self.written += list.len() as u64 * 8;
        Ok(())
    }

    /// No more lists come; they may be read from now on.
    pub fn seal(&mut self) -> io::Result<()> {
        match &mut self.writer {
            Some(writer) => writer.flush(),
            None => Ok(()),
        }
    }

    /// How many lists there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// How many numbers a list has.
    pub fn size(&self, ordinal: usize) -> usize {
        match &self.slots[ordinal] {
            Slot::Here(list) => list.len(),
            Slot::Away { len, .. } => *len as usize,
        }
    }

    /// A list, where it is or read into the buffer.
    pub fn get<'a>(&'a self, ordinal: usize, buffer: &'a mut Vec<u64>) -> io::Result<&'a [u64]> {
        match &self.slots[ordinal] {
            Slot::Here(list) => Ok(list),
            Slot::Away { at, len } => {
                let mut bytes = vec![0; *len as usize * 8];
                let reader = self.reader.as_ref().ok_or(io::ErrorKind::NotFound)?;
                reader.read_exact_at(&mut bytes, *at)?;
                buffer.clear();
                buffer.extend(bytes.as_chunks::<8>().0.iter().map(|&b| u64::from_le_bytes(b)));
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
            let folder = std::env::temp_dir().join(format!("pagekin-sets-{}", std::process::id()));
            std::fs::create_dir_all(&folder).unwrap();
            let mut sets = Sets::new(memory, &folder.join("sets"));
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
