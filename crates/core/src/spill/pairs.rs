//! (key, value) pairs in 1,024 buckets by the key's first bits, in memory up to a limit and then on disk.
//!
//! Keys are hashes, so that buckets are about equal. A chunk is what some pages give, already in bucket order. When the
//! chunks reach the limit they are written out as one segment, bucket after bucket, so that a bucket is read back in as
//! many long reads as there are segments.

use std::io;
use std::path::Path;

use arrow_buffer::{ArrowNativeType, MutableBuffer, ToByteSlice};
use rayon::prelude::*;

use crate::spill::SpillFile;

/// Leading bits of a key that say which bucket it is in: enough that a bucket of a large collection is in the cache
/// while it is counted, and few enough that a chunk has long stretches of each.
pub const BUCKET_BITS: u32 = 10;

/// How many buckets there are.
pub const BUCKETS: usize = 1 << BUCKET_BITS;

/// The bucket of a key.
#[inline(always)]
pub fn bucket_of(key: u64) -> usize {
    (key >> (64 - BUCKET_BITS)) as usize
}

/// Some pairs in bucket order; within a bucket in the order in which they came.
pub struct PairChunk<V> {
    keys: Vec<u64>,
    values: Vec<V>,
    bounds: Box<[u32; BUCKETS + 1]>,
}

impl<V: ArrowNativeType> PairChunk<V> {
    /// There is a value for each key; stretches of the same value may come as nested iterators, which cost nothing.
    pub fn new(keys: &[u64], values: impl Iterator<Item = V>) -> Self {
        let mut bounds = Box::new([0u32; BUCKETS + 1]);
        for &key in keys {
            bounds[bucket_of(key) + 1] += 1;
        }
        for bucket in 0..BUCKETS {
            bounds[bucket + 1] += bounds[bucket];
        }
        let mut next = bounds.clone();
        let mut chunk = PairChunk { keys: vec![0; keys.len()], values: vec![V::default(); keys.len()], bounds };
        let mut rest = keys.iter();
        // Not a zip of both: that would ask nested iterators for each value.
        values.for_each(|value| {
            let Some(&key) = rest.next() else { return };
            let at = next[bucket_of(key)] as usize;
            next[bucket_of(key)] += 1;
            chunk.keys[at] = key;
            chunk.values[at] = value;
        });
        chunk
    }

    fn bucket(&self, bucket: usize) -> (&[u64], &[V]) {
        let range = self.bounds[bucket] as usize..self.bounds[bucket + 1] as usize;
        (&self.keys[range.clone()], &self.values[range])
    }

    fn bytes(&self) -> usize {
        size_of_val(&self.keys[..]) + size_of_val(&self.values[..]) + size_of_val(&*self.bounds)
    }
}

/// Chunks that were written out together; bucket b is at pairs `starts[b]..starts[b + 1]`, keys first.
struct Segment {
    starts: Vec<u64>,
}

/// What was read of a bucket.
#[derive(Default)]
pub struct ReadBuffers<V> {
    bytes: MutableBuffer,
    keys: Vec<u64>,
    values: Vec<V>,
}

/// All pairs of a collection.
pub struct SpillPairs<V> {
    chunks: Vec<PairChunk<V>>,
    segments: Vec<Segment>,
    file: SpillFile,
    written: u64,
    held: usize,
    limit: usize,
    total: u64,
}

impl<V: ArrowNativeType + Ord> SpillPairs<V> {
    /// Bytes of one pair.
    pub const PAIR: usize = size_of::<u64>() + size_of::<V>();

    /// Holds up to `limit` bytes of pairs in memory, the rest in a file without a name in `folder`.
    pub fn new(limit: usize, folder: &Path) -> Self {
        SpillPairs {
            chunks: Vec::new(),
            segments: Vec::new(),
            file: SpillFile::new(folder),
            written: 0,
            held: 0,
            limit,
            total: 0,
        }
    }

    pub fn add(&mut self, chunk: PairChunk<V>) -> io::Result<()> {
        self.total += chunk.keys.len() as u64;
        self.held += chunk.bytes();
        self.chunks.push(chunk);
        if self.held > self.limit { self.spill() } else { Ok(()) }
    }

    /// Adds pairs; works in parallel on the current rayon pool.
    pub fn extend(&mut self, keys: &[u64], values: &[V]) -> io::Result<()> {
        let shares = keys.par_chunks(SHARE).zip(values.par_chunks(SHARE));
        let chunks: Vec<PairChunk<V>> =
            shares.map(|(keys, values)| PairChunk::new(keys, values.iter().copied())).collect();
        chunks.into_iter().try_for_each(|chunk| self.add(chunk))
    }

    /// Forgets all pairs: they have been read.
    pub fn clear(&mut self) {
        self.chunks = Vec::new();
        self.segments.clear();
        self.held = 0;
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

    /// The pairs of a bucket in order.
    pub fn sorted(&self, bucket: usize) -> io::Result<Vec<(u64, V)>> {
        let mut pairs = Vec::with_capacity(self.bucket_len(bucket));
        self.read(bucket, |keys, values| pairs.extend(keys.iter().copied().zip(values.iter().copied())))?;
        pairs.par_sort_unstable();
        Ok(pairs)
    }

    /// The pairs of a bucket, those on disk read into `buffers`.
    pub fn slices<'a>(
        &'a self,
        bucket: usize,
        buffers: &'a mut ReadBuffers<V>,
    ) -> io::Result<Vec<(&'a [u64], &'a [V])>> {
        buffers.keys.clear();
        buffers.values.clear();
        self.read_segments(bucket, buffers, |_| ())?;
        let held = self.chunks.iter().map(|chunk| chunk.bucket(bucket));
        Ok(std::iter::once((&buffers.keys[..], &buffers.values[..])).chain(held).collect())
    }

    /// Hands over the pairs of a bucket piece by piece.
    pub fn read(&self, bucket: usize, mut take: impl FnMut(&[u64], &[V])) -> io::Result<()> {
        self.read_segments(bucket, &mut ReadBuffers::default(), |read| {
            take(&read.keys, &read.values);
            read.keys.clear();
            read.values.clear();
        })?;
        for chunk in &self.chunks {
            let (keys, values) = chunk.bucket(bucket);
            if !keys.is_empty() {
                take(keys, values);
            }
        }
        Ok(())
    }

    /// Reads the segments of a bucket behind what is in the buffers, a piece at a time, and calls `done` after each.
    fn read_segments(
        &self,
        bucket: usize,
        read: &mut ReadBuffers<V>,
        mut done: impl FnMut(&mut ReadBuffers<V>),
    ) -> io::Result<()> {
        for segment in &self.segments {
            let (start, count) =
                (segment.starts[bucket], (segment.starts[bucket + 1] - segment.starts[bucket]) as usize);
            // A huge bucket goes through memory a piece at a time.
            for begin in (0..count).step_by(READ_AT_ONCE) {
                let n = READ_AT_ONCE.min(count - begin);
                let base = start * Self::PAIR as u64;
                let ReadBuffers { bytes, keys, values } = read;
                self.file.read(base + begin as u64 * 8, n, bytes, keys)?;
                self.file.read(base + (count * 8 + begin * size_of::<V>()) as u64, n, bytes, values)?;
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

/// Pairs that one thread takes at a time.
const SHARE: usize = 1 << 16;

/// Pairs that are read at once.
const READ_AT_ONCE: usize = 1 << 18;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_goes_in_comes_out(
            batches in prop::collection::vec(prop::collection::vec(any::<(u64, u32)>(), 0..50), 0..20),
            limit in 0usize..20_000,
        ) {
            let mut pairs = SpillPairs::new(limit, &std::env::temp_dir());
            let mut expected: Vec<(u64, u32)> = Vec::new();
            for batch in batches {
                let (keys, values): (Vec<u64>, Vec<u32>) = batch.iter().copied().unzip();
                pairs.extend(&keys, &values).unwrap();
                expected.extend(batch);
            }
            let (mut found, mut sorted) = (Vec::new(), Vec::new());
            for bucket in 0..BUCKETS {
                let before = found.len();
                pairs.read(bucket, |keys, values| {
                    assert!(keys.iter().all(|key| bucket_of(*key) == bucket));
                    found.extend(keys.iter().copied().zip(values.iter().copied()));
                }).unwrap();
                prop_assert_eq!(found.len() - before, pairs.bucket_len(bucket));
                let mut buffers = ReadBuffers::default();
                let slices = pairs.slices(bucket, &mut buffers).unwrap();
                let at_once: Vec<(u64, u32)> =
                    slices.iter().flat_map(|(keys, values)| keys.iter().copied().zip(values.iter().copied())).collect();
                prop_assert_eq!(&found[before..], &at_once);
                sorted.extend(pairs.sorted(bucket).unwrap());
            }
            prop_assert_eq!(pairs.len(), expected.len() as u64);
            expected.sort_unstable();
            // Buckets are stretches of the keys, in order.
            prop_assert_eq!(&sorted, &expected);
            found.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }
}
