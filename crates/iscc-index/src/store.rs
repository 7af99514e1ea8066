//! Durable storage: one LMDB environment per index, the source of truth for the index in memory.
//!
//! It has three databases: `assets` maps the ISCC-ID body (big-endian) to a [record](crate::record), `simprints` maps
//! the same key to the asset's simprints, and `meta` describes the index. `paths`, the databases of logs and those of
//! sealed segments exist only where they are used. A write is durable when it returns.

mod error;
mod log;
mod meta;
mod paths;
mod progress;
mod read_only;
mod sealed;
mod stop_mark;

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::time::Instant;

use heed::byteorder::BigEndian;
use heed::types::{Bytes, Str, U64};
use heed::{CommitOrAbort, Database, Env, EnvFlags, EnvOpenOptions, RoTxn, RwTxn, WithoutTls};

use crate::lmdb_file::{self, Damage, FileError, LmdbFile};

pub use error::StoreError;
pub use log::LogTable;
pub use meta::StoredMeta;
pub use progress::{PROGRESS_ROWS, Progress};
pub use sealed::{SealedEntry, SealedRecord};
pub use stop_mark::MARK_FILE;

/// ISCC-ID body. Big-endian, so that keys sort by number.
type IdKey = U64<BigEndian>;

/// Data file of an environment.
pub const DATA_FILE: &str = "data.mdb";
/// Lock file of an environment, with its table of readers.
pub const LOCK_FILE: &str = "lock.mdb";
/// Number of databases in an environment.
const DATABASES: u32 = 16;
/// Maximum number of concurrent read transactions, over all processes.
const READERS_MAX: u32 = 1024;
/// Number of commits after which the readers of processes that have ended are removed.
const STALE_READERS_EVERY: u64 = 32;
/// How often a state is looked for that no commit replaces meanwhile.
const STATE_TRIES: usize = 1000;
/// Size of the lock file: 64 bytes per reader, and its header.
const LOCK_BYTES: u64 = READERS_MAX as u64 * 64 + 4096;

/// Settings of an environment.
#[derive(Debug, Clone, Copy)]
pub struct StoreOptions {
    /// Initial size of the memory map in bytes. Doubled whenever it is full.
    pub map_bytes: usize,
    /// Whether a write waits until it is on disk.
    pub sync: bool,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self { map_bytes: 1 << 30, sync: true }
    }
}

struct Databases {
    assets: Database<'static, IdKey, Bytes>,
    simprints: Database<'static, IdKey, Bytes>,
    meta: Database<'static, Str, Bytes>,
}

/// One index's environment.
pub struct Store {
    env: Env<WithoutTls>,
    databases: Databases,
    log: log::LogDatabases,
    paths: paths::PathDatabase,
    sealed: sealed::SealedDatabases,
    /// Whether commits keep the journal: a [`sealed::JournalState`].
    journal: AtomicU8,
    /// Number of ISCC-IDs in the journal.
    journal_ids: AtomicU64,
    /// Every transaction holds a read lock: the map may be resized only while no transaction is open.
    mapping: RwLock<()>,
    /// Whether a commit waits until it is on disk.
    is_synced: bool,
    /// Whether a commit waits until the map can be enlarged.
    is_growing: AtomicBool,
    /// Whether all pages were found sound, by the start or later.
    is_checked: AtomicBool,
    /// Commits so far, and the time that they took.
    commits: AtomicU64,
    commit_nanos: AtomicU64,
}

impl Store {
    /// Opens the environment in a folder. Creates it if it is missing, or blank after a power loss.
    ///
    /// Checks all pages before, unless the file is as the last process left it when it stopped: LMDB may crash on damaged ones.
    /// Otherwise [`Store::check_pages`] is to be called later.
    pub fn open(
        folder: &Path,
        options: &StoreOptions,
        progress: &Progress,
    ) -> Result<Self, StoreError> {
        let mut open = EnvOpenOptions::new().read_txn_without_tls();
        let data_file = folder.join(DATA_FILE);
        empty_if_blank(&data_file)?;
        let on_disk = std::fs::metadata(&data_file).map_or(0, |data| data.len());
        let page = 1 << 16;
        let map_bytes = options.map_bytes.max(on_disk as usize * 2).next_multiple_of(page);
        open.map_size(map_bytes).max_dbs(DATABASES).max_readers(READERS_MAX);
        if !options.sync {
            // SAFETY: without sync, a power failure may corrupt the environment. The operator chose that. Killing the
            // process cannot corrupt it.
            unsafe { open.flags(EnvFlags::NO_SYNC | EnvFlags::NO_META_SYNC) };
        }
        let is_as_left = stop_mark::take(folder);
        if on_disk > 0 && !is_as_left {
            check_before_use(&data_file, progress)?;
        }
        progress.note_pages(1, 1);
        reserve_lock_file(folder)?;
        // SAFETY: the engine's lock on the folder excludes other writers, the file is modified only through LMDB, and
        // no path is opened twice because the engine owns one `Store` per folder.
        let env = unsafe { open.open(folder) }?;
        env.clear_stale_readers()?;
        let opened = env.create_databases_and_commit(env.write_txn()?, |opener, txn| {
            let assets = opener.create_database::<IdKey, Bytes>(txn, Some("assets"))?;
            let simprints = opener.create_database::<IdKey, Bytes>(txn, Some("simprints"))?;
            let meta = opener.create_database::<Str, Bytes>(txn, Some("meta"))?;
            Ok::<_, heed::Error>(CommitOrAbort::<_, ()>::Commit((assets, simprints, meta)))
        })?;
        let (assets, simprints, meta) = opened.unwrap_commit();
        let databases = Databases { assets, simprints, meta };
        let log = log::LogDatabases::open(&env)?;
        let paths = paths::PathDatabase::open(&env)?;
        let sealed = sealed::SealedDatabases::open(&env)?;
        Ok(Self {
            env,
            databases,
            log,
            paths,
            sealed,
            journal: AtomicU8::default(),
            journal_ids: AtomicU64::default(),
            mapping: RwLock::default(),
            is_synced: options.sync,
            is_growing: AtomicBool::default(),
            is_checked: AtomicBool::new(!is_as_left),
            commits: AtomicU64::default(),
            commit_nanos: AtomicU64::default(),
        })
    }

    /// Whether all pages were found sound since the start.
    pub fn is_checked(&self) -> bool {
        self.is_checked.load(Ordering::Acquire)
    }

    /// Checks all pages of the last committed state, next to readers and writers. `folder` is that of the data file, which may
    /// have been renamed. Returns whether it came to an end: not if `watch` returned `false`, or if the map has to be
    /// enlarged, which waits for the end of all transactions.
    pub fn check_pages(
        &self,
        folder: &Path,
        watch: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<bool, StoreError> {
        // The transaction keeps the pages of its state from being written to.
        let (file, _reading) = self.file_of_state(folder)?;
        let mut watch =
            |checked, pages| !self.is_growing.load(Ordering::Acquire) && watch(checked, pages);
        let is_done = lmdb_file::check_state(&Arc::new(file), &mut watch)?;
        self.is_checked.store(is_done, Ordering::Release);
        Ok(is_done)
    }

    /// The data file, and a transaction on the state that it starts with.
    fn file_of_state(&self, folder: &Path) -> Result<(LmdbFile, Reading<'_>), StoreError> {
        for _ in 0..STATE_TRIES {
            let reading = self.read()?;
            let file = LmdbFile::open(&folder.join(DATA_FILE))?;
            let state = file.meta().map(|meta| meta.transaction);
            // A commit may come in between. A file without a state fails the check.
            if state.is_none_or(|state| state == reading.version() as u64) {
                return Ok((file, reading));
            }
        }
        let rule = "the meta pages have the last commit";
        Err(FileError::from(Damage { page: 0, rule }).into())
    }

    /// Writes the mark of a file that is left sound, if its data are on disk. `folder` is that of the data file.
    pub fn mark_stopped(&self, folder: &Path) -> Result<(), StoreError> {
        if !self.is_synced {
            return Ok(());
        }
        Ok(stop_mark::put(folder)?)
    }

    /// About `count` or more keys of assets in order, spread evenly over the pages; empty for small trees. No other
    /// thread may write meanwhile.
    pub fn key_sample(&self, count: usize) -> Vec<u64> {
        let Ok(file) = LmdbFile::open(&self.env.path().join(DATA_FILE)) else { return Vec::new() };
        let file = Arc::new(file);
        let databases = file.databases(|_| {});
        let assets = databases.iter().find(|(name, _)| name == "assets");
        let keys = assets.map_or(Vec::new(), |(_, tree)| file.branch_keys(tree, count));
        keys.iter().filter_map(|key| Some(u64::from_be_bytes(key[..].try_into().ok()?))).collect()
    }

    /// Opens a read transaction on the last committed state.
    pub fn read(&self) -> Result<Reading<'_>, StoreError> {
        let mapping = self.mapping.read().unwrap_or_else(PoisonError::into_inner);
        let txn = self.env.read_txn()?;
        Ok(Reading { store: self, txn, _mapping: mapping })
    }

    /// Runs `change` in a transaction and commits it durably. Returns its value and the version of the new state. An
    /// error rolls back all changes.
    ///
    /// If the memory map is full, it is enlarged and `change` runs again. If `change` returns `None`, nothing is
    /// committed.
    pub fn write<T>(
        &self,
        mut change: impl FnMut(&mut Writing<'_, '_>) -> Result<Option<T>, StoreError>,
    ) -> Result<Option<(T, usize)>, StoreError> {
        loop {
            match self.try_write(&mut change) {
                Err(error) if error.is_map_full() => self.grow()?,
                outcome => return outcome.map_err(|error| error.or_full(self.env.path())),
            }
        }
    }

    fn try_write<T>(
        &self,
        change: &mut impl FnMut(&mut Writing<'_, '_>) -> Result<Option<T>, StoreError>,
    ) -> Result<Option<(T, usize)>, StoreError> {
        let _mapping = self.mapping.read().unwrap_or_else(PoisonError::into_inner);
        if self.commits.load(Ordering::Relaxed).is_multiple_of(STALE_READERS_EVERY) {
            // Killed processes that read the file, such as backups, would keep all pages that are freed later.
            self.env.clear_stale_readers()?;
        }
        let mut txn = self.env.write_txn()?;
        let version = txn.id();
        let mut writing = Writing::new(self, &mut txn);
        let Some(value) = change(&mut writing)? else {
            return Ok(None);
        };
        writing.put_paths_version(version)?;
        writing.put_journal(version)?;
        let journal = writing.journal_after();
        let start = Instant::now();
        txn.commit()?;
        self.set_journal(journal);
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.commit_nanos.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        Ok(Some((value, version)))
    }

    /// Number of commits since the start, and the seconds that they took, mostly to sync.
    pub fn commits(&self) -> (u64, f64) {
        let nanos = self.commit_nanos.load(Ordering::Relaxed);
        (self.commits.load(Ordering::Relaxed), nanos as f64 / 1e9)
    }

    fn grow(&self) -> Result<(), StoreError> {
        self.is_growing.store(true, Ordering::Release);
        let _mapping = self.mapping.write().unwrap_or_else(PoisonError::into_inner);
        self.is_growing.store(false, Ordering::Release);
        let bytes = self.env.info().map_size * 2;
        // SAFETY: no transaction is open. Each holds a read lock on `mapping`, which is locked for writing here.
        unsafe { self.env.resize(bytes) }?;
        Ok(())
    }

    /// Bytes on disk. Sparse parts of the file do not count.
    pub fn disk_bytes(&self) -> Result<u64, StoreError> {
        Ok(self.env.real_disk_size()?)
    }
}

/// Checks all pages of a data file.
fn check_before_use(data_file: &Path, progress: &Progress) -> Result<(), StoreError> {
    let mut watch = |checked, pages| progress.note_pages(checked, pages);
    match lmdb_file::check_watched(data_file, &mut watch)? {
        true => Ok(()),
        false => Err(StoreError::Cancelled),
    }
}

/// Truncates a blank file: LMDB creates an environment in an empty file, but refuses one of zeros.
fn empty_if_blank(path: &Path) -> std::io::Result<()> {
    if path.exists() && lmdb_file::is_blank(path)? {
        File::options().write(true).open(path)?.set_len(0)?;
    }
    Ok(())
}

/// Allocates the lock file on disk. LMDB would create and map a sparse file, and on a full disk the first access to it
/// would kill the process with SIGBUS.
fn reserve_lock_file(folder: &Path) -> std::io::Result<()> {
    let mut file = File::options().create(true).append(true).open(folder.join(LOCK_FILE))?;
    let missing = LOCK_BYTES.saturating_sub(file.metadata()?.len());
    file.write_all(&vec![0; missing as usize])
}

/// A raw row: key and value.
type Row<'a> = Result<(&'a [u8], &'a [u8]), StoreError>;

/// A read transaction on one committed state.
pub struct Reading<'s> {
    store: &'s Store,
    txn: RoTxn<'s, WithoutTls>,
    _mapping: RwLockReadGuard<'s, ()>,
}

impl Reading<'_> {
    /// Version of the state.
    pub fn version(&self) -> usize {
        self.txn.id()
    }

    /// An asset's record.
    pub fn asset(&self, id: u64) -> Result<Option<&[u8]>, StoreError> {
        Ok(self.store.databases.assets.get(&self.txn, &id)?)
    }

    /// An asset's stored simprints.
    pub fn simprints(&self, id: u64) -> Result<Option<&[u8]>, StoreError> {
        Ok(self.store.databases.simprints.get(&self.txn, &id)?)
    }

    /// Number of assets.
    pub fn assets(&self) -> Result<u64, StoreError> {
        Ok(self.store.databases.assets.len(&self.txn)?)
    }

    /// The lowest and the highest ISCC-ID body.
    pub fn id_range(&self) -> Result<Option<(u64, u64)>, StoreError> {
        let first = self.store.databases.assets.first(&self.txn)?.map(|(id, _)| id);
        let last = self.store.databases.assets.last(&self.txn)?.map(|(id, _)| id);
        Ok(first.zip(last))
    }

    /// Records of the assets from one ISCC-ID body to another, both inclusive.
    pub fn assets_between(
        &self,
        from: u64,
        to: u64,
    ) -> Result<impl Iterator<Item = Result<(u64, &[u8]), StoreError>>, StoreError> {
        let rows = self.store.databases.assets.range(&self.txn, &(from..=to))?;
        Ok(rows.map(|row| row.map_err(StoreError::from)))
    }

    /// All rows of assets with raw keys. An undamaged key has eight bytes.
    pub fn asset_rows(&self) -> Result<impl Iterator<Item = Row<'_>>, StoreError> {
        let rows = self.store.databases.assets.remap_key_type::<Bytes>().iter(&self.txn)?;
        Ok(rows.map(|row| row.map_err(StoreError::from)))
    }

    /// All rows of simprints with raw keys.
    pub fn simprint_rows(&self) -> Result<impl Iterator<Item = Row<'_>>, StoreError> {
        let rows = self.store.databases.simprints.remap_key_type::<Bytes>().iter(&self.txn)?;
        Ok(rows.map(|row| row.map_err(StoreError::from)))
    }

    /// The index's metadata.
    pub fn meta(&self) -> Result<StoredMeta, StoreError> {
        StoredMeta::read(&self.store.databases.meta, &self.txn)
    }
}

/// A write transaction.
pub struct Writing<'s, 't> {
    store: &'s Store,
    txn: &'t mut RwTxn<'s>,
    journal: sealed::JournalChange,
}

impl<'s, 't> Writing<'s, 't> {
    fn new(store: &'s Store, txn: &'t mut RwTxn<'s>) -> Self {
        Self { store, txn, journal: sealed::JournalChange::default() }
    }
}

impl Writing<'_, '_> {
    /// Stores an asset's record.
    pub fn put_asset(&mut self, id: u64, record: &[u8]) -> Result<(), StoreError> {
        self.journal.touched.push(id);
        Ok(self.store.databases.assets.put(self.txn, &id, record)?)
    }

    /// Removes an asset and its simprints.
    pub fn delete_asset(&mut self, id: u64) -> Result<(), StoreError> {
        self.journal.touched.push(id);
        self.store.databases.assets.delete(self.txn, &id)?;
        self.put_simprints(id, &[])
    }

    /// Stores an asset's simprints. An empty record removes them.
    pub fn put_simprints(&mut self, id: u64, record: &[u8]) -> Result<(), StoreError> {
        if record.is_empty() {
            self.store.databases.simprints.delete(self.txn, &id)?;
            return Ok(());
        }
        Ok(self.store.databases.simprints.put(self.txn, &id, record)?)
    }

    /// An asset's stored simprints.
    pub fn simprints(&self, id: u64) -> Result<Option<&[u8]>, StoreError> {
        Ok(self.store.databases.simprints.get(self.txn, &id)?)
    }

    /// Stores the index's metadata.
    pub fn put_meta(&mut self, meta: &StoredMeta) -> Result<(), StoreError> {
        meta.write(&self.store.databases.meta, self.txn)
    }
}
