//! Rows of two numbers, divided by the first: in memory up to a budget, then in files, read back partition by partition.

use std::io;
use std::path::Path;

use crate::spill::SpillFile;

pub type Row = (u64, u64);

#[derive(Default)]
struct Partition {
    rows: Vec<Row>,
    /// Rows in the file: where, and how many.
    spilled: Vec<(u64, usize)>,
}

/// Rows in partitions; rows of the same first number are in the same partition.
pub struct SpillPartitions {
    partitions: Vec<Partition>,
    held: usize,
    memory: usize,
    file: SpillFile,
}

impl SpillPartitions {
    /// So many partitions, of which about `memory` bytes stay in memory.
    pub fn new(partitions: usize, memory: usize, folder: &Path) -> Self {
        let partitions = (0..partitions.max(1)).map(|_| Partition::default()).collect();
        SpillPartitions { partitions, held: 0, memory, file: SpillFile::new(folder) }
    }

    pub fn push(&mut self, row: Row) -> io::Result<()> {
        let count = self.partitions.len() as u128;
        // The first number is a hash: its upper bits divide evenly.
        self.partitions[((u128::from(row.0) * count) >> 64) as usize].rows.push(row);
        self.held += size_of::<Row>();
        // Vectors grow by doubling.
        if self.held * 2 > self.memory { self.spill() } else { Ok(()) }
    }

    fn spill(&mut self) -> io::Result<()> {
        for partition in self.partitions.iter_mut().filter(|partition| !partition.rows.is_empty()) {
            let rows = std::mem::take(&mut partition.rows);
            let bytes: Vec<u8> = rows.iter().flat_map(|(a, b)| [a.to_ne_bytes(), b.to_ne_bytes()]).flatten().collect();
            partition.spilled.push((self.file.append(&[&bytes])?, rows.len()));
        }
        self.held = 0;
        Ok(())
    }

    pub fn len(&self) -> usize {
        self.partitions.len()
    }

    /// Takes the rows of one partition, in any order.
    pub fn take(&mut self, partition: usize) -> io::Result<Vec<Row>> {
        let Partition { mut rows, spilled } = std::mem::take(&mut self.partitions[partition]);
        let (mut bytes, mut numbers) = (Vec::new(), Vec::new());
        for (at, count) in spilled {
            numbers.clear();
            self.file.read_u64s(at, 2 * count, &mut bytes, &mut numbers)?;
            rows.extend(numbers.as_chunks::<2>().0.iter().map(|&[a, b]| (a, b)));
        }
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_row_comes_back(rows in proptest::collection::vec((any::<u64>(), any::<u64>()), 0..200), count in 1usize..9, memory in 0usize..5000) {
            let mut partitions = SpillPartitions::new(count, memory, &std::env::temp_dir());
            rows.iter().for_each(|&row| partitions.push(row).unwrap());
            let mut found: Vec<Row> = Vec::new();
            let mut last = None;
            for i in 0..partitions.len() {
                let mut partition = partitions.take(i).unwrap();
                partition.sort_unstable();
                // Partitions are stretches of the numbers, in order.
                prop_assert!(partition.first().is_none_or(|row| last.is_none_or(|last| row.0 > last)));
                last = partition.last().map(|row| row.0).or(last);
                found.extend(partition);
            }
            let mut rows = rows;
            rows.sort_unstable();
            prop_assert_eq!(found, rows);
        }
    }
}
