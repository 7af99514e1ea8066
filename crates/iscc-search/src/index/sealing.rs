//! Writes full segments to files, next to searches and changes.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use super::{Index, start};
use crate::background;
use crate::decision::{Decision, Subject};
use crate::sealed::{self, Paced, SealError, SealedFile};
use crate::segment::Segment;
use crate::snapshot::Snapshot;
use crate::store::{SealedEntry, SealedRecord, StoreError};

/// Time after a failure until sealing is tried again, for example on a full disk.
const RETRY_AFTER: Duration = Duration::from_mins(1);

/// How many times faster than usual files are written while several segments wait.
pub(super) const HURRY: u64 = 4;

/// What sealing remembers.
#[derive(Debug, Default)]
pub(super) struct SealState {
    /// Identifies the store: 16 random bytes in hex. Empty until it is needed.
    pub store: String,
    /// When sealing may be tried again after a failure.
    retry_at: Option<Instant>,
}

impl SealState {
    /// The state of an index whose store is identified by `store`; empty if it has no sealed segments.
    pub fn new(store: String) -> Self {
        Self { store, retry_at: None }
    }
}

/// Why a segment is not sealed.
#[derive(Debug, thiserror::Error)]
pub enum NotSealed {
    /// The file could not be written.
    #[error("{0}")]
    File(#[from] SealError),
    /// The store could not be changed.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// There is no randomness.
    #[error("{0}")]
    Random(#[from] getrandom::Error),
}

impl Index {
    /// Seals the next due segment. Returns `None` if nothing is due.
    ///
    /// The file is written without a lock. A failure changes nothing, and sealing pauses for a minute at least.
    pub fn seal_next(&self, should_continue: &(dyn Fn() -> bool + Sync)) -> Option<Decision> {
        let _restructuring = self.restructuring.lock().unwrap_or_else(PoisonError::into_inner);
        let (segment, waiting) = self.next_to_seal()?;
        let sealed = background::run(|| self.write_segment(&segment, waiting, should_continue))
            .and_then(|file| self.install_sealed(&segment, &file).map(|()| file));
        let (outcome, detail) = match sealed {
            Ok(file) => ("file", format!("{} bytes", file.bytes)),
            // The engine is closing, or the segment was replaced meanwhile.
            Err(NotSealed::File(SealError::Stopped)) => return None,
            Err(reason) => {
                self.seal_state().retry_at = Some(Instant::now() + RETRY_AFTER);
                ("memory", format!("not written to a file: {reason}"))
            }
        };
        let subject = Subject::Segment { assets: segment.slots.live().into() };
        Some(Decision { index: self.name(), subject, outcome, detail })
    }

    fn next_to_seal(&self) -> Option<(Arc<Segment>, usize)> {
        if self.is_deleted() || self.seal_state().retry_at.is_some_and(|at| Instant::now() < at) {
            return None;
        }
        let due = self.due_to_seal(&self.snapshot());
        due.first().map(|segment| (Arc::clone(segment), due.len()))
    }

    fn due_to_seal(&self, snapshot: &Snapshot) -> Vec<Arc<Segment>> {
        let sealing = &self.options.sealing;
        let Some((_, full)) = snapshot.segments.split_last() else { return Vec::new() };
        if snapshot.assets() <= sealing.assets_max {
            return Vec::new();
        }
        let rows = snapshot.unit_rows();
        let is_due = |segment: &&Arc<Segment>| {
            let slots = &segment.slots;
            segment.file.is_none()
                && slots.is_ascending()
                && slots.len() >= sealing.slots_min
                && !self.waits_to_freeze(snapshot, &rows, segment)
        };
        full.iter().filter(is_due).cloned().collect()
    }

    fn write_segment(
        &self,
        segment: &Segment,
        waiting: usize,
        should_continue: &(dyn Fn() -> bool + Sync),
    ) -> Result<SealedFile, NotSealed> {
        let store = {
            let mut state = self.seal_state();
            if state.store.is_empty() {
                state.store = random_hex()?;
            }
            state.store.clone()
        };
        let names = Arc::clone(&self.snapshot().simprint_names);
        let hurry = if waiting > 1 { HURRY } else { 1 };
        let pace = Paced {
            bytes_per_second: self.options.sealing.bytes_per_second * hurry,
            should_continue,
        };
        let uid = random_uid()?;
        self.after_seal_step("chosen");
        let file = sealed::write(&self.folder(), &store, uid, segment, &names, &pace)?;
        self.after_seal_step("written");
        Ok(file)
    }

    /// Makes the file count, and replaces the columns in memory by those of the file.
    fn install_sealed(&self, segment: &Segment, file: &SealedFile) -> Result<(), NotSealed> {
        let installed = self.commit_sealed(segment, file);
        match &installed {
            Ok(record) => {
                self.after_seal_step("committed");
                let names = |uid| record.segments.iter().any(|entry| entry.uid == uid);
                sealed::remove_files(&self.folder(), names);
                self.forget_slots(segment);
                self.after_seal_step("removed");
            }
            Err(_) => {
                let _ = std::fs::remove_file(sealed::path_of(&self.folder(), file.uid));
            }
        }
        installed.map(|_| ())
    }

    fn commit_sealed(
        &self,
        segment: &Segment,
        file: &SealedFile,
    ) -> Result<SealedRecord, NotSealed> {
        let _writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_deleted() {
            return Err(SealError::Stopped.into());
        }
        let mut snapshot = (*self.snapshot()).clone();
        let position = snapshot.segments.iter().position(|one| one.uid == segment.uid);
        let Some(position) = position else { return Err(SealError::Stopped.into()) };
        let now = &snapshot.segments[position];
        snapshot.segments[position] = Arc::new(self.mapped(&snapshot, now, file)?);
        self.commit_record(snapshot)
    }

    /// Replaces the journal by a record of the present state, if that is much shorter. Updates of the same few assets would
    /// let the journal grow for ever.
    pub fn trim_journal(&self) -> Result<(), NotSealed> {
        let _restructuring = self.restructuring.lock().unwrap_or_else(PoisonError::into_inner);
        let _writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let snapshot = (*self.snapshot()).clone();
        let in_memory = snapshot.segments.iter().filter(|segment| segment.file.is_none());
        let changed: u64 = in_memory.map(|segment| u64::from(segment.slots.live())).sum();
        let has_files = snapshot.segments.iter().any(|segment| segment.file.is_some());
        let is_long = self.store.journal_ids() > changed * 2 + self.options.sealing.journal_spare;
        if is_long && has_files && !self.is_deleted() {
            self.commit_record(snapshot)?;
        }
        Ok(())
    }

    /// Makes the files of a snapshot those that count, and publishes it. The caller holds the writer's lock.
    fn commit_record(&self, snapshot: Snapshot) -> Result<SealedRecord, NotSealed> {
        let (record, changed) = self.record_of(&snapshot);
        let is_first = !self.store.has_sealed();
        self.store.create_sealed()?;
        if is_first {
            self.publish_version()?;
        }
        let sealed: Vec<&Arc<Segment>> =
            snapshot.segments.iter().filter(|one| one.file.is_some()).collect();
        let dead = |position: usize| sealed[position].slots.dead_words().collect();
        let written =
            self.store.write(|writing| writing.put_sealed(&record, dead, &changed).map(Some))?;
        if let Some(((), version)) = written {
            self.publish(Snapshot { version, ..snapshot });
        }
        Ok(record)
    }

    /// A segment with the columns of its file, opened in the index's present folder: the index may have been renamed while
    /// the file was written.
    fn mapped(
        &self,
        snapshot: &Snapshot,
        segment: &Segment,
        file: &SealedFile,
    ) -> Result<Segment, SealError> {
        let store = self.seal_state().store.clone();
        let entry = entry(file, segment);
        let (mut mapped, file) =
            start::open_segment(&self.folder(), &store, &entry, self.matching, snapshot)?;
        file.is_checked.store(true, Ordering::Release);
        mapped.uid = segment.uid;
        mapped.slots = segment.slots.with_ids_of(&mapped.slots);
        mapped.graphs.clone_from(&segment.graphs);
        mapped.file = Some(Arc::new(file));
        Ok(mapped)
    }

    /// The record of a snapshot, and the ISCC-ID bodies of its assets that are not in files.
    fn record_of(&self, snapshot: &Snapshot) -> (SealedRecord, Vec<u64>) {
        let (mut segments, mut changed) = (Vec::new(), Vec::new());
        for segment in &snapshot.segments {
            match &segment.file {
                Some(file) => segments.push(entry(file, segment)),
                None => changed.extend(segment.slots.iter_live().map(|(_, id)| id)),
            }
        }
        (SealedRecord { store: self.seal_state().store.clone(), segments }, changed)
    }

    /// Folder of the index's files.
    pub(super) fn folder(&self) -> PathBuf {
        self.folder.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn seal_state(&self) -> std::sync::MutexGuard<'_, SealState> {
        self.seal_state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn after_seal_step(&self, step: &str) {
        if let Some(hook) = &self.options.sealing.hook {
            (hook.0)(step);
        }
    }
}

fn entry(file: &SealedFile, segment: &Segment) -> SealedEntry {
    let slots = &segment.slots;
    let (uid, bytes, hash) = (file.uid, file.bytes, file.hash.clone());
    SealedEntry { uid, slots: slots.len(), dead: slots.dead(), bytes, hash }
}

fn random_uid() -> Result<u64, getrandom::Error> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

fn random_hex() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(data_encoding::HEXLOWER.encode(&bytes))
}

#[cfg(test)]
mod tests;
