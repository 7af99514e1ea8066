//! The files of segments: which count, and the journal of what changed since.
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError, RwLockReadGuard};
use std::time::Instant;

use iscc_columns::sections::SealError;
use iscc_index::segment::sealed::{self, Expected, NewFile, Paced, SealedFile};
use iscc_index::segment::{DEAD, Segment};
use iscc_index::snapshot::Snapshot;
use iscc_index::store::{SealedEntry, SealedRecord, StoreError};

use super::Index;
use super::merging::{mark_died, range_of};
use crate::response::{FileCount, FileCounts};

/// How many times faster than usual files are written while several segments wait.
pub(super) const HURRY: u64 = 4;

/// What sealing remembers.
#[derive(Debug, Default)]
pub(super) struct SealState {
    /// Identifies the store: 16 random bytes in hex. Empty until it is needed.
    pub store: String,
    /// When sealing may be tried again after a failure.
    retry_at: Option<Instant>,
    /// Files that were written since the start.
    counts: FileCounts,
}

impl FileCount {
    /// Counts a file that counts now. Its segments were chosen at `since`.
    fn add(&mut self, file: &SealedFile, since: Instant) {
        self.files += 1;
        self.bytes += file.bytes;
        self.seconds += since.elapsed().as_secs_f64();
    }
}

impl SealState {
    /// The state of an index whose store is identified by `store`; empty if it has no sealed segments.
    pub fn new(store: String) -> Self {
        Self { store, ..Self::default() }
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
    /// Counts a file of segments that were chosen at `since`.
    pub(super) fn count_file(&self, sources: &[Arc<Segment>], file: &SealedFile, since: Instant) {
        let counts = &mut self.seal_state().counts;
        match sources {
            [source] if source.file().is_none() => counts.seals.add(file, since),
            _ => counts.merges.add(file, since),
        }
    }

    /// Files that were written since the start.
    pub(super) fn file_counts(&self) -> FileCounts {
        self.seal_state().counts
    }

    /// Lets sealing and merging pause after a failure.
    pub(super) fn pause(&self) {
        self.seal_state().retry_at = Some(Instant::now() + self.options.sealing.retry_after);
    }

    /// Whether sealing pauses after a failure.
    pub(super) fn is_paused(&self) -> bool {
        self.retry_at().is_some()
    }

    /// When sealing is tried again after a failure. `None` if it does not pause.
    pub fn retry_at(&self) -> Option<Instant> {
        self.seal_state().retry_at.filter(|&at| Instant::now() < at)
    }

    /// Calls `write` with a new file. While several segments wait, it is written faster.
    pub(super) fn write_file<T>(
        &self,
        should_continue: &(dyn Fn() -> bool + Sync),
        write: impl FnOnce(&NewFile<'_>, &Paced<'_>) -> Result<T, SealError>,
    ) -> Result<T, NotSealed> {
        let store = {
            let mut state = self.seal_state();
            if state.store.is_empty() {
                state.store = random_hex()?;
            }
            state.store.clone()
        };
        let snapshot = self.snapshot();
        let names = Arc::clone(&snapshot.simprint_names);
        let hurry = if self.waiting_segments(&snapshot) > 1 { HURRY } else { 1 };
        let bytes_per_second = self.options.sealing.bytes_per_second * hurry;
        let pace = Paced { bytes_per_second, should_continue };
        let uid = random_uid()?;
        let target =
            NewFile { index_folder: &self.folder, store: &store, uid, simprint_names: &names };
        self.after_seal_step("chosen");
        let written = write(&target, &pace)?;
        self.after_seal_step("written");
        Ok(written)
    }

    /// Makes the file count, and replaces the segments by its columns. `moves` are their new slots.
    pub(super) fn install_sealed(
        &self,
        sources: &[Arc<Segment>],
        uid: u32,
        file: &SealedFile,
        moves: &[Vec<u32>],
    ) -> Result<(), NotSealed> {
        let installed = self.commit_sealed(sources, uid, file, moves);
        match &installed {
            Ok(record) => {
                self.after_seal_step("committed");
                let names = sealed::names(record);
                sealed::remove_files(&self.folder(), |name| names.contains(name));
                sources.iter().for_each(|source| self.forget_slots(source));
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
        sources: &[Arc<Segment>],
        uid: u32,
        file: &SealedFile,
        moves: &[Vec<u32>],
    ) -> Result<SealedRecord, NotSealed> {
        let _writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_deleted() {
            return Err(SealError::Stopped.into());
        }
        let mut snapshot = (*self.snapshot()).clone();
        let Some(range) = range_of(&snapshot, sources) else {
            return Err(SealError::Stopped.into());
        };
        let now = &snapshot.segments[range.clone()];
        let slots = moves.iter().flatten().filter(|&&slot| slot != DEAD).count() as u32;
        let mut segment = self.mapped(&snapshot, slots, file)?;
        mark_died(sources, now, moves, &mut segment.slots);
        segment.uid = uid;
        snapshot.segments.splice(range, [Arc::new(segment)]);
        self.commit_record(snapshot)
    }

    /// Replaces the journal by a record of the present state, if that is much shorter. Updates of the same few assets would
    /// let the journal grow for ever.
    pub fn trim_journal(&self) -> Result<(), NotSealed> {
        let _restructuring = self.restructuring.lock().unwrap_or_else(PoisonError::into_inner);
        let _writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let snapshot = (*self.snapshot()).clone();
        let in_memory = snapshot.segments.iter().filter(|segment| segment.file().is_none());
        let changed: u64 = in_memory.map(|segment| u64::from(segment.slots.live())).sum();
        let has_files = snapshot.files().next().is_some();
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
            snapshot.segments.iter().filter(|one| one.file().is_some()).collect();
        let dead = |position: usize| sealed[position].slots.dead_words().collect();
        let written =
            self.store.write(|writing| writing.put_sealed(&record, dead, &changed).map(Some))?;
        if let Some(((), version)) = written {
            self.publish(Snapshot { version, ..snapshot });
        }
        Ok(record)
    }

    /// A segment with the columns of a file, opened in the index's present folder: the index may have been renamed while the
    /// file was written.
    fn mapped(
        &self,
        snapshot: &Snapshot,
        slots: u32,
        file: &SealedFile,
    ) -> Result<Segment, SealError> {
        let store = self.seal_state().store.clone();
        let (uid, bytes, hash) = (file.uid, file.bytes, &file.hash);
        let expected = Expected { store: &store, uid, slots, bytes, hash };
        let kind_of = |name: &str| snapshot.simprint_types.get(name).map(|known| known.kind);
        let segment = sealed::open(&self.folder(), &expected, &kind_of)?;
        if let Some(file) = segment.file() {
            file.is_checked.store(true, Ordering::Release);
            // It was just written, so its pages are in memory.
            file.is_warm.store(true, Ordering::Release);
        }
        Ok(segment)
    }

    /// The record of a snapshot, and the ISCC-ID bodies of its assets that are not in files.
    fn record_of(&self, snapshot: &Snapshot) -> (SealedRecord, Vec<u64>) {
        let (mut segments, mut changed) = (Vec::new(), Vec::new());
        for segment in &snapshot.segments {
            match segment.file() {
                Some(file) => segments.push(entry(file, segment)),
                None => changed.extend(segment.slots.iter_live().map(|(_, id)| id)),
            }
        }
        (SealedRecord { store: self.seal_state().store.clone(), segments }, changed)
    }

    /// Folder of the index's files. A rename waits until it is released.
    pub(super) fn folder(&self) -> RwLockReadGuard<'_, PathBuf> {
        self.folder.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn seal_state(&self) -> std::sync::MutexGuard<'_, SealState> {
        self.seal_state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn after_seal_step(&self, step: &str) {
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
