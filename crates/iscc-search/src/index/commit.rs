//! Group commit: changes that arrive during a commit are committed together next, with one fsync.

use std::sync::{Arc, PoisonError};

use super::draft::Draft;
use super::{Index, SlotRef, Writer, store_failure};
use crate::asset::NewAsset;
use crate::failure::{Failure, Response};
use crate::id::IsccId;
use crate::reply::Reply;
use crate::segment::Segment;
use crate::snapshot::Snapshot;
use crate::store::{LogTable, StoreError};

/// Maximum number of assets in a group. Limits the size of a transaction.
const GROUP_ASSETS_MAX: usize = 50_000;
/// A segment is compacted when at least 1 / `DEAD_SHARE` of its slots are dead, ...
const DEAD_SHARE: u32 = 5;
/// ... and at least this many.
const DEAD_MIN: u32 = 256;

/// A change to an index.
pub enum Change {
    /// Add or replace assets: all or none.
    Add(Vec<NewAsset>),
    /// Delete an asset.
    Delete {
        /// The asset.
        id: IsccId,
        /// Its ISCC-ID as the client sent it.
        id_text: String,
    },
    /// Apply what a follower took from a hub's log.
    Log(LogChange),
}

/// Assets and follower state that change together.
#[derive(Debug, Default)]
pub struct LogChange {
    /// Assets to add or replace.
    pub put: Vec<NewAsset>,
    /// Assets to delete, by body of the ISCC-ID. Missing ones are ignored.
    pub delete: Vec<u64>,
    /// Rows of the log databases to store, or to delete where there is no value.
    pub rows: Vec<LogRow>,
}

/// A row of a log database.
#[derive(Debug)]
pub struct LogRow {
    /// The database.
    pub table: LogTable,
    /// The key.
    pub key: Vec<u8>,
    /// The value; `None` deletes the row.
    pub value: Option<Vec<u8>>,
}

impl Change {
    /// Deletion of an asset, by the text of its ISCC-ID.
    pub fn delete(id_text: &str) -> Result<Self, Failure> {
        let id = IsccId::parse(id_text).map_err(Failure::rejected)?;
        Ok(Self::Delete { id, id_text: id_text.to_owned() })
    }

    fn assets(&self) -> usize {
        match self {
            Self::Add(assets) => assets.len(),
            Self::Delete { .. } => 1,
            Self::Log(change) => change.put.len() + change.delete.len(),
        }
    }
}

/// Waiting changes, and whether a thread is committing.
#[derive(Default)]
pub(super) struct Queue {
    waiting: Vec<(Change, Reply)>,
    has_leader: bool,
}

impl Index {
    /// Makes a change durable and visible, then replies.
    ///
    /// If another thread is committing, it takes over the change and the call returns immediately. Otherwise this
    /// thread becomes the leader and commits until no changes wait.
    pub fn submit(&self, change: Change, reply: Reply) {
        {
            let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
            queue.waiting.push((change, reply));
            if queue.has_leader {
                return;
            }
            queue.has_leader = true;
        }
        let _leader = LeaderGuard(self);
        while let Some(group) = self.next_group() {
            self.commit(group);
            self.compact_segments();
        }
    }

    /// The changes to commit next. Without any, returns `None` and this thread stops being the leader.
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
            Ok(results) => {
                for ((_, reply), result) in group.into_iter().zip(results) {
                    reply.send(result);
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

    /// Applies all changes in one transaction. Publishes the new state when the transaction is durable.
    fn write(&self, group: &[(Change, Reply)]) -> Result<Vec<Response>, StoreError> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut unchanged = Vec::new();
        let committed = self.store.write(|writing| {
            let mut draft = Draft::new(self, &writer);
            let mut results = Vec::with_capacity(group.len());
            for (change, _) in group {
                results.push(match change {
                    Change::Add(assets) => draft.add(writing, assets)?,
                    Change::Delete { id, id_text } => draft.delete(writing, *id, id_text)?,
                    Change::Log(change) => draft.apply_log(writing, change)?,
                });
            }
            if draft.finish(writing)? {
                return Ok(Some((draft.snapshot, draft.moved, draft.next_uid, results)));
            }
            unchanged = results;
            Ok(None)
        })?;
        let Some(((snapshot, moved, next_uid, results), version)) = committed else {
            return Ok(unchanged);
        };
        self.publish(Snapshot { version, ..snapshot });
        writer.next_uid = next_uid;
        for (id, slot) in moved {
            match slot {
                Some(slot) => writer.slots.insert(id, slot),
                None => writer.slots.remove(&id),
            };
        }
        Ok(results)
    }

    pub(super) fn publish(&self, snapshot: Snapshot) {
        let next = Arc::new(snapshot);
        let mut published = self.published.write().unwrap_or_else(PoisonError::into_inner);
        let last = std::mem::replace(&mut *published, next);
        drop(published);
        // Freeing the old state may take a while. The lock is released first, so that readers do not wait.
        drop(last);
    }

    /// Compacts the first segment with too many dead slots. Searches continue meanwhile.
    fn compact_segments(&self) {
        let is_due = |segment: &Arc<Segment>| {
            let slots = &segment.slots;
            slots.dead() >= DEAD_MIN && slots.dead() >= slots.len() / DEAD_SHARE
        };
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut snapshot = (*self.snapshot()).clone();
        let Some(due) = snapshot.segments.iter().position(is_due) else { return };
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
        let sources: Vec<&Segment> =
            snapshot.segments[range.clone()].iter().map(Arc::as_ref).collect();
        let uid = writer.next_uid;
        let (segment, moved) = Segment::compacted(uid, &sources);
        snapshot.segments.splice(range, [Arc::new(segment)]);
        self.publish(snapshot);
        writer.next_uid += 1;
        let Writer { slots, .. } = &mut *writer;
        slots.extend(moved.into_iter().map(|(id, slot)| (id, SlotRef { segment_uid: uid, slot })));
    }
}

/// Gives up the lead if a commit panics: fails all waiting changes, and lets the next change start a new leader.
struct LeaderGuard<'a>(&'a Index);

impl Drop for LeaderGuard<'_> {
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
