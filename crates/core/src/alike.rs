//! Classes of exact and near copies among many digests, never by comparing all with all.
//!
//! Pages of one text are joined, then pages of one digest. Any other pair with a score shares a piece of seven
//! characters at one block size, so digests are sorted by their pieces, and only those that meet in a piece are
//! compared: with each other class that met there, until one score reaches the threshold. Most pairs fall to two cheap
//! bounds first. The pieces are sorted in as many passes as memory needs; the classes are the same.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, BooleanArray, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;

use crate::ctph::LONGEST;
use crate::digest::{Digest, Pattern, most_score, windows};
use crate::pieces::hash;
use crate::shelf::{Shelf, Stored};
use crate::union::Union;

/// Collects digests, then finds the classes.
pub struct Alike {
    threshold: u32,
    least: usize,
    memory: usize,
    pages: Vec<i64>,
    texts: Vec<u128>,
    digests: Shelf,
    left_out: HashSet<i64>,
}

impl Alike {
    /// Scores from `threshold` make near copies; digests of fewer than `least` characters, at least seven, make none.
    /// The pieces take at most `memory` bytes at a time.
    pub fn new(threshold: u32, least: usize, memory: usize) -> Self {
        let (pages, texts, left_out) = (Vec::new(), Vec::new(), HashSet::new());
        Alike { threshold, least, memory, pages, texts, digests: Shelf::default(), left_out }
    }

    /// A page that joins no class.
    pub fn leave_out(&mut self, page: i64) {
        self.left_out.insert(page);
    }

    /// More pages: `page`, `md5` and `ssdeep`.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let column = |name: &str| batch.column_by_name(name).ok_or_else(|| wrong(name));
        let pages = column("page")?.as_primitive_opt::<Int64Type>().ok_or_else(|| wrong("page"))?;
        let strings = |name: &str| -> Result<&StringArray, ArrowError> {
            column(name)?.as_string_opt::<i32>().ok_or_else(|| wrong(name))
        };
        let (md5, ssdeep) = (strings("md5")?, strings("ssdeep")?);
        for row in 0..batch.num_rows() {
            if self.left_out.contains(&pages.value(row)) || ssdeep.is_null(row) {
                continue;
            }
            let digest = Digest::parse(ssdeep.value(row))
                .map_err(|error| ArrowError::InvalidArgumentError(format!("{error}; page {}", pages.value(row))))?;
            self.pages.push(pages.value(row));
            self.texts.push(u128::from_str_radix(md5.value(row), 16).map_err(|_| wrong("md5"))?);
            self.digests.push(&Stored::of(&digest));
        }
        Ok(())
    }

    /// The members of classes: `class`, `page`, `exact` and `score` (to the class's first page), by class and page.
    pub fn finish(self) -> Result<RecordBatch, ArrowError> {
        let mut order: Vec<u32> = (0..self.pages.len() as u32).collect();
        order.par_sort_unstable_by_key(|&i| self.pages[i as usize]);
        // From here on a page is its rank, so that the smallest of a class is its representative.
        let mut classes = Union::new(order.len());
        let firsts = self.join_equals(&order, &mut classes);
        Near { digests: &self.digests, order: &order, threshold: self.threshold, memory: self.memory }
            .join(&firsts, &mut classes);
        let roots: Vec<u32> = (0..order.len() as u32).map(|rank| classes.find(rank)).collect();
        let mut sizes = vec![0u32; order.len()];
        roots.iter().for_each(|&root| sizes[root as usize] += 1);
        let mut members: Vec<(u32, u32)> = (0..order.len() as u32)
            .map(|rank| (roots[rank as usize], rank))
            .filter(|&(root, _)| sizes[root as usize] > 1)
            .collect();
        members.par_sort_unstable();
        let page = |rank: u32| self.pages[order[rank as usize] as usize];
        let text = |rank: u32| self.texts[order[rank as usize] as usize];
        let exact = |&(root, rank): &(u32, u32)| text(root) == text(rank);
        let score = |pair: &(u32, u32)| {
            if exact(pair) {
                return 100;
            }
            let [a, b] = [pair.0, pair.1].map(|rank| self.digests.get(order[rank as usize]));
            score(&a, &b) as i32
        };
        let columns: Vec<ArrayRef> = vec![
            Arc::new(members.iter().map(|m| page(m.0)).collect::<Int64Array>()),
            Arc::new(members.iter().map(|m| page(m.1)).collect::<Int64Array>()),
            Arc::new(members.iter().map(|m| Some(exact(m))).collect::<BooleanArray>()),
            Arc::new(members.iter().map(score).collect::<Int32Array>()),
        ];
        let types = [DataType::Int64, DataType::Int64, DataType::Boolean, DataType::Int32];
        let names = ["class", "page", "exact", "score"];
        let fields: Vec<Field> =
            names.into_iter().zip(types).map(|(name, kind)| Field::new(name, kind, true)).collect();
        RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
    }

    /// Joins equal texts and equal digests; the ranks of one page for each digest that can be compared.
    fn join_equals(&self, order: &[u32], classes: &mut Union) -> Vec<u32> {
        let mut texts: HashMap<u128, u32> = HashMap::new();
        let mut digests: HashMap<Stored<'_>, u32> = HashMap::new();
        let mut firsts = Vec::new();
        for (rank, &i) in (0u32..).zip(order) {
            classes.join(rank, *texts.entry(self.texts[i as usize]).or_insert(rank));
            let digest = self.digests.get(i);
            if digest.first.len().max(digest.second.len()) < self.least {
                continue;
            }
            let first = *digests.entry(digest).or_insert(rank);
            classes.join(rank, first);
            if first == rank {
                firsts.push(rank);
            }
        }
        firsts
    }
}

/// The score of two stored digests.
pub fn score(a: &Stored<'_>, b: &Stored<'_>) -> u32 {
    if a == b {
        return 100;
    }
    let at = |(level, signature)| Some(Pattern::of(signature, level).score(b.at(level)?)).flatten();
    a.signatures().into_iter().filter_map(at).max().unwrap_or(0)
}

/// Near copies among different digests.
struct Near<'a> {
    digests: &'a Shelf,
    order: &'a [u32],
    threshold: u32,
    memory: usize,
}

impl Near<'_> {
    fn digest(&self, rank: u32) -> Stored<'_> {
        self.digests.get(self.order[rank as usize])
    }

    fn join(&self, ranks: &[u32], classes: &mut Union) {
        let pieces = |&rank: &u32| {
            let digest = self.digest(rank);
            digest
                .signatures()
                .into_iter()
                .flat_map(|(level, s)| windows(s).map(move |w| hash(level, w)))
                .map(move |h| (h, rank))
        };
        let total: usize = ranks.par_iter().map(|rank| pieces(rank).count()).sum();
        let passes = (total * size_of::<u64>() / self.memory.max(1) + 1) as u64;
        for pass in 0..passes {
            // The half of the hash that does not choose the pass, and the page.
            let mut met: Vec<u64> = ranks
                .par_iter()
                .flat_map_iter(pieces)
                .filter(|(hash, _)| (hash >> 32) % passes == pass)
                .map(|(hash, rank)| hash << 32 | u64::from(rank))
                .collect();
            met.par_sort_unstable();
            met.dedup();
            for group in met.chunk_by(|a, b| a >> 32 == b >> 32).filter(|group| group.len() > 1) {
                self.join_group(group, classes);
            }
        }
    }

    /// Compares the pages that share a piece, each with the classes that are there already.
    fn join_group(&self, group: &[u64], classes: &mut Union) {
        let root = classes.find(group[0] as u32);
        if group.iter().all(|&member| classes.find(member as u32) == root) {
            return;
        }
        let mut met: Vec<(u32, Vec<Card>)> = Vec::new();
        for rank in group.iter().map(|&member| member as u32) {
            let card = Card::of(rank, &self.digest(rank));
            let patterns = Patterns::of(&self.digest(rank), self.threshold);
            for (class, cards) in &met {
                if classes.find(*class) == classes.find(rank) {
                    continue;
                }
                if cards
                    .iter()
                    .any(|other| patterns.may_reach(&card, other) && patterns.reach(&self.digest(other.rank)))
                {
                    classes.join(*class, rank);
                }
            }
            let class = classes.find(rank);
            match met.iter_mut().find(|(other, _)| classes.find(*other) == class) {
                Some((_, cards)) => cards.push(card),
                None => met.push((rank, vec![card])),
            }
        }
    }
}

/// What rules out most pairs at a glance: the length of each signature, and which characters it has.
struct Card {
    rank: u32,
    level: u8,
    lengths: [u8; 2],
    characters: [u64; 2],
}

impl Card {
    fn of(rank: u32, digest: &Stored<'_>) -> Self {
        let set = |s: &[u8]| s.iter().fold(0u64, |set, &byte| set | 1 << (byte & 63));
        Card {
            rank,
            level: digest.level,
            lengths: [digest.first.len() as u8, digest.second.len() as u8],
            characters: [set(digest.first), set(digest.second)],
        }
    }
}

/// A digest that many others are compared with.
struct Patterns {
    threshold: u32,
    patterns: [(u8, Pattern); 2],
}

impl Patterns {
    fn of(digest: &Stored<'_>, threshold: u32) -> Self {
        Patterns { threshold, patterns: digest.signatures().map(|(level, s)| (level, Pattern::of(s, level))) }
    }

    fn reach(&self, other: &Stored<'_>) -> bool {
        let score = |(level, pattern): &(u8, Pattern)| pattern.score(other.at(*level)?);
        self.patterns.iter().filter_map(score).any(|score| score >= self.threshold)
    }

    /// Whether two digests could reach the threshold. A signature that lacks a character of the other needs an
    /// insertion or deletion for it; as many as the lengths differ are needed anyway.
    #[inline]
    fn may_reach(&self, a: &Card, b: &Card) -> bool {
        let pairs: &[(usize, usize)] = match i16::from(a.level) - i16::from(b.level) {
            0 => &[(0, 0), (1, 1)],
            1 => &[(0, 1)],
            -1 => &[(1, 0)],
            _ => &[],
        };
        pairs.iter().any(|&(i, j)| {
            let (x, y) = (u32::from(a.lengths[i]), u32::from(b.lengths[j]));
            let distance = (a.characters[i] ^ b.characters[j]).count_ones().max(x.abs_diff(y));
            let longest = LONGEST as u32;
            let most = 100 - (100 * (distance * longest / (x + y).max(1)) / longest).min(100);
            most.min(most_score(a.level + i as u8, x.min(y))) >= self.threshold
        })
    }
}

fn wrong(name: &str) -> ArrowError {
    ArrowError::SchemaError(format!("sketches.{name} is missing or of another type"))
}
