//! Which segments are replaced next, and by what.
use std::ops::Range;
use std::sync::Arc;

use iscc_index::options::{Sealing, SegmentSizes};
use iscc_index::segment::Segment;
use iscc_index::snapshot::Snapshot;

/// A segment is worn when at least 1 / `DEAD_SHARE` of its slots are dead, ...
const DEAD_SHARE: u32 = 5;
/// ... and at least this many.
const DEAD_MIN: u32 = 256;
/// Number of adjacent full segments of a size class that are merged.
const MERGED: usize = 8;

/// Where the rows of replaced segments go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A segment in memory, which takes milliseconds.
    Memory,
    /// A file.
    File,
}

/// The settings that decide.
#[derive(Clone, Copy)]
pub struct Due<'a> {
    pub sizes: &'a SegmentSizes,
    pub sealing: &'a Sealing,
}

impl Due<'_> {
    /// Adjacent segments to replace by one, if `allows` permits the target: worn ones, then one that is full, then those of
    /// a size class.
    pub fn next(
        &self,
        snapshot: &Snapshot,
        allows: impl Fn(Target) -> bool,
    ) -> Option<(Range<usize>, Target)> {
        let worn = || {
            self.worn(snapshot).find_map(|range| {
                let target = self.target(snapshot, &snapshot.segments[range.clone()]);
                allows(target).then_some((range, target))
            })
        };
        let to_file = || {
            let first = self.waiting(snapshot).next().map(|first| first..first + 1);
            Some((first.or_else(|| self.mergeable(snapshot))?, Target::File))
        };
        worn().or_else(|| allows(Target::File).then(to_file).flatten())
    }

    /// Positions of full segments in memory that wait for a file.
    pub fn waiting(&self, snapshot: &Snapshot) -> impl Iterator<Item = usize> {
        let full = full(snapshot).iter().enumerate();
        let is_large = snapshot.is_large(self.sealing);
        let is_due = move |segment: &Segment| {
            is_large && segment.file().is_none() && segment.is_worth(self.sealing)
        };
        full.filter(move |(_, segment)| is_due(segment)).map(|(position, _)| position)
    }

    /// Worn segments are rewritten to where their rows are. In a large index, large ones in memory get a file.
    fn target(&self, snapshot: &Snapshot, sources: &[Arc<Segment>]) -> Target {
        let live: u32 = sources.iter().map(|one| one.slots.live()).sum();
        let is_worth = || {
            live >= self.sealing.slots_min || sources.iter().any(|one| one.is_worth(self.sealing))
        };
        let has_file = sources.iter().any(|one| one.file().is_some());
        match has_file || snapshot.is_large(self.sealing) && is_worth() {
            true => Target::File,
            false => Target::Memory,
        }
    }

    /// Segments with too many dead slots; each with a neighbour if the live assets fit into one segment.
    fn worn(&self, snapshot: &Snapshot) -> impl Iterator<Item = Range<usize>> {
        let is_worn = |segment: &Segment| {
            let slots = &segment.slots;
            slots.dead() >= DEAD_MIN && slots.dead() >= slots.len() / DEAD_SHARE
        };
        let fits = |first: usize| {
            let pair = snapshot.segments.get(first..first + 2);
            let live = |pair: &[Arc<Segment>]| pair.iter().map(|one| one.slots.live()).sum::<u32>();
            pair.is_some_and(|pair| live(pair) <= self.sizes.segment_slots && self.fit(pair))
        };
        let positions = 0..snapshot.segments.len();
        let worn = positions.filter(move |&at| is_worn(&snapshot.segments[at]));
        worn.map(move |at| match at {
            _ if fits(at) => at..at + 2,
            1.. if fits(at - 1) => at - 1..at + 1,
            _ => at..at + 1,
        })
    }

    /// Whether the columns of segments fit into one.
    fn fit(&self, segments: &[Arc<Segment>]) -> bool {
        let rows: usize = segments.iter().map(|segment| segment.largest_column()).sum();
        rows <= self.sizes.column_rows_max
    }

    /// The first eight adjacent full segments of the same size class. Each class is eight times as large as the one before.
    fn mergeable(&self, snapshot: &Snapshot) -> Option<Range<usize>> {
        if !snapshot.is_large(self.sealing) {
            return None;
        }
        let mut size = self.sizes.segment_slots;
        while size < self.sizes.segment_slots_max {
            let next = size.saturating_mul(MERGED as u32).min(self.sizes.segment_slots_max);
            let due = |part: &[Arc<Segment>]| {
                let live = part.iter().map(|one| one.slots.live());
                let (largest, all) = (live.clone().max().unwrap_or(0), live.sum::<u32>());
                // A row is copied only into a segment of twice the size, so it is copied seldom.
                largest <= size && all <= next && largest <= all / 2 && self.fit(part)
            };
            if let Some(first) = full(snapshot).windows(MERGED).position(due) {
                return Some(first..first + MERGED);
            }
            size = next;
        }
        None
    }
}

/// All segments but the last, which grows.
fn full(snapshot: &Snapshot) -> &[Arc<Segment>] {
    snapshot.segments.split_last().map_or(&[], |(_, full)| full)
}
