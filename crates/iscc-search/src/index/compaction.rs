//! Compaction of segments with many dead slots, next to searches and changes.

use std::sync::{Arc, PoisonError};

use super::{Index, SlotRef};
use crate::segment::Segment;

/// A segment is compacted when at least 1 / `DEAD_SHARE` of its slots are dead, ...
const DEAD_SHARE: u32 = 5;
/// ... and at least this many.
const DEAD_MIN: u32 = 256;

/// Segments to replace by one.
struct Compaction {
    /// As they were at the start. Later changes only mark slots as dead.
    sources: Vec<Arc<Segment>>,
    /// `uid` of the new segment.
    uid: u32,
}

impl Index {
    /// Compacts the first segment with too many dead slots. Returns whether there was one.
    ///
    /// The new segment is made without a lock. Only one thread may call this.
    pub fn compact_next(&self) -> bool {
        let Some(Compaction { sources, uid }) = self.start_compaction() else { return false };
        let all: Vec<&Segment> = sources.iter().map(Arc::as_ref).collect();
        let (mut segment, moved) = Segment::compacted(uid, &all);

        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut snapshot = (*self.snapshot()).clone();
        let is_source = |uid: u32| sources.iter().any(|source| source.uid == uid);
        for (id, slot) in moved {
            match writer.slots.get_mut(&id) {
                Some(current) if is_source(current.segment_uid) => {
                    *current = SlotRef { segment_uid: uid, slot };
                }
                // Deleted or replaced meanwhile.
                _ => segment.slots.mark_dead(slot),
            }
        }
        let first = snapshot.segments.iter().position(|segment| is_source(segment.uid));
        if let Some(first) = first {
            snapshot.segments.splice(first..first + sources.len(), [Arc::new(segment)]);
            self.publish(snapshot);
        }
        true
    }

    /// Chooses the segments. If the last one is among them, a new one follows it, so that it does not grow meanwhile.
    fn start_compaction(&self) -> Option<Compaction> {
        let is_due = |segment: &Arc<Segment>| {
            let slots = &segment.slots;
            slots.dead() >= DEAD_MIN && slots.dead() >= slots.len() / DEAD_SHARE
        };
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut snapshot = (*self.snapshot()).clone();
        let due = snapshot.segments.iter().position(is_due)?;
        // The live assets of two adjacent segments may fit into one.
        let full = self.options.segment_slots();
        let fits = |first: usize| {
            let pair = snapshot.segments.get(first..first + 2);
            pair.is_some_and(|pair| pair.iter().map(|one| one.slots.live()).sum::<u32>() <= full)
        };
        let range = match due {
            _ if fits(due) => due..due + 2,
            1.. if fits(due - 1) => due - 1..due + 1,
            _ => due..due + 1,
        };
        let sources = snapshot.segments[range.clone()].to_vec();
        let uid = writer.next_uid;
        writer.next_uid += 1;
        if range.end == snapshot.segments.len() {
            let next = Segment::new(writer.next_uid, self.matching);
            writer.next_uid += 1;
            snapshot.segments.push(Arc::new(next));
            self.publish(snapshot);
        }
        Some(Compaction { sources, uid })
    }
}
