//! Following a database that is the truth: what changes would do, without doing them, and applying the rows that the
//! database has.
use std::sync::PoisonError;

use iscc_index::record::{Record, StoredSimprints, read_simprints};
use iscc_index::segment::Matching;
use iscc_index::store::{StoreError, Writing};

use super::draft::Draft;
use super::{Change, Index, LogRow};
use crate::asset::NewAsset;
use crate::failure::{Failure, Response};
use crate::row::{self, Row, key, key_of};

/// What an index knows besides its assets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexState {
    /// Realm of its assets.
    pub realm: Option<u8>,
    /// Names and lengths in bits of its simprint types, in the order they were added.
    pub simprint_types: Vec<(String, u16)>,
}

/// What changes would do.
#[derive(Debug, Default)]
pub struct Rehearsal {
    /// The response to each change.
    pub outcomes: Vec<Response>,
    /// JSON array of the changed assets, each as a [`Row`].
    pub rows: Vec<u8>,
    /// Keys of deleted assets, in the form of [`Row`].
    pub deleted: Vec<String>,
    /// Number of changed and deleted assets.
    pub count: usize,
    /// State of the index after the changes.
    pub state: IndexState,
}

/// Rows of a database to apply.
#[derive(Debug)]
pub struct RowChange {
    /// Assets to store instead of those with the same ISCC-ID.
    pub put: Vec<NewAsset>,
    /// Bodies of ISCC-IDs to delete. Missing ones are ignored.
    pub delete: Vec<u64>,
    /// Rows of the log databases, of an index that follows logs.
    pub log: Vec<LogRow>,
    /// State of the index after the change.
    pub state: IndexState,
    /// Where the follower is after this change; `None` while it loads the index.
    pub position: Option<String>,
}

impl RowChange {
    /// Parses rows.
    pub fn read(
        rows: &[u8],
        deleted: &[String],
        log: Vec<LogRow>,
        state: IndexState,
        position: Option<String>,
        matching: Matching,
    ) -> Result<Self, Failure> {
        let rows: Vec<Row<'_>> = serde_json::from_slice(rows).map_err(Failure::broken)?;
        let realm = state.realm.unwrap_or_default();
        let put = rows.into_iter().map(|row| row.into_asset(realm, matching));
        let put = put.collect::<Result<_, _>>()?;
        let delete = deleted.iter().map(|key| key_of(key)).collect::<Result<_, _>>()?;
        Ok(Self { put, delete, log, state, position })
    }
}

impl Index {
    /// The responses to changes and the rows that they would leave behind. Nothing is changed.
    pub fn rehearse(&self, changes: &[Change]) -> Result<Rehearsal, StoreError> {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut rehearsal = None;
        self.store.write(|writing| {
            let mut draft = Draft::new(self, &writer);
            let outcomes = changes.iter().map(|change| draft.apply(writing, change));
            let outcomes = outcomes.collect::<Result<Vec<_>, _>>()?;
            rehearsal = Some(draft.rehearsed(writing, outcomes)?);
            // Rolls back.
            Ok(None::<()>)
        })?;
        rehearsal.ok_or(StoreError::NoIndex)
    }

    /// Where the follower is; `None` if this is not known.
    pub fn position(&self) -> Result<Option<String>, StoreError> {
        self.store.read()?.position()
    }
}

impl Draft<'_> {
    fn rehearsed(
        &self,
        writing: &Writing<'_, '_>,
        outcomes: Vec<Response>,
    ) -> Result<Rehearsal, StoreError> {
        let (mut rows, mut deleted) = (Vec::new(), Vec::new());
        for (&id, slot) in &self.moved {
            match slot {
                Some(_) => rows.push(row(writing, id)?),
                None => deleted.push(key(id)),
            }
        }
        let bits = |name: &String| self.snapshot.simprint_types[name].bits;
        let names = self.snapshot.simprint_names.iter();
        Ok(Rehearsal {
            outcomes,
            count: rows.len() + deleted.len(),
            rows: [b"[", &rows.join(&b","[..])[..], b"]"].concat(),
            deleted,
            state: IndexState {
                realm: self.snapshot.realm,
                simprint_types: names.map(|name| (name.clone(), bits(name))).collect(),
            },
        })
    }

    /// Applies rows. They were checked before the database stored them.
    pub(super) fn apply_rows(
        &mut self,
        writing: &mut Writing<'_, '_>,
        change: &RowChange,
    ) -> Result<Response, StoreError> {
        if self.index.is_deleted() {
            return Ok(Err(super::no_index(&self.index.name())));
        }
        let IndexState { realm, simprint_types } = &change.state;
        self.snapshot.realm = *realm;
        for (name, bits) in simprint_types {
            self.snapshot.simprint_type(name, *bits);
        }
        for asset in &change.put {
            self.replace(writing, asset)?;
        }
        for &id in &change.delete {
            if self.slot(id).is_some() {
                self.remove(writing, id)?;
            }
        }
        for LogRow { table, key, value } in &change.log {
            writing.put_log_row(*table, key, value.as_deref())?;
        }
        writing.put_position(change.position.as_deref())?;
        (self.is_changed, self.is_meta_changed) = (true, true);
        Ok(Ok(Vec::new()))
    }
}

fn row(writing: &Writing<'_, '_>, id: u64) -> Result<Vec<u8>, StoreError> {
    let damaged = || StoreError::Damaged { id };
    let record = Record::read(writing.asset(id)?.ok_or_else(damaged)?).ok_or_else(damaged)?;
    let simprints = if record.has_simprints {
        let stored = writing.simprints(id)?.unwrap_or_default();
        read_simprints(stored).ok_or_else(damaged)?
    } else {
        StoredSimprints::new()
    };
    row::write(id, &record, &simprints).ok_or_else(damaged)
}
