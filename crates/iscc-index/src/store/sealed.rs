//! What the store knows of sealed segments: which files count, which of their slots are dead, and which assets changed
//! since. Indexes without sealed segments have none of it.
//!
//! The database `journal` maps a number, one per commit, to the ISCC-ID bodies of the assets that it touched. `dead` maps
//! the uid of a file to a bit per slot. The record `sealed` in the metadata names the files. It counts only if
//! `sealed_version` has the version and the number of assets of the last commit: other versions of the program keep no
//! journal, and a copy by LMDB counts its versions from 1 again.

use std::sync::atomic::Ordering;
use std::sync::{OnceLock, PoisonError};

use heed::types::Bytes;
use heed::{CommitOrAbort, Database, Env, WithoutTls};
use serde::{Deserialize, Serialize};

use super::{IdKey, Reading, Store, StoreError, Writing};
use crate::lmdb_file::DEAD;

const JOURNAL: &str = "journal";
/// Key of the record in the index's metadata.
const SEALED: &str = "sealed";
/// Key of the version of the last commit with a journal, and the number of assets after it.
const VERSION: &str = "sealed_version";
/// Maximum number of ISCC-ID bodies in a row of the journal.
const ROW_IDS: usize = 8192;

/// The files that count.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SealedRecord {
    /// Identifies the store: 16 random bytes in hex.
    pub store: String,
    /// The segments, oldest first.
    pub segments: Vec<SealedEntry>,
}

/// A file that counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SealedEntry {
    /// Identifies the file.
    pub uid: u64,
    /// Number of slots.
    pub slots: u32,
    /// Number of dead slots, whose bits are in the database `dead`.
    pub dead: u32,
    /// Length of the file in bytes.
    pub bytes: u64,
    /// Hash of the file's header, in hex.
    pub hash: String,
}

/// What a transaction does to the journal.
#[derive(Debug, Default)]
pub(super) struct JournalChange {
    /// ISCC-ID bodies of the assets that it wrote or removed.
    pub touched: Vec<u64>,
    /// Whether it wrote the record.
    seals: bool,
    /// Number of ISCC-IDs that it added to the journal.
    added: u64,
}

/// Whether commits keep the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum JournalState {
    /// There are no sealed segments.
    Absent = 0,
    /// The record is valid.
    Kept = 1,
    /// The record is out of date. The next commit removes it.
    Stale = 2,
}

/// The databases, if the index has or had sealed segments.
#[derive(Default)]
pub(super) struct SealedDatabases(OnceLock<Tables>);

struct Tables {
    journal: Database<'static, IdKey, Bytes>,
    dead: Database<'static, IdKey, Bytes>,
}

impl SealedDatabases {
    /// Opens the databases if they exist.
    pub fn open(env: &Env<WithoutTls>) -> Result<Self, StoreError> {
        let opened = env.open_databases_and_commit(env.read_txn()?, |opener, txn| {
            let journal = opener.open_database::<IdKey, Bytes>(txn, Some(JOURNAL))?;
            let dead = opener.open_database::<IdKey, Bytes>(txn, Some(DEAD))?;
            Ok::<_, heed::Error>(CommitOrAbort::<_, ()>::Commit((journal, dead)))
        })?;
        let databases = Self::default();
        if let (Some(journal), Some(dead)) = opened.unwrap_commit() {
            databases.0.get_or_init(|| Tables { journal, dead });
        }
        Ok(databases)
    }
}

impl Store {
    /// Whether the databases exist.
    pub fn has_sealed(&self) -> bool {
        self.sealed.0.get().is_some()
    }

    /// Creates the databases unless they exist. This is a commit of its own.
    pub fn create_sealed(&self) -> Result<(), StoreError> {
        if self.sealed.0.get().is_some() {
            return Ok(());
        }
        let _mapping = self.mapping.read().unwrap_or_else(PoisonError::into_inner);
        let created =
            self.env.create_databases_and_commit(self.env.write_txn()?, |opener, txn| {
                let journal = opener.create_database::<IdKey, Bytes>(txn, Some(JOURNAL))?;
                let dead = opener.create_database::<IdKey, Bytes>(txn, Some(DEAD))?;
                Ok::<_, heed::Error>(CommitOrAbort::<_, ()>::Commit((journal, dead)))
            })?;
        let (journal, dead) = created.unwrap_commit();
        self.sealed.0.get_or_init(|| Tables { journal, dead });
        Ok(())
    }

    /// Says that the record that [`Reading::sealed`] returned is in use, with a journal of so many ISCC-IDs. Commits keep
    /// the journal from now on.
    pub fn use_sealed(&self, journal_ids: u64) {
        self.set_journal(Some(journal_ids));
    }

    /// Says that no record is in use. The next commit removes it.
    pub fn drop_sealed(&self) {
        let state = if self.has_sealed() { JournalState::Stale } else { JournalState::Absent };
        self.journal.store(state as u8, Ordering::Release);
    }

    /// Number of ISCC-IDs in the journal.
    pub fn journal_ids(&self) -> u64 {
        self.journal_ids.load(Ordering::Acquire)
    }

    /// Notes what [`Writing::journal_after`] returned, after the commit.
    pub(super) fn set_journal(&self, ids: Option<u64>) {
        let state = if ids.is_some() { JournalState::Kept } else { JournalState::Absent };
        self.journal_ids.store(ids.unwrap_or_default(), Ordering::Release);
        self.journal.store(state as u8, Ordering::Release);
    }

    fn journal_state(&self) -> JournalState {
        match self.journal.load(Ordering::Acquire) {
            1 => JournalState::Kept,
            2 => JournalState::Stale,
            _ => JournalState::Absent,
        }
    }
}

impl Reading<'_> {
    /// The record of sealed segments. `None` if it is missing or out of date.
    pub fn sealed(&self) -> Result<Option<SealedRecord>, StoreError> {
        let meta = &self.store.databases.meta;
        let version = stamp(self.version(), self.assets()?);
        if self.store.sealed.0.get().is_none() || meta.get(&self.txn, VERSION)? != Some(&version) {
            return Ok(None);
        }
        Ok(meta.get(&self.txn, SEALED)?.and_then(|json| serde_json::from_slice(json).ok()))
    }

    /// ISCC-ID bodies of the assets that changed since the record, in the order of the changes.
    pub fn journal(&self) -> Result<Vec<u64>, StoreError> {
        let mut ids = Vec::new();
        if let Some(tables) = self.store.sealed.0.get() {
            for row in tables.journal.iter(&self.txn)? {
                let (chunks, _) = row?.1.as_chunks::<8>();
                ids.extend(chunks.iter().map(|chunk| u64::from_be_bytes(*chunk)));
            }
        }
        Ok(ids)
    }

    /// The dead slots of a file at the time of the record, 64 a word.
    pub fn dead(&self, uid: u64) -> Result<Vec<u64>, StoreError> {
        let Some(tables) = self.store.sealed.0.get() else { return Ok(Vec::new()) };
        let (words, _) = tables.dead.get(&self.txn, &uid)?.unwrap_or_default().as_chunks::<8>();
        Ok(words.iter().map(|word| u64::from_le_bytes(*word)).collect())
    }
}

impl Writing<'_, '_> {
    /// Makes the files of `record` those that count. `dead` returns the dead slots of a segment, by its position.
    /// `changed` are the assets that are not in one of the files. The databases must exist.
    pub fn put_sealed(
        &mut self,
        record: &SealedRecord,
        dead: impl Fn(usize) -> Vec<u64>,
        changed: &[u64],
    ) -> Result<(), StoreError> {
        let Some(tables) = self.store.sealed.0.get() else { return Err(StoreError::NoIndex) };
        let json = serde_json::to_vec(record).map_err(|error| StoreError::File(error.into()))?;
        self.store.databases.meta.put(self.txn, SEALED, &json)?;
        tables.dead.clear(self.txn)?;
        for (position, entry) in record.segments.iter().enumerate() {
            if entry.dead > 0 {
                let words: Vec<u8> =
                    dead(position).iter().flat_map(|word| word.to_le_bytes()).collect();
                tables.dead.put(self.txn, &entry.uid, &words)?;
            }
        }
        tables.journal.clear(self.txn)?;
        self.append_journal(changed)?;
        self.journal.seals = true;
        Ok(())
    }

    /// Adds the touched assets to the journal, or removes a record that is out of date.
    pub(super) fn put_journal(&mut self, version: usize) -> Result<(), StoreError> {
        let meta = &self.store.databases.meta;
        match self.store.journal_state() {
            _ if self.journal.seals => {}
            JournalState::Absent => return Ok(()),
            JournalState::Stale => {
                meta.delete(self.txn, SEALED)?;
                meta.delete(self.txn, VERSION)?;
                let Some(tables) = self.store.sealed.0.get() else { return Ok(()) };
                tables.dead.clear(self.txn)?;
                return Ok(tables.journal.clear(self.txn)?);
            }
            JournalState::Kept => {
                let mut touched = std::mem::take(&mut self.journal.touched);
                touched.sort_unstable();
                touched.dedup();
                self.append_journal(&touched)?;
            }
        }
        let assets = self.store.databases.assets.len(self.txn)?;
        Ok(meta.put(self.txn, VERSION, &stamp(version, assets))?)
    }

    /// Number of ISCC-IDs in the journal once the transaction is committed. `None` if commits keep no journal then.
    pub(super) fn journal_after(&self) -> Option<u64> {
        match self.store.journal_state() {
            _ if self.journal.seals => Some(self.journal.added),
            JournalState::Kept => Some(self.store.journal_ids() + self.journal.added),
            JournalState::Absent | JournalState::Stale => None,
        }
    }

    fn append_journal(&mut self, ids: &[u64]) -> Result<(), StoreError> {
        let Some(tables) = self.store.sealed.0.get() else { return Ok(()) };
        let first = tables.journal.last(self.txn)?.map_or(0, |(last, _)| last + 1);
        self.journal.added += ids.len() as u64;
        for (number, ids) in (first..).zip(ids.chunks(ROW_IDS)) {
            let row: Vec<u8> = ids.iter().flat_map(|id| id.to_be_bytes()).collect();
            tables.journal.put(self.txn, &number, &row)?;
        }
        Ok(())
    }
}

fn stamp(version: usize, assets: u64) -> [u8; 16] {
    (((version as u128) << 64) | u128::from(assets)).to_be_bytes()
}
