//! Context-triggered piecewise hashing: the digest of the `ssdeep` command, written from its published description
//! (Kornblum 2006) and checked against Debian's `ssdeep` command, which is used in tests only. What the description
//! leaves open was found by asking the command.
//!
//! A hash rolls over windows of seven bytes. Where it is one less than a multiple of the block size a piece of the
//! text ends, and each piece gives one character: six bits of its own hash. Block sizes are 3, 6, 12, ...; the digest
//! holds the signature at the largest one that still gives enough pieces, and the signature at twice that.
//!
//! The window's hash is a function of seven bytes and no more, so boundaries are found for many positions at once,
//! and for all block sizes in one pass: a boundary at some block size is one at all smaller ones. Of a piece's hash
//! only six bits are ever shown, and they depend only on each other; four pieces are hashed at a time.

/// Bytes in a window, and characters that two signatures must share.
pub const WINDOW: usize = 7;
/// Characters in the longest signature.
pub const MAX_LENGTH: usize = 64;
/// The smallest block size; all others are this times a power of two.
pub const MIN_BLOCK: u64 = 3;
/// Block sizes there are.
pub const LEVELS: usize = 31;
/// The characters of signatures, by value.
pub const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Boundaries that are looked for at once.
const STRIDE: usize = 32;
/// Inverse of three modulo 2^32: multiplied by it, multiples of three come first.
const THIRD: u32 = 0xAAAA_AAAB;

/// The digest of some bytes, as `ssdeep` prints it.
pub fn digest(data: &[u8]) -> String {
    let guess = (0..LEVELS).find(|&level| block(level) * MAX_LENGTH as u64 >= data.len() as u64).unwrap_or(LEVELS - 1);
    let enough = |found: &Boundaries, level: usize| found.counts[level] >= MAX_LENGTH / 2;
    // Nearly always one of the two largest block sizes is right; only repetitive text needs a look at all.
    let mut min_level = guess.saturating_sub(1);
    let mut found = Boundaries::of(data, min_level, guess + 1);
    if min_level > 0 && !enough(&found, min_level) {
        min_level = 0;
        found = Boundaries::of(data, 0, guess + 1);
    }
    let level = (min_level..=guess).rev().find(|&level| enough(&found, level)).unwrap_or(0);
    let mut pieces = Vec::with_capacity(MAX_LENGTH + MAX_LENGTH / 2);
    let first = found.pieces(data, level, MAX_LENGTH, &mut pieces);
    found.pieces(data, level + 1, MAX_LENGTH / 2, &mut pieces);
    let characters = hash_pieces(data, &pieces);
    let (first, second) = characters.split_at(first);
    let text = |signature: &[u8]| signature.iter().map(|&c| char::from(c)).collect::<String>();
    format!("{}:{}:{}", block(level), text(first), text(second))
}

pub fn block(level: usize) -> u64 {
    MIN_BLOCK << level
}

/// Where pieces end, for a range of block sizes.
struct Boundaries {
    /// Ends of the first pieces at each level.
    ends: Vec<[usize; MAX_LENGTH - 1]>,
    /// How many ends there are.
    counts: Vec<usize>,
    /// The last end at each level.
    last: Vec<usize>,
    /// The hash of the last window.
    closing: u32,
}

impl Boundaries {
    /// The boundaries at levels from `min_level` to `max_level`.
    fn of(data: &[u8], min_level: usize, max_level: usize) -> Self {
        let mut found = Boundaries {
            ends: vec![[0; MAX_LENGTH - 1]; max_level + 1],
            counts: vec![0; max_level + 1],
            last: vec![0; max_level + 1],
            closing: 0,
        };
        // Before the beginning there are zeros.
        let head = data.len().min(STRIDE);
        let mut padded = [0; WINDOW - 1 + STRIDE];
        padded[WINDOW - 1..WINDOW - 1 + head].copy_from_slice(&data[..head]);
        for end in 1..=head {
            found.closing = window_hash(&padded[end - 1..end - 1 + WINDOW]);
            found.meet(found.closing, end, min_level, max_level);
        }
        if let Some(rest) = data.get(STRIDE - (WINDOW - 1)..).filter(|rest| rest.len() >= WINDOW) {
            roll(rest, min_level, |hash, at| found.meet(hash, STRIDE + 1 + at, min_level, max_level));
            found.closing = window_hash(&rest[rest.len() - WINDOW..]);
        }
        found
    }

    /// Notes a boundary after `end` bytes, if this hash makes one.
    #[inline]
    fn meet(&mut self, hash: u32, end: usize, min_level: usize, max_level: usize) {
        let next = hash.wrapping_add(1);
        if next == 0 || !next.is_multiple_of(MIN_BLOCK as u32) {
            return;
        }
        let reached = (next.trailing_zeros() as usize).min(max_level);
        for level in min_level..=reached {
            if let Some(place) = self.ends[level].get_mut(self.counts[level]) {
                *place = end;
            }
            self.counts[level] += 1;
            self.last[level] = end;
        }
    }

    /// Adds the pieces of a signature of at most `longest` characters, and says how many they are.
    fn pieces(&self, data: &[u8], level: usize, longest: usize, pieces: &mut Vec<(usize, usize)>) -> usize {
        let before = pieces.len();
        let mut start = 0;
        for &end in &self.ends[level][..self.counts[level].min(longest - 1)] {
            pieces.push((start, end));
            start = end;
        }
        if self.closing != 0 {
            pieces.push((start, data.len()));
        } else if self.counts[level] >= longest {
            // The text ends in zeros: what follows the last boundary does not count.
            pieces.push((start, self.last[level]));
        }
        pieces.len() - before
    }
}

/// The hash of a window: its sum, its sum weighted by place, and its bytes shifted over each other.
#[inline(always)]
fn window_hash(window: &[u8]) -> u32 {
    let mut sum = 0u16;
    let mut shifted = 0u32;
    for (place, &byte) in window[..WINDOW].iter().enumerate() {
        sum += u16::from(byte) * (place as u16 + 2);
        shifted ^= u32::from(byte) << (5 * (WINDOW - 1 - place));
    }
    shifted.wrapping_add(u32::from(sum))
}

/// Calls `found` with the hash and place of each window that may be a boundary at level `min_level`.
fn roll(data: &[u8], min_level: usize, found: impl FnMut(u32, usize)) {
    #[cfg(simd_x86)]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the CPU has it.
        return unsafe { roll_wide(data, min_level, found) };
    }
    roll_plain(data, min_level, found);
}

/// The same loop, compiled for wider registers.
#[cfg(simd_x86)]
#[target_feature(enable = "avx2")]
fn roll_wide(data: &[u8], min_level: usize, found: impl FnMut(u32, usize)) {
    roll_plain(data, min_level, found);
}

#[inline(always)]
fn roll_plain(data: &[u8], min_level: usize, mut found: impl FnMut(u32, usize)) {
    // Multiples of 3 << min_level, and no others, become small when divided by three and rotated by `min_level`.
    let max_level = (u32::MAX / 3) >> min_level;
    let mut at = 0;
    while let Some(windows) = data.get(at..at + STRIDE + WINDOW - 1) {
        let mut hashes = [0u32; STRIDE];
        let mut hits = [0u32; STRIDE];
        for (place, (hash, hit)) in hashes.iter_mut().zip(&mut hits).enumerate() {
            *hash = window_hash(&windows[place..place + WINDOW]);
            let third = hash.wrapping_add(1).wrapping_mul(THIRD);
            *hit = u32::from(third.rotate_right(min_level as u32) <= max_level) << place;
        }
        let mut hits = hits.iter().fold(0, |all, hit| all | hit);
        while hits != 0 {
            let place = hits.trailing_zeros() as usize;
            found(hashes[place], at + place);
            hits &= hits - 1;
        }
        at += STRIDE;
    }
    for (place, window) in data[at..].windows(WINDOW).enumerate() {
        found(window_hash(window), at + place);
    }
}

/// One step of a piece's hash. The low six bits are right at any width; 64 bits are multiplied one by one, where a
/// compiler would pack narrower lanes into one slow vector multiplication.
#[inline(always)]
fn step(state: u64, byte: u8) -> u64 {
    state.wrapping_mul(0x0100_0193) ^ u64::from(byte)
}

/// A piece that is being hashed.
#[derive(Clone, Copy)]
struct Lane<'a> {
    piece: usize,
    state: u64,
    rest: &'a [u8],
}

/// The character of each piece. A step waits for the step before it, so four pieces take little more time than one.
fn hash_pieces(data: &[u8], pieces: &[(usize, usize)]) -> Vec<u8> {
    let mut characters = vec![0; pieces.len()];
    let mut waiting = pieces.iter().enumerate().map(|(piece, &(start, end))| Lane {
        piece,
        state: 0x2802_1967,
        rest: &data[start..end],
    });
    let mut finish = |lane: Lane<'_>| {
        let state = lane.rest.iter().fold(lane.state, |state, &byte| step(state, byte));
        characters[lane.piece] = ALPHABET[(state % 64) as usize];
    };
    if pieces.len() >= 4 {
        let mut lanes = [(); 4].map(|()| waiting.next().expect("there are four"));
        loop {
            advance(&mut lanes);
            let Some(done) = lanes.iter_mut().find(|lane| lane.rest.is_empty()) else { continue };
            let Some(next) = waiting.next() else { break };
            finish(std::mem::replace(done, next));
        }
        lanes.into_iter().for_each(&mut finish);
    }
    waiting.for_each(finish);
    characters
}

/// Hashes as many bytes of each lane as the shortest has.
#[inline(always)]
fn advance(lanes: &mut [Lane<'_>; 4]) {
    let shared = lanes.iter().map(|lane| lane.rest.len()).min().unwrap_or(0);
    let [a, b, c, d] = lanes.map(|lane| &lane.rest[..shared]);
    let [mut p, mut q, mut r, mut s] = lanes.map(|lane| lane.state);
    for (((a, b), c), d) in a.iter().zip(b).zip(c).zip(d) {
        (p, q, r, s) = (step(p, *a), step(q, *b), step(r, *c), step(s, *d));
    }
    for (lane, state) in lanes.iter_mut().zip([p, q, r, s]) {
        *lane = Lane { state, rest: &lane.rest[shared..], ..*lane };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The digest as the description has it: byte by byte, every block size on its own.
    fn plain(data: &[u8]) -> String {
        let mut window = [0u8; WINDOW];
        let hashes: Vec<u32> = data
            .iter()
            .map(|&byte| {
                window.rotate_left(1);
                window[WINDOW - 1] = byte;
                let sum: u32 = window.iter().map(|&b| u32::from(b)).sum();
                let weighted: u32 = window.iter().zip(1..).map(|(&b, weight)| u32::from(b) * weight).sum();
                let shifted = window.iter().fold(0u32, |hash, &b| hash << 5 ^ u32::from(b));
                sum.wrapping_add(weighted).wrapping_add(shifted)
            })
            .collect();
        let signature = |level: usize, longest: usize| {
            let (mut out, mut open, mut state) = (String::new(), None, 0x2802_1967u32);
            let mut boundaries = 0;
            for (&byte, &hash) in data.iter().zip(&hashes) {
                state = state.wrapping_mul(0x0100_0193) ^ u32::from(byte);
                if u64::from(hash) % block(level) == block(level) - 1 {
                    boundaries += 1;
                    let character = char::from(ALPHABET[state as usize % 64]);
                    if boundaries < longest {
                        out.push(character);
                        state = 0x2802_1967;
                    } else {
                        open = Some(character);
                    }
                }
            }
            let closing = hashes.last().is_some_and(|&hash| hash != 0);
            out.extend(if closing { Some(char::from(ALPHABET[state as usize % 64])) } else { open });
            (out, boundaries)
        };
        let mut level = (0..).find(|&level| block(level) * 64 >= data.len() as u64).unwrap();
        while level > 0 && signature(level, 64).1 < 32 {
            level -= 1;
        }
        format!("{}:{}:{}", block(level), signature(level, 64).0, signature(level + 1, 32).0)
    }

    /// Random, repetitive and mixed bytes of all sizes, with zeros at the end or not.
    fn data() -> impl Strategy<Value = Vec<u8>> {
        let random = prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..300),
            proptest::collection::vec(any::<u8>(), 0..6000),
            proptest::collection::vec(prop_oneof![Just(b'a'), Just(b' '), Just(b'e')], 0..4000),
        ];
        let unit = proptest::collection::vec(any::<u8>(), 1..30);
        (random, unit, 0..200usize, 0..12usize, any::<bool>()).prop_map(|(head, unit, times, zeros, swap)| {
            let tail = unit.repeat(times);
            let mut data = if swap { [tail, head].concat() } else { [head, tail].concat() };
            data.resize(data.len() + zeros, 0);
            data
        })
    }

    proptest! {
        #[test]
        fn as_described(data in data()) {
            prop_assert_eq!(digest(&data), plain(&data));
        }
    }

    #[test]
    fn small_and_repetitive() {
        for data in [&b""[..], b"a", b"news", &[0; 500], &[b'x'; 5000], &b"0123456789".repeat(2000)] {
            assert_eq!(digest(data), plain(data));
        }
        assert_eq!(digest(b""), "3::");
    }
}
