//! Rows of two numbers, divided by the first: in memory up to a budget, then in files, read back part by part.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A row.
pub type Row = (u64, u64);

const ROW: usize = size_of::<Row>();

struct Part {
    rows: Vec<Row>,
    file: Option<File>,
}

/// Rows in parts; rows of the same first number are in the same part.
pub struct Parts {
    parts: Vec<Part>,
    held: usize,
    memory: usize,
    folder: PathBuf,
}

impl Parts {
    /// So many parts, of which about `memory` bytes stay in memory.
    pub fn new(parts: usize, memory: usize, folder: &Path) -> Self {
        let parts = (0..parts.max(1)).map(|_| Part { rows: Vec::new(), file: None }).collect();
        Parts { parts, held: 0, memory, folder: folder.to_owned() }
    }

    /// Adds a row.
    pub fn push(&mut self, row: Row) -> io::Result<()> {
        let count = self.parts.len() as u128;
        // The first number is a hash: its upper bits divide evenly.
        self.parts[((u128::from(row.0) * count) >> 64) as usize].rows.push(row);
        self.held += ROW;
        // Vectors grow by doubling.
        if self.held * 2 > self.memory { self.spill() } else { Ok(()) }
    }

    fn spill(&mut self) -> io::Result<()> {
        for (i, part) in self.parts.iter_mut().enumerate() {
            if part.file.is_none() {
                let path = self.folder.join(format!("part-{i}"));
                part.file = Some(File::options().read(true).write(true).create(true).truncate(true).open(path)?);
            }
            let mut bytes = Vec::with_capacity(part.rows.len() * ROW);
            for (a, b) in std::mem::take(&mut part.rows) {
                bytes.extend(a.to_le_bytes());
                bytes.extend(b.to_le_bytes());
            }
            if let Some(file) = &mut part.file {
                file.write_all(&bytes)?;
            }
        }
        self.held = 0;
        Ok(())
    }

    /// How many parts there are.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Takes the rows of one part, in any order.
    pub fn take(&mut self, part: usize) -> io::Result<Vec<Row>> {
        let part = &mut self.parts[part];
        let mut rows = std::mem::take(&mut part.rows);
        if let Some(mut file) = part.file.take() {
            file.seek(SeekFrom::Start(0))?;
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            let number = |b: &[u8; 8]| u64::from_le_bytes(*b);
            rows.extend(bytes.as_chunks::<8>().0.as_chunks::<2>().0.iter().map(|[a, b]| (number(a), number(b))));
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
            let folder = std::env::temp_dir().join(format!("pagekin-parts-{}", std::process::id()));
            std::fs::create_dir_all(&folder).unwrap();
            let mut parts = Parts::new(count, memory, &folder);
            rows.iter().for_each(|&row| parts.push(row).unwrap());
            let mut found: Vec<Row> = Vec::new();
            let mut last = None;
            for i in 0..parts.len() {
                let mut part = parts.take(i).unwrap();
                part.sort_unstable();
                // Parts are stretches of the numbers, in order.
                prop_assert!(part.first().is_none_or(|row| last.is_none_or(|last| row.0 > last)));
                last = part.last().map(|row| row.0).or(last);
                found.extend(part);
            }
            let mut rows = rows;
            rows.sort_unstable();
            prop_assert_eq!(found, rows);
        }
    }
}
