//! The true chain of the Data-Code's chunks at the speed of three cursors.

use super::Params;
use super::lockstep::{self, CURSORS};
use super::portable::first_cut;

/// Below this a segment is too short to win back what joining costs.
const SEGMENT_MIN_BYTES: usize = 16 * 1024;

/// Chunks walked with one cursor at first, to see whether the data is periodic.
const PROBE_CHUNKS: usize = 8;

/// Blocks walked with one cursor after speculation was lost.
const SOLO_BLOCKS: u32 = 16;

/// Walks chunks block by block, with memory of what the data is like.
///
/// The cursors' guesses meet the true chain within a few chunks on most data. Periodic data never
/// meets unless in phase: after two equal chunks the segments start at multiples of that length. If
/// that does not help either, one cursor walks alone for some blocks.
#[derive(Clone, Debug, Default)]
pub struct Walker {
    guesses: [Vec<u32>; CURSORS],
    /// Lengths of the last two chunks; zeros before the first.
    last: [usize; 2],
    solo: u32,
}

impl Walker {
    /// At the start of some data.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends of the chunks of `data` from 0 until one ends at `until` or later, into `ends`, which is
    /// emptied before. Returns the last end.
    ///
    /// A chunk may end only because `data` does; `until + Params::DATA.max() <= data.len()` rules it
    /// out. `data` must be shorter than 4 GiB and `until` within it.
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

    /// Returns how many bytes had to be walked a second time.
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

    /// Follows the true chain: walks it into each segment until it comes to a border its cursor
    /// found too, and from there takes over the cursor's list.
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

/// One cursor's chunks from `from` until one ends at `until` or later, `chunks` at most. Returns the
/// last end.
fn walk_alone(data: &[u8], from: usize, until: usize, chunks: usize, ends: &mut Vec<u32>) -> usize {
    let (mut start, first) = (from, ends.len());
    while start < until && ends.len() - first < chunks {
        start += first_cut(&data[start..], Params::DATA);
        ends.push(start as u32);
    }
    start
}
