//! Three cursors side by side.
//!
//! One cursor waits for its own chain: an addition and a test per byte. Chunking forgets its past at
//! every chunk's end, so three cursors started at three places run independent chains in the same
//! time. What they find is true only from the first border they share with the real chain on;
//! [`super::walker`] sees to that.

use super::portable::{SHIFTED, first_cut};
use super::{GEAR, Params};

/// Cursors in flight. Four and more no longer fit the registers.
pub(super) const CURSORS: usize = 3;

/// Bytes each cursor advances between two looks at its limit.
const ROUND: usize = 8;

/// Chunk ends found in each of the segments `borders[j]..borders[j + 1]`, into `ends[j]`.
///
/// Each cursor starts at its segment's begin and goes on until a chunk ends in or after the
/// segment's end. Segments are not empty; `data` reaches beyond the last one for its last chunk.
pub(super) fn walk(
    data: &[u8],
    borders: &[usize; CURSORS + 1],
    params: Params,
    ends: &mut [Vec<u32>; CURSORS],
) {
    let mut cursors: [Cursor; CURSORS] =
        std::array::from_fn(|j| Cursor::open(borders[j], data.len(), params));
    let mut all_open = cursors.iter().all(Cursor::has_room);
    while all_open {
        let Some(j) = next_end(data, &mut cursors, params) else { continue };
        let end = cursors[j].at;
        ends[j].push(end as u32);
        cursors[j] = Cursor::open(end, data.len(), params);
        all_open = end < borders[j + 1] && cursors[j].has_room();
    }
    // The first to arrive ends the race; the others finish alone from where their chunk began.
    for (j, cursor) in cursors.iter().enumerate() {
        let mut start = cursor.start;
        while start < borders[j + 1] {
            start += first_cut(&data[start..], params);
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
    fn open(start: usize, length: usize, params: Params) -> Self {
        let at = (start + params.min()).min(length);
        let limit = (start + params.max()).min(length);
        Self { start, at, limit, pattern: 0 }
    }

    #[inline(always)]
    fn has_room(&self) -> bool {
        self.at < self.limit
    }

    /// Whether the chunk ends here, where the looser mask is met.
    #[inline(always)]
    fn may_end(&self, params: Params) -> bool {
        self.at - 1 - self.start >= params.center()
            || self.pattern as u32 & params.mask_before_center() == 0
    }

    /// Walks to the end of the chunk a byte at a time.
    fn finish(&mut self, data: &[u8], params: Params) {
        while self.has_room() {
            self.pattern = (self.pattern >> 1) + u64::from(GEAR[usize::from(data[self.at])]);
            self.at += 1;
            if self.pattern as u32 & params.mask_after_center() == 0 && self.may_end(params) {
                return;
            }
        }
    }
}

/// Moves the cursors on until one of them, which is named, is at the end of its chunk.
/// `None` after some way without.
#[inline(always)]
fn next_end(data: &[u8], cursors: &mut [Cursor; CURSORS], params: Params) -> Option<usize> {
    let room = |cursor: &Cursor| cursor.limit - cursor.at;
    let nearest = (0..CURSORS).min_by_key(|&j| room(&cursors[j]))?;
    let rounds = room(&cursors[nearest]) / ROUND;
    if rounds == 0 {
        cursors[nearest].finish(data, params);
        return Some(nearest);
    }
    advance(data, cursors, rounds, params.mask_after_center())
        .filter(|&j| cursors[j].may_end(params))
}

/// Moves the cursors on by `rounds` rounds, or less: to where one of them, which is named, meets the
/// mask. Cursors before it in order have then taken the same number of bytes, those after one less.
#[inline(always)]
fn advance(
    data: &[u8],
    cursors: &mut [Cursor; CURSORS],
    rounds: usize,
    mask: u32,
) -> Option<usize> {
    let mut sums = cursors.each_ref().map(|cursor| cursor.pattern);
    let [a, b, c] = cursors
        .each_ref()
        .map(|cursor| data[cursor.at..cursor.at + ROUND * rounds].as_chunks::<ROUND>().0);
    for (round, ((a, b), c)) in a.iter().zip(b).zip(c).enumerate() {
        let blocks = [a, b, c];
        macro_rules! step {
            ($($k:literal)*) => { $(
                for j in 0..CURSORS {
                    sums[j] += SHIFTED[$k][usize::from(blocks[j][$k])];
                    if sums[j] as u32 & (mask << ($k + 1)) == 0 {
                        settle(cursors, &sums, ROUND * round + $k, $k, j + 1);
                        return Some(j);
                    }
                }
            )* };
        }
        step!(0 1 2 3 4 5 6 7);
        sums = sums.map(|sum| sum >> ROUND);
    }
    settle(cursors, &sums, ROUND * rounds, 0, 0);
    None
}

/// Takes over the sums after `bytes` bytes (one more for the first `ahead` cursors), of which `k`
/// (one more) since the last shift.
#[inline(always)]
fn settle(
    cursors: &mut [Cursor; CURSORS],
    sums: &[u64; CURSORS],
    bytes: usize,
    k: usize,
    ahead: usize,
) {
    for (j, cursor) in cursors.iter_mut().enumerate() {
        let one = usize::from(j < ahead);
        cursor.pattern = sums[j] >> (k + one);
        cursor.at += bytes + one;
    }
}
