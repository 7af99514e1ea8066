//! The jobs of the engine's threads: adding batches and searching.

use std::sync::Arc;

use super::registry::{AnyIndex, Registry};
use crate::asset::NewAsset;
use crate::failure::Failure;
use crate::index::{Change, Index, SearchJob};
use crate::reply::{Reply, SearchReply};
use crate::request::{entry, query};
use crate::scan_pool::ScanPool;

/// A batch of entries to add.
pub struct AddJob {
    pub index: String,
    pub body: Box<dyn AsRef<[u8]> + Send>,
    pub reply: Reply,
}

/// A search request that has not been checked yet.
pub struct SearchTask {
    pub index: String,
    pub body: SearchBody,
    pub limit: i64,
    pub reply: SearchReply,
}

/// What to search for.
pub enum SearchBody {
    /// JSON of a query.
    Json(Vec<u8>),
    /// An ISCC-CODE, from the query string.
    Code(String),
    /// ISCC-UNITs.
    Units(Vec<String>),
}

/// Adds batches.
pub fn add(registry: &Registry, jobs: Vec<AddJob>) {
    for AddJob { index, body, reply } in jobs {
        let prepared = entry::read((*body).as_ref()).and_then(|entries| {
            let index = registry.find(&index)?;
            Ok((index, entries))
        });
        let (index, entries) = match prepared {
            Ok(prepared) => prepared,
            Err(failure) => {
                reply.send(Err(failure));
                continue;
            }
        };
        match &*index {
            AnyIndex::Memory(index) => reply.send(index.add(entries)),
            AnyIndex::Stored(index) => {
                if let Err(failure) = index.check_writable() {
                    reply.send(Err(failure));
                    continue;
                }
                let checked = entries.into_iter().map(|e| NewAsset::new(e, index.matching()));
                match checked.collect::<Result<Vec<NewAsset>, Failure>>() {
                    Ok(assets) => index.submit(Change::Add(assets), reply),
                    Err(failure) => reply.send(Err(failure)),
                }
            }
        }
    }
}

/// Runs searches. Those of the same index share one pass.
pub fn search(registry: &Registry, scan_pool: &ScanPool, tasks: Vec<SearchTask>) {
    // The bodies outlive the checked queries, which borrow from them.
    let (bodies, rest): (Vec<SearchBody>, Vec<_>) =
        tasks.into_iter().map(|task| (task.body, (task.index, task.limit, task.reply))).unzip();
    let mut by_index: Vec<(Arc<Index>, Vec<SearchJob<'_>>)> = Vec::new();
    for (body, (name, limit, reply)) in bodies.iter().zip(rest) {
        match check(registry, body, &name, limit) {
            Err(failure) => reply.fail(failure),
            Ok((index, body, limit)) => match &*index {
                AnyIndex::Memory(index) => match reply {
                    SearchReply::Json(reply) => reply.send(index.search(body, limit)),
                    SearchReply::Matches(reply) => reply.send(index.matches(body, limit)),
                },
                AnyIndex::Stored(index) => {
                    let job = SearchJob { body, limit, reply };
                    match by_index.iter_mut().find(|(known, _)| Arc::ptr_eq(known, index)) {
                        Some((_, jobs)) => jobs.push(job),
                        None => by_index.push((Arc::clone(index), vec![job])),
                    }
                }
            },
        }
    }
    for (index, jobs) in by_index {
        index.search(scan_pool, jobs);
    }
}

/// Checks a request. Errors take precedence in this order: body schema, unknown index, other rules.
fn check<'a>(
    registry: &Registry,
    body: &'a SearchBody,
    name: &str,
    limit: i64,
) -> Result<(Arc<AnyIndex>, query::QueryBody<'a>, usize), Failure> {
    let (index, query) = match body {
        SearchBody::Json(json) => {
            let query = query::read(json)?;
            (registry.find(name)?, query)
        }
        // A malformed code in the query string is a 400, not a schema violation.
        SearchBody::Code(code) => (registry.find(name)?, query::from_code(code)?),
        SearchBody::Units(units) => {
            let query = query::from_units(units)?;
            (registry.find(name)?, query)
        }
    };
    Ok((index, query, query::checked_limit(limit)?))
}
