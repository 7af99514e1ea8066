//! Following a database that is the truth.

use super::Engine;
use super::jobs::{self, ChangeForm};
use crate::failure::{Failure, Response};
use crate::index::{Change, IndexState, LogRow, Rehearsal, RowChange, store_failure};
use crate::reply::Reply;
use crate::request::selection::Selection;
use crate::row::Row;

/// A request that changes an index.
pub struct ChangeRequest<Body> {
    /// What the body is.
    pub form: ChangeForm,
    /// The body.
    pub body: Body,
}

/// Rows of a database, to be applied to an index.
pub struct Rows<Body> {
    /// JSON array of the rows of [`Rehearsal`].
    pub rows: Body,
    /// Keys of assets to delete.
    pub deleted: Vec<String>,
    /// Rows of the log databases, of an index that follows logs.
    pub log: Vec<LogRow>,
    /// State of the index.
    pub state: IndexState,
    /// Where the follower is then; `None` while the index is being loaded.
    pub position: Option<String>,
}

impl Engine {
    /// The name of the index and what requests would do to it, one after another. Nothing is changed.
    pub fn rehearse<Body: AsRef<[u8]>>(
        &self,
        name: &str,
        requests: &[ChangeRequest<Body>],
    ) -> Result<(String, Rehearsal), Failure> {
        let mut prepared: Vec<Result<Change, Failure>> = Vec::with_capacity(requests.len());
        for ChangeRequest { form, body } in requests {
            let change = jobs::prepare(&self.registry, name, form, body.as_ref());
            prepared.push(change.map(|(_, change)| change));
        }
        let failures: Vec<Option<Failure>> =
            prepared.iter().map(|change| change.as_ref().err().cloned()).collect();
        let changes: Vec<Change> = prepared.into_iter().flatten().collect();
        let (index, mut rehearsal) = match self.registry.find(name) {
            Ok(index) => {
                let done = index.rehearse(&changes).map_err(|error| store_failure(&error))?;
                (index.name(), done)
            }
            // Then every request has failed.
            Err(_) => (name.to_owned(), Rehearsal::default()),
        };
        let mut done = rehearsal.outcomes.into_iter();
        let missing = || Err(Failure::broken("a rehearsed change has no outcome"));
        let outcome = |failure: Option<Failure>| -> Response {
            failure.map_or_else(|| done.next().unwrap_or_else(missing), Err)
        };
        rehearsal.outcomes = failures.into_iter().map(outcome).collect();
        Ok((index, rehearsal))
    }

    /// Applies rows of a database in one transaction. Replies when they are durable and visible.
    pub fn apply_rows<Body: AsRef<[u8]>>(&self, name: &str, rows: Rows<Body>, reply: Reply) {
        let change = self.registry.find(name).and_then(|index| {
            let Rows { rows, deleted, log, state, position } = rows;
            let matching = index.matching();
            let change = RowChange::read(rows.as_ref(), &deleted, log, state, position, matching)?;
            Ok((index, change))
        });
        match change {
            Ok((index, change)) => {
                index.submit(Change::Rows(change), reply);
                self.maintenance.notifier().notify();
            }
            Err(failure) => reply.send(Err(failure)),
        }
    }

    /// The assets of an index that any of the rows of [`Rehearsal`] is similar to, whatever their scores, by the bodies of
    /// their ISCC-IDs. Thresholds of `None` are those of the configuration.
    pub fn similar_to_any(
        &self,
        name: &str,
        rows: &[u8],
        (threshold, threshold_simprints): (Option<f64>, Option<f64>),
    ) -> Result<Vec<u64>, Failure> {
        let rows: Vec<Row<'_>> = serde_json::from_slice(rows).map_err(Failure::broken)?;
        let selection = Selection { threshold, threshold_simprints, ..Selection::default() };
        let found = self.registry.find(name)?.similar_to_any(&self.scan_pool, &rows, &selection)?;
        Ok(found.into_iter().collect())
    }

    /// Where the follower of an index is; `None` if it has to load the index.
    pub fn position(&self, name: &str) -> Result<Option<String>, Failure> {
        self.registry.find(name)?.position().map_err(Failure::broken)
    }

    /// Deletes an index of a cache, also one that follows logs: the database no longer has it.
    pub fn discard_index(&self, name: &str) -> Result<(), Failure> {
        self.registry.discard(name)
    }
}
