//! Binding of `iscc-search`: JSON bytes in, JSON bytes out.

pub mod aliases;
mod assets;
pub mod following;
pub mod foreign;
pub mod read_only;
pub mod reader;
pub mod soft_bindings;

use std::collections::HashMap;
use std::sync::Arc;

use iscc_search::{
    Engine, Failure, FailureKind, Fields, Found, OpenError, Options, Reply, Response, Sealing,
    SearchParameters, SegmentSizes, SelectionParameters, SimprintLists, StoreOptions,
};
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::error::{ErrorCode, NativeError, Result};
use crate::runtime::{IO, Pending, rejected, settled};

/// Settings of an engine. Absent ones have their default.
#[napi(object)]
#[derive(Default)]
pub struct SearchOptions {
    /// Lowest similarity at which a unit matches, 0 to 1.
    pub match_threshold_units: Option<f64>,
    /// Lowest similarity at which a simprint matches, 0 to 1.
    pub match_threshold_simprints: Option<f64>,
    /// Lowest threshold that a search may ask for. Absent: the two above.
    pub threshold_floor: Option<f64>,
    /// Exponent by which a weak unit counts less than a strong one.
    pub confidence_exponent: Option<u32>,
    /// Whether searches leave out featureless Image-Codes, unless a search says otherwise.
    pub skip_featureless: Option<bool>,
    /// Processor time in seconds, as planned, from which a search is refused; 0: none is.
    pub search_seconds_max: Option<f64>,
    /// Maximum length of the response to a query in bytes.
    pub search_bytes_max: Option<u32>,
    /// Number of rows from which a column of long units in a file has an HNSW graph. Absent: none has one.
    pub graph_rows_min: Option<u32>,
    /// Which lists columns of simprints have: `all`, `first` or `none`.
    pub simprint_lists: Option<String>,
    /// How fast files of segments are written, in bytes per second.
    pub seal_bytes_per_second: Option<i64>,
    /// Number of assets of a full segment, which is written to a file with lists for each column. For tests: without it,
    /// only large segments of large indexes are.
    pub seal_early: Option<u32>,
    /// Number of search threads.
    pub search_threads: Option<u32>,
    /// Whether a write waits until it is on disk.
    pub sync: Option<bool>,
    /// Whether indexes are loaded in the background. Until an index is loaded, calls for it reject with
    /// `LOADING`.
    pub loads_in_background: Option<bool>,
}

/// Which matches of a search are wanted. Absent members do not restrict it.
#[napi(object)]
#[derive(Default)]
pub struct SearchSelection {
    /// Lowest similarity of a matching unit, 0 to 1.
    pub threshold: Option<f64>,
    /// Lowest similarity of a matching simprint, 0 to 1.
    pub threshold_simprints: Option<f64>,
    /// Names of the unit types to search with.
    pub unit_types: Option<Vec<String>>,
    /// ISCC-IDs that are no matches.
    pub exclude: Option<Vec<String>>,
    /// Lowest score of a match, 0 to 1.
    pub min_score: Option<f64>,
    /// Conditions on metadata; all must hold.
    pub filters: Option<Vec<String>>,
    /// Index whose matches remove units from the query.
    pub not_in: Option<String>,
    /// Where to continue: `*` or the `next_cursor` of a result.
    pub cursor: Option<String>,
    /// Whether to report the compared bits.
    pub explain: Option<bool>,
    /// Whether to search without graphs.
    pub exact: Option<bool>,
    /// Members of the metadata that matches have. Absent: all. Empty: matches have no metadata.
    pub fields: Option<Vec<String>>,
    /// Stored ISCC-UNITs of content that match nothing.
    pub set_aside: Option<Vec<String>>,
    /// Whether the result has `units`.
    pub names_units: Option<bool>,
}

impl From<SearchSelection> for SelectionParameters {
    fn from(selection: SearchSelection) -> Self {
        Self {
            threshold: selection.threshold,
            threshold_simprints: selection.threshold_simprints,
            unit_types: selection.unit_types,
            exclude: selection.exclude.unwrap_or_default(),
            min_score: selection.min_score,
            filters: selection.filters.unwrap_or_default(),
            not_in: selection.not_in,
            cursor: selection.cursor,
            explain: selection.explain.unwrap_or_default(),
            exact: selection.exact.unwrap_or_default(),
            fields: selection.fields,
            set_aside: selection.set_aside.unwrap_or_default(),
            names_units: selection.names_units.unwrap_or_default(),
        }
    }
}

/// Parameters of a search besides its query.
#[napi(object)]
pub struct QueryOptions {
    /// Most assets to find.
    pub limit: i64,
    /// Overrides the option of the same name with which the engine was opened.
    pub skip_featureless: Option<bool>,
    /// Which matches are wanted. Absent: all.
    pub selection: Option<SearchSelection>,
}

impl From<QueryOptions> for SearchParameters {
    fn from(options: QueryOptions) -> Self {
        let QueryOptions { limit, skip_featureless, selection } = options;
        Self { limit, skip_featureless, selection: selection.map(|all| Box::new(all.into())) }
    }
}

/// The result of a search.
#[napi(object)]
pub struct SearchFound {
    /// JSON of the response.
    pub json: Buffer,
    /// Whether all matches were found for certain: no graph was used.
    pub is_exact: bool,
    /// How long which method of searching took, as the value of a `Server-Timing` header; may be empty.
    pub server_timing: String,
    /// With `namesUnits`: the stored ISCC-UNITs of content by which the first 100 matches match, each once.
    pub units: Option<Vec<String>>,
}

impl From<Found> for SearchFound {
    fn from(Found { json, report, units }: Found) -> Self {
        let (is_exact, server_timing) = (report.is_exact(), report.server_timing());
        let units = (!units.is_empty()).then_some(units);
        Self { json: json.into(), is_exact, server_timing, units }
    }
}

/// An asset that matches a search with units.
#[napi(object)]
pub struct AssetMatch {
    /// ISCC-ID with prefix.
    pub iscc_id: String,
    /// Score, 0 to 1.
    pub score: f64,
    /// Score of each matching unit type, for example of `CONTENT_TEXT_V0`.
    pub types: HashMap<String, f64>,
    /// Member `gateway` of the asset's metadata, if it is a string.
    pub gateway: Option<String>,
}

/// Opens a location, `memory://`, `lmdb:///path` or `usearch:///path`, and loads its indexes. Those of `memory://` match like
/// `usearch://` and end with the engine.
///
/// Rejects with `IN_USE` if another process works on the folder, and with `INVALID_ARGUMENT` if the
/// location is invalid. An index that cannot be loaded does not affect the others: calls for it
/// reject with `INDEX_DAMAGED`.
#[napi(catch_unwind, ts_return_type = "Promise<SearchEngine>")]
pub fn open_search_engine<'env>(
    env: &'env Env,
    location: String,
    options: Option<SearchOptions>,
) -> Result<Object<'env>> {
    let options = settings(options.unwrap_or_default());
    IO.run(env, move || {
        let engine = Engine::open(&location, options)?;
        Ok(SearchEngine { engine: Some(Arc::new(engine)) })
    })
}

/// All indexes of one location. Methods do not block, and return the JSON of a response.
///
/// They reject with `NOT_FOUND`, `CONFLICT`, `INVALID_ARGUMENT`, `SCHEMA_VIOLATION`, `BUSY`,
/// `LOADING`, `INDEX_DAMAGED` or `STORAGE_FULL`; the error's `detail` is JSON for the client. Any other error is a fault.
#[napi]
pub struct SearchEngine {
    engine: Option<Arc<Engine>>,
}

#[napi]
impl SearchEngine {
    /// Creates an index from `{"name": ...}`.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
    pub fn create_index<'env>(&self, env: &'env Env, body: &[u8]) -> Result<Object<'env>> {
        let body = body.to_vec();
        self.on_pool(env, move |engine| engine.create_index(&body))
    }

    /// Describes all indexes.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
    pub fn list_indexes<'env>(&self, env: &'env Env) -> Result<Object<'env>> {
        self.on_pool(env, Engine::list_indexes)
    }

    /// Describes one index.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
    pub fn get_index<'env>(&self, env: &'env Env, name: String) -> Result<Object<'env>> {
        self.on_pool(env, move |engine| engine.index(&name))
    }

    /// Deletes an index with its contents, durably. Resolves to an empty buffer.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
    pub fn delete_index<'env>(&self, env: &'env Env, name: String) -> Result<Object<'env>> {
        self.on_pool(env, move |engine| engine.delete_index(&name).map(|()| Vec::new()))
    }

    /// One asset, byte for byte as it was added; with `fields`, only these members of its metadata.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
    pub fn get_asset<'env>(
        &self,
        env: &'env Env,
        index: String,
        id: String,
        fields: Option<Vec<String>>,
    ) -> Result<Object<'env>> {
        let fields = fields.map(Fields::of_names).unwrap_or_default();
        self.on_pool(env, move |engine| engine.asset(&index, &id, &fields))
    }

    /// Deletes an asset, durably. Resolves to an empty buffer.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
    pub fn delete_asset<'env>(
        &self,
        env: &'env Env,
        index: String,
        id: String,
    ) -> Result<Object<'env>> {
        let engine = Arc::clone(self.engine()?);
        let place = match IO.enter() {
            Ok(place) => place,
            Err(error) => return rejected(env, error),
        };
        let (reply, promise) = reply(env)?;
        IO.spawn(place, move || engine.delete_asset(&index, &id, reply));
        Ok(promise)
    }

    /// Adds the JSON list of entries, all or none, durably.
    ///
    /// The body must not change until the promise settles: batches are too large to be copied on the
    /// event loop.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
    pub fn add_assets<'env>(
        &self,
        env: &'env Env,
        index: String,
        body: Uint8Array,
    ) -> Result<Object<'env>> {
        let engine = self.engine()?;
        let (reply, promise) = reply(env)?;
        engine.add(&index, body, reply);
        Ok(promise)
    }

    /// Searches with the JSON of a query. With `mayBlock`, a search that takes less time than a
    /// thread switch (some 100 microseconds) runs on the calling thread.
    #[napi(catch_unwind, ts_return_type = "Promise<SearchFound>")]
    pub fn search<'env>(
        &self,
        env: &'env Env,
        index: String,
        body: &[u8],
        options: QueryOptions,
        may_block: Option<bool>,
    ) -> Result<Object<'env>> {
        let engine = self.engine()?;
        let parameters = SearchParameters::from(options);
        if may_block == Some(true)
            && let Some(response) = engine.search_inline(&index, body, parameters.clone())
        {
            return settled(env, found(response));
        }
        let (pending, promise) = Pending::new(env)?;
        let reply = Reply::new(move |response| pending.settle(found(response)));
        engine.search(&index, body.to_vec(), parameters, reply);
        Ok(promise)
    }

    /// Searches with an ISCC-CODE.
    #[napi(catch_unwind, ts_return_type = "Promise<SearchFound>")]
    pub fn search_code<'env>(
        &self,
        env: &'env Env,
        index: String,
        code: String,
        options: QueryOptions,
    ) -> Result<Object<'env>> {
        let engine = self.engine()?;
        let (pending, promise) = Pending::new(env)?;
        let reply = Reply::new(move |response| pending.settle(found(response)));
        engine.search_code(&index, code, options, reply);
        Ok(promise)
    }

    /// Searches with units for at most `limit` assets. Returns the matches of the JSON result of
    /// `search` with `{"units": units}`.
    #[napi(catch_unwind, ts_return_type = "Promise<Array<AssetMatch>>")]
    pub fn search_units<'env>(
        &self,
        env: &'env Env,
        index: String,
        units: Vec<String>,
        limit: i64,
        skip_featureless: Option<bool>,
    ) -> Result<Object<'env>> {
        let engine = self.engine()?;
        let (pending, promise) = Pending::new(env)?;
        let reply = Reply::new(move |matches| pending.settle(asset_matches(matches)));
        let parameters = SearchParameters { limit, skip_featureless, selection: None };
        engine.search_units(&index, units, parameters, reply);
        Ok(promise)
    }

    /// Member `gateway` of an asset's metadata; `null` if it is not a string.
    #[napi(catch_unwind, ts_return_type = "Promise<string | null>")]
    pub fn get_gateway<'env>(
        &self,
        env: &'env Env,
        index: String,
        id: String,
    ) -> Result<Object<'env>> {
        let engine = Arc::clone(self.engine()?);
        IO.run(env, move || Ok(engine.gateway(&index, &id)?))
    }

    /// Resolves when all indexes are loaded or found to be damaged.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn when_loaded<'env>(&self, env: &'env Env) -> Result<Object<'env>> {
        let engine = Arc::clone(self.engine()?);
        let (pending, promise) = Pending::new(env)?;
        // A thread of its own: loading may take longer than all other work of a pool together.
        let wait = move || {
            engine.wait_until_loaded();
            pending.settle(Ok(()));
        };
        std::thread::Builder::new().spawn(wait).map_err(NativeError::internal)?;
        Ok(promise)
    }

    /// What the engine decided in the background since the last call, for the log: a JSON array of
    /// `{"index", "type", "bits", "rows", "outcome", "detail"}`.
    #[napi(catch_unwind)]
    pub fn take_decisions(&self) -> Result<Buffer> {
        Ok(self.engine()?.take_decisions().into())
    }

    /// Counts for metrics: JSON.
    #[napi(catch_unwind)]
    pub fn metrics(&self) -> Result<Buffer> {
        Ok(self.engine()?.metrics().into())
    }

    /// Describes the indexes that are being loaded or damaged: a JSON array.
    #[napi(catch_unwind)]
    pub fn unavailable_indexes(&self) -> Result<Buffer> {
        Ok(self.engine()?.unavailable_indexes().into())
    }

    /// Finishes waiting work, closes all files and releases the folder. Later calls fail with
    /// `INVALID_STATE`.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn close<'env>(&mut self, env: &'env Env) -> Result<Object<'env>> {
        let engine = self.engine.take();
        engine.iter().for_each(|engine| engine.cancel_loading());
        IO.run(env, move || {
            drop(engine);
            Ok(())
        })
    }

    /// The engine, for other bindings.
    pub(crate) fn shared(&self) -> Result<Arc<Engine>> {
        self.engine().map(Arc::clone)
    }

    fn engine(&self) -> Result<&Arc<Engine>> {
        let closed = || NativeError::new(ErrorCode::InvalidState, "the search engine is closed");
        self.engine.as_ref().ok_or_else(closed)
    }

    fn on_pool<'env>(
        &self,
        env: &'env Env,
        work: impl FnOnce(&Engine) -> Response + Send + 'static,
    ) -> Result<Object<'env>> {
        let engine = Arc::clone(self.engine()?);
        IO.run(env, move || json(work(&engine)))
    }
}

impl From<Failure> for NativeError {
    fn from(failure: Failure) -> Self {
        let code = match failure.kind {
            FailureKind::Rejected => ErrorCode::InvalidArgument,
            FailureKind::ReadOnly => ErrorCode::ReadOnly,
            FailureKind::Invalid => ErrorCode::SchemaViolation,
            FailureKind::NotFound => ErrorCode::NotFound,
            FailureKind::Conflict => ErrorCode::Conflict,
            FailureKind::Busy => ErrorCode::Busy,
            FailureKind::Loading => ErrorCode::Loading,
            FailureKind::Damaged => ErrorCode::IndexDamaged,
            FailureKind::Unreadable => ErrorCode::DataDamaged,
            FailureKind::Full => ErrorCode::StorageFull,
            FailureKind::Broken => return Self::internal(failure),
        };
        let detail = String::from_utf8_lossy(&failure.detail).into_owned();
        Self::new(code, failure).with_detail(detail)
    }
}

impl From<OpenError> for NativeError {
    fn from(error: OpenError) -> Self {
        let code = match &error {
            OpenError::Location(_) => ErrorCode::InvalidArgument,
            OpenError::InUse(_) => ErrorCode::InUse,
            OpenError::Folder(..) | OpenError::Temporary(..) => ErrorCode::Io,
            OpenError::Threads(_) => ErrorCode::Internal,
        };
        Self::new(code, error)
    }
}

fn reply(env: &Env) -> Result<(Reply, Object<'_>)> {
    let (pending, promise) = Pending::new(env)?;
    Ok((Reply::new(move |response| pending.settle(json(response))), promise))
}

fn found(response: std::result::Result<Found, Failure>) -> Result<SearchFound> {
    Ok(response?.into())
}

fn json(response: Response) -> Result<Buffer> {
    Ok(response?.into())
}

fn asset_matches(
    matches: std::result::Result<Vec<iscc_search::AssetMatch>, Failure>,
) -> Result<Vec<AssetMatch>> {
    let convert = |found: iscc_search::AssetMatch| AssetMatch {
        iscc_id: found.iscc_id,
        score: found.score,
        types: found.types.into_iter().collect(),
        gateway: found.gateway,
    };
    Ok(matches?.into_iter().map(convert).collect())
}

fn settings(options: SearchOptions) -> Options {
    let default = Options::default();
    let mut sizes = options.seal_early.map_or_else(SegmentSizes::default, SegmentSizes::early);
    sizes.simprint_lists = match options.simprint_lists.as_deref() {
        Some("first") => SimprintLists::First,
        Some("none") => SimprintLists::None,
        _ => SimprintLists::All,
    };
    let mut sealing =
        if options.seal_early.is_some() { Sealing::early() } else { Sealing::default() };
    if let Some(rate) = options.seal_bytes_per_second {
        sealing.bytes_per_second = u64::try_from(rate).unwrap_or(0).max(1);
    }
    sizes.graph_rows_min = options.graph_rows_min.map(|rows| rows as usize);
    let count = |value: Option<u32>, default: usize| value.map_or(default, |count| count as usize);
    Options {
        match_threshold_units: options
            .match_threshold_units
            .unwrap_or(default.match_threshold_units),
        match_threshold_simprints: options
            .match_threshold_simprints
            .unwrap_or(default.match_threshold_simprints),
        threshold_floor: options.threshold_floor,
        confidence_exponent: options.confidence_exponent.unwrap_or(default.confidence_exponent),
        skip_featureless: options.skip_featureless.unwrap_or(default.skip_featureless),
        search_seconds_max: options.search_seconds_max.unwrap_or(default.search_seconds_max),
        search_bytes_max: count(options.search_bytes_max, default.search_bytes_max),
        sizes,
        sealing,
        method: default.method,
        early_end: default.early_end,
        search_threads: count(options.search_threads, default.search_threads),
        ingest_threads: default.ingest_threads,
        loads_in_background: options.loads_in_background.unwrap_or(false),
        store: StoreOptions { sync: options.sync.unwrap_or(true), ..default.store },
    }
}
