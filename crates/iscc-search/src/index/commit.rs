//! Group commit: changes that arrive during a commit are committed together next, with one fsync.
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use iscc_index::id::IsccId;
use iscc_index::snapshot::Snapshot;
use iscc_index::store::{LogTable, StoreError};

use super::draft::Draft;
use super::following::RowChange;
use super::{Index, store_failure};
use crate::asset::NewAsset;
use crate::failure::{Failure, Response};
use crate::reply::Reply;
use crate::transfer::lines::NewLines;

/// Maximum number of assets in a group. Limits the size of a transaction.
const GROUP_ASSETS_MAX: usize = 50_000;
/// A change to an index.
pub enum Change {
    /// Add or replace assets: all or none.
    Add(Vec<NewAsset>),
    /// Add or replace each asset that follows the rules.
    AddLines(NewLines),
    /// Delete several assets. Missing ones are reported.
    DeleteAll(Vec<(IsccId, String)>),
    /// Delete an asset.
    Delete {
        /// The asset.
        id: IsccId,
        /// Its ISCC-ID as the client sent it.
        id_text: String,
    },
    /// Apply what a follower took from a hub's log.
    Log(LogChange),
    /// Apply the rows that a database has.
    Rows(RowChange),
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
#[derive(Debug, Clone, PartialEq, Eq)]
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
            Self::AddLines(lines) => lines.assets.len(),
            Self::DeleteAll(ids) => ids.len(),
            Self::Delete { .. } => 1,
            Self::Log(change) => change.put.len() + change.delete.len(),
            Self::Rows(change) => change.put.len() + change.delete.len(),
        }
    }
}

/// Waiting changes, and whether a thread is committing.
#[derive(Default)]
pub(super) struct Queue {
    waiting: Vec<(Change, Reply)>,
    has_leader: bool,
}

impl Queue {
    /// Number of waiting changes.
    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }
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
            // Nothing else writes to an index that follows logs.
            while self.follows_logs() && self.merge_between_commits() {}
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
        let assets: usize = group.iter().map(|(change, _)| change.assets()).sum();
        self.changed_assets.fetch_add(assets as u64, Ordering::Relaxed);
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
                results.push(draft.apply(writing, change)?);
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
