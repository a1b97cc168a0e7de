//! What does not fit in memory: rows by key and lists by number, the rest of which is in a file, and one rule for passes.
//!
//! Two stores on one file. A list of 84 numbers, of 100,000 lists with 16 MB in memory, comes back from `SpillLists` in
//! 0.8 µs; as pairs of its number and each value it would come out of its bucket in 48 µs (best of 5).

pub mod lists;
pub mod pairs;
pub mod passes;

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_buffer::{ArrowNativeType, MutableBuffer};

/// Bytes that are written at once.
const BUFFER: usize = 1 << 20;

/// A file without a name, made when it is first written. It is gone when it is closed, however the process ends.
pub struct SpillFile {
    folder: PathBuf,
    file: Option<File>,
    end: u64,
    buffer: Vec<u8>,
}

impl SpillFile {
    pub fn new(folder: &Path) -> Self {
        SpillFile { folder: folder.to_owned(), file: None, end: 0, buffer: Vec::new() }
    }

    /// Writes through a buffer, and says where; `flush` before reading.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<u64> {
        if self.buffer.len() + bytes.len() > BUFFER {
            self.flush()?;
        }
        let at = self.end + self.buffer.len() as u64;
        if bytes.len() > BUFFER {
            self.append(bytes)?;
        } else {
            self.buffer.reserve_exact(BUFFER - self.buffer.len());
            self.buffer.extend_from_slice(bytes);
        }
        Ok(at)
    }

    pub fn flush(&mut self) -> io::Result<()> {
        let buffer = std::mem::take(&mut self.buffer);
        self.append(&buffer)?;
        self.buffer = buffer;
        self.buffer.clear();
        Ok(())
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.file.is_none() {
            self.file = Some(anonymous_file(&self.folder)?);
        }
        self.file()?.write_all_at(bytes, self.end)?;
        self.end += bytes.len() as u64;
        Ok(())
    }

    /// Appends `count` numbers that were written at `at`; `bytes` is a buffer.
    pub fn read<T: ArrowNativeType>(
        &self,
        at: u64,
        count: usize,
        bytes: &mut MutableBuffer,
        out: &mut Vec<T>,
    ) -> io::Result<()> {
        bytes.resize(count * size_of::<T>(), 0);
        self.file()?.read_exact_at(bytes.as_slice_mut(), at)?;
        out.extend_from_slice(bytes.typed_data());
        Ok(())
    }

    fn file(&self) -> io::Result<&File> {
        self.file.as_ref().ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "nothing was spilled"))
    }
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
