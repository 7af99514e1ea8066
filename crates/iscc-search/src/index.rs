//! One stored index: LMDB on disk, a snapshot in memory, and commits that keep the two in step.

pub mod changes;
mod commit;
mod draft;
mod due;
mod file_check;
mod following;
mod merging;
mod page_check;
mod paths;
mod sealing;
mod search;
mod start;
mod warming;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use iscc_index::filter::Filter;
use iscc_index::id::IsccId;
use iscc_index::paths::Paths;
use iscc_index::record::{Record, StoredSimprints, read_simprints};
use iscc_index::segment::{Matching, Segment};
use iscc_index::snapshot::Snapshot;
use iscc_index::store::{Progress, Reading, Store, StoreError};
use tempfile::TempDir;

use crate::asset_match;
use crate::failure::{Failure, FailureKind, Response};
use crate::fields::Fields;
use crate::options::Options;
use crate::query::QueryAsset;
use crate::response::{self, IndexInfo, IndexMetrics};
use crate::transfer::{self, AssetPage, Form, PageRequest};

pub use commit::{Change, LogChange, LogRow};
pub use following::{IndexState, Rehearsal, RowChange};
pub use merging::Replaced;
pub use search::SearchJob;

/// One stored index.
pub struct Index {
    name: RwLock<String>,
    matching: Matching,
    options: Arc<Options>,
    store: Store,
    published: RwLock<Arc<Snapshot>>,
    writer: Mutex<Writer>,
    queue: Mutex<commit::Queue>,
    /// Folder of the index's files.
    folder: RwLock<PathBuf>,
    seal_state: Mutex<sealing::SealState>,
    /// Held while segments are replaced by others or by their files.
    restructuring: Mutex<()>,
    /// Changed only with the writer's lock.
    paths: RwLock<Arc<Paths>>,
    is_deleted: AtomicBool,
    /// Whether a page of the store was found damaged.
    is_damaged: AtomicBool,
    /// Assets of all changes since the start.
    changed_assets: AtomicU64,
    /// Removed after the files in it are closed, which the other members do when they are dropped.
    temporary: Option<TempDir>,
}

/// State that only writers use.
#[derive(Default)]
struct Writer {
    /// Slots by ISCC-ID body: those of the last segment and of other segments whose slots are not ascending, at least.
    /// Slots of segments that were replaced are out of date: see [`Writer::slot`].
    slots: HashMap<u64, SlotRef>,
    /// `uid` of the next segment.
    next_uid: u32,
}

impl Writer {
    /// The live slot of an asset in a snapshot.
    fn slot(&self, snapshot: &Snapshot, id: u64) -> Option<SlotRef> {
        if let Some(&at) = self.slots.get(&id)
            && snapshot.segments.iter().any(|segment| segment.uid == at.segment_uid)
        {
            return Some(at);
        }
        snapshot.segments.iter().rev().find_map(|segment| {
            let slot = segment.slots.find(id)?;
            Some(SlotRef { segment_uid: segment.uid, slot })
        })
    }

    /// Adds the slots of the last segment, which may become unordered.
    fn know_last(&mut self, snapshot: &Snapshot) {
        let Some(last) = snapshot.segments.last() else { return };
        let at = |slot| SlotRef { segment_uid: last.uid, slot };
        self.slots.extend(last.slots.iter_live().map(|(slot, id)| (id, at(slot))));
    }

    /// Adds an empty segment at the end.
    fn add_segment(&mut self, snapshot: &mut Snapshot, matching: Matching) {
        snapshot.segments.push(Arc::new(Segment::new(self.next_uid, matching)));
        self.next_uid += 1;
    }
}

/// An asset's slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SlotRef {
    segment_uid: u32,
    slot: u32,
}

/// A committed state: snapshot and read transaction of the same version.
pub(crate) struct View<'a> {
    snapshot: Arc<Snapshot>,
    reading: Reading<'a>,
}

impl Index {
    /// Opens an index's folder and reads it into memory. Creates the store if the folder is empty.
    pub fn open(
        name: &str,
        folder: &Path,
        matching: Matching,
        options: &Arc<Options>,
        progress: &Progress,
    ) -> Result<Self, StoreError> {
        let store = Store::open(folder, &options.store, progress)?;
        let paths = paths::open(&store)?;
        let start =
            start::Start { store: &store, folder, matching, sizes: &options.sizes, progress };
        let (mut snapshot, store_id) = start.run()?;
        let mut writer = Writer { next_uid: snapshot.segments.len() as u32, ..Writer::default() };
        if snapshot.segments.last().is_some_and(|last| last.is_full(&options.sizes)) {
            writer.add_segment(&mut snapshot, matching);
        }
        writer.know_last(&snapshot);
        Ok(Self {
            name: RwLock::new(name.to_owned()),
            matching,
            options: Arc::clone(options),
            store,
            published: RwLock::new(Arc::new(snapshot)),
            writer: Mutex::new(writer),
            queue: Mutex::default(),
            folder: RwLock::new(folder.to_owned()),
            seal_state: Mutex::new(sealing::SealState::new(store_id)),
            restructuring: Mutex::default(),
            paths: RwLock::new(Arc::new(paths)),
            is_deleted: AtomicBool::new(false),
            is_damaged: AtomicBool::new(false),
            changed_assets: AtomicU64::new(0),
            temporary: None,
        })
    }

    /// Removes the folder of the index: at once where open files can be removed, otherwise when the index is dropped.
    pub fn remove_names(&mut self, folder: TempDir) {
        let _ = std::fs::remove_dir_all(folder.path());
        self.temporary = Some(folder);
    }

    /// Name of the index.
    pub fn name(&self) -> String {
        self.name.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Renames the index. `move_files` moves its folder and replaces its path. Work that creates or opens files there waits.
    pub fn rename(
        &self,
        name: &str,
        move_files: impl FnOnce(&mut PathBuf) -> io::Result<()>,
    ) -> io::Result<()> {
        move_files(&mut self.folder.write().unwrap_or_else(PoisonError::into_inner))?;
        name.clone_into(&mut self.name.write().unwrap_or_else(PoisonError::into_inner));
        Ok(())
    }

    /// Whether the creation of the index completed.
    pub fn is_created(&self) -> Result<bool, StoreError> {
        Ok(self.store.read()?.meta()?.created)
    }

    /// Marks the index as created, durably.
    pub fn mark_created(&self) -> Result<(), StoreError> {
        self.store.write(|writing| {
            let meta = iscc_index::store::StoredMeta::default();
            writing.put_meta(&meta).map(Some)
        })?;
        let mut published = self.published.write().unwrap_or_else(PoisonError::into_inner);
        let version = self.store.read()?.version();
        *published = Arc::new(Snapshot { version, ..(**published).clone() });
        Ok(())
    }

    /// Makes the index one that follows logs, durably. Requests cannot change it any more.
    pub(crate) fn follow_logs(&self) -> Result<(), StoreError> {
        let _writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        self.store.create_log()?;
        self.publish_version()
    }

    /// Whether the index follows logs.
    pub fn follows_logs(&self) -> bool {
        self.store.has_log()
    }

    /// Refuses requests to change an index that follows logs.
    pub fn check_writable(&self) -> Result<(), Failure> {
        if !self.follows_logs() {
            return Ok(());
        }
        let text = format!("Index '{}' follows the network and is read-only", self.name());
        Err(Failure::new(FailureKind::ReadOnly, &text))
    }

    /// The last committed state on disk.
    pub(crate) fn reading(&self) -> Result<Reading<'_>, StoreError> {
        self.store.read()
    }

    /// How the index matches.
    pub fn matching(&self) -> Matching {
        self.matching
    }

    /// Rejects all further changes, because the folder is about to be removed; with `false`, accepts them again.
    pub fn mark_deleted(&self, is_deleted: bool) {
        // Waits for a running commit.
        let _writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_deleted.store(is_deleted, Ordering::Release);
    }

    /// Whether the folder is about to be removed, or was removed.
    pub fn is_deleted(&self) -> bool {
        self.is_deleted.load(Ordering::Acquire)
    }

    /// The last committed state in memory.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.published.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The last committed state, in memory and on disk.
    pub(crate) fn view(&self) -> Result<View<'_>, StoreError> {
        loop {
            let snapshot = self.snapshot();
            let reading = self.store.read()?;
            // A commit is published a few instructions after it completes. Retry if the store was read in between.
            if reading.version() == snapshot.version {
                return Ok(View { snapshot, reading });
            }
            drop(reading);
            std::thread::yield_now();
        }
    }

    /// Whether the index is small enough, in memory and on disk, that no search takes long.
    pub(crate) fn is_small(&self, rows_max: usize, disk_bytes_max: u64) -> bool {
        self.snapshot().rows() <= rows_max
            && self.store.disk_bytes().is_ok_and(|bytes| bytes <= disk_bytes_max)
    }

    /// The index's description for clients.
    pub fn info(&self) -> Result<IndexInfo, Failure> {
        let snapshot = self.snapshot();
        let bytes = self.bytes(&snapshot).map_err(Failure::from)?;
        let name = self.name();
        let segments = response::segments::json(&snapshot);
        Ok(IndexInfo { name, assets: snapshot.assets(), bytes: Some(bytes), segments })
    }

    /// Sizes by part: on disk and, in memory or in files, by unit type.
    fn bytes(&self, snapshot: &Snapshot) -> Result<Vec<(String, u64)>, StoreError> {
        let mut bytes = vec![("lmdb".to_owned(), self.store.disk_bytes()?)];
        if self.matching == Matching::Approximate {
            let components = snapshot.memory_bytes().into_iter();
            bytes.extend(components.map(|(name, bytes)| (name, bytes as u64)));
        }
        Ok(bytes)
    }

    /// Counts for metrics.
    pub fn metrics(&self) -> IndexMetrics {
        let snapshot = self.snapshot();
        let (commits, sync_seconds) = self.store.commits();
        let waiting = self.queue.lock().unwrap_or_else(PoisonError::into_inner).len();
        IndexMetrics {
            name: self.name(),
            bytes: self.bytes(&snapshot).unwrap_or_default(),
            rows: snapshot.rows(),
            rows_mapped: snapshot.mapped_rows(),
            heap_bytes: snapshot.heap_bytes() as u64,
            journal_ids: self.store.journal_ids(),
            file_counts: self.file_counts(),
            dead: snapshot.segments.iter().map(|one| u64::from(one.slots.dead())).sum(),
            segments: snapshot.segments.len(),
            list_segments: snapshot.segments.iter().filter(|one| one.has_lists()).count(),
            graph_segments: snapshot.files().filter(|file| file.graphs() > 0).count(),
            waiting_segments: self.waiting_segments(&snapshot),
            sealed_segments: snapshot.files().count(),
            sealed_bytes: snapshot.files().map(|file| file.bytes).sum(),
            graphs: snapshot.graphs(),
            commits,
            sync_seconds,
            changed_assets: self.changed_assets.load(Ordering::Relaxed),
            waiting,
        }
    }

    /// Response to a get request.
    pub fn asset(&self, id_text: &str, fields: &Fields) -> Response {
        let view = self.view().map_err(Failure::from)?;
        let (id, record, simprints) = self.stored(&view, id_text)?;
        Ok(response::entry(&id.text(), &record, &simprints, fields))
    }

    /// A page of all assets, or of those that meet all conditions. One condition needs a declared path.
    pub fn assets(
        &self,
        after: Option<&str>,
        limit: usize,
        form: Form,
        filters: &[Filter],
    ) -> Result<AssetPage, Failure> {
        let request = PageRequest { after: transfer::after(after)?, limit, form };
        let view = self.view().map_err(Failure::from)?;
        let realm = view.snapshot.realm.unwrap_or_default();
        if filters.is_empty() {
            return transfer::write_page(&view.reading, realm, request).map_err(Failure::from);
        }
        let page = transfer::write_filtered_page(&view.reading, realm, request, filters);
        page.map_err(Failure::from)?.ok_or_else(no_path)
    }

    /// Member `gateway` of an asset's metadata, if it is a string.
    pub fn gateway(&self, id_text: &str) -> Result<Option<String>, Failure> {
        let view = self.view().map_err(Failure::from)?;
        let (_, record) = self.record(&view, id_text)?;
        Ok(record.metadata.and_then(asset_match::gateway))
    }

    /// The asset that a query refers to by ISCC-ID.
    pub(crate) fn query_asset(
        &self,
        view: &View<'_>,
        id_text: &str,
    ) -> Result<QueryAsset, Failure> {
        let (id, record, simprints) = self.stored(view, id_text)?;
        Ok(QueryAsset::new(id.body, record, simprints))
    }

    fn record<'v>(
        &self,
        view: &'v View<'_>,
        id_text: &str,
    ) -> Result<(IsccId, Record<'v>), Failure> {
        let id = IsccId::parse(id_text).map_err(Failure::rejected)?;
        check_realm(view.snapshot.realm, id.realm, id_text)?;
        let Some(bytes) = view.reading.asset(id.body).map_err(Failure::from)? else {
            return Err(no_asset(self.matching, id_text));
        };
        let damaged = || Failure::from(StoreError::Damaged { id: id.body });
        Ok((id, Record::read(bytes).ok_or_else(damaged)?))
    }

    fn stored<'v>(
        &self,
        view: &'v View<'_>,
        id_text: &str,
    ) -> Result<(IsccId, Record<'v>, StoredSimprints), Failure> {
        let (id, record) = self.record(view, id_text)?;
        let damaged = || Failure::from(StoreError::Damaged { id: id.body });
        let simprints = if record.has_simprints {
            let bytes = view.reading.simprints(id.body).map_err(Failure::from)?;
            read_simprints(bytes.unwrap_or_default()).ok_or_else(damaged)?
        } else {
            StoredSimprints::new()
        };
        Ok((id, record, simprints))
    }
}

/// The failure of a request for a missing asset.
pub(crate) fn no_asset(matching: Matching, id_text: &str) -> Failure {
    Failure::not_found(match matching {
        Matching::Exact => format!("Asset '{id_text}' not found"),
        Matching::Approximate => format!("Asset '{id_text}' not found in index"),
    })
}

/// The failure of a request after a store error.
pub(crate) fn store_failure(error: &StoreError) -> Failure {
    match error {
        StoreError::Full => Failure::new(FailureKind::Full, "No space left for the index"),
        error if error.is_damage() => {
            let text = format!(
                "The index is damaged: {error}. Restore it from a backup, or salvage its rows with \
                 isccd index repair"
            );
            Failure::new(FailureKind::Unreadable, &text)
        }
        error => Failure::broken(error),
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        store_failure(&error)
    }
}

/// The failure of a listing with conditions of which none has a path index.
pub(crate) fn no_path() -> Failure {
    Failure::rejected(
        "filter: a listing needs a condition whose path is declared and ready, and not one of ends_with without a / in its \
         text; see GET and PUT /indexes/{name}/paths",
    )
}

/// The failure of a request for an unknown index.
pub(crate) fn no_index(name: &str) -> Failure {
    Failure::not_found(format!("Index '{name}' not found"))
}

/// All assets of an index have the same realm, set by the first one.
pub(crate) fn check_realm(expected: Option<u8>, realm: u8, id_text: &str) -> Result<(), Failure> {
    match expected {
        Some(expected) if expected != realm => Err(Failure::rejected(format!(
            "Realm mismatch: ISCC-ID '{id_text}' has realm={realm}, but expected realm={expected}. \
             Cannot query assets from different realm."
        ))),
        _ => Ok(()),
    }
}
