//! Classes of exact and near copies among many digests, never by comparing all with all.
//!
//! Pages of one text are joined, then pages of one digest. Any other pair with a score shares seven
//! characters in a row at one block size, so digests are sorted by these n-grams, and only those that share one are
//! compared, but for those that are in one class already. What two digests have in common is often longer than a
//! that (a site's frame is): they are compared where it begins, and not again at each of its n-grams. Most pairs fall
//! to a cheap bound first. The n-grams are sorted in as many passes as memory needs; the classes are the same.
//!
//! N-grams that very many digests hold have a rule of their own: see `hot_ngrams`.

use std::sync::Arc;

use arrow_array::{Array, BooleanArray, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::ArrowError;
use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;

use crate::arrow::{batch_of, column, wrong};
use crate::spill::passes;
use crate::ssdeep::digest::MAX_LENGTH;
use crate::ssdeep::hot_ngrams::{HotNgrams, MAX_HOLDERS};
use crate::ssdeep::ngram_postings::ngram_hash;
use crate::ssdeep::score::{Digest, Pattern, max_score, ngrams, value};
use crate::ssdeep::store::{DigestStore, StoredDigest};
use crate::union_find::UnionFind;

/// Collects digests, then finds the classes.
pub struct FuzzyClassBuilder {
    threshold: u32,
    min_length: usize,
    memory: usize,
    pub(super) max_holders: usize,
    pages: Vec<i64>,
    texts: Vec<u128>,
    digests: DigestStore,
    excluded: HashSet<i64>,
}

impl FuzzyClassBuilder {
    /// Scores from `threshold` make near copies; digests of fewer than `min_length` characters, seven or more, make none.
    /// The n-grams take at most `memory` bytes at a time.
    pub fn new(threshold: u32, min_length: usize, memory: usize) -> Self {
        let (pages, texts, excluded) = (Vec::new(), Vec::new(), HashSet::new());
        let (digests, max_holders) = (DigestStore::default(), MAX_HOLDERS);
        FuzzyClassBuilder { threshold, min_length, memory, max_holders, pages, texts, digests, excluded }
    }

    /// A page that joins no class.
    pub fn exclude(&mut self, page: i64) {
        self.excluded.insert(page);
    }

    /// More pages: `page`, `md5` and `ssdeep`.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let pages: &Int64Array = column(batch, "page")?;
        let (md5, ssdeep): (&StringArray, &StringArray) = (column(batch, "md5")?, column(batch, "ssdeep")?);
        for row in 0..batch.num_rows() {
            if self.excluded.contains(&pages.value(row)) || ssdeep.is_null(row) {
                continue;
            }
            let digest = Digest::parse(ssdeep.value(row))
                .map_err(|error| ArrowError::InvalidArgumentError(format!("{error}; page {}", pages.value(row))))?;
            self.pages.push(pages.value(row));
            self.texts.push(u128::from_str_radix(md5.value(row), 16).map_err(|_| wrong("md5"))?);
            self.digests.push(&StoredDigest::of(&digest));
        }
        Ok(())
    }

    /// The members of classes: `class`, `page`, `exact` and `score` (to the class's first page), by class and page.
    pub fn finish(self) -> Result<RecordBatch, ArrowError> {
        let mut order: Vec<u32> = (0..self.pages.len() as u32).collect();
        order.par_sort_unstable_by_key(|&i| self.pages[i as usize]);
        // From here on a page is its rank, so that the smallest of a class is its representative.
        let mut classes = UnionFind::new(order.len());
        let firsts = self.join_equals(&order, &mut classes);
        NearJoin {
            digests: &self.digests,
            order: &order,
            threshold: self.threshold,
            memory: self.memory,
            max_holders: self.max_holders,
        }
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
        batch_of(vec![
            ("class", Arc::new(members.iter().map(|m| page(m.0)).collect::<Int64Array>())),
            ("page", Arc::new(members.iter().map(|m| page(m.1)).collect::<Int64Array>())),
            ("exact", Arc::new(members.iter().map(|m| Some(exact(m))).collect::<BooleanArray>())),
            ("score", Arc::new(members.iter().map(score).collect::<Int32Array>())),
        ])
    }

    /// Joins equal texts and equal digests; the ranks of one page for each digest that can be compared.
    fn join_equals(&self, order: &[u32], classes: &mut UnionFind) -> Vec<u32> {
        let mut texts: HashMap<u128, u32> = HashMap::new();
        let mut digests: HashMap<StoredDigest<'_>, u32> = HashMap::new();
        let mut firsts = Vec::new();
        for (rank, &i) in (0u32..).zip(order) {
            classes.join(rank, *texts.entry(self.texts[i as usize]).or_insert(rank));
            let digest = self.digests.get(i);
            if digest.first.len().max(digest.second.len()) < self.min_length {
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
pub fn score(a: &StoredDigest<'_>, b: &StoredDigest<'_>) -> u32 {
    if a == b {
        return 100;
    }
    let at = |(level, signature)| Some(Pattern::of(signature, level).score(b.at(level)?)).flatten();
    a.signatures().into_iter().filter_map(at).max().unwrap_or(0)
}

/// Joins near copies among different digests.
pub(super) struct NearJoin<'a> {
    digests: &'a DigestStore,
    order: &'a [u32],
    threshold: u32,
    memory: usize,
    /// Holders above which an n-gram is hot.
    pub(super) max_holders: usize,
}

/// A page in the list of an n-gram: its rank, and which of its signatures holds it.
#[derive(Clone, Copy)]
pub(super) struct Member(pub(super) u32);

impl Member {
    fn rank(self) -> u32 {
        self.0 >> 1
    }
}

impl NearJoin<'_> {
    /// The signature in which a member holds an n-gram, and its level.
    pub(super) fn signature(&self, member: Member) -> (u8, &[u8]) {
        self.digests.get(self.order[member.rank() as usize]).signatures()[(member.0 & 1) as usize]
    }

    fn join(&self, ranks: &[u32], classes: &mut UnionFind) {
        let ngrams_of = |&rank: &u32| {
            (rank << 1..=rank << 1 | 1).flat_map(|member| {
                let (level, signature) = self.signature(Member(member));
                ngrams(signature).map(move |ngram| (ngram_hash(level, ngram), member))
            })
        };
        let total: usize = ranks.par_iter().map(|rank| ngrams_of(rank).count()).sum();
        let passes = passes(total * size_of::<u64>(), self.memory) as u64;
        let limits = limits(self.threshold);
        let sorted = |pass: u64| {
            // The half of the hash that does not choose the pass, and the member.
            let mut entries: Vec<u64> = ranks
                .par_iter()
                .flat_map_iter(ngrams_of)
                .filter(|(hash, _)| (hash >> 32) % passes == pass)
                .map(|(hash, member)| hash << 32 | u64::from(member))
                .collect();
            entries.par_sort_unstable();
            entries.dedup();
            entries
        };
        // What is hot has to be known for all n-grams before the holders of any are compared.
        let mut hot = HotNgrams::default();
        let mut kept = None;
        for pass in 0..passes {
            let entries = sorted(pass);
            groups(&entries, self.max_holders, |tag, members| self.find_hot(tag, members, &mut hot));
            kept = Some(entries).filter(|_| passes == 1);
        }
        for pass in 0..passes {
            let entries = kept.take().unwrap_or_else(|| sorted(pass));
            groups(&entries, 1, |tag, members| self.join_group(tag, members, &hot, &limits, classes));
        }
    }

    /// Compares the pages that share the n-gram of this hash, but for those of one class.
    fn join_group(&self, tag: u32, group: &[Member], hot: &HotNgrams, limits: &Limits, classes: &mut UnionFind) {
        let root = classes.find(group[0].rank());
        if group.iter().all(|member| classes.find(member.rank()) == root) {
            return;
        }
        let (mut profiles, mut holders) = (Vec::with_capacity(group.len()), Vec::new());
        for &member in group {
            let (level, signature) = self.signature(member);
            if max_score(level, signature.len() as u32) < self.threshold {
                continue;
            }
            if group.len() <= SMALL {
                profiles.push(Profile::of(member, level, signature, START));
                continue;
            }
            for found in hot.occurrences(level, signature, tag) {
                let profile = Profile::of(member, level, signature, found.before);
                if !found.hot {
                    profiles.push(profile);
                } else if found.edge {
                    holders.push((found.hash, profile));
                }
            }
        }
        self.join_hot(holders, limits, classes);
        profiles.sort_unstable_by_key(|profile| (profile.before, profile.member.0));
        // Often most are of one class by now. Those need not be compared with each other.
        let class = majority(profiles.iter().map(|profile| classes.find(profile.member.rank())));
        let (majority_class, rest): (Vec<Profile>, Vec<Profile>) =
            profiles.into_iter().partition(|profile| Some(classes.find(profile.member.rank())) == class);
        let mut first = 0;
        for (place, profile) in rest.iter().enumerate() {
            if profile.before != rest[first].before {
                first = place;
            }
            // Those with the same character before the n-gram share the one that begins there.
            if profile.before == START {
                self.join_profile(profile, &rest[..place], limits, classes);
                self.join_profile(profile, &majority_class, limits, classes);
            } else {
                self.join_profile(profile, &rest[..first], limits, classes);
                self.join_profile(
                    profile,
                    &majority_class[..majority_class.partition_point(|o| o.before < profile.before)],
                    limits,
                    classes,
                );
                self.join_profile(
                    profile,
                    &majority_class[majority_class.partition_point(|o| o.before <= profile.before)..],
                    limits,
                    classes,
                );
            }
        }
    }

    /// Joins a page with those of the others that score high with it.
    pub(super) fn join_profile(&self, profile: &Profile, others: &[Profile], limits: &Limits, classes: &mut UnionFind) {
        let mut likely = Vec::new();
        find_likely(profile, others, limits, &mut likely);
        if likely.is_empty() {
            return;
        }
        let (level, signature) = self.signature(profile.member);
        let pattern = Pattern::of(signature, level);
        for other in likely.into_iter().map(|place| others[place as usize].member) {
            if classes.find(other.rank()) != classes.find(profile.member.rank())
                && pattern.score(self.signature(other).1).is_some_and(|score| score >= self.threshold)
            {
                classes.join(other.rank(), profile.member.rank());
            }
        }
    }
}

/// Calls for each n-gram tag that more than `more_than` members have.
fn groups(entries: &[u64], more_than: usize, mut call: impl FnMut(u32, &[Member])) {
    for group in entries.chunk_by(|a, b| a >> 32 == b >> 32).filter(|group| group.len() > more_than) {
        let members: Vec<Member> = group.iter().map(|&entry| Member(entry as u32)).collect();
        call((group[0] >> 32) as u32, &members);
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

/// Members up to which all of a group are compared, wherever in their signatures the n-gram is.
const SMALL: usize = 8;

/// Stands for the character before an n-gram that begins a signature.
pub(super) const START: u8 = 0;

/// For each sum of two lengths the most insertions and deletions with which the threshold is reached.
pub(super) type Limits = [u32; 2 * MAX_LENGTH + 1];

fn limits(threshold: u32) -> Limits {
    let longest = MAX_LENGTH as u32;
    let reaches = |distance: u32, sum: u32| 100 - 100 * (distance * longest / sum) / longest >= threshold;
    std::array::from_fn(|sum| {
        (0..=sum as u32).take_while(|&distance| sum > 0 && reaches(distance, sum as u32)).last().unwrap_or(0)
    })
}

/// What rules out most pairs at a glance: the length of a signature, and which characters it has once and twice.
#[derive(Clone, Copy)]
pub(super) struct Profile {
    once: u64,
    twice: u64,
    pub(super) member: Member,
    level: u8,
    len: u8,
    /// The character before the n-gram.
    before: u8,
}

impl Profile {
    fn of(member: Member, level: u8, signature: &[u8], before: u8) -> Self {
        let (mut once, mut twice) = (0u64, 0u64);
        for &byte in signature {
            let bit = 1 << value(byte);
            twice |= once & bit;
            once |= bit;
        }
        Profile { once, twice, member, level, len: signature.len() as u8, before }
    }
}

/// Appends the places of the profiles that may reach the threshold with this one. A character that one signature lacks,
/// or lacks a second time, needs an insertion or deletion.
fn find_likely(profile: &Profile, others: &[Profile], limits: &Limits, likely: &mut Vec<u32>) {
    #[cfg(simd_x86)]
    if std::arch::is_x86_feature_detected!("popcnt") {
        // SAFETY: the CPU has it.
        return unsafe { find_likely_counted(profile, others, limits, likely) };
    }
    find_likely_plain(profile, others, limits, likely);
}

/// The same loop with an instruction that counts bits.
#[cfg(simd_x86)]
#[target_feature(enable = "popcnt")]
fn find_likely_counted(profile: &Profile, others: &[Profile], limits: &Limits, likely: &mut Vec<u32>) {
    find_likely_plain(profile, others, limits, likely);
}

#[inline(always)]
fn find_likely_plain(profile: &Profile, others: &[Profile], limits: &Limits, likely: &mut Vec<u32>) {
    for (place, other) in (0..).zip(others) {
        let missing = (profile.once ^ other.once).count_ones() + (profile.twice ^ other.twice).count_ones();
        let sum = usize::from(profile.len) + usize::from(other.len);
        if missing <= limits[sum.min(2 * MAX_LENGTH)] && profile.level == other.level {
            likely.push(place);
        }
    }
}
