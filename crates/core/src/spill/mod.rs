//! Stores that hold rows in memory up to a budget, and the rest in a file.
//!
//! There is one file, `SpillFile`, and one rule for how many passes rows need, `passes`. The stores differ in what a row
//! is: lists by number here, rows by partition here, grams with pages in `quilts::pairs`, postings in
//! `quilts::postings`. So do the loops over passes: what of a row chooses its pass is its key in
//! `duplicates::candidates`, half of a hash in `ssdeep::near_join`, and bits of a sorted bucket in
//! `quilts::shared_grams`.

pub mod lists;
pub mod partitions;

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that are written at once.
const BUFFER: usize = 1 << 20;

/// A file without a name, made when it is first written. It is gone when it is closed, however the process ends.
pub struct SpillFile {
    folder: PathBuf,
    file: OnceLock<File>,
    end: AtomicU64,
    buffer: Vec<u8>,
}

impl SpillFile {
    pub fn new(folder: &Path) -> Self {
        SpillFile { folder: folder.to_owned(), file: OnceLock::new(), end: AtomicU64::new(0), buffer: Vec::new() }
    }

    /// Writes through a buffer, and says where; `flush` before reading.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<u64> {
        if self.buffer.len() + bytes.len() > BUFFER {
            self.flush()?;
        }
        self.buffer.reserve(BUFFER - self.buffer.len().min(BUFFER));
        let at = *self.end.get_mut() + self.buffer.len() as u64;
        self.buffer.extend_from_slice(bytes);
        Ok(at)
    }

    pub fn flush(&mut self) -> io::Result<()> {
        if !self.buffer.is_empty() {
            self.append(&[&self.buffer])?;
            self.buffer.clear();
        }
        Ok(())
    }

    /// Writes slices one behind the other, and says where they begin. Several threads may do so at once.
    pub fn append(&self, slices: &[&[u8]]) -> io::Result<u64> {
        if self.file.get().is_none() {
            // Of two threads that come here together, one keeps its file and the other's is gone.
            let _ = self.file.set(anonymous_file(&self.folder)?);
        }
        let size = slices.iter().map(|slice| slice.len() as u64).sum();
        let begin = self.end.fetch_add(size, Ordering::Relaxed);
        let mut at = begin;
        for slice in slices {
            self.file()?.write_all_at(slice, at)?;
            at += slice.len() as u64;
        }
        Ok(begin)
    }

    /// Appends `count` numbers that were written at `at`; `bytes` is a buffer.
    pub fn read_u64s(&self, at: u64, count: usize, bytes: &mut Vec<u8>, out: &mut Vec<u64>) -> io::Result<()> {
        bytes.resize(count * 8, 0);
        self.file()?.read_exact_at(bytes, at)?;
        out.extend(bytes.as_chunks::<8>().0.iter().map(|b| u64::from_ne_bytes(*b)));
        Ok(())
    }

    /// The same for numbers of 32 bits.
    pub fn read_u32s(&self, at: u64, count: usize, bytes: &mut Vec<u8>, out: &mut Vec<u32>) -> io::Result<()> {
        bytes.resize(count * 4, 0);
        self.file()?.read_exact_at(bytes, at)?;
        out.extend(bytes.as_chunks::<4>().0.iter().map(|b| u32::from_ne_bytes(*b)));
        Ok(())
    }

    fn file(&self) -> io::Result<&File> {
        self.file.get().ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "nothing was spilled"))
    }
}

/// In how many passes rows that take `bytes` go through `memory`.
pub fn passes(bytes: usize, memory: usize) -> usize {
    bytes.div_ceil(memory.max(1)).max(1)
}

fn anonymous_file(folder: &Path) -> io::Result<File> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    std::fs::create_dir_all(folder)?;
    let name = format!(".spill-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let path = folder.join(name);
    let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
}
