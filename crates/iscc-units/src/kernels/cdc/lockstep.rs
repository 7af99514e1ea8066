//! Three cursors side by side.
//!
//! One cursor waits for its own chain: an addition and a test per byte. Chunking forgets its past at
//! every chunk's end, so three cursors started at three places run independent chains in the same
//! time. What they find is true only from the first border they share with the real chain on;
//! [`super::walker`] sees to that.

use super::portable::{SHIFTED, first_cut};
use super::{GEAR, Params};
use std::cmp::Ordering;

/// The parameters are constants here: as variables, the shifted masks would be loaded anew at each
/// byte.
const PARAMS: Params = Params::DATA;

/// Cursors in flight. Four and more no longer fit the registers.
pub(super) const CURSORS: usize = 3;

/// Bytes each cursor advances between two looks at its limit.
const ROUND: usize = 8;

/// Chunk ends found in each of the segments `borders[j]..borders[j + 1]`, into `ends[j]`.
///
/// Each cursor starts at its segment's begin and goes on until a chunk ends in or after the
/// segment's end. Segments are not empty; `data` reaches beyond the last one for its last chunk.
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
    // The first to arrive ends the race; the others finish alone from where their chunk began.
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
    /// Where the chunk ends at the latest.
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

    /// Whether the chunk ends here, where the looser mask is met.
    #[inline(always)]
    fn may_end(&self) -> bool {
        self.at - 1 - self.start >= PARAMS.center()
            || self.pattern as u32 & PARAMS.mask_before_center() == 0
    }

    /// Walks to the end of the chunk a byte at a time.
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

/// Moves the cursors on until one of them, which is named, is at the end of its chunk.
/// `None` after some way without.
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

/// Moves the cursors on by `rounds` rounds, or less: to where one of them, which is named, meets the
/// looser mask.
///
/// What limits the loop is the two loads per byte, so bytes are loaded in pairs.
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

/// Takes over the sums after `bytes` bytes and a few more that the sums are not shifted by yet: `k`,
/// and for cursors before `hit` the pair that `hit` has taken `taken` bytes of.
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
