//! Metadata of an index: format, realm, simprint types.

use heed::types::{Bytes, Str};
use heed::{Database, RoTxn, RwTxn};

use super::{Reading, StoreError, Writing};
use crate::leb128::{Cursor, put_number};

/// Version of the format of records and databases.
const FORMAT: u64 = 1;

/// Metadata of an index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoredMeta {
    /// Whether the creation of the index completed.
    pub created: bool,
    /// Realm of all ISCC-IDs. `None` until the first asset is added.
    pub realm: Option<u8>,
    /// Simprint types with their length in bits, in the order they were added.
    pub simprint_types: Vec<(String, u16)>,
}

impl StoredMeta {
    pub(super) fn read(
        meta: &Database<'_, Str, Bytes>,
        txn: &RoTxn<'_>,
    ) -> Result<Self, StoreError> {
        let Some(format) = meta.get(txn, "format")? else {
            return Ok(Self::default());
        };
        let found = Cursor::new(format).number().unwrap_or(0);
        if found != FORMAT {
            return Err(StoreError::Format { found, known: FORMAT });
        }
        let realm = meta.get(txn, "realm")?.and_then(|bytes| bytes.first().copied());
        let mut simprint_types = Vec::new();
        let mut cursor = Cursor::new(meta.get(txn, "simprint_types")?.unwrap_or_default());
        while let Some((bits, name)) = cursor.number().zip(cursor.text()) {
            simprint_types.push((name.to_owned(), bits as u16));
        }
        Ok(Self { created: true, realm, simprint_types })
    }

    pub(super) fn write(
        &self,
        meta: &Database<'_, Str, Bytes>,
        txn: &mut RwTxn<'_>,
    ) -> Result<(), StoreError> {
        let mut format = Vec::new();
        put_number(&mut format, FORMAT);
        meta.put(txn, "format", &format)?;
        if let Some(realm) = self.realm {
            meta.put(txn, "realm", &[realm])?;
        }
        let mut types = Vec::new();
        for (name, bits) in &self.simprint_types {
            put_number(&mut types, u64::from(*bits));
            put_number(&mut types, name.len() as u64);
            types.extend_from_slice(name.as_bytes());
        }
        meta.put(txn, "simprint_types", &types)?;
        Ok(())
    }
}

/// Key of the follower's position.
const POSITION: &str = "position";

impl Reading<'_> {
    /// Where the follower of a database is; `None` if the index follows none, or is being loaded.
    pub fn position(&self) -> Result<Option<String>, StoreError> {
        let bytes = self.store.databases.meta.get(&self.txn, POSITION)?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned()))
    }
}

impl Writing<'_, '_> {
    /// Stores where the follower of a database is.
    pub fn put_position(&mut self, position: Option<&str>) -> Result<(), StoreError> {
        let meta = &self.store.databases.meta;
        match position {
            Some(position) => meta.put(self.txn, POSITION, position.as_bytes())?,
            None => drop(meta.delete(self.txn, POSITION)?),
        }
        Ok(())
    }
}
