//! The start of an index: maps the files of sealed segments and replays the journal. Without usable files, all assets
//! are loaded from the store.
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use iscc_columns::sections::SealError;
use iscc_index::options::SegmentSizes;
use iscc_index::segment::sealed::{self, Expected};
use iscc_index::segment::{Matching, Segment};
use iscc_index::snapshot::Snapshot;
use iscc_index::snapshot::load::{asset_rows, load, numbered, without_assets};
use iscc_index::store::{
    PROGRESS_ROWS, Progress, Reading, SealedEntry, SealedRecord, Store, StoreError,
};

/// How often files are opened again while the process lacks descriptors or memory.
const RETRIES: usize = 20;
const RETRY_PAUSE: Duration = Duration::from_millis(250);

/// What a start needs to know.
pub struct Start<'a> {
    pub store: &'a Store,
    pub folder: &'a Path,
    pub matching: Matching,
    /// When segments are full.
    pub sizes: &'a SegmentSizes,
    pub progress: &'a Progress,
}

/// Why the files are not used.
#[derive(Debug, thiserror::Error)]
enum NotMapped {
    #[error(transparent)]
    File(#[from] SealError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Start<'_> {
    /// The last committed state, and the identifier of the store; it is empty if there are no sealed segments.
    ///
    /// Damaged and missing files are no error: they are made again.
    pub fn run(&self) -> Result<(Snapshot, String), StoreError> {
        let reading = self.store.read()?;
        if let Some(record) = reading.sealed()? {
            match retried(RETRY_PAUSE, || self.mapped(&reading, &record)) {
                Ok(snapshot) => {
                    let names = sealed::names(&record);
                    sealed::remove_files(self.folder, |name| names.contains(name));
                    return Ok((snapshot, record.store));
                }
                Err(NotMapped::Store(error)) => return Err(error),
                Err(NotMapped::File(_)) => {}
            }
        }
        drop(reading);
        self.store.drop_sealed();
        sealed::remove_all(self.folder);
        let snapshot = load(self.store, self.matching, self.sizes, self.progress)?;
        Ok((snapshot, String::new()))
    }

    /// The segments of the files, and those of the assets that changed since.
    fn mapped(&self, reading: &Reading<'_>, record: &SealedRecord) -> Result<Snapshot, NotMapped> {
        let mut snapshot = without_assets(reading)?;
        let mut segments = Vec::with_capacity(record.segments.len() + 1);
        for entry in &record.segments {
            let mut segment = open_segment(self.folder, &record.store, entry, &snapshot)?;
            segment.slots.mark_dead_words(reading.dead(entry.uid)?.into_iter());
            if segment.slots.dead() != entry.dead {
                return Err(SealError::Damaged("dead slots are missing").into());
            }
            segments.push(segment);
        }
        self.replay(reading, &snapshot, &mut segments)?;
        snapshot.segments = numbered(segments.into_iter());
        if snapshot.assets() != reading.assets().map_err(NotMapped::Store)? {
            return Err(SealError::Damaged("assets are missing").into());
        }
        Ok(snapshot)
    }

    /// Marks the slots of changed assets dead, and appends segments with the assets that still exist.
    fn replay(
        &self,
        reading: &Reading<'_>,
        snapshot: &Snapshot,
        segments: &mut Vec<Segment>,
    ) -> Result<(), StoreError> {
        let sealed = segments.len();
        let mut changed = reading.journal()?;
        self.store.use_sealed(changed.len() as u64);
        changed.sort_unstable();
        changed.dedup();
        self.progress.total.store(changed.len() as u64, Ordering::Relaxed);
        for ids in changed.chunks(PROGRESS_ROWS as usize) {
            for &id in ids {
                for segment in &mut segments[..sealed] {
                    if let Some(slot) = segment.slots.find(id) {
                        segment.slots.mark_dead(slot);
                    }
                }
                let Some(record) = reading.asset(id)? else { continue };
                let rows = asset_rows(reading, snapshot, id, record)?;
                let is_full = segments.last().is_some_and(|last| last.is_full(self.sizes));
                if segments.len() == sealed || is_full {
                    segments.push(Segment::new(0, self.matching));
                }
                if let Some(last) = segments.last_mut() {
                    last.add(id, &rows);
                }
            }
            self.progress.add(ids.len() as u64)?;
        }
        // A sealed segment does not grow.
        if segments.len() == sealed {
            segments.push(Segment::new(0, self.matching));
        }
        Ok(())
    }
}

/// Calls `open` again after a pause, while only descriptors or memory are missing: to load all assets instead takes much
/// longer, and writes the files again.
fn retried<T>(pause: Duration, open: impl Fn() -> Result<T, NotMapped>) -> Result<T, NotMapped> {
    for _ in 0..RETRIES {
        match open() {
            Err(NotMapped::File(error)) if error.is_passing() => std::thread::sleep(pause),
            opened => return opened,
        }
    }
    open()
}

/// Opens the segment that an entry of a record names. All its slots are live.
fn open_segment(
    folder: &Path,
    store: &str,
    entry: &SealedEntry,
    snapshot: &Snapshot,
) -> Result<Segment, SealError> {
    let kind_of = |name: &str| snapshot.simprint_types.get(name).map(|known| known.kind);
    sealed::open(folder, &Expected::new(store, entry), &kind_of)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::io::{Error, ErrorKind};

    use super::*;

    /// How often files are opened that fail `failures` times, and whether they are used.
    fn tries(failures: usize, error: impl Fn() -> Error) -> (usize, bool) {
        let tried = Cell::new(0);
        let opened = retried(Duration::ZERO, || {
            tried.set(tried.get() + 1);
            if tried.get() > failures { Ok(()) } else { Err(SealError::File(error()).into()) }
        });
        (tried.get(), opened.is_ok())
    }

    #[cfg(unix)]
    #[test]
    fn files_are_opened_again_while_descriptors_are_missing() {
        let no_descriptor = || Error::from_raw_os_error(libc::EMFILE);
        assert_eq!(tries(0, no_descriptor), (1, true));
        assert_eq!(tries(3, no_descriptor), (4, true));
        assert_eq!(tries(usize::MAX, no_descriptor), (RETRIES + 1, false));
    }

    #[test]
    fn missing_files_are_not_opened_again() {
        assert_eq!(tries(3, || ErrorKind::NotFound.into()), (1, false));
    }
}
