//! The true chain of chunks of the Data-Code, at the speed of three cursors.

use super::Params;
use super::lockstep::{self, CURSORS};
use super::portable::first_cut;

/// In shorter segments, joining costs more than the parallel cursors gain.
const SEGMENT_MIN_BYTES: usize = 16 * 1024;

/// Chunks that one cursor walks first, to detect periodic data.
const PROBE_CHUNKS: usize = 8;

/// Blocks that one cursor walks after the parallel cursors were of no use.
const SOLO_BLOCKS: u32 = 16;

/// Walks chunks block by block and adapts to the data.
///
/// On most data, the cursors reach the true chain within a few chunks. On periodic data they only
/// do so in phase: after two chunks of equal length, segments start at multiples of that length. If
/// that fails as well, one cursor walks some blocks alone.
#[derive(Clone, Debug, Default)]
pub struct Walker {
    guesses: [Vec<u32>; CURSORS],
    /// Lengths of the last two chunks; 0 before the first.
    last: [usize; 2],
    solo: u32,
}

impl Walker {
    /// A walker for new data.
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes the ends of the chunks of `data` from 0 to the first at `until` or later to `ends`,
    /// which it clears first. Returns the last end.
    ///
    /// If `until + Params::DATA.max() <= data.len()`, no chunk ends just because the data ends.
    /// `data` must be shorter than 4 GiB and contain `until`.
    pub fn walk(&mut self, data: &[u8], until: usize, ends: &mut Vec<u32>) -> usize {
        assert!(until <= data.len() && data.len() <= u32::MAX as usize);
        ends.clear();
        let mut from = 0;
        if self.last == [0; 2] {
            from = walk_alone(data, 0, until, PROBE_CHUNKS, ends);
            self.remember(ends);
        }
        if self.solo > 0 || until - from.min(until) < CURSORS * SEGMENT_MIN_BYTES {
            self.solo = self.solo.saturating_sub(1);
            walk_alone(data, from, until, usize::MAX, ends);
        } else {
            let again = self.walk_together(data, from, until, ends);
            if again > (until - from) / 6 {
                self.solo = SOLO_BLOCKS;
            }
        }
        self.remember(ends);
        ends.last().map_or(0, |&end| end as usize)
    }

    fn remember(&mut self, ends: &[u32]) {
        for pair in ends[ends.len().saturating_sub(3)..].windows(2) {
            self.last = [self.last[1], (pair[1] - pair[0]) as usize];
        }
    }

    /// Returns the number of bytes that had to be walked twice.
    fn walk_together(
        &mut self,
        data: &[u8],
        from: usize,
        until: usize,
        ends: &mut Vec<u32>,
    ) -> usize {
        let phase = if self.last[0] == self.last[1] { self.last[0] } else { 1 };
        let third = (until - from) / CURSORS;
        let border = |j| if j == CURSORS { until } else { from + third * j / phase * phase };
        let borders = std::array::from_fn(border);
        for guess in &mut self.guesses {
            guess.clear();
        }
        lockstep::walk(data, &borders, &mut self.guesses);
        self.join(data, &borders, ends)
    }

    /// Follows the true chain into each segment up to the first boundary that the segment's cursor
    /// has found too; from there, uses the cursor's list.
    fn join(&self, data: &[u8], borders: &[usize; CURSORS + 1], ends: &mut Vec<u32>) -> usize {
        let mut again = 0;
        let mut at = borders[0];
        for (guess, segment) in self.guesses.iter().zip(borders.windows(2)) {
            let mut next = 0;
            while at < segment[1] {
                next += guess[next..].partition_point(|&end| (end as usize) < at);
                let met =
                    at == segment[0] || guess.get(next).is_some_and(|&end| end as usize == at);
                if met {
                    let known = if at == segment[0] { guess } else { &guess[next + 1..] };
                    ends.extend_from_slice(known);
                    at = known.last().map_or(at, |&end| end as usize);
                    break;
                }
                let cut = first_cut(&data[at..], Params::DATA);
                again += cut;
                at += cut;
                ends.push(at as u32);
            }
        }
        again
    }
}

/// Walks with one cursor from `from` to the first chunk end at `until` or later, at most `chunks`
/// chunks. Returns the last end.
fn walk_alone(data: &[u8], from: usize, until: usize, chunks: usize, ends: &mut Vec<u32>) -> usize {
    let (mut start, first) = (from, ends.len());
    while start < until && ends.len() - first < chunks {
        start += first_cut(&data[start..], Params::DATA);
        ends.push(start as u32);
    }
    start
}
