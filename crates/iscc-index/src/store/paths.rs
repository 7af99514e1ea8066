//! The database of declared metadata paths. Indexes without such paths do not have it.

use std::ops::Bound;
use std::sync::{OnceLock, PoisonError};

use heed::types::{Bytes, Unit};
use heed::{CommitOrAbort, Database, Env, WithoutTls};

use super::{Reading, Store, StoreError, Writing};
use crate::paths::{DECLARED, Paths};

const NAME: &str = "paths";
/// Key of the version of the last state that this version of the program wrote. Another version may not maintain rows.
const VERSION: &str = "paths_version";

/// Most bytes of records that are read at a time.
const RECORDS_BYTES_MAX: usize = 8 << 20;

/// Bodies of ISCC-IDs with records, and the body of the next asset.
type AssetRows = (Vec<(u64, Vec<u8>)>, Option<u64>);

/// Rows in order.
type PathRows<'r> = Box<dyn Iterator<Item = Result<&'r [u8], StoreError>> + 'r>;

/// The database, if the index has it: keys of [`crate::paths`] without values.
#[derive(Default)]
pub(super) struct PathDatabase(OnceLock<Database<'static, Bytes, Unit>>);

impl PathDatabase {
    /// Opens the database if it exists.
    pub fn open(env: &Env<WithoutTls>) -> Result<Self, StoreError> {
        let opened = env.open_databases_and_commit(env.read_txn()?, |opener, txn| {
            let rows = opener.open_database::<Bytes, Unit>(txn, Some(NAME))?;
            Ok::<_, heed::Error>(CommitOrAbort::<_, ()>::Commit(rows))
        })?;
        let database = Self::default();
        if let Some(rows) = opened.unwrap_commit() {
            database.0.get_or_init(|| rows);
        }
        Ok(database)
    }
}

impl Store {
    /// Creates the database unless it exists.
    pub fn create_paths(&self) -> Result<(), StoreError> {
        if self.paths.0.get().is_some() {
            return Ok(());
        }
        let _mapping = self.mapping.read().unwrap_or_else(PoisonError::into_inner);
        let created =
            self.env.create_databases_and_commit(self.env.write_txn()?, |opener, txn| {
                let rows = opener.create_database::<Bytes, Unit>(txn, Some(NAME))?;
                Ok::<_, heed::Error>(CommitOrAbort::<_, ()>::Commit(rows))
            })?;
        let rows = created.unwrap_commit();
        self.paths.0.get_or_init(|| rows);
        Ok(())
    }
}

impl Reading<'_> {
    /// The declared paths.
    pub fn paths(&self) -> Result<Paths, StoreError> {
        if self.store.paths.0.get().is_none() {
            return Ok(Paths::default());
        }
        let json = self.store.databases.meta.get(&self.txn, DECLARED)?;
        Ok(json.and_then(Paths::read).unwrap_or_default())
    }

    /// Whether this version of the program wrote the state, so that the rows of the paths fit the assets.
    pub fn has_current_paths(&self) -> Result<bool, StoreError> {
        let version = self.store.databases.meta.get(&self.txn, VERSION)?;
        Ok(version == Some(&(self.version() as u64).to_be_bytes()[..]))
    }

    /// Whether there is a row.
    pub fn has_path_row(&self, row: &[u8]) -> Result<bool, StoreError> {
        let Some(rows) = self.store.paths.0.get() else { return Ok(false) };
        Ok(rows.get(&self.txn, row)?.is_some())
    }

    /// Rows from one key to the end of its prefix, in order.
    pub fn path_rows(&self, prefix: &[u8], from: &[u8]) -> Result<PathRows<'_>, StoreError> {
        let Some(rows) = self.store.paths.0.get() else { return Ok(Box::new(std::iter::empty())) };
        let prefix = prefix.to_vec();
        let bounds = (Bound::Included(from), Bound::<&[u8]>::Unbounded);
        let rows = rows.range(&self.txn, &bounds)?.map(|row| Ok(row?.0));
        Ok(Box::new(rows.take_while(move |row| match row {
            Ok(row) => row.starts_with(&prefix),
            Err(_) => true,
        })))
    }
}

impl Writing<'_, '_> {
    /// An asset's record.
    pub fn asset(&self, id: u64) -> Result<Option<&[u8]>, StoreError> {
        Ok(self.store.databases.assets.get(self.txn, &id)?)
    }

    /// Up to `limit` assets from an ISCC-ID body on, and the body to continue from.
    pub fn assets_from(&self, id: u64, limit: usize) -> Result<AssetRows, StoreError> {
        let (mut assets, mut bytes) = (Vec::new(), 0);
        for row in self.store.databases.assets.range(self.txn, &(id..))? {
            let (id, record) = row?;
            if assets.len() == limit || bytes > RECORDS_BYTES_MAX {
                return Ok((assets, Some(id)));
            }
            bytes += record.len();
            assets.push((id, record.to_vec()));
        }
        Ok((assets, None))
    }

    /// Stores the declared paths. The database must exist.
    pub fn put_paths(&mut self, paths: &Paths) -> Result<(), StoreError> {
        Ok(self.store.databases.meta.put(self.txn, DECLARED, &paths.json())?)
    }

    /// Stores a row. The database must exist.
    pub fn put_path_row(&mut self, row: &[u8]) -> Result<(), StoreError> {
        let Some(rows) = self.store.paths.0.get() else { return Err(StoreError::NoIndex) };
        Ok(rows.put(self.txn, row, &())?)
    }

    /// Removes a row.
    pub fn delete_path_row(&mut self, row: &[u8]) -> Result<(), StoreError> {
        let Some(rows) = self.store.paths.0.get() else { return Err(StoreError::NoIndex) };
        rows.delete(self.txn, row)?;
        Ok(())
    }

    /// Removes up to `limit` rows of a path. Returns whether there were more.
    pub fn delete_path_rows(&mut self, number: u8, limit: usize) -> Result<bool, StoreError> {
        let Some(rows) = self.store.paths.0.get() else { return Ok(false) };
        let found = rows.prefix_iter(self.txn, &[number])?.take(limit);
        let found: Vec<Vec<u8>> =
            found.map(|row| row.map(|(row, ())| row.to_vec())).collect::<Result<_, _>>()?;
        for row in &found {
            rows.delete(self.txn, row)?;
        }
        Ok(found.len() == limit)
    }

    /// Notes that the rows of the paths fit the state to be committed.
    pub(super) fn put_paths_version(&mut self, version: usize) -> Result<(), StoreError> {
        if self.store.paths.0.get().is_none() {
            return Ok(());
        }
        let version = (version as u64).to_be_bytes();
        Ok(self.store.databases.meta.put(self.txn, VERSION, &version)?)
    }
}

impl Store {
    /// Commits a change as a version of the program without path indexes and journal does. For tests.
    pub fn write_as_other_version(
        &self,
        change: impl FnOnce(&mut Writing<'_, '_>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut txn = self.env.write_txn()?;
        change(&mut Writing::new(self, &mut txn))?;
        Ok(txn.commit()?)
    }
}
