//! The environment of an index that another process may be working on: only read, or copied.

use std::fs::File;
use std::path::Path;
use std::sync::RwLock;

use heed::types::{Bytes, Str};
use heed::{CommitOrAbort, CompactionOption, Env, EnvFlags, EnvOpenOptions, MdbError, WithoutTls};

use super::{DATA_FILE, DATABASES, Databases, IdKey, READERS_MAX, Store, StoreError};

/// Address space beyond twice the file, in bytes: what the other process may write meanwhile.
const MAP_SPARE_BYTES: usize = 256 << 20;
/// How often the environment is opened anew because it has outgrown its map.
const OPEN_TRIES: u32 = 5;
/// Pages that every environment begins with; each tells the state of a transaction.
const META_PAGES: u64 = 2;

impl Store {
    /// Opens an existing environment to read it. LMDB lets any number of processes do so beside the
    /// one that writes; this process must not have it open.
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
        Ok(Self { env, databases, mapping: RwLock::new(()) })
    }

    /// Copies the last committed state into a folder, durably and without what was free in between.
    pub fn copy(&self, target: &Path) -> Result<(), StoreError> {
        std::fs::create_dir_all(target)?;
        let file = self.env.copy_to_path(target.join(DATA_FILE), CompactionOption::Enabled)?;
        file.sync_all()?;
        Ok(File::open(target)?.sync_all()?)
    }
}

fn open(folder: &Path) -> Result<Env<WithoutTls>, StoreError> {
    let on_disk = std::fs::metadata(folder.join(DATA_FILE))?.len();
    let mut open = EnvOpenOptions::new().read_txn_without_tls();
    let map_bytes = (on_disk as usize * 2 + MAP_SPARE_BYTES).next_multiple_of(1 << 16);
    open.map_size(map_bytes).max_dbs(DATABASES).max_readers(READERS_MAX);
    // SAFETY: nothing is written, so that durability flags and other writers do not matter.
    unsafe { open.flags(EnvFlags::READ_ONLY) };
    // SAFETY: whoever writes does so through LMDB; no path is opened twice in a process that only
    // reads beside it (heed refuses the second time).
    let env = unsafe { open.open(folder) }?;
    let pages = env.info().last_page_number as u64 + 1;
    let whole = pages.max(META_PAGES) * u64::from(env.unnamed_database_stat().page_size);
    let found = std::fs::metadata(folder.join(DATA_FILE))?.len();
    // Reading a page beyond the end of the file would end the process.
    if found < whole {
        return Err(StoreError::Short { found, whole });
    }
    Ok(env)
}
