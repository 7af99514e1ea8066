//! Reading and copying the environment of an index that another process may be writing.

use std::fs::File;
use std::path::Path;
use std::sync::RwLock;
use std::sync::atomic::{AtomicBool, AtomicU8};

use heed::types::{Bytes, Str};
use heed::{CommitOrAbort, CompactionOption, Env, EnvFlags, EnvOpenOptions, MdbError, WithoutTls};

use super::log::LogDatabases;
use super::paths::PathDatabase;
use super::sealed::SealedDatabases;
use super::{DATA_FILE, DATABASES, Databases, IdKey, READERS_MAX, Store, StoreError};
use crate::lmdb_file::LmdbFile;

/// Size of the memory map in bytes, in addition to twice the file: room for what the other process writes meanwhile.
const MAP_SPARE_BYTES: usize = 256 << 20;
/// Maximum number of retries if the environment outgrew its map.
const OPEN_TRIES: u32 = 5;
/// Number of meta pages at the start of every environment.
const META_PAGES: u64 = 2;

impl Store {
    /// Opens an existing environment for reading. LMDB allows any number of reading processes next to one writer. This
    /// process must not have the environment open already.
    pub fn open_read_only(folder: &Path) -> Result<Self, StoreError> {
        let mut tries = 0;
        loop {
            match Self::try_open_read_only(folder) {
                Err(StoreError::Lmdb(heed::Error::Mdb(MdbError::MapResized)))
                    if tries < OPEN_TRIES =>
                {
                    tries += 1;
                }
                opened => return opened,
            }
        }
    }

    fn try_open_read_only(folder: &Path) -> Result<Self, StoreError> {
        let env = open(folder)?;
        let opened = env.open_databases_and_commit(env.read_txn()?, |opener, txn| {
            let assets = opener.open_database::<IdKey, Bytes>(txn, Some("assets"))?;
            let simprints = opener.open_database::<IdKey, Bytes>(txn, Some("simprints"))?;
            let meta = opener.open_database::<Str, Bytes>(txn, Some("meta"))?;
            Ok::<_, heed::Error>(CommitOrAbort::<_, ()>::Commit((assets, simprints, meta)))
        })?;
        let (Some(assets), Some(simprints), Some(meta)) = opened.unwrap_commit() else {
            return Err(StoreError::NoIndex);
        };
        let databases = Databases { assets, simprints, meta };
        let log = LogDatabases::open(&env)?;
        let paths = PathDatabase::open(&env)?;
        let sealed = SealedDatabases::open(&env)?;
        let journal = AtomicU8::default();
        let (journal_ids, commits, commit_nanos) = Default::default();
        let mapping = RwLock::default();
        Ok(Self {
            env,
            databases,
            log,
            paths,
            sealed,
            journal,
            journal_ids,
            mapping,
            is_synced: false,
            is_growing: AtomicBool::default(),
            is_checked: AtomicBool::default(),
            commits,
            commit_nanos,
        })
    }

    /// Copies the last committed state into a folder, durably and without free pages.
    pub fn copy(&self, target: &Path) -> Result<(), StoreError> {
        std::fs::create_dir_all(target)?;
        let file = self.env.copy_to_path(target.join(DATA_FILE), CompactionOption::Enabled)?;
        file.sync_all()?;
        Ok(File::open(target)?.sync_all()?)
    }
}

fn open(folder: &Path) -> Result<Env<WithoutTls>, StoreError> {
    let on_disk = std::fs::metadata(folder.join(DATA_FILE))?.len();
    if on_disk > 0 {
        // What this checks never changes, so another process may be writing.
        LmdbFile::open(&folder.join(DATA_FILE))?.check_metas()?;
    }
    let mut open = EnvOpenOptions::new().read_txn_without_tls();
    let map_bytes = (on_disk as usize * 2 + MAP_SPARE_BYTES).next_multiple_of(1 << 16);
    open.map_size(map_bytes).max_dbs(DATABASES).max_readers(READERS_MAX);
    // SAFETY: nothing is written, so durability flags and other writers do not matter.
    unsafe { open.flags(EnvFlags::READ_ONLY) };
    // SAFETY: other processes write only through LMDB, and heed refuses to open a path twice in one process.
    let env = unsafe { open.open(folder) }?;
    let pages = env.info().last_page_number as u64 + 1;
    let expected = pages.max(META_PAGES) * u64::from(env.unnamed_database_stat().page_size);
    let found = std::fs::metadata(folder.join(DATA_FILE))?.len();
    // Accessing a page after the end of the file would kill the process with SIGBUS.
    if found < expected {
        return Err(StoreError::Truncated { found, expected });
    }
    Ok(env)
}
