//! Databases of an index that follows hub logs: what the follower must remember, next to the assets.
//!
//! Keys are big-endian, so that rows of one hub are neighbours. See [`crate::log_index`] for their content.

use std::sync::OnceLock;

use heed::types::Bytes;
use heed::{CommitOrAbort, Database, Env, RoTxn, WithoutTls};

use super::{Reading, Row, Store, StoreError, Writing};

/// One of the databases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogTable {
    /// Hub id (u16) to JSON: what is known of the hub.
    Hubs,
    /// Hub id ‖ block (u64) to up to 256 leaf hashes.
    Leaves,
    /// ISCC-ID body (u64) to key (32 bytes) ‖ leaf index (u64) ‖ 1 in force, 0 deleted.
    Claims,
    /// Nonce (16 bytes) to leaf index (u64).
    Nonces,
    /// Hub id ‖ number (u64) to JSON: proven contradictions.
    Evidence,
    /// Hub id ‖ block (u64) to the block's entry bundle. Only nodes that mirror logs have rows.
    Bundles,
}

impl LogTable {
    /// All, in the order of their numbers, which are stored in databases.
    pub const ALL: [Self; 6] =
        [Self::Hubs, Self::Leaves, Self::Claims, Self::Nonces, Self::Evidence, Self::Bundles];
}

/// Names of the databases, in the order of [`LogTable`].
const NAMES: [&str; 6] =
    ["log_hubs", "log_leaves", "log_claims", "log_nonces", "log_evidence", "log_bundles"];

type Table = Database<'static, Bytes, Bytes>;

/// The databases, if the index follows logs.
#[derive(Default)]
pub(super) struct LogDatabases(OnceLock<[Table; NAMES.len()]>);

impl LogDatabases {
    /// Opens the databases if they exist.
    pub fn open(env: &Env<WithoutTls>) -> Result<Self, StoreError> {
        let opened = env.open_databases_and_commit(env.read_txn()?, |opener, txn| {
            let open = |name| opener.open_database::<Bytes, Bytes>(txn, Some(name));
            let [hubs, leaves, claims, nonces, evidence, bundles] = NAMES;
            let tables = (
                open(hubs)?,
                open(leaves)?,
                open(claims)?,
                open(nonces)?,
                open(evidence)?,
                open(bundles)?,
            );
            Ok::<_, heed::Error>(CommitOrAbort::<_, ()>::Commit(tables))
        })?;
        let databases = Self::default();
        if let (
            Some(hubs),
            Some(leaves),
            Some(claims),
            Some(nonces),
            Some(evidence),
            Some(bundles),
        ) = opened.unwrap_commit()
        {
            databases.0.get_or_init(|| [hubs, leaves, claims, nonces, evidence, bundles]);
        }
        Ok(databases)
    }

    fn table(&self, table: LogTable) -> Option<&Table> {
        self.0.get().map(|tables| &tables[table as usize])
    }
}

impl Store {
    /// Whether the index follows logs.
    pub fn has_log(&self) -> bool {
        self.log.0.get().is_some()
    }

    /// Creates the databases unless they exist.
    pub fn create_log(&self) -> Result<(), StoreError> {
        if self.has_log() {
            return Ok(());
        }
        let _mapping = self.mapping.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        let created =
            self.env.create_databases_and_commit(self.env.write_txn()?, |opener, txn| {
                let mut create = |name| opener.create_database::<Bytes, Bytes>(txn, Some(name));
                let [hubs, leaves, claims, nonces, evidence, bundles] = NAMES;
                let tables = (
                    create(hubs)?,
                    create(leaves)?,
                    create(claims)?,
                    create(nonces)?,
                    create(evidence)?,
                    create(bundles)?,
                );
                Ok::<_, heed::Error>(CommitOrAbort::<_, ()>::Commit(tables))
            })?;
        let (hubs, leaves, claims, nonces, evidence, bundles) = created.unwrap_commit();
        self.log.0.get_or_init(|| [hubs, leaves, claims, nonces, evidence, bundles]);
        Ok(())
    }
}

impl Reading<'_> {
    /// A row of a log database.
    pub fn log_row(&self, table: LogTable, key: &[u8]) -> Result<Option<&[u8]>, StoreError> {
        get(self.store, &self.txn, table, key)
    }

    /// Rows of a log database whose keys start with `prefix`, in key order.
    pub fn log_rows(
        &self,
        table: LogTable,
        prefix: &[u8],
    ) -> Result<Box<dyn Iterator<Item = Row<'_>> + '_>, StoreError> {
        let Some(table) = self.store.log.table(table) else {
            return Ok(Box::new(std::iter::empty()));
        };
        // heed rejects an empty prefix.
        if prefix.is_empty() {
            return Ok(Box::new(table.iter(&self.txn)?.map(|row| row.map_err(StoreError::from))));
        }
        let rows = table.prefix_iter(&self.txn, prefix)?;
        Ok(Box::new(rows.map(|row| row.map_err(StoreError::from))))
    }
}

impl Writing<'_, '_> {
    /// Stores a row of a log database; deletes it without a value. The databases must exist.
    pub fn put_log_row(
        &mut self,
        table: LogTable,
        key: &[u8],
        value: Option<&[u8]>,
    ) -> Result<(), StoreError> {
        let Some(table) = self.store.log.table(table) else { return Err(StoreError::NoIndex) };
        match value {
            Some(value) => table.put(self.txn, key, value)?,
            None => drop(table.delete(self.txn, key)?),
        }
        Ok(())
    }
}

fn get<'t>(
    store: &Store,
    txn: &'t RoTxn<'_, WithoutTls>,
    table: LogTable,
    key: &[u8],
) -> Result<Option<&'t [u8]>, StoreError> {
    match store.log.table(table) {
        Some(table) => Ok(table.get(txn, key)?),
        None => Ok(None),
    }
}
