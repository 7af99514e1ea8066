//! Changes of an index that is in a database: computed here, committed there, then applied like other rows of the database.

use super::apply::Batch;
use super::{LogIndex, hub_change};
use crate::failure::Failure;
use crate::index::{Change, LogChange, LogRow, Rehearsal, store_failure};

/// What a change would leave behind. Nothing is changed.
#[derive(Debug)]
pub struct LogRehearsal {
    /// The assets.
    pub assets: Rehearsal,
    /// Rows of the log databases.
    pub log: Vec<LogRow>,
    /// The hub's row before the change. It must still be the same when the change is committed.
    pub before: Option<String>,
}

impl LogIndex {
    /// [`LogIndex::put_hub`] without doing it.
    pub fn rehearse_put_hub(&self, hub: u16, row: &str) -> Result<LogRehearsal, Failure> {
        let before = self.hub(hub)?;
        self.rehearse(before, hub_change(hub, row))
    }

    /// [`LogIndex::put_evidence`] without doing it, and the evidence's number.
    pub fn rehearse_put_evidence(
        &self,
        hub: u16,
        evidence: &str,
        row: &str,
    ) -> Result<(LogRehearsal, u64), Failure> {
        let before = self.hub(hub)?;
        let (change, number) = self.evidence_change(hub, evidence, row)?;
        Ok((self.rehearse(before, change)?, number))
    }

    /// [`LogIndex::apply`] without doing it, and the hub's new row; `None` if the batch does not have the expected leaves.
    pub fn rehearse_apply(
        &self,
        batch: &Batch<'_>,
    ) -> Result<Option<(LogRehearsal, String)>, Failure> {
        let before = self.hub(batch.hub)?;
        let Some((change, row)) = self.apply_change(batch)? else { return Ok(None) };
        Ok(Some((self.rehearse(before, change)?, row)))
    }

    /// [`LogIndex::reset`] without doing it.
    pub fn rehearse_reset(&self, hub: u16) -> Result<LogRehearsal, Failure> {
        let before = self.hub(hub)?;
        let change = self.reset_change(hub)?;
        self.rehearse(before, change)
    }

    fn rehearse(&self, before: Option<String>, change: LogChange) -> Result<LogRehearsal, Failure> {
        let mut changes = [Change::Log(change)];
        let mut assets = self.index.rehearse(&changes).map_err(|error| store_failure(&error))?;
        assets.outcomes.drain(..).collect::<Result<Vec<_>, _>>()?;
        let [Change::Log(change)] = &mut changes else {
            return Err(Failure::broken("a log change is another one"));
        };
        Ok(LogRehearsal { assets, log: std::mem::take(&mut change.rows), before })
    }
}
