//! Near copies among different digests, by the n-grams that they share.
//!
//! Any pair with a score shares seven characters in a row at one block size, so digests are sorted by these n-grams,
//! and only those that share one are compared, but for those that are in one class already. What two digests have in
//! common is often longer than that (a site's boilerplate is): they are compared where it begins, and not again at each of its
//! n-grams. Most pairs fall to a cheap bound first. The n-grams are sorted in as many passes as memory needs; the
//! classes are the same.
//!
//! N-grams that very many digests hold have a rule of their own: see `hot_ngrams`.

use rayon::prelude::*;

use crate::spill::passes::{Pass, passes};
use crate::ssdeep::digest::MAX_LENGTH;
use crate::ssdeep::hot_ngrams::HotNgrams;
use crate::ssdeep::ngram_postings::ngram_hash;
use crate::ssdeep::score::{Pattern, max_score, ngrams, value};
use crate::union_find::UnionFind;

/// Joins near copies among different digests.
pub(super) struct NearJoin<S> {
    pub(super) signatures: S,
    threshold: u32,
    limits: Limits,
    /// Holders above which an n-gram is hot.
    pub(super) max_holders: usize,
}

/// Where the signatures of pages are.
pub(super) trait Signatures: Sync {
    /// The signature in which a member holds an n-gram, and its level.
    fn signature(&self, member: NgramHolder) -> (u8, &[u8]);
}

/// A page in the list of an n-gram: its rank, and which of its signatures holds it.
#[derive(Clone, Copy)]
pub(super) struct NgramHolder(pub(super) u32);

impl NgramHolder {
    pub(super) fn new(rank: u32, second: bool) -> Self {
        NgramHolder(rank << 1 | u32::from(second))
    }

    /// The signature is the one at twice the block size.
    pub(super) fn second(self) -> bool {
        self.0 & 1 == 1
    }

    pub(super) fn rank(self) -> u32 {
        self.0 >> 1
    }
}

impl<S: Signatures> NearJoin<S> {
    pub(super) fn new(signatures: S, threshold: u32, max_holders: usize) -> Self {
        NearJoin { signatures, threshold, limits: limits(threshold), max_holders }
    }

    /// Joins the near copies among pages of these ranks. The n-grams take at most `memory` bytes at a time.
    pub(super) fn join(&self, ranks: &[u32], memory: usize, classes: &mut UnionFind) {
        let ngrams_of = |&rank: &u32| {
            (rank << 1..=rank << 1 | 1).flat_map(|member| {
                let (level, signature) = self.signatures.signature(NgramHolder(member));
                ngrams(signature).map(move |ngram| (ngram_hash(level, ngram), member))
            })
        };
        let total: usize = ranks.par_iter().map(|rank| ngrams_of(rank).count()).sum();
        let passes = passes(total * size_of::<u64>(), memory, 0);
        let sorted = |pass: Pass| {
            // The half of the hash that does not choose the pass, and the member.
            let mut entries: Vec<u64> = ranks
                .par_iter()
                .flat_map_iter(ngrams_of)
                .filter(|(hash, _)| pass.takes(*hash))
                .map(|(hash, member)| hash << 32 | u64::from(member))
                .collect();
            entries.par_sort_unstable();
            entries.dedup();
            entries
        };
        // What is hot has to be known for all n-grams before the holders of any are compared.
        let mut hot = HotNgrams::default();
        let mut kept = None;
        for pass in passes.clone() {
            let entries = sorted(pass);
            groups(&entries, self.max_holders, |tag, members| self.find_hot(tag, members, &mut hot));
            kept = Some(entries).filter(|_| passes.len() == 1);
        }
        for pass in passes {
            let entries = kept.take().unwrap_or_else(|| sorted(pass));
            groups(&entries, 1, |tag, members| self.join_group(tag, members, &hot, classes));
        }
    }

    /// Compares the pages that share the n-gram of this hash, but for those of one class.
    fn join_group(&self, tag: u32, group: &[NgramHolder], hot: &HotNgrams, classes: &mut UnionFind) {
        let root = classes.find(group[0].rank());
        if group.iter().all(|member| classes.find(member.rank()) == root) {
            return;
        }
        let (mut profiles, mut holders) = (Vec::with_capacity(group.len()), Vec::new());
        for &member in group {
            let (level, signature) = self.signatures.signature(member);
            if !promises(self.threshold, level, signature) {
                continue;
            }
            if group.len() <= SMALL {
                profiles.push(Profile::of(member, level, signature, START));
                continue;
            }
            for found in hot.occurrences(level, signature, |hash| hash as u32 == tag) {
                let profile = Profile::of(member, level, signature, found.before);
                if !found.hot {
                    profiles.push(profile);
                } else if found.edge {
                    holders.push((found.hash, profile));
                }
            }
        }
        self.join_hot(holders, classes);
        self.join_profiles(profiles, classes);
    }

    /// Compares the holders of an n-gram with each other, but for those that share the n-gram before it as well.
    pub(super) fn join_profiles(&self, mut profiles: Vec<Profile>, classes: &mut UnionFind) {
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
                self.join_profile(profile, &rest[..place], classes);
                self.join_profile(profile, &majority_class, classes);
            } else {
                self.join_profile(profile, &rest[..first], classes);
                self.join_profile(
                    profile,
                    &majority_class[..majority_class.partition_point(|o| o.before < profile.before)],
                    classes,
                );
                self.join_profile(
                    profile,
                    &majority_class[majority_class.partition_point(|o| o.before <= profile.before)..],
                    classes,
                );
            }
        }
    }

    /// Joins a page with those of the others that score high with it.
    pub(super) fn join_profile(&self, profile: &Profile, others: &[Profile], classes: &mut UnionFind) {
        let mut likely = Vec::new();
        find_likely(profile, others, &self.limits, &mut likely);
        if likely.is_empty() {
            return;
        }
        let (level, signature) = self.signatures.signature(profile.member);
        let pattern = Pattern::of(signature, level);
        for other in likely.into_iter().map(|place| others[place as usize].member) {
            if classes.find(other.rank()) != classes.find(profile.member.rank())
                && pattern.score(self.signatures.signature(other).1).is_some_and(|score| score >= self.threshold)
            {
                classes.join(other.rank(), profile.member.rank());
            }
        }
    }
}

/// A signature of this level and length may reach a threshold.
pub(super) fn promises(threshold: u32, level: u8, signature: &[u8]) -> bool {
    max_score(level, signature.len() as u32) >= threshold
}

/// Calls for each n-gram tag that more than `more_than` members have.
fn groups(entries: &[u64], more_than: usize, mut call: impl FnMut(u32, &[NgramHolder])) {
    for group in entries.chunk_by(|a, b| a >> 32 == b >> 32).filter(|group| group.len() > more_than) {
        let members: Vec<NgramHolder> = group.iter().map(|&entry| NgramHolder(entry as u32)).collect();
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
type Limits = [u32; 2 * MAX_LENGTH + 1];

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
    pub(super) member: NgramHolder,
    level: u8,
    len: u8,
    /// The character before the n-gram.
    before: u8,
}

impl Profile {
    pub(super) fn of(member: NgramHolder, level: u8, signature: &[u8], before: u8) -> Self {
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
