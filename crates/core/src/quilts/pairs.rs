//! (gram, page) pairs in 1,024 buckets by the gram's first bits, in memory up to a limit and then on disk.
//!
//! A chunk is what some pages give, already in bucket order. When the chunks reach the limit they are written out as
//! one segment, bucket after bucket, so that a bucket is read back in as many long reads as there are segments.

use std::io;
use std::path::Path;

use arrow_buffer::ToByteSlice;

use crate::spill::SpillFile;

/// Leading bits of a gram that say which bucket it is in: enough that a bucket of a large collection is in the cache
/// while it is counted, and few enough that a chunk has long stretches of each.
pub const BUCKET_BITS: u32 = 10;

/// How many buckets there are.
pub const BUCKETS: usize = 1 << BUCKET_BITS;

/// Bytes of one pair.
pub const PAIR: usize = 12;

/// The bucket of a gram.
#[inline(always)]
pub fn bucket_of(gram: u64) -> usize {
    (gram >> (64 - BUCKET_BITS)) as usize
}

/// Pairs of some pages in bucket order; within a bucket in the order in which they came.
pub struct Chunk {
    grams: Vec<u64>,
    pages: Vec<u32>,
    bounds: Box<[u32; BUCKETS + 1]>,
}

impl Chunk {
    /// From grams one page after the other: `ends` has each page and where its grams end.
    pub fn new(grams: &[u64], ends: &[(u32, usize)]) -> Self {
        let mut bounds = Box::new([0u32; BUCKETS + 1]);
        for &gram in grams {
            bounds[bucket_of(gram) + 1] += 1;
        }
        for bucket in 0..BUCKETS {
            bounds[bucket + 1] += bounds[bucket];
        }
        let mut next = bounds.clone();
        let mut chunk = Chunk { grams: vec![0; grams.len()], pages: vec![0; grams.len()], bounds };
        let mut begin = 0;
        for &(page, end) in ends {
            for &gram in &grams[begin..end] {
                let at = next[bucket_of(gram)] as usize;
                next[bucket_of(gram)] += 1;
                chunk.grams[at] = gram;
                chunk.pages[at] = page;
            }
            begin = end;
        }
        chunk
    }

    fn bucket(&self, bucket: usize) -> (&[u64], &[u32]) {
        let range = self.bounds[bucket] as usize..self.bounds[bucket + 1] as usize;
        (&self.grams[range.clone()], &self.pages[range])
    }

    fn bytes(&self) -> usize {
        self.grams.len() * PAIR + size_of_val(&*self.bounds)
    }
}

/// Chunks that were written out together; bucket b is at pairs `starts[b]..starts[b + 1]`, grams first.
struct Segment {
    starts: Vec<u64>,
}

/// What was read of a bucket.
#[derive(Default)]
pub struct ReadBuffers {
    bytes: Vec<u8>,
    grams: Vec<u64>,
    pages: Vec<u32>,
}

/// All pairs of a collection.
pub struct Pairs {
    chunks: Vec<Chunk>,
    segments: Vec<Segment>,
    file: SpillFile,
    written: u64,
    held: usize,
    limit: usize,
    total: u64,
}

impl Pairs {
    /// Holds up to `limit` bytes of pairs in memory, the rest in a file without a name in `folder`.
    pub fn new(limit: usize, folder: &Path) -> Self {
        Pairs {
            chunks: Vec::new(),
            segments: Vec::new(),
            file: SpillFile::new(folder),
            written: 0,
            held: 0,
            limit,
            total: 0,
        }
    }

    pub fn add(&mut self, chunk: Chunk) -> io::Result<()> {
        self.total += chunk.grams.len() as u64;
        self.held += chunk.bytes();
        self.chunks.push(chunk);
        if self.held > self.limit { self.spill() } else { Ok(()) }
    }

    pub fn len(&self) -> u64 {
        self.total
    }

    /// How many pairs are on disk.
    pub fn spilled(&self) -> u64 {
        self.written
    }

    /// How many pairs a bucket has.
    pub fn bucket_len(&self, bucket: usize) -> usize {
        let held: usize = self.chunks.iter().map(|c| c.bucket(bucket).0.len()).sum();
        let spilled: u64 = self.segments.iter().map(|r| r.starts[bucket + 1] - r.starts[bucket]).sum();
        held + spilled as usize
    }

    /// The pairs of a bucket, those on disk read into `buffers`.
    pub fn slices<'a>(
        &'a self,
        bucket: usize,
        buffers: &'a mut ReadBuffers,
    ) -> io::Result<Vec<(&'a [u64], &'a [u32])>> {
        buffers.grams.clear();
        buffers.pages.clear();
        self.read_segments(bucket, buffers, |_| ())?;
        let held = self.chunks.iter().map(|chunk| chunk.bucket(bucket));
        Ok(std::iter::once((&buffers.grams[..], &buffers.pages[..])).chain(held).collect())
    }

    /// Hands over the pairs of a bucket piece by piece.
    pub fn read(&self, bucket: usize, mut take: impl FnMut(&[u64], &[u32])) -> io::Result<()> {
        self.read_segments(bucket, &mut ReadBuffers::default(), |read| {
            take(&read.grams, &read.pages);
            read.grams.clear();
            read.pages.clear();
        })?;
        for chunk in &self.chunks {
            let (grams, pages) = chunk.bucket(bucket);
            if !grams.is_empty() {
                take(grams, pages);
            }
        }
        Ok(())
    }

    /// Reads the segments of a bucket behind what is in the buffers, a piece at a time, and calls `done` after each.
    fn read_segments(
        &self,
        bucket: usize,
        read: &mut ReadBuffers,
        mut done: impl FnMut(&mut ReadBuffers),
    ) -> io::Result<()> {
        for segment in &self.segments {
            let (start, count) =
                (segment.starts[bucket], (segment.starts[bucket + 1] - segment.starts[bucket]) as usize);
            // A huge bucket goes through memory a piece at a time.
            for begin in (0..count).step_by(READ_AT_ONCE) {
                let n = READ_AT_ONCE.min(count - begin);
                let base = start * PAIR as u64;
                let ReadBuffers { bytes, grams, pages } = read;
                self.file.read_u64s(base + begin as u64 * 8, n, bytes, grams)?;
                self.file.read_u32s(base + count as u64 * 8 + begin as u64 * 4, n, bytes, pages)?;
                done(read);
            }
        }
        Ok(())
    }

    fn spill(&mut self) -> io::Result<()> {
        let mut starts = Vec::with_capacity(BUCKETS + 1);
        for bucket in 0..BUCKETS {
            starts.push(self.written);
            for chunk in &self.chunks {
                self.file.write(chunk.bucket(bucket).0.to_byte_slice())?;
                self.written += chunk.bucket(bucket).0.len() as u64;
            }
            for chunk in &self.chunks {
                self.file.write(chunk.bucket(bucket).1.to_byte_slice())?;
            }
        }
        starts.push(self.written);
        self.file.flush()?;
        self.segments.push(Segment { starts });
        self.chunks.clear();
        self.held = 0;
        Ok(())
    }
}

/// Pairs that are read at once.
const READ_AT_ONCE: usize = 1 << 18;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_goes_in_comes_out(
            pages in prop::collection::vec(prop::collection::vec(any::<u64>(), 0..50), 0..20),
            limit in 0usize..20_000,
        ) {
            let folder = std::env::temp_dir();
            let mut pairs = Pairs::new(limit, &folder);
            let mut expected = Vec::new();
            for (page, grams) in pages.iter().enumerate() {
                expected.extend(grams.iter().map(|g| (*g, page as u32)));
                pairs.add(Chunk::new(grams, &[(page as u32, grams.len())])).unwrap();
            }
            let mut found = Vec::new();
            for bucket in 0..BUCKETS {
                let before = found.len();
                pairs.read(bucket, |grams, pages| {
                    assert!(grams.iter().all(|g| bucket_of(*g) == bucket));
                    found.extend(grams.iter().copied().zip(pages.iter().copied()));
                }).unwrap();
                prop_assert_eq!(found.len() - before, pairs.bucket_len(bucket));
                let mut buffers = ReadBuffers::default();
                let slices = pairs.slices(bucket, &mut buffers).unwrap();
                let at_once: Vec<(u64, u32)> =
                    slices.iter().flat_map(|(grams, pages)| grams.iter().copied().zip(pages.iter().copied())).collect();
                prop_assert_eq!(&found[before..], &at_once);
            }
            prop_assert_eq!(pairs.len(), expected.len() as u64);
            expected.sort_unstable();
            found.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }
}
