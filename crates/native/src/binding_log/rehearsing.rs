//! Changes of an index that is in a database: computed here, committed there.

use iscc_search::log_index::LogRehearsal;
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use super::{FollowedIndex, LogBatch, with_batch};
use crate::binding_search::following::{FollowedState, LogTableRow, log_row_out, state_out};
use crate::error::Result;

/// What a change of an index that follows logs would leave behind.
#[napi(object)]
pub struct LogRehearsed {
    /// Changed assets, in the form of `Rehearsed`.
    pub rows: Buffer,
    /// Keys of deleted assets.
    pub deleted: Vec<String>,
    /// Number of changed and deleted assets.
    pub count: u32,
    /// The index after the change.
    pub state: FollowedState,
    /// Rows of the follower's state.
    pub log: Vec<LogTableRow>,
    /// JSON row of the hub before the change; absent before its first one.
    pub before: Option<String>,
    /// What the change itself would resolve to.
    pub result: String,
}

#[napi]
impl FollowedIndex {
    /// What `putHub` would leave behind, without doing it.
    #[napi(catch_unwind, ts_return_type = "Promise<LogRehearsed>")]
    pub fn rehearse_put_hub<'env>(
        &self,
        env: &'env Env,
        hub: u16,
        row: String,
    ) -> Result<Object<'env>> {
        self.run(env, move |index| Ok(rehearsed(index.rehearse_put_hub(hub, &row)?, row)))
    }

    /// What `putEvidence` would leave behind, without doing it. `result` is the number of the evidence.
    #[napi(catch_unwind, ts_return_type = "Promise<LogRehearsed>")]
    pub fn rehearse_put_evidence<'env>(
        &self,
        env: &'env Env,
        hub: u16,
        evidence: String,
        row: String,
    ) -> Result<Object<'env>> {
        self.run(env, move |index| {
            let (change, number) = index.rehearse_put_evidence(hub, &evidence, &row)?;
            Ok(rehearsed(change, number.to_string()))
        })
    }

    /// What `apply` would leave behind, without doing it. `result` is the row of the hub.
    #[napi(catch_unwind, ts_return_type = "Promise<LogRehearsed | null>")]
    pub fn rehearse_apply<'env>(&self, env: &'env Env, batch: LogBatch) -> Result<Object<'env>> {
        self.run(env, move |index| {
            let change = with_batch(&batch, |batch| Ok(index.rehearse_apply(batch)?))?;
            Ok(change.map(|(change, row)| rehearsed(change, row)))
        })
    }

    /// What `reset` would leave behind, without doing it.
    #[napi(catch_unwind, ts_return_type = "Promise<LogRehearsed>")]
    pub fn rehearse_reset<'env>(&self, env: &'env Env, hub: u16) -> Result<Object<'env>> {
        self.run(env, move |index| Ok(rehearsed(index.rehearse_reset(hub)?, String::new())))
    }
}

fn rehearsed(LogRehearsal { assets, log, before }: LogRehearsal, result: String) -> LogRehearsed {
    LogRehearsed {
        rows: assets.rows.into(),
        deleted: assets.deleted,
        count: assets.count as u32,
        state: state_out(assets.state),
        log: log.into_iter().map(log_row_out).collect(),
        before,
        result,
    }
}
