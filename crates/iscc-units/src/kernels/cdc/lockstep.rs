//! Three cursors in parallel.
//!
//! One cursor waits for its own dependency chain: an addition and a test per byte. Chunking keeps
//! no state across chunks, so three cursors at three positions run independent chains in the same
//! time. Their results are correct only from the first boundary that they share with the true
//! chain; [`super::walker`] takes care of that.

use super::portable::{SHIFTED, first_cut};
use super::{GEAR, Params};
use std::cmp::Ordering;

/// Constants, because the shifted masks of variable parameters would be reloaded at each byte.
const PARAMS: Params = Params::DATA;

/// Number of cursors. Four or more exceed the registers.
pub(super) const CURSORS: usize = 3;

/// Bytes that each cursor advances between two checks of its limit.
const ROUND: usize = 8;

/// Writes the chunk ends in each segment `borders[j]..borders[j + 1]` to `ends[j]`.
///
/// Each cursor starts at the start of its segment and stops at the first chunk end at or after the
/// segment's end. Segments are not empty. `data` extends beyond the last one by a chunk.
pub(super) fn walk(data: &[u8], borders: &[usize; CURSORS + 1], ends: &mut [Vec<u32>; CURSORS]) {
    let mut cursors: [Cursor; CURSORS] =
        std::array::from_fn(|j| Cursor::open(borders[j], data.len()));
    let mut all_open = cursors.iter().all(Cursor::has_room);
    while all_open {
        let Some(j) = next_end(data, &mut cursors) else { continue };
        let end = cursors[j].at;
        ends[j].push(end as u32);
        cursors[j] = Cursor::open(end, data.len());
        all_open = end < borders[j + 1] && cursors[j].has_room();
    }
    // The first cursor to arrive stops all; each of the others finishes from its last chunk start.
    for (j, cursor) in cursors.iter().enumerate() {
        let mut start = cursor.start;
        while start < borders[j + 1] {
            start += first_cut(&data[start..], PARAMS);
            ends[j].push(start as u32);
        }
    }
}

#[derive(Clone, Copy)]
struct Cursor {
    start: usize,
    at: usize,
    /// Latest end of the chunk.
    limit: usize,
    pattern: u64,
}

impl Cursor {
    #[inline(always)]
    fn open(start: usize, length: usize) -> Self {
        let at = (start + PARAMS.min()).min(length);
        let limit = (start + PARAMS.max()).min(length);
        Self { start, at, limit, pattern: 0 }
    }

    #[inline(always)]
    fn has_room(&self) -> bool {
        self.at < self.limit
    }

    /// Whether the chunk can end here, where the looser mask matches.
    #[inline(always)]
    fn may_end(&self) -> bool {
        self.at - 1 - self.start >= PARAMS.center()
            || self.pattern as u32 & PARAMS.mask_before_center() == 0
    }

    /// Advances to the end of the chunk byte by byte.
    fn finish(&mut self, data: &[u8]) {
        while self.has_room() {
            self.pattern = (self.pattern >> 1) + u64::from(GEAR[usize::from(data[self.at])]);
            self.at += 1;
            if self.pattern as u32 & PARAMS.mask_after_center() == 0 && self.may_end() {
                return;
            }
        }
    }
}

/// Advances the cursors until one of them is at the end of its chunk; returns its index. `None` if
/// none is after some rounds.
#[inline(always)]
fn next_end(data: &[u8], cursors: &mut [Cursor; CURSORS]) -> Option<usize> {
    let room = |cursor: &Cursor| cursor.limit - cursor.at;
    let nearest = (0..CURSORS).min_by_key(|&j| room(&cursors[j]))?;
    let rounds = room(&cursors[nearest]) / ROUND;
    if rounds == 0 {
        cursors[nearest].finish(data);
        return Some(nearest);
    }
    advance(data, cursors, rounds).filter(|&j| cursors[j].may_end())
}

/// Advances the cursors by `rounds` rounds, or less if the looser mask matches for one of them;
/// returns its index.
///
/// The loop is limited by its two loads per byte, so it loads bytes in pairs.
#[inline(always)]
fn advance(data: &[u8], cursors: &mut [Cursor; CURSORS], rounds: usize) -> Option<usize> {
    const MASK: u32 = PARAMS.mask_after_center();
    let mut sums = cursors.each_ref().map(|cursor| cursor.pattern);
    let [a, b, c] = cursors
        .each_ref()
        .map(|cursor| data[cursor.at..cursor.at + ROUND * rounds].as_chunks::<ROUND>().0);
    for (round, ((a, b), c)) in a.iter().zip(b).zip(c).enumerate() {
        let blocks = [a, b, c].map(|block| block.as_chunks::<2>().0);
        macro_rules! step {
            ($($pair:literal)*) => { $(
                for j in 0..CURSORS {
                    let bytes = u16::from_le_bytes(blocks[j][$pair]);
                    sums[j] += SHIFTED[2 * $pair][usize::from(bytes & 255)];
                    if sums[j] as u32 & (MASK << (2 * $pair + 1)) == 0 {
                        settle(cursors, &sums, ROUND * round, 2 * $pair, j, 1);
                        return Some(j);
                    }
                    sums[j] += SHIFTED[2 * $pair + 1][usize::from(bytes >> 8)];
                    if sums[j] as u32 & (MASK << (2 * $pair + 2)) == 0 {
                        settle(cursors, &sums, ROUND * round, 2 * $pair, j, 2);
                        return Some(j);
                    }
                }
            )* };
        }
        step!(0 1 2 3);
        sums = sums.map(|sum| sum >> ROUND);
    }
    settle(cursors, &sums, ROUND * rounds, 0, 0, 0);
    None
}

/// Stores the sums after `bytes` bytes and the bytes whose sums are not shifted yet: `k`, and for
/// cursors before `hit` also the pair of which `hit` has taken `taken` bytes.
#[inline(always)]
fn settle(
    cursors: &mut [Cursor; CURSORS],
    sums: &[u64; CURSORS],
    bytes: usize,
    k: usize,
    hit: usize,
    taken: usize,
) {
    for (j, cursor) in cursors.iter_mut().enumerate() {
        let of_pair = match j.cmp(&hit) {
            Ordering::Less => 2,
            Ordering::Equal => taken,
            Ordering::Greater => 0,
        };
        cursor.pattern = sums[j] >> (k + of_pair);
        cursor.at += bytes + k + of_pair;
    }
}
