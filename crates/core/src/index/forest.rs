//! An LSH forest on disk: rows of m 16-bit minima, found by what they share with one row. Mapped, not loaded.
//!
//! ```text
//! magic, rows, m, bands       four words of 64 bits, as everything little-endian
//! minima                      2m bytes a row
//! orders                      for each band all rows, 32 bits each, sorted by their minima from the band's first
//!                             dimension on, around the end and back to it
//! ```
//!
//! In the order of a band the rows that share the longest run of minima with a query, from the band's first dimension
//! on, stand next to where the query would stand. So a lookup costs one binary search a band and a stated number of
//! comparisons, however many rows there are and however many of them are alike: a template of a million pages is no
//! hot bucket. With one band of four dimensions the same file finds 64-bit hashes.

use std::cmp::Ordering;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use memmap2::Mmap;
use rayon::prelude::*;

use crate::style::fingerprint::Matches;

const MAGIC: u64 = u64::from_le_bytes(*b"PKTREES1");
const HEADER: usize = 32;

/// Collects rows, then writes the file.
pub struct ForestWriter {
    m: usize,
    bands: usize,
    rows: Vec<u8>,
}

impl ForestWriter {
    /// Rows of m minima, to be found through so many bands.
    pub fn new(m: usize, bands: usize) -> Self {
        assert!(m >= 1 && (1..=m).contains(&bands), "a band begins at a dimension of its own");
        ForestWriter { m, bands, rows: Vec::new() }
    }

    /// Adds a row; one without minima is never found by them.
    pub fn push(&mut self, minima: Option<&[u8]>) -> Result<(), String> {
        match minima {
            Some(bytes) if bytes.len() == 2 * self.m => self.rows.extend_from_slice(bytes),
            Some(bytes) => return Err(format!("a row has {} dimensions, not {}", bytes.len() / 2, self.m)),
            None => self.rows.resize(self.rows.len() + 2 * self.m, 0),
        }
        Ok(())
    }

    /// Writes the file, sorting in parallel on the current rayon pool.
    pub fn finish(self, path: &Path) -> io::Result<()> {
        let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
        let rows = self.rows.len() / (2 * self.m);
        for word in [MAGIC, rows as u64, self.m as u64, self.bands as u64] {
            out.write_all(&word.to_le_bytes())?;
        }
        out.write_all(&self.rows)?;
        let row = |number: u32| &self.rows[number as usize * 2 * self.m..][..2 * self.m];
        for band in 0..self.bands {
            let start = first_byte(band, self.bands, self.m);
            // Most rows differ in the first few dimensions, which are compared without going far.
            let mut order: Vec<(u64, u32)> =
                (0..rows as u32).into_par_iter().map(|number| (head(row(number), start), number)).collect();
            order.par_sort_unstable_by(|a, b| {
                a.0.cmp(&b.0).then_with(|| compare_from(row(a.1), row(b.1), start)).then(a.1.cmp(&b.1))
            });
            for (_, number) in order {
                out.write_all(&number.to_le_bytes())?;
            }
        }
        out.into_inner()?.sync_all()
    }
}

/// Where a band begins in a row.
fn first_byte(band: usize, bands: usize, m: usize) -> usize {
    2 * (band * m / bands)
}

/// The first eight bytes from `start` on, so that their order is that of the bytes.
fn head(row: &[u8], start: usize) -> u64 {
    let around = row[start..].iter().chain(&row[..start]);
    around.chain([0; 8].iter()).take(8).fold(0, |head, byte| head << 8 | u64::from(*byte))
}

/// The order of two rows in a band.
fn compare_from(a: &[u8], b: &[u8], start: usize) -> Ordering {
    a[start..].cmp(&b[start..]).then_with(|| a[..start].cmp(&b[..start]))
}

/// How many dimensions two rows share from `start` on, before they differ.
fn shared_from(a: &[u8], b: &[u8], start: usize) -> usize {
    let equal = |a: &[u8], b: &[u8]| {
        let pairs = a.as_chunks::<2>().0.iter().zip(b.as_chunks::<2>().0);
        pairs.take_while(|(x, y)| x == y).count()
    };
    let behind = equal(&a[start..], &b[start..]);
    if behind < (a.len() - start) / 2 { behind } else { behind + equal(&a[..start], &b[..start]) }
}

/// A file that is open for lookups.
pub struct Forest {
    map: Mmap,
    rows: usize,
    m: usize,
    bands: usize,
}

impl Forest {
    /// Opens a file, and checks that it is whole.
    pub fn open(path: &Path) -> io::Result<Self> {
        let damaged = |why: &str| io::Error::new(io::ErrorKind::InvalidData, format!("{}: {why}", path.display()));
        let file = File::open(path)?;
        // SAFETY: the file is written once, under another name, and never changed; see docs/decisions.
        let map = unsafe { Mmap::map(&file)? };
        let word =
            |at: usize| map.get(8 * at..8 * at + 8).map(|b| u64::from_le_bytes(b.try_into().unwrap_or_default()));
        let (Some(magic), Some(rows), Some(m), Some(bands)) = (word(0), word(1), word(2), word(3)) else {
            return Err(damaged("too short for an index"));
        };
        let sane = magic == MAGIC && rows <= 1 << 32 && (1..=1 << 16).contains(&m) && (1..=m).contains(&bands);
        if !sane {
            return Err(damaged("not an index"));
        }
        if map.len() as u64 != HEADER as u64 + rows * (2 * m + 4 * bands) {
            return Err(damaged("cut off, or not finished"));
        }
        Ok(Forest { rows: rows as usize, m: m as usize, bands: bands as usize, map })
    }

    fn row(&self, number: u32) -> &[u8] {
        &self.map[HEADER + number as usize * 2 * self.m..][..2 * self.m]
    }

    /// The row at a place in a band's order. A damaged order cannot lead outside the rows.
    fn at(&self, band: usize, place: usize) -> u32 {
        let at = HEADER + self.rows * 2 * self.m + 4 * (band * self.rows + place);
        let number = u32::from_le_bytes([self.map[at], self.map[at + 1], self.map[at + 2], self.map[at + 3]]);
        number.min(self.rows as u32 - 1)
    }

    /// The first place in a band's order that is not before the query.
    fn place(&self, band: usize, query: &[u8], start: usize) -> usize {
        let (mut low, mut high) = (0, self.rows);
        while low < high {
            let middle = low + (high - low) / 2;
            if compare_from(self.row(self.at(band, middle)), query, start) == Ordering::Less {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The rows that match a query in at least `min_matching` dimensions, as far as the bands lead to them: the best
    /// `max_rows`, by falling matches, then by row. Each band offers at most `width` rows.
    pub fn nearest(&self, query: &[u8], min_matching: u32, width: usize, max_rows: usize) -> Vec<(u32, Matches)> {
        assert_eq!(query.len(), 2 * self.m, "a query of other dimensions");
        let mut met: Vec<u32> = Vec::with_capacity(self.bands * width);
        for band in 0..self.bands {
            let start = first_byte(band, self.bands, self.m);
            if query[start..start + 2] == [0, 0] {
                continue;
            }
            let mut high = self.place(band, query, start);
            let mut low = high;
            let shared = |place: usize| shared_from(self.row(self.at(band, place)), query, start);
            let below = |low: usize| if low > 0 { shared(low - 1) } else { 0 };
            let above = |high: usize| if high < self.rows { shared(high) } else { 0 };
            let (mut down, mut up) = (below(low), above(high));
            for _ in 0..width {
                if down.max(up) == 0 {
                    break;
                }
                if up >= down {
                    met.push(self.at(band, high));
                    high += 1;
                    up = above(high);
                } else {
                    low -= 1;
                    met.push(self.at(band, low));
                    down = below(low);
                }
            }
        }
        met.sort_unstable();
        met.dedup();
        let all = met.into_iter().map(|number| (number, compare(query, self.row(number))));
        let mut found: Vec<(u32, Matches)> = all.filter(|(_, matches)| matches.matching >= min_matching).collect();
        found.sort_unstable_by_key(|(number, matches)| (u32::MAX - matches.matching, *number));
        found.truncate(max_rows);
        found
    }

    /// The first rows, up to `max_rows`, that equal a query in every dimension.
    pub fn equal(&self, query: &[u8], max_rows: usize) -> Vec<u32> {
        assert_eq!(query.len(), 2 * self.m, "a query of other dimensions");
        let first = self.place(0, query, 0);
        let rows = (first..self.rows).take(max_rows).map(|place| self.at(0, place));
        rows.take_while(|number| self.row(*number) == query).collect()
    }
}

/// How two rows of minima compare; an empty dimension, zero, matches nothing.
fn compare(a: &[u8], b: &[u8]) -> Matches {
    let (mut matching, mut filled) = (0u32, 0u32);
    for (x, y) in a.as_chunks::<2>().0.iter().zip(b.as_chunks::<2>().0) {
        let (x, y) = (u16::from_le_bytes(*x), u16::from_le_bytes(*y));
        matching += u32::from(x == y && x != 0);
        filled += u32::from(x | y != 0);
    }
    Matches { matching, filled }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bytes(row: &[u16]) -> Vec<u8> {
        row.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    fn forest(rows: &[Vec<u16>], m: usize, bands: usize, name: &str) -> Forest {
        let path = std::env::temp_dir().join(format!("pagekin-forest-{name}-{}", std::process::id()));
        let mut writer = ForestWriter::new(m, bands);
        rows.iter().for_each(|row| writer.push(Some(&bytes(row))).unwrap());
        writer.finish(&path).unwrap();
        let opened = Forest::open(&path).unwrap();
        std::fs::remove_file(path).unwrap();
        opened
    }

    proptest! {
        /// With a band for each dimension and room for all, a lookup is a scan.
        #[test]
        fn wide_enough_it_is_a_scan(
            rows in prop::collection::vec(prop::collection::vec(0u16..4, 6), 1..40),
            query in prop::collection::vec(0u16..4, 6),
            bands in 6usize..=6,
        ) {
            let made = forest(&rows, 6, bands, "scan");
            let mut expected: Vec<(u32, u32)> = (0u32..).zip(&rows).filter_map(|(number, row)| {
                let matching = crate::style::fingerprint::compare(&query, row).matching;
                (matching > 0).then_some((number, matching))
            }).collect();
            expected.sort_by_key(|(number, matching)| (u32::MAX - matching, *number));
            let found = made.nearest(&bytes(&query), 1, rows.len(), rows.len());
            prop_assert_eq!(found.iter().map(|(n, m)| (*n, m.matching)).collect::<Vec<_>>(), expected);
            for (number, matches) in found {
                prop_assert_eq!(matches, crate::style::fingerprint::compare(&query, &rows[number as usize]));
            }
            let same: Vec<u32> = (0u32..).zip(&rows).filter(|(_, row)| **row == query).map(|(n, _)| n).collect();
            prop_assert_eq!(made.equal(&bytes(&query), rows.len()), same);
        }

        /// However narrow, the longest run that begins where a band does is met, and what is found is true.
        #[test]
        fn the_closest_neighbour_is_met(
            rows in prop::collection::vec(prop::collection::vec(1u16..3, 8), 1..60),
            query in prop::collection::vec(1u16..3, 8),
        ) {
            let made = forest(&rows, 8, 2, "closest");
            let found = made.nearest(&bytes(&query), 0, 1, 10);
            for start in [0, 4] {
                let run = |row: &Vec<u16>| (0..8).take_while(|d| row[(start + d) % 8] == query[(start + d) % 8]).count();
                let longest = rows.iter().map(run).max().unwrap();
                prop_assert!(longest == 0 || found.iter().any(|(n, _)| run(&rows[*n as usize]) == longest));
            }
        }
    }

    #[test]
    fn damage_is_an_error() {
        let path = std::env::temp_dir().join(format!("pagekin-forest-damage-{}", std::process::id()));
        let mut writer = ForestWriter::new(4, 2);
        writer.push(Some(&bytes(&[1, 2, 3, 4]))).unwrap();
        writer.push(None).unwrap();
        assert!(writer.push(Some(&[1, 2])).is_err());
        writer.finish(&path).unwrap();
        assert_eq!(Forest::open(&path).unwrap().nearest(&bytes(&[1, 9, 3, 9]), 1, 9, 9)[0].1.matching, 2);
        let whole = std::fs::read(&path).unwrap();
        for length in [0, 20, 32, whole.len() - 1] {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert!(Forest::open(&path).is_err());
        }
        std::fs::remove_file(path).unwrap();
    }
}
