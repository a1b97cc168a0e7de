//! The gram index: every (gram, page) pair of a collection, sorted by gram, in one file.
//!
//! ```text
//! magic, k, seed, pages, pairs, bits      six words of 64 bits, as everything little-endian
//! directory                               2^bits + 1: where the grams with each leading bits begin
//! grams                                   sorted
//! their pages                             32 bits each, filled up to a multiple of 64
//! ids, hosts, domains, IPs, URLs          one after the other, a word a page; names as hashes
//! classes                                 32 bits a page: its representative
//! ```
//!
//! A lookup reads two words of the directory and the few hundred grams between them. Nothing is mapped into memory: a
//! file that someone cuts off while we look must give an error, not a crash.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;

use arrow_buffer::ToByteSlice;
use rayon::prelude::*;

use crate::quilts::sites::{SiteNames, SiteTable};
use crate::spill::pairs::{BUCKET_BITS, BUCKETS, SpillPairs, bucket_of};
use crate::spill::passes::passes;

const MAGIC: u64 = u64::from_le_bytes(*b"PKGRAMS2");
const HEADER: u64 = 48;

/// About how many grams one entry of the directory points to.
const ENTRY: u64 = 256;

/// Where things are in the file.
#[derive(Clone, Copy, Debug)]
struct Layout {
    pages: u64,
    pairs: u64,
    bits: u32,
}

impl Layout {
    fn grams(&self) -> u64 {
        HEADER + 8 * ((1 << self.bits) + 1)
    }

    fn holders(&self) -> u64 {
        self.grams() + 8 * self.pairs
    }

    fn words(&self, number: u64) -> u64 {
        self.holders() + (4 * self.pairs).next_multiple_of(8) + 8 * self.pages * number
    }

    fn classes(&self) -> u64 {
        self.words(5)
    }

    fn size(&self) -> u64 {
        self.classes() + 4 * self.pages
    }
}

/// Writes an index of all pairs. `rank` gives a page's number, in the order of ids, by that in the pairs.
pub struct GramIndexWriter {
    file: File,
    layout: Layout,
    starts: Vec<u64>,
}

impl GramIndexWriter {
    pub fn new(path: &Path, pairs: &SpillPairs<u32>, pages: usize, k: usize, seed: u64) -> io::Result<Self> {
        let bits = (pairs.len() / ENTRY).max(1).ilog2().clamp(BUCKET_BITS, 40);
        let layout = Layout { pages: pages as u64, pairs: pairs.len(), bits };
        let file = File::create(path)?;
        file.set_len(layout.size())?;
        let header = [MAGIC, k as u64, seed, layout.pages, layout.pairs, u64::from(bits)];
        file.write_all_at(header.to_byte_slice(), 0)?;
        let mut starts = vec![0];
        for bucket in 0..BUCKETS {
            starts.push(starts[bucket] + pairs.bucket_len(bucket) as u64);
        }
        Ok(GramIndexWriter { file, layout, starts })
    }

    /// Writes some buckets, in parallel on the current rayon pool, each within `memory` bytes.
    pub fn write(&self, pairs: &SpillPairs<u32>, rank: &[u32], buckets: Range<usize>, memory: usize) -> io::Result<()> {
        buckets.into_par_iter().try_for_each(|bucket| self.write_bucket(pairs, rank, bucket, memory))
    }

    fn write_bucket(&self, pairs: &SpillPairs<u32>, rank: &[u32], bucket: usize, memory: usize) -> io::Result<()> {
        let layout = self.layout;
        // A part of the bucket at a time, if it is too large; the directory must not be coarser than the parts.
        let (bytes, max_entries) = (pairs.bucket_len(bucket) * 28, 1usize << (layout.bits - BUCKET_BITS));
        let parts = passes(bytes, memory.max(1 << 16).max(bytes.div_ceil(max_entries)), BUCKET_BITS);
        let (count, entries) = (parts.len(), max_entries / parts.len());
        let mut at = self.starts[bucket];
        for (number, part) in parts.enumerate() {
            let mut held: Vec<(u64, u32)> = Vec::new();
            pairs.read(bucket, |grams, pages| {
                let both = grams.iter().zip(pages).filter(|(gram, _)| part.takes(**gram));
                held.extend(both.map(|(gram, page)| (*gram, rank[*page as usize])));
            })?;
            held.sort_unstable();
            let grams: Vec<u64> = held.iter().map(|pair| pair.0).collect();
            let first = (bucket * count + number) * entries;
            let directory: Vec<u64> = (first..first + entries)
                .map(|entry| at + grams.partition_point(|gram| gram >> (64 - layout.bits) < entry as u64) as u64)
                .collect();
            self.file.write_all_at(directory.to_byte_slice(), HEADER + 8 * first as u64)?;
            self.file.write_all_at(grams.to_byte_slice(), layout.grams() + 8 * at)?;
            let pages: Vec<u32> = held.iter().map(|pair| pair.1).collect();
            self.file.write_all_at(pages.to_byte_slice(), layout.holders() + 4 * at)?;
            at += grams.len() as u64;
        }
        Ok(())
    }

    /// Writes who the pages are, and ends the file.
    pub fn finish(self, ids: &[i64], sites: &SiteTable) -> io::Result<()> {
        let layout = self.layout;
        let end = HEADER + (8 << layout.bits);
        self.file.write_all_at([layout.pairs].to_byte_slice(), end)?;
        let name = |of: fn(&SiteNames) -> u64| sites.sites.iter().map(of).collect::<Vec<u64>>();
        self.file.write_all_at(ids.to_byte_slice(), layout.words(0))?;
        self.file.write_all_at(name(|site| site.host).to_byte_slice(), layout.words(1))?;
        self.file.write_all_at(name(|site| site.domain).to_byte_slice(), layout.words(2))?;
        self.file.write_all_at(name(|site| site.ip).to_byte_slice(), layout.words(3))?;
        self.file.write_all_at(name(|site| site.url).to_byte_slice(), layout.words(4))?;
        self.file.write_all_at(sites.class.to_byte_slice(), layout.classes())?;
        self.file.sync_all()
    }
}

/// An index that is open for lookups.
pub struct GramIndex {
    file: File,
    layout: Layout,
    pub k: usize,
    /// What its hashes are made with.
    pub seed: u64,
    pub ids: Vec<i64>,
    pub sites: Vec<SiteNames>,
    /// The representative of each page.
    pub class: Vec<u32>,
}

impl GramIndex {
    /// Opens a file, and checks that it is whole.
    pub fn open(path: &Path) -> io::Result<Self> {
        let damaged = |why: &str| io::Error::new(io::ErrorKind::InvalidData, format!("{}: {why}", path.display()));
        let file = File::open(path)?;
        let header = words(&file, 0, 6).map_err(|_| damaged("too short for a gram index"))?;
        let [magic, k, seed, pages, pairs, bits] = header[..] else { return Err(damaged("no header")) };
        if magic != MAGIC {
            let other = magic.to_le_bytes().starts_with(b"PKGRAMS");
            let again = "made by another version of pagekin; scan again with --keep-grams";
            return Err(damaged(if other { again } else { "not a gram index" }));
        }
        if !(8..=40).contains(&bits)
            || !crate::quilts::grams::K.contains(&(k as usize))
            || pages > 1 << 32
            || pairs > 1 << 50
        {
            return Err(damaged("its header makes no sense"));
        }
        let layout = Layout { pages, pairs, bits: bits as u32 };
        if file.metadata()?.len() != layout.size() {
            return Err(damaged("cut off, or not finished"));
        }
        let column = |number| words(&file, layout.words(number), pages as usize);
        let names = [column(1)?, column(2)?, column(3)?, column(4)?];
        let site = |n: usize| SiteNames { host: names[0][n], domain: names[1][n], ip: names[2][n], url: names[3][n] };
        let sites = (0..pages as usize).map(site).collect();
        let ids = column(0)?.into_iter().map(|id| id as i64).collect();
        let class = halves(&file, layout.classes(), pages as usize)?;
        if class.iter().any(|class| u64::from(*class) >= pages) {
            return Err(damaged("a class that is no page"));
        }
        Ok(GramIndex { k: k as usize, seed, ids, sites, class, file, layout })
    }

    /// The first pages that hold a gram, up to `max`, by their numbers in this index.
    pub fn holders(&self, gram: u64, max: usize) -> io::Result<Vec<u32>> {
        let entry = gram >> (64 - self.layout.bits);
        let bounds = words(&self.file, HEADER + 8 * entry, 2)?;
        let (begin, end) = (bounds[0], bounds[1]);
        if begin > end || end > self.layout.pairs {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the gram index is damaged: wrong directory"));
        }
        let grams = words(&self.file, self.layout.grams() + 8 * begin, (end - begin) as usize)?;
        let first = grams.partition_point(|other| *other < gram);
        let count = grams[first..].iter().take(max).take_while(|other| **other == gram).count();
        let found = halves(&self.file, self.layout.holders() + 4 * (begin + first as u64), count)?;
        if found.iter().any(|page| *page as usize >= self.ids.len()) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the gram index is damaged: a holder that is no page",
            ));
        }
        debug_assert!(count == 0 || bucket_of(grams[first]) == bucket_of(gram));
        Ok(found)
    }
}

fn words(file: &File, at: u64, count: usize) -> io::Result<Vec<u64>> {
    let mut bytes = vec![0; 8 * count];
    file.read_exact_at(&mut bytes, at)?;
    Ok(bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect())
}

fn halves(file: &File, at: u64, count: usize) -> io::Result<Vec<u32>> {
    let mut bytes = vec![0; 4 * count];
    file.read_exact_at(&mut bytes, at)?;
    Ok(bytes.as_chunks::<4>().0.iter().map(|half| u32::from_le_bytes(*half)).collect())
}
