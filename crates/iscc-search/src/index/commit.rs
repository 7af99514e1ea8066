//! Group commit: changes that arrive while one is written are committed together, with one wait
//! for the disk.

use std::sync::{Arc, PoisonError};

use super::draft::Draft;
use super::{Index, SlotRef, Writer, store_failure};
use crate::asset::NewAsset;
use crate::failure::{Answer, Failure};
use crate::id::IsccId;
use crate::reply::Reply;
use crate::segment::Segment;
use crate::snapshot::Snapshot;
use crate::store::StoreError;

/// Assets of a group at most, so that no transaction gets too large for the store.
const GROUP_ASSETS_MAX: usize = 50_000;
/// A segment is written anew when one in so many of its slots is dead.
const DEAD_SHARE: u32 = 5;
/// Slots that have to be dead for that.
const DEAD_MIN: u32 = 256;

/// A change to an index.
pub enum Change {
    /// Add or replace assets: all or none.
    Add(Vec<NewAsset>),
    /// Delete an asset.
    Delete {
        /// The asset.
        id: IsccId,
        /// Its ISCC-ID as it was sent.
        id_text: String,
    },
}

impl Change {
    /// The deletion of an asset.
    pub fn delete(id_text: &str) -> Result<Self, Failure> {
        let id = IsccId::parse(id_text).map_err(Failure::rejected)?;
        Ok(Self::Delete { id, id_text: id_text.to_owned() })
    }

    fn assets(&self) -> usize {
        match self {
            Self::Add(assets) => assets.len(),
            Self::Delete { .. } => 1,
        }
    }
}

/// Changes that wait, and whether a thread is at them.
#[derive(Default)]
pub(super) struct Queue {
    waiting: Vec<(Change, Reply)>,
    has_leader: bool,
}

impl Index {
    /// Makes a change durable and visible, then replies.
    ///
    /// If another thread is committing, the change is left to it and the call returns at once;
    /// else this thread commits until nothing waits.
    pub fn submit(&self, change: Change, reply: Reply) {
        {
            let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
            queue.waiting.push((change, reply));
            if queue.has_leader {
                return;
            }
            queue.has_leader = true;
        }
        let _leading = Leading(self);
        while let Some(group) = self.next_group() {
            self.commit(group);
            self.rewrite_worn_segments();
        }
    }

    /// The changes to commit next; without any, this thread is no longer the leader.
    fn next_group(&self) -> Option<Vec<(Change, Reply)>> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if queue.waiting.is_empty() {
            queue.has_leader = false;
            return None;
        }
        let mut assets = 0;
        let fits = |(change, _): &&(Change, Reply)| {
            assets += change.assets();
            assets <= GROUP_ASSETS_MAX
        };
        let count = queue.waiting.iter().take_while(fits).count();
        Some(queue.waiting.drain(..count.max(1)).collect())
    }

    fn commit(&self, group: Vec<(Change, Reply)>) {
        let outcome = self.write(&group);
        match outcome {
            Ok(answers) => {
                for ((_, reply), answer) in group.into_iter().zip(answers) {
                    reply.send(answer);
                }
            }
            Err(error) => {
                let failure = store_failure(&error);
                for (_, reply) in group {
                    reply.send(Err(failure.clone()));
                }
            }
        }
    }

    /// Applies all changes in one transaction and publishes the new state once that is durable.
    fn write(&self, group: &[(Change, Reply)]) -> Result<Vec<Answer>, StoreError> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut refused = Vec::new();
        let committed = self.store.write(|writing| {
            let mut draft = Draft::new(self, &writer);
            let mut answers = Vec::with_capacity(group.len());
            for (change, _) in group {
                answers.push(match change {
                    Change::Add(assets) => draft.add(writing, assets)?,
                    Change::Delete { id, id_text } => draft.delete(writing, *id, id_text)?,
                });
            }
            if draft.finish(writing)? {
                return Ok(Some((draft.snapshot, draft.moved, draft.next_uid, answers)));
            }
            refused = answers;
            Ok(None)
        })?;
        let Some(((snapshot, moved, next_uid, answers), version)) = committed else {
            return Ok(refused);
        };
        self.publish(Snapshot { version, ..snapshot });
        writer.next_uid = next_uid;
        for (id, slot) in moved {
            match slot {
                Some(slot) => writer.slots.insert(id, slot),
                None => writer.slots.remove(&id),
            };
        }
        Ok(answers)
    }

    pub(super) fn publish(&self, snapshot: Snapshot) {
        let next = Arc::new(snapshot);
        let mut published = self.published.write().unwrap_or_else(PoisonError::into_inner);
        let last = std::mem::replace(&mut *published, next);
        drop(published);
        // Freeing what only the last state held may take a while; readers need not wait for it.
        drop(last);
    }

    /// Writes segments anew of which too many slots are dead. Searches go on meanwhile.
    fn rewrite_worn_segments(&self) {
        let is_worn = |segment: &Arc<Segment>| {
            let slots = &segment.slots;
            slots.dead() >= DEAD_MIN && slots.dead() >= slots.len() / DEAD_SHARE
        };
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut snapshot = (*self.snapshot()).clone();
        let Some(worn) = snapshot.segments.iter().position(is_worn) else { return };
        // What is left of two neighbours may fit into one.
        let full = self.options.segment_slots();
        let fits = |first: usize| {
            let pair = snapshot.segments.get(first..first + 2);
            pair.is_some_and(|pair| pair.iter().map(|one| one.slots.live()).sum::<u32>() <= full)
        };
        let range = match worn {
            _ if fits(worn) => worn..worn + 2,
            1.. if fits(worn - 1) => worn - 1..worn + 1,
            _ => worn..worn + 1,
        };
        let sources: Vec<&Segment> =
            snapshot.segments[range.clone()].iter().map(Arc::as_ref).collect();
        let uid = writer.next_uid;
        let (segment, moved) = Segment::rewritten(uid, &sources);
        snapshot.segments.splice(range, [Arc::new(segment)]);
        self.publish(snapshot);
        writer.next_uid += 1;
        let Writer { slots, .. } = &mut *writer;
        slots.extend(moved.into_iter().map(|(id, slot)| (id, SlotRef { segment_uid: uid, slot })));
    }
}

/// Ends this thread's lead even if a commit panics: whatever waits is told, and the next change
/// finds a leader in its own thread.
struct Leading<'a>(&'a Index);

impl Drop for Leading<'_> {
    fn drop(&mut self) {
        let mut queue = self.0.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if std::thread::panicking() {
            queue.has_leader = false;
            for (_, reply) in queue.waiting.drain(..) {
                reply.send(Err(Failure::broken("committing failed")));
            }
        }
    }
}
