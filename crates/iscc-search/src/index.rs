//! One stored index: its truth on disk, its state in memory, and the way from one to the other.

mod commit;
mod draft;
mod graphs;
mod search;

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::failure::{Answer, Failure};
use crate::id::IsccId;
use crate::options::Options;
use crate::query::Named;
use crate::record::{Record, StoredSimprints, read_simprints};
use crate::response::{self, IndexInfo};
use crate::segment::Matching;
use crate::snapshot::Snapshot;
use crate::store::{Reading, Store, StoreError, load::load};

pub use commit::Change;
pub use search::SearchJob;

/// One stored index.
pub struct Index {
    name: String,
    matching: Matching,
    options: Arc<Options>,
    store: Store,
    published: RwLock<Arc<Snapshot>>,
    writer: Mutex<Writer>,
    queue: Mutex<commit::Queue>,
    tried: Mutex<graphs::Tried>,
    is_deleted: AtomicBool,
}

/// What only writers need.
#[derive(Default)]
struct Writer {
    /// Where each asset's rows are.
    slots: HashMap<u64, SlotRef>,
    /// Number for the next segment.
    next_uid: u32,
}

/// An asset's slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SlotRef {
    segment_uid: u32,
    slot: u32,
}

/// A committed state: memory and disk of the same version.
pub(crate) struct View<'a> {
    snapshot: Arc<Snapshot>,
    reading: Reading<'a>,
}

impl Index {
    /// Opens an index's folder and reads it into memory; makes the store if the folder is empty.
    pub fn open(
        name: &str,
        folder: &Path,
        matching: Matching,
        options: &Arc<Options>,
    ) -> Result<Self, StoreError> {
        let store = Store::open(folder, &options.store)?;
        let snapshot = load(&store, matching, options.segment_slots())?;
        let mut writer = Writer { next_uid: snapshot.segments.len() as u32, ..Writer::default() };
        writer.slots.reserve(snapshot.assets() as usize);
        for segment in &snapshot.segments {
            for (slot, id) in segment.slots.iter_live() {
                writer.slots.insert(id, SlotRef { segment_uid: segment.uid, slot });
            }
        }
        Ok(Self {
            name: name.to_owned(),
            matching,
            options: Arc::clone(options),
            store,
            published: RwLock::new(Arc::new(snapshot)),
            writer: Mutex::new(writer),
            queue: Mutex::default(),
            tried: Mutex::default(),
            is_deleted: AtomicBool::new(false),
        })
    }

    /// Whether the index was created completely.
    pub fn is_created(&self) -> Result<bool, StoreError> {
        Ok(self.store.read()?.meta()?.created)
    }

    /// Marks the index as created, durably.
    pub fn mark_created(&self) -> Result<(), StoreError> {
        self.store.write(|writing| {
            let meta = crate::store::StoredMeta::default();
            writing.put_meta(&meta).map(Some)
        })?;
        let mut published = self.published.write().unwrap_or_else(PoisonError::into_inner);
        let version = self.store.read()?.version();
        *published = Arc::new(Snapshot { version, ..(**published).clone() });
        Ok(())
    }

    /// How the index searches.
    pub fn matching(&self) -> Matching {
        self.matching
    }

    /// From here on, changes are refused: the folder is about to go.
    pub fn mark_deleted(&self) {
        // Waits for a commit that is under way.
        let _writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_deleted.store(true, Ordering::Release);
    }

    /// Whether the folder is about to go, or gone.
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
            // Between a commit and its publication lie a few instructions; whoever reads the store
            // just then takes the pair again.
            if reading.version() == snapshot.version {
                return Ok(View { snapshot, reading });
            }
            drop(reading);
            std::thread::yield_now();
        }
    }

    /// Whether there is so little in it, on disk as in memory, that no search of it takes long.
    pub(crate) fn is_small(&self, rows_max: usize, disk_bytes_max: u64) -> bool {
        self.snapshot().rows() <= rows_max
            && self.store.disk_bytes().is_ok_and(|bytes| bytes <= disk_bytes_max)
    }

    /// The index as clients see it.
    pub fn info(&self) -> Result<IndexInfo, Failure> {
        let snapshot = self.snapshot();
        let disk = self.store.disk_bytes().map_err(Failure::broken)?;
        let mut bytes = vec![("lmdb".to_owned(), disk)];
        if self.matching == Matching::Approximate {
            let components = snapshot.memory_bytes().into_iter();
            bytes.extend(components.map(|(name, bytes)| (name, bytes as u64)));
        }
        let name = self.name.clone();
        Ok(IndexInfo { name, assets: snapshot.assets(), bytes: Some(bytes) })
    }

    /// Answer of a get request.
    pub fn asset(&self, id_text: &str) -> Answer {
        let view = self.view().map_err(Failure::broken)?;
        let (id, record, simprints) = self.stored(&view, id_text)?;
        let version = u8::from(!record.is_id_v0);
        let text = IsccId { version, ..id }.text();
        Ok(response::entry(&text, &record, &simprints))
    }

    /// What a search finds for the asset that a query names.
    pub(crate) fn named(&self, view: &View<'_>, id_text: &str) -> Result<Named, Failure> {
        let (id, record, simprints) = self.stored(view, id_text)?;
        Ok(Named::new(id.body, record, simprints))
    }

    fn stored<'v>(
        &self,
        view: &'v View<'_>,
        id_text: &str,
    ) -> Result<(IsccId, Record<'v>, StoredSimprints), Failure> {
        let id = IsccId::parse(id_text).map_err(Failure::rejected)?;
        check_realm(view.snapshot.realm, id.realm, id_text)?;
        let Some(bytes) = view.reading.asset(id.body).map_err(Failure::broken)? else {
            return Err(self.no_asset(id_text));
        };
        let damaged = || Failure::broken(StoreError::Damaged { id: id.body });
        let record = Record::read(bytes).ok_or_else(damaged)?;
        let simprints = if record.has_simprints {
            let bytes = view.reading.simprints(id.body).map_err(Failure::broken)?;
            read_simprints(bytes.unwrap_or_default()).ok_or_else(damaged)?
        } else {
            StoredSimprints::new()
        };
        Ok((id, record, simprints))
    }

    fn no_asset(&self, id_text: &str) -> Failure {
        Failure::not_found(match self.matching {
            Matching::Exact => format!("Asset '{id_text}' not found"),
            Matching::Approximate => format!("Asset '{id_text}' not found in index"),
        })
    }
}

/// The answer to a request that met a full disk, or something worse.
pub(crate) fn store_failure(error: &StoreError) -> Failure {
    use crate::failure::FailureKind;
    match error {
        StoreError::Full => Failure::new(FailureKind::Full, "No space left for the index"),
        error => Failure::broken(error),
    }
}

/// The answer to a request for an index that is not there.
pub(crate) fn no_index(name: &str) -> Failure {
    Failure::not_found(format!("Index '{name}' not found"))
}

/// All assets of an index are of one realm, which the first one fixes.
fn check_realm(expected: Option<u8>, realm: u8, id_text: &str) -> Result<(), Failure> {
    match expected {
        Some(expected) if expected != realm => Err(Failure::rejected(format!(
            "Realm mismatch: ISCC-ID '{id_text}' has realm={realm}, but expected realm={expected}. \
             Cannot query assets from different realm."
        ))),
        _ => Ok(()),
    }
}
