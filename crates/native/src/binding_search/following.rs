//! Following a database that is the truth: what changes would do, and applying the rows that it has.

use std::sync::Arc;

use iscc_search::{BatchForm, ChangeForm, ChangeRequest, IndexState, LogRow, LogTable, Rows};
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use super::{SearchEngine, reply};
use crate::error::{NativeError, Result};
use crate::runtime::{IO, rejected};

/// A request to change an index.
#[napi(object)]
pub struct IndexChange {
    /// `entries` or `deletions`, JSON arrays; `lines`, NDJSON; `deletion`, an ISCC-ID.
    pub form: String,
    /// The body of the request. It must not change until the promise settles.
    pub body: Uint8Array,
    /// Number of the first line.
    pub first_line: Option<i64>,
}

/// The response to a change, or why it fails.
#[napi(object)]
pub struct ChangeOutcome {
    /// JSON.
    pub response: Option<Buffer>,
    /// Code of the error.
    pub code: Option<String>,
    /// Text of the error.
    pub message: Option<String>,
    /// JSON for the client.
    pub detail: Option<String>,
}

/// What an index knows besides its assets.
#[napi(object)]
pub struct FollowedState {
    /// Realm of its assets; absent before the first one.
    pub realm: Option<u32>,
    /// Names of its simprint types, in the order they were added.
    pub simprint_types: Vec<String>,
    /// Their lengths in bits.
    pub simprint_bits: Vec<u32>,
}

/// What changes would do.
#[napi(object)]
pub struct Rehearsed {
    /// Name of the index. The one in the request may be an alias.
    pub index: String,
    /// One per change.
    pub outcomes: Vec<ChangeOutcome>,
    /// Changed assets: a JSON array of `{"key", "code", "units", "metadata", "simprints"}`.
    pub rows: Buffer,
    /// Keys of deleted assets.
    pub deleted: Vec<String>,
    /// Number of changed and deleted assets.
    pub count: u32,
    /// The index after the changes.
    pub state: FollowedState,
}

/// A row of the follower's state of an index that follows logs.
#[napi(object)]
pub struct LogTableRow {
    /// Number of its table.
    pub table: u32,
    /// The key.
    pub key: Buffer,
    /// The value; absent if the row is deleted.
    pub value: Option<Buffer>,
}

/// Rows of a database.
#[napi(object)]
pub struct FollowedRows {
    /// Assets to store, in the form of `Rehearsed`. They must not change until the promise settles.
    pub rows: Uint8Array,
    /// Keys of assets to delete.
    pub deleted: Vec<String>,
    /// Rows of the follower's state, of an index that follows logs.
    pub log: Option<Vec<LogTableRow>>,
    /// The index after the changes.
    pub state: FollowedState,
    /// Where the follower is after them. Absent while the index is being loaded.
    pub position: Option<String>,
}

#[napi]
impl SearchEngine {
    /// What changes of one index would do, one after another, without doing it.
    #[napi(catch_unwind, ts_return_type = "Promise<Rehearsed>")]
    pub fn rehearse<'env>(
        &self,
        env: &'env Env,
        index: String,
        changes: Vec<IndexChange>,
    ) -> Result<Object<'env>> {
        let engine = Arc::clone(self.engine()?);
        let requests = changes.into_iter().map(request).collect::<Result<Vec<_>>>()?;
        IO.run(env, move || {
            let (index, done) = engine.rehearse(&index, &requests)?;
            Ok(Rehearsed {
                index,
                outcomes: done.outcomes.into_iter().map(outcome).collect(),
                rows: done.rows.into(),
                deleted: done.deleted,
                count: done.count as u32,
                state: state_out(done.state),
            })
        })
    }

    /// Applies rows of a database and the position in one transaction. Resolves to an empty buffer.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
    pub fn apply_rows<'env>(
        &self,
        env: &'env Env,
        index: String,
        rows: FollowedRows,
    ) -> Result<Object<'env>> {
        let engine = Arc::clone(self.engine()?);
        let FollowedRows { rows, deleted, log, state, position } = rows;
        let log = log.unwrap_or_default().into_iter().map(log_row).collect::<Result<Vec<_>>>()?;
        let place = match IO.enter() {
            Ok(place) => place,
            Err(error) => return rejected(env, error),
        };
        let (reply, promise) = reply(env)?;
        let rows = Rows { rows, deleted, log, state: state_in(state), position };
        IO.spawn(place, move || engine.apply_rows(&index, rows, reply));
        Ok(promise)
    }

    /// The assets that any of the rows is similar to, whatever their scores: bodies of their ISCC-IDs. `rows` have the form of
    /// `Rehearsed`, and must not change until the promise settles.
    #[napi(catch_unwind, ts_return_type = "Promise<Array<number>>")]
    pub fn similar_to_any<'env>(
        &self,
        env: &'env Env,
        index: String,
        rows: Uint8Array,
        threshold: Option<f64>,
        threshold_simprints: Option<f64>,
    ) -> Result<Object<'env>> {
        let engine = Arc::clone(self.engine()?);
        let thresholds = (threshold, threshold_simprints);
        IO.run(env, move || {
            let found = engine.similar_to_any(&index, &rows, thresholds)?;
            Ok(found.into_iter().map(|id| id as i64).collect::<Vec<_>>())
        })
    }

    /// Deletes an index of a cache, also one that follows logs: the database no longer has it.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn discard_index<'env>(&self, env: &'env Env, name: String) -> Result<Object<'env>> {
        let engine = Arc::clone(self.engine()?);
        IO.run(env, move || Ok(engine.discard_index(&name)?))
    }

    /// Where the follower of an index is; `null` if it has to load the index.
    #[napi(catch_unwind, ts_return_type = "Promise<string | null>")]
    pub fn position<'env>(&self, env: &'env Env, index: String) -> Result<Object<'env>> {
        let engine = Arc::clone(self.engine()?);
        IO.run(env, move || Ok(engine.position(&index)?))
    }
}

pub(crate) fn request(change: IndexChange) -> Result<ChangeRequest<Uint8Array>> {
    let form = match change.form.as_str() {
        "entries" => ChangeForm::Batch(BatchForm::Entries),
        "lines" => ChangeForm::Batch(BatchForm::Lines(change.first_line.unwrap_or(1) as u64)),
        "deletions" => ChangeForm::Batch(BatchForm::Deletions),
        "deletion" => ChangeForm::Deletion,
        other => return Err(NativeError::invalid(format_args!("'{other}' is not a form"))),
    };
    Ok(ChangeRequest { form, body: change.body })
}

fn outcome(response: iscc_search::Response) -> ChangeOutcome {
    match response {
        Ok(json) => {
            let response = Some(json.into());
            ChangeOutcome { response, code: None, message: None, detail: None }
        }
        Err(failure) => {
            let error = NativeError::from(failure);
            ChangeOutcome {
                response: None,
                code: Some(error.code().as_ref().to_owned()),
                message: Some(error.to_string()),
                detail: error.detail().map(str::to_owned),
            }
        }
    }
}

fn log_row(LogTableRow { table, key, value }: LogTableRow) -> Result<LogRow> {
    let Some(&table) = LogTable::ALL.get(table as usize) else {
        return Err(NativeError::invalid(format_args!("{table} is not the number of a table")));
    };
    Ok(LogRow { table, key: key.into(), value: value.map(Vec::from) })
}

pub(crate) fn log_row_out(LogRow { table, key, value }: LogRow) -> LogTableRow {
    LogTableRow { table: table as u32, key: key.into(), value: value.map(Buffer::from) }
}

pub(crate) fn state_out(state: IndexState) -> FollowedState {
    let (names, bits): (Vec<_>, Vec<_>) = state.simprint_types.into_iter().unzip();
    FollowedState {
        realm: state.realm.map(u32::from),
        simprint_types: names,
        simprint_bits: bits.into_iter().map(u32::from).collect(),
    }
}

pub(crate) fn state_in(state: FollowedState) -> IndexState {
    let bits = state.simprint_bits.into_iter().map(|bits| bits as u16);
    IndexState {
        realm: state.realm.map(|realm| realm as u8),
        simprint_types: state.simprint_types.into_iter().zip(bits).collect(),
    }
}
