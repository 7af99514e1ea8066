//! The jobs of the engine's threads: adding batches and searching.
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::mpsc::channel;

use iscc_columns::scan_pool::ScanPool;
use iscc_index::id::IsccId;
use iscc_index::segment::Matching;

use super::registry::Registry;
use crate::asset::NewAsset;
use crate::failure::{Failure, Response};
use crate::index::{Change, Index, SearchJob};
use crate::reply::{Reply, SearchReply};
use crate::request::entry::Entry;
use crate::request::query::SearchParameters;
use crate::request::selection::{Selection, no_negative_index};
use crate::request::{deletions, entry, query};
use crate::transfer::lines::NewLines;

/// Assets that are deleted in one transaction.
const DELETIONS_PER_COMMIT: usize = 10_000;

/// A batch of entries to add or delete.
pub struct AddJob {
    pub index: String,
    pub body: Box<dyn AsRef<[u8]> + Send>,
    pub form: BatchForm,
    pub reply: Reply,
}

/// What the body of a batch is.
pub enum BatchForm {
    /// A JSON array of entries: all are added, or none.
    Entries,
    /// NDJSON: each line is added or refused on its own. The first one has this number.
    Lines(u64),
    /// A JSON array of ISCC-IDs to delete.
    Deletions,
}

/// What the body of a request for a change is.
pub enum ChangeForm {
    /// A batch.
    Batch(BatchForm),
    /// An ISCC-ID to delete.
    Deletion,
}

/// A search request that has not been checked yet.
pub struct SearchTask {
    pub index: String,
    pub body: SearchBody,
    pub parameters: SearchParameters,
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
    for AddJob { index, body, form, reply } in jobs {
        let body = (*body).as_ref();
        if let BatchForm::Deletions = form {
            reply.send(delete_listed(registry, &index, body));
            continue;
        }
        match prepare(registry, &index, &ChangeForm::Batch(form), body) {
            Ok((index, change)) => index.submit(change, reply),
            Err(failure) => reply.send(Err(failure)),
        }
    }
}

/// Deletes in parts, each in a transaction of its own, so that other changes do not wait for all of them.
fn delete_listed(registry: &Registry, name: &str, body: &[u8]) -> Response {
    let texts = deletions::read(body)?;
    let index = registry.find(name)?;
    index.check_writable()?;
    let ids = parsed_ids(texts)?;
    let parts = ids.chunks(DELETIONS_PER_COMMIT).map(|part| {
        let (sender, receiver) = channel();
        // Another thread may commit it. The reply comes in any case.
        let reply = Reply::new(move |response| drop(sender.send(response)));
        index.submit(Change::DeleteAll(part.to_vec()), reply);
        receiver.recv().map_err(Failure::broken)?
    });
    Ok(join_arrays(&parts.collect::<Result<Vec<_>, Failure>>()?))
}

fn parsed_ids(texts: Vec<Cow<'_, str>>) -> Result<Vec<(IsccId, String)>, Failure> {
    let id = |text: Cow<'_, str>| {
        let id = IsccId::parse(&text).map_err(Failure::rejected)?;
        Ok((id, text.into_owned()))
    };
    texts.into_iter().map(id).collect()
}

/// One JSON array of the items of several, none of which is empty.
fn join_arrays(arrays: &[Vec<u8>]) -> Vec<u8> {
    let items = arrays.iter().map(|array| &array[1..array.len() - 1]);
    [b"[", &items.collect::<Vec<_>>().join(&b","[..])[..], b"]"].concat()
}

fn addition(entries: Vec<Entry<'_>>, matching: Matching) -> Result<Change, Failure> {
    let assets = entries.into_iter().map(|entry| NewAsset::new(entry, matching));
    Ok(Change::Add(assets.collect::<Result<_, _>>()?))
}

/// The index that a request is for, and the change that it asks for.
pub fn prepare(
    registry: &Registry,
    name: &str,
    form: &ChangeForm,
    body: &[u8],
) -> Result<(Arc<Index>, Change), Failure> {
    let mut found = None;
    let change = read_change(form, body, || {
        let index = registry.find(name)?;
        index.check_writable()?;
        let matching = index.matching();
        found = Some(index);
        Ok(matching)
    })?;
    let index = found.ok_or_else(|| Failure::broken("the index was not looked up"))?;
    Ok((index, change))
}

/// The change that a request asks for. `matching` looks up the index, after the schema of the body was checked.
pub fn read_change(
    form: &ChangeForm,
    body: &[u8],
    matching: impl FnOnce() -> Result<Matching, Failure>,
) -> Result<Change, Failure> {
    match form {
        ChangeForm::Batch(BatchForm::Entries) => {
            let entries = entry::read(body)?;
            addition(entries, matching()?)
        }
        ChangeForm::Batch(BatchForm::Lines(first)) => {
            Ok(Change::AddLines(NewLines::read(body, *first, matching()?)))
        }
        ChangeForm::Batch(BatchForm::Deletions) => {
            let texts = deletions::read(body)?;
            matching()?;
            Ok(Change::DeleteAll(parsed_ids(texts)?))
        }
        ChangeForm::Deletion => {
            matching()?;
            Change::delete(&String::from_utf8_lossy(body))
        }
    }
}

/// Runs searches. Those of the same index share one pass.
pub fn search(registry: &Registry, scan_pool: &ScanPool, tasks: Vec<SearchTask>) {
    // The bodies outlive the checked queries, which borrow from them.
    let (bodies, rest): (Vec<SearchBody>, Vec<_>) = tasks
        .into_iter()
        .map(|task| (task.body, (task.index, task.parameters, task.reply)))
        .unzip();
    let mut by_index: Vec<(Arc<Index>, Vec<SearchJob<'_>>)> = Vec::new();
    for (body, (name, parameters, reply)) in bodies.iter().zip(rest) {
        match check(registry, body, &name, parameters) {
            Err(failure) => reply.fail(failure),
            Ok(Checked { index, body, limit, selection, negative }) => {
                let job = SearchJob { body, limit, selection, negative, reply };
                match by_index.iter_mut().find(|(known, _)| Arc::ptr_eq(known, &index)) {
                    Some((_, jobs)) => jobs.push(job),
                    None => by_index.push((index, vec![job])),
                }
            }
        }
    }
    for (index, jobs) in by_index {
        index.search(scan_pool, jobs);
    }
}

/// A search request that passed all checks that need no stored data.
struct Checked<'a> {
    index: Arc<Index>,
    body: query::QueryBody<'a>,
    limit: usize,
    selection: Selection,
    /// Index whose matches remove units from the query.
    negative: Option<Arc<Index>>,
}

/// A search request that passed the checks that need no other index.
pub struct CheckedSearch<'a, I> {
    /// What was looked up.
    pub index: I,
    /// What to search for.
    pub body: query::QueryBody<'a>,
    /// Maximum number of matches.
    pub limit: usize,
    /// Which matches are wanted.
    pub selection: Selection,
}

/// Checks a request. Errors take precedence in this order: schema of body and parameters, unknown index, other rules.
pub fn check_search<'a, I>(
    body: &'a SearchBody,
    SearchParameters { limit, skip_featureless, selection: parameters }: &SearchParameters,
    find: impl FnOnce() -> Result<I, Failure>,
) -> Result<CheckedSearch<'a, I>, Failure> {
    let checked =
        || parameters.as_deref().map_or_else(|| Ok(Selection::default()), |all| all.check());
    let (index, mut body, selection) = match body {
        SearchBody::Json(json) => {
            let (query, selection) = (query::read(json)?, checked()?);
            (find()?, query, selection)
        }
        // A malformed code in the query string is a 400, not a schema violation.
        SearchBody::Code(code) => {
            let selection = checked()?;
            (find()?, query::from_code(code)?, selection)
        }
        SearchBody::Units(units) => {
            let query = query::from_units(units)?;
            (find()?, query, checked()?)
        }
    };
    body.skip_featureless = *skip_featureless;
    Ok(CheckedSearch { index, body, limit: query::checked_limit(*limit)?, selection })
}

/// Checks a request of this engine.
fn check<'a>(
    registry: &Registry,
    body: &'a SearchBody,
    name: &str,
    parameters: SearchParameters,
) -> Result<Checked<'a>, Failure> {
    let CheckedSearch { index, body, limit, selection } =
        check_search(body, &parameters, || registry.find(name))?;
    let negative = match parameters.selection.as_ref().and_then(|all| all.not_in.as_deref()) {
        Some(other) => Some(registry.find(other).map_err(no_negative_index)?),
        None => None,
    };
    Ok(Checked { index, body, limit, selection, negative })
}
