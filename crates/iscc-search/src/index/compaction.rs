//! Compaction of segments with many dead slots, and merging of full segments, next to searches and changes.

use std::ops::Range;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use super::Index;
use crate::background;
use crate::decision::Decision;
use crate::options::{Freezing, Sealing};
use crate::segment::Segment;
use crate::slots::Slots;
use crate::snapshot::Snapshot;

/// A segment is compacted when at least 1 / `DEAD_SHARE` of its slots are dead, ...
const DEAD_SHARE: u32 = 5;
/// ... and at least this many.
const DEAD_MIN: u32 = 256;
/// Number of adjacent full segments of a size class that are merged.
const MERGED: usize = 8;
/// Number of slots that are removed while the writer is locked, less than a millisecond.
const SLOTS_PER_STEP: usize = 4096;
/// Pause between two steps: a lock that is taken again at once is not given to the writers that wait for it.
const STEP_PAUSE: Duration = Duration::from_micros(200);

/// Segments to replace by one.
struct Compaction {
    /// As they were at the start. Later changes only mark slots as dead.
    sources: Vec<Arc<Segment>>,
    /// `uid` of the new segment.
    uid: u32,
}

/// What compaction did.
#[derive(Debug)]
pub enum Compacted {
    /// Nothing is due, or it can't be done now.
    Nothing,
    /// Segments were replaced by one in memory.
    InMemory,
    /// Segments were replaced by one in a file.
    ToFile(Decision),
    /// A file could not be written.
    Failed(Decision),
}

impl Index {
    /// Compacts the first segment with too many dead slots, or merges full segments.
    ///
    /// The new segment is made without a lock. Does nothing while another thread replaces segments. Indexes that follow logs
    /// compact segments in memory between commits.
    pub fn compact_next(&self, should_continue: &(dyn Fn() -> bool + Sync)) -> Compacted {
        let Ok(_restructuring) = self.restructuring.try_lock() else { return Compacted::Nothing };
        let follows = self.follows_logs();
        let wants = |sources: &[Arc<Segment>]| match self.is_merged_to_file(sources) {
            true => !self.is_paused(),
            false => !follows,
        };
        let Some(Compaction { sources, uid }) = self.start_compaction(wants) else {
            return Compacted::Nothing;
        };
        if !self.is_merged_to_file(&sources) {
            return self.compact_in_memory(&sources, uid);
        }
        if !self.are_valid(&sources) {
            return Compacted::Nothing;
        }
        match self.merge_to_file(&sources, uid, should_continue) {
            None => Compacted::Nothing,
            Some(decision) if decision.outcome == "file" => Compacted::ToFile(decision),
            Some(decision) => Compacted::Failed(decision),
        }
    }

    /// Compacts or merges segments in memory, for an index that follows logs. Returns whether there was any.
    pub(super) fn compact_between_commits(&self) -> bool {
        let Ok(_restructuring) = self.restructuring.try_lock() else { return false };
        let wants = |sources: &[Arc<Segment>]| !self.is_merged_to_file(sources);
        let Some(Compaction { sources, uid }) = self.start_compaction(wants) else { return false };
        matches!(self.compact_in_memory(&sources, uid), Compacted::InMemory)
    }

    fn compact_in_memory(&self, sources: &[Arc<Segment>], uid: u32) -> Compacted {
        if !self.are_valid(sources) {
            return Compacted::Nothing;
        }
        let all: Vec<&Segment> = sources.iter().map(Arc::as_ref).collect();
        let (segment, moves) = background::run(|| Segment::compacted(uid, &all));
        self.replace(sources, segment, &moves);
        sources.iter().for_each(|source| self.forget_slots(source));
        Compacted::InMemory
    }

    /// Whether the files of segments are valid. Damage must not be copied into a segment whose file is valid. If there is
    /// some, the index is loaded again.
    fn are_valid(&self, sources: &[Arc<Segment>]) -> bool {
        let mut files = sources.iter().filter_map(|source| source.file.as_ref());
        files.all(|file| self.check_file(file, &|| true).is_ok())
    }

    /// Publishes the new segment.
    fn replace(&self, sources: &[Arc<Segment>], mut segment: Segment, moves: &[Vec<u32>]) {
        let _writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut snapshot = (*self.snapshot()).clone();
        let Some(range) = range_of(&snapshot, sources) else { return };
        mark_died(sources, &snapshot.segments[range.clone()], moves, &mut segment.slots);
        snapshot.segments.splice(range, [Arc::new(segment)]);
        self.publish(snapshot);
    }

    /// Removes the slots of a replaced or full segment, step by step, so that writers do not wait. They are out of date,
    /// or found in the segment. Those of a segment with a file were removed when it was sealed.
    pub(super) fn forget_slots(&self, segment: &Segment) {
        if segment.file.is_some() {
            return;
        }
        let ids: Vec<u64> = segment.slots.iter_live().map(|(_, id)| id).collect();
        for (step, ids) in ids.chunks(SLOTS_PER_STEP).enumerate() {
            if step > 0 {
                std::thread::sleep(STEP_PAUSE);
            }
            let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
            for id in ids {
                if writer.slots.get(id).is_some_and(|at| at.segment_uid == segment.uid) {
                    writer.slots.remove(id);
                }
            }
        }
    }

    /// Chooses the segments. If the last one is among them, a new one follows it, so that it does not grow meanwhile.
    fn start_compaction(&self, wants: impl Fn(&[Arc<Segment>]) -> bool) -> Option<Compaction> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut snapshot = (*self.snapshot()).clone();
        let freezing = &self.options.freezing;
        let range = worn(&snapshot, freezing)
            .or_else(|| mergeable(&snapshot, freezing))
            .or_else(|| unordered(&snapshot, &self.options.sealing))?;
        let sources = snapshot.segments[range.clone()].to_vec();
        if !wants(&sources) {
            return None;
        }
        let uid = writer.next_uid;
        writer.next_uid += 1;
        if range.end == snapshot.segments.len() {
            writer.add_segment(&mut snapshot, self.matching);
            self.publish(snapshot);
        }
        Some(Compaction { sources, uid })
    }
}

/// Positions of adjacent segments in a snapshot.
pub(super) fn range_of(snapshot: &Snapshot, sources: &[Arc<Segment>]) -> Option<Range<usize>> {
    let mut segments = snapshot.segments.iter();
    let first = segments.position(|one| one.uid == sources[0].uid)?;
    Some(first..first + sources.len())
}

/// Marks the slots of merged segments that were deleted or replaced meanwhile. `now` are the present states of `sources`.
pub(super) fn mark_died(
    sources: &[Arc<Segment>],
    now: &[Arc<Segment>],
    moves: &[Vec<u32>],
    slots: &mut Slots,
) {
    for ((before, now), moves) in sources.iter().zip(now).zip(moves) {
        for slot in now.slots.died_since(&before.slots) {
            slots.mark_dead(moves[slot as usize]);
        }
    }
}

/// The first segment with too many dead slots; together with a neighbour if the live assets fit into one segment.
fn worn(snapshot: &Snapshot, freezing: &Freezing) -> Option<Range<usize>> {
    let is_due = |segment: &Arc<Segment>| {
        let slots = &segment.slots;
        slots.dead() >= DEAD_MIN && slots.dead() >= slots.len() / DEAD_SHARE
    };
    let due = snapshot.segments.iter().position(is_due)?;
    let fits = |first: usize| {
        let pair = snapshot.segments.get(first..first + 2);
        let live = |pair: &[Arc<Segment>]| pair.iter().map(|one| one.slots.live()).sum::<u32>();
        pair.is_some_and(|pair| live(pair) <= freezing.segment_slots && fit(pair, freezing))
    };
    Some(match due {
        _ if fits(due) => due..due + 2,
        1.. if fits(due - 1) => due - 1..due + 1,
        _ => due..due + 1,
    })
}

/// Whether the columns of segments fit into one.
fn fit(segments: &[Arc<Segment>], freezing: &Freezing) -> bool {
    let rows: usize = segments.iter().map(|segment| segment.largest_column()).sum();
    rows <= freezing.column_rows_max
}

/// The first full segment that is to be sealed, but is not in the order of its ISCC-IDs.
fn unordered(snapshot: &Snapshot, sealing: &Sealing) -> Option<Range<usize>> {
    let (_, full) = snapshot.segments.split_last()?;
    if !sealing.is_large(snapshot) {
        return None;
    }
    let is_due =
        |segment: &Arc<Segment>| !segment.slots.is_ascending() && sealing.is_worth(segment);
    full.iter().position(is_due).map(|first| first..first + 1)
}

/// The first eight adjacent full segments of the same size class. Each class is eight times as large as the one before.
fn mergeable(snapshot: &Snapshot, freezing: &Freezing) -> Option<Range<usize>> {
    let (_, full) = snapshot.segments.split_last()?;
    if !freezing.is_large(snapshot) {
        return None;
    }
    let mut size = freezing.segment_slots;
    while size < freezing.segment_slots_max {
        let next = size.saturating_mul(MERGED as u32).min(freezing.segment_slots_max);
        let due = |part: &[Arc<Segment>]| {
            let live = part.iter().map(|one| one.slots.live());
            let (largest, all) = (live.clone().max().unwrap_or(0), live.sum::<u32>());
            // A row is copied only into a segment of twice the size, so it is copied seldom.
            largest <= size && all <= next && largest <= all / 2 && fit(part, freezing)
        };
        if let Some(first) = full.windows(MERGED).position(due) {
            return Some(first..first + MERGED);
        }
        size = next;
    }
    None
}
