//! Classes of exact and near copies among many digests, never by comparing all with all.
//!
//! Pages of one text are joined, then pages of one digest. Any other pair with a score shares a piece of seven
//! characters at one block size, so digests are sorted by their pieces, and only those that meet in a piece are
//! compared, but for those that are in one class already. What two digests have in common is often longer than a
//! piece (a site's frame is): they are compared where it begins, and not again in each of its pieces. Most pairs fall
//! to a cheap bound first. The pieces are sorted in as many passes as memory needs; the classes are the same.
//!
//! Pages that share a frame and nothing else still cost that bound once for each pair.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, BooleanArray, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;

use crate::ssdeep::digest::LONGEST;
use crate::ssdeep::ngram_postings::hash;
use crate::ssdeep::score::{Digest, Pattern, most_score, value, windows};
use crate::ssdeep::store::{Shelf, Stored};
use crate::union_find::Union;

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

/// A page in the list of a piece: its rank, and which of its signatures holds the piece.
#[derive(Clone, Copy)]
struct Member(u32);

impl Member {
    fn rank(self) -> u32 {
        self.0 >> 1
    }
}

impl Near<'_> {
    /// The signature in which a member holds a piece, and its level.
    fn signature(&self, member: Member) -> (u8, &[u8]) {
        self.digests.get(self.order[member.rank() as usize]).signatures()[(member.0 & 1) as usize]
    }

    fn join(&self, ranks: &[u32], classes: &mut Union) {
        let pieces = |&rank: &u32| {
            (rank << 1..=rank << 1 | 1).flat_map(|member| {
                let (level, signature) = self.signature(Member(member));
                windows(signature).map(move |window| (hash(level, window), member))
            })
        };
        let total: usize = ranks.par_iter().map(|rank| pieces(rank).count()).sum();
        let passes = (total * size_of::<u64>() / self.memory.max(1) + 1) as u64;
        let limits = limits(self.threshold);
        for pass in 0..passes {
            // The half of the hash that does not choose the pass, and the member.
            let mut met: Vec<u64> = ranks
                .par_iter()
                .flat_map_iter(pieces)
                .filter(|(hash, _)| (hash >> 32) % passes == pass)
                .map(|(hash, member)| hash << 32 | u64::from(member))
                .collect();
            met.par_sort_unstable();
            met.dedup();
            for group in met.chunk_by(|a, b| a >> 32 == b >> 32).filter(|group| group.len() > 1) {
                let members: Vec<Member> = group.iter().map(|&entry| Member(entry as u32)).collect();
                self.join_group((group[0] >> 32) as u32, &members, &limits, classes);
            }
        }
    }

    /// Compares the pages that share the piece of this hash, but for those of one class.
    fn join_group(&self, piece: u32, group: &[Member], limits: &Limits, classes: &mut Union) {
        let root = classes.find(group[0].rank());
        if group.iter().all(|member| classes.find(member.rank()) == root) {
            return;
        }
        let mut cards = Vec::with_capacity(group.len());
        for &member in group {
            let (level, signature) = self.signature(member);
            if most_score(level, signature.len() as u32) < self.threshold {
                continue;
            }
            if group.len() <= SMALL {
                cards.push(Card::of(member, level, signature, START));
                continue;
            }
            for (place, window) in windows(signature).enumerate() {
                if hash(level, window) as u32 == piece {
                    let before = if place > 0 { signature[place - 1] } else { START };
                    cards.push(Card::of(member, level, signature, before));
                }
            }
        }
        cards.sort_unstable_by_key(|card| (card.before, card.member.0));
        // Often most are of one class by now. Those need not be compared with each other.
        let class = majority(cards.iter().map(|card| classes.find(card.member.rank())));
        let (most, rest): (Vec<Card>, Vec<Card>) =
            cards.into_iter().partition(|card| Some(classes.find(card.member.rank())) == class);
        let mut first = 0;
        for (place, card) in rest.iter().enumerate() {
            if card.before != rest[first].before {
                first = place;
            }
            // Those with the same character before the piece share the piece that begins there.
            if card.before == START {
                self.join_card(card, &rest[..place], limits, classes);
                self.join_card(card, &most, limits, classes);
            } else {
                self.join_card(card, &rest[..first], limits, classes);
                self.join_card(card, &most[..most.partition_point(|o| o.before < card.before)], limits, classes);
                self.join_card(card, &most[most.partition_point(|o| o.before <= card.before)..], limits, classes);
            }
        }
    }

    /// Joins a page with those of the others that score high with it.
    fn join_card(&self, card: &Card, others: &[Card], limits: &Limits, classes: &mut Union) {
        let mut likely = Vec::new();
        find_likely(card, others, limits, &mut likely);
        if likely.is_empty() {
            return;
        }
        let (level, signature) = self.signature(card.member);
        let pattern = Pattern::of(signature, level);
        for other in likely.into_iter().map(|place| others[place as usize].member) {
            if classes.find(other.rank()) != classes.find(card.member.rank())
                && pattern.score(self.signature(other).1).is_some_and(|score| score >= self.threshold)
            {
                classes.join(other.rank(), card.member.rank());
            }
        }
    }
}

/// The value that more than half of all are, if there is one; else any of them.
fn majority(values: impl Iterator<Item = u32>) -> Option<u32> {
    let (mut found, mut lead) = (None, 0u32);
    for value in values {
        if lead == 0 {
            found = Some(value);
        }
        lead = if found == Some(value) { lead + 1 } else { lead - 1 };
    }
    found
}

/// Members up to which all of a group are compared, wherever in their signatures the piece is.
const SMALL: usize = 8;

/// Stands for the character before a piece that begins a signature.
const START: u8 = 0;

/// For each sum of two lengths the most insertions and deletions with which the threshold is reached.
type Limits = [u32; 2 * LONGEST + 1];

fn limits(threshold: u32) -> Limits {
    let longest = LONGEST as u32;
    let reaches = |distance: u32, sum: u32| 100 - 100 * (distance * longest / sum) / longest >= threshold;
    std::array::from_fn(|sum| {
        (0..=sum as u32).take_while(|&distance| sum > 0 && reaches(distance, sum as u32)).last().unwrap_or(0)
    })
}

/// What rules out most pairs at a glance: the length of a signature, and which characters it has once and twice.
struct Card {
    once: u64,
    twice: u64,
    member: Member,
    level: u8,
    len: u8,
    /// The character before the piece.
    before: u8,
}

impl Card {
    fn of(member: Member, level: u8, signature: &[u8], before: u8) -> Self {
        let (mut once, mut twice) = (0u64, 0u64);
        for &byte in signature {
            let bit = 1 << value(byte);
            twice |= once & bit;
            once |= bit;
        }
        Card { once, twice, member, level, len: signature.len() as u8, before }
    }
}

/// Appends the places of the cards that may reach the threshold with this one. A character that one signature lacks,
/// or lacks a second time, needs an insertion or deletion.
fn find_likely(card: &Card, others: &[Card], limits: &Limits, likely: &mut Vec<u32>) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("popcnt") {
        // SAFETY: the CPU has it.
        return unsafe { find_likely_counted(card, others, limits, likely) };
    }
    find_likely_plain(card, others, limits, likely);
}

/// The same loop with an instruction that counts bits.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn find_likely_counted(card: &Card, others: &[Card], limits: &Limits, likely: &mut Vec<u32>) {
    find_likely_plain(card, others, limits, likely);
}

#[inline(always)]
fn find_likely_plain(card: &Card, others: &[Card], limits: &Limits, likely: &mut Vec<u32>) {
    for (place, other) in (0..).zip(others) {
        let missing = (card.once ^ other.once).count_ones() + (card.twice ^ other.twice).count_ones();
        let sum = usize::from(card.len) + usize::from(other.len);
        if missing <= limits[sum.min(2 * LONGEST)] && card.level == other.level {
            likely.push(place);
        }
    }
}

fn wrong(name: &str) -> ArrowError {
    ArrowError::SchemaError(format!("sketches.{name} is missing or of another type"))
}
