//! Replaces segments by one, next to searches and changes: a full one by its file, those with many dead slots, and those of
//! a size class.
use std::ops::Range;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use iscc_columns::sections::SealError;
use iscc_columns::slots::Slots;
use iscc_index::segment::Segment;
use iscc_index::segment::sealed::{self, Merged, SealedFile};
use iscc_index::snapshot::Snapshot;

use super::Index;
use super::due::{Due, Target};
use super::sealing::NotSealed;
use crate::background;
use crate::decision::Decision;

/// Number of slots that are removed while the writer is locked, less than a millisecond.
const SLOTS_PER_STEP: usize = 4096;
/// Pause between two steps: a lock that is taken again at once is not given to the writers that wait for it.
const STEP_PAUSE: Duration = Duration::from_micros(200);

/// Segments to replace by one.
struct Merge {
    /// As they were at the start. Later changes only mark slots as dead.
    sources: Vec<Arc<Segment>>,
    target: Target,
    /// `uid` of the new segment. A new one, because its slots have other numbers.
    uid: u32,
}

/// What was replaced.
#[derive(Debug)]
pub enum Replaced {
    /// Nothing is due, or it can't be done now.
    Nothing,
    /// Segments by one in memory.
    InMemory,
    /// Segments by one in a file.
    ToFile(Decision),
    /// Nothing, because a file is damaged or could not be written.
    Failed(Decision),
}

impl Index {
    /// Replaces the segments that are due next.
    ///
    /// The new segment is made without a lock. Indexes that follow logs replace segments in memory between commits instead.
    /// A failure changes nothing, and no file is written for a minute at least.
    pub fn merge_next(&self, should_continue: &(dyn Fn() -> bool + Sync)) -> Replaced {
        let _restructuring = self.restructuring.lock().unwrap_or_else(PoisonError::into_inner);
        let (follows, is_paused) = (self.follows_logs(), self.is_paused() || self.is_deleted());
        let allows = |target| match target {
            Target::File => !is_paused,
            Target::Memory => !follows,
        };
        match self.start_merge(allows) {
            None => Replaced::Nothing,
            Some(merge) if merge.target == Target::Memory => self.merge_in_memory(&merge),
            // Damage must not be copied into a segment whose file is valid.
            Some(merge) => match self.damage(&merge.sources, &|| true) {
                Some(decision) => Replaced::Failed(decision),
                None => self.merge_to_file(&merge, should_continue),
            },
        }
    }

    /// Replaces segments in memory, for an index that follows logs. Returns whether there were any.
    pub(super) fn merge_between_commits(&self) -> bool {
        let Ok(_restructuring) = self.restructuring.try_lock() else { return false };
        let Some(merge) = self.start_merge(|target| target == Target::Memory) else { return false };
        matches!(self.merge_in_memory(&merge), Replaced::InMemory)
    }

    /// Number of full segments in memory that wait for a file.
    pub(super) fn waiting_segments(&self, snapshot: &Snapshot) -> usize {
        self.due().waiting(snapshot).count()
    }

    fn due(&self) -> Due<'_> {
        Due { sizes: &self.options.sizes, sealing: &self.options.sealing }
    }

    /// Chooses the segments. If the last one is among them, a new one follows it, so that it does not grow meanwhile.
    fn start_merge(&self, allows: impl Fn(Target) -> bool) -> Option<Merge> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut snapshot = (*self.snapshot()).clone();
        let (range, target) = self.due().next(&snapshot, allows)?;
        let sources = snapshot.segments[range.clone()].to_vec();
        let uid = writer.next_uid;
        writer.next_uid += 1;
        if range.end == snapshot.segments.len() {
            writer.add_segment(&mut snapshot, self.matching);
            self.publish(snapshot);
        }
        Some(Merge { sources, target, uid })
    }

    fn merge_in_memory(&self, Merge { sources, uid, .. }: &Merge) -> Replaced {
        let all: Vec<&Segment> = sources.iter().map(Arc::as_ref).collect();
        let (segment, moves) = background::run(|| Segment::compacted(*uid, self.matching, &all));
        self.replace(sources, segment, &moves);
        sources.iter().for_each(|source| self.forget_slots(source));
        Replaced::InMemory
    }

    fn merge_to_file(
        &self,
        Merge { sources, uid, .. }: &Merge,
        should_continue: &(dyn Fn() -> bool + Sync),
    ) -> Replaced {
        let since = Instant::now();
        let all: Vec<&Segment> = sources.iter().map(Arc::as_ref).collect();
        let merged = background::run_again(should_continue, |should_continue| {
            self.write_merged(&all, should_continue)
        })
        .and_then(|Merged { file, moves }| {
            self.install_sealed(sources, *uid, &file, &moves).map(|()| file)
        });
        let decision = |outcome, detail| {
            let assets = sources.iter().map(|one| u64::from(one.slots.live())).sum();
            Decision { index: self.name(), assets, outcome, detail }
        };
        match merged {
            Ok(file) => {
                self.count_file(sources, &file, since);
                Replaced::ToFile(decision("file", file_detail(sources, &file)))
            }
            // The engine is closing, or the segments were replaced meanwhile.
            Err(NotSealed::File(SealError::Stopped)) => Replaced::Nothing,
            Err(reason) => {
                self.pause();
                Replaced::Failed(decision("memory", format!("not written to a file: {reason}")))
            }
        }
    }

    fn write_merged(
        &self,
        sources: &[&Segment],
        should_continue: &(dyn Fn() -> bool + Sync),
    ) -> Result<Merged, NotSealed> {
        self.write_file(should_continue, |target, pace| {
            sealed::merge(target, sources, &self.options.sizes, pace)
        })
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

    /// Removes the slots of a replaced segment from the writer's map, step by step, so that writers do not wait. Those of a
    /// segment in a file were removed when it got the file.
    pub(super) fn forget_slots(&self, segment: &Segment) {
        if segment.file().is_some() {
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
}

fn file_detail(sources: &[Arc<Segment>], file: &SealedFile) -> String {
    match sources.len() {
        1 => format!("{} bytes", file.bytes),
        count => format!("{count} segments merged, {} bytes", file.bytes),
    }
}

/// Positions of adjacent segments in a snapshot.
pub(super) fn range_of(snapshot: &Snapshot, sources: &[Arc<Segment>]) -> Option<Range<usize>> {
    let mut segments = snapshot.segments.iter();
    let first = segments.position(|one| one.uid == sources[0].uid)?;
    Some(first..first + sources.len())
}

/// Marks the slots of replaced segments that were deleted or replaced meanwhile. `now` are the present states of `sources`.
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
