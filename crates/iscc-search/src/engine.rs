//! The engine: all indexes of one location, and the threads that serve them.

mod aliases;
mod folder;
mod following;
mod jobs;
mod loader;
mod maintenance;
mod registry;
mod unavailable;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use iscc_columns::scan_pool::ScanPool;

use crate::asset_match::AssetMatch;
use crate::batch_queue::{BatchQueue, QueueMetrics};
use crate::failure::{Failure, FailureKind, Response};
use crate::fields::Fields;
use crate::index::store_failure;
use crate::log_index::LogIndex;
use crate::options::{Backend, BadLocation, Options};
use crate::reply::{Found, Reply, SearchReply};
use crate::request::query::SearchParameters;
use crate::request::{self, query};
use crate::response::{self, IndexInfo};
use crate::transfer::{AssetPage, Form};
pub use following::{ChangeRequest, Rows};
use jobs::{AddJob, SearchTask};
pub use jobs::{BatchForm, ChangeForm, SearchBody};
pub(crate) use jobs::{CheckedSearch, check_search, read_change};
use loader::Loader;
use maintenance::Maintenance;
use registry::Registry;

/// Maximum number of waiting searches. Further ones fail with `Busy`.
const SEARCHES_WAITING_MAX: usize = 4096;
/// Maximum number of waiting batches. Further ones fail with `Busy`.
const BATCHES_WAITING_MAX: usize = 256;
/// Maximum number of searches in one pass.
const PASS_SEARCHES_MAX: usize = 16;

// Limits of a search that runs on the calling thread. Together they keep it at about 100 µs.
const INLINE_ROWS_MAX: usize = 50_000;
/// Stored bytes, because metadata may have any size.
const INLINE_DISK_BYTES_MAX: u64 = 16 * 1024 * 1024;
const INLINE_BODY_BYTES_MAX: usize = 2048;
const INLINE_LIMIT_MAX: i64 = 100;

/// Why an engine does not start.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The location is invalid.
    #[error(transparent)]
    Location(#[from] BadLocation),
    /// Another process uses the folder.
    #[error("{0} is in use by another process; two would damage its indexes")]
    InUse(PathBuf),
    /// The folder cannot be used.
    #[error("cannot use {0} for indexes: {1}")]
    Folder(PathBuf, std::io::Error),
    /// The folder for temporary files cannot be used.
    #[error("cannot use {0} for temporary files: {1}; set TMPDIR to a writable folder")]
    Temporary(PathBuf, std::io::Error),
    /// Threads cannot be started.
    #[error("cannot start threads: {0}")]
    Threads(std::io::Error),
}

/// All indexes of one location.
pub struct Engine {
    searches: BatchQueue<SearchTask>,
    scan_pool: Arc<ScanPool>,
    batches: BatchQueue<AddJob>,
    registry: Arc<Registry>,
    maintenance: Maintenance,
    loader: Loader,
    inline_searches: AtomicU64,
}

impl Engine {
    /// Opens a location (see [`Backend::parse`]) and loads all indexes in it. An index that cannot be loaded stays
    /// unavailable and does not affect the others.
    pub fn open(location: &str, options: Options) -> Result<Self, OpenError> {
        let backend = Backend::parse(location)?;
        let options = Arc::new(options);
        let scan_pool = ScanPool::start(options.search_threads)
            .map_err(|error| OpenError::Threads(std::io::Error::other(error)))?;
        let registry = Arc::new(Registry::open(backend, &options)?);
        let scan_pool = Arc::new(scan_pool);
        let searches = BatchQueue::start(
            "search",
            options.search_threads,
            PASS_SEARCHES_MAX,
            SEARCHES_WAITING_MAX,
            {
                let (registry, scan_pool) = (Arc::clone(&registry), Arc::clone(&scan_pool));
                move |tasks| jobs::search(&registry, &scan_pool, tasks)
            },
        );
        let maintenance = Maintenance::start(&registry).map_err(OpenError::Threads)?;
        let batches =
            BatchQueue::start("ingest", options.ingest_threads, 1, BATCHES_WAITING_MAX, {
                let (registry, notifier) = (Arc::clone(&registry), maintenance.notifier());
                move |batches| {
                    jobs::add(&registry, batches);
                    notifier.notify();
                }
            });
        let loader = Loader::start(&registry, options.search_threads, maintenance.notifier())?;
        if !options.loads_in_background {
            loader.wait();
        }
        Ok(Self {
            searches: searches.map_err(OpenError::Threads)?,
            scan_pool,
            batches: batches.map_err(OpenError::Threads)?,
            registry,
            maintenance,
            loader,
            inline_searches: AtomicU64::new(0),
        })
    }

    /// Waits until all indexes are loaded or found to be damaged.
    pub fn wait_until_loaded(&self) {
        self.loader.wait();
    }

    /// Stops loading indexes, because the engine is about to be dropped.
    pub fn cancel_loading(&self) {
        self.registry.cancel_loading();
    }

    /// Descriptions of the indexes that are being loaded or damaged, as a JSON array.
    pub fn unavailable_indexes(&self) -> Vec<u8> {
        let all = self.registry.unavailable();
        let all: Vec<_> = all.iter().map(|(name, state)| state.json(name)).collect();
        [b"[", &all.join(&b","[..])[..], b"]"].concat()
    }

    /// Creates an index from `{"name": ...}`. Returns its description.
    pub fn create_index(&self, body: &[u8]) -> Response {
        let name = request::index::read(body)?;
        self.registry.create(&name)?;
        Ok(IndexInfo { name, assets: 0, bytes: None, segments: None }.json())
    }

    /// The index of a name as one that follows hub logs; creates it if it is missing.
    ///
    /// In memory, the index starts empty.
    ///
    /// # Errors
    /// `Conflict` if it has assets that did not come from logs.
    pub fn log_index(&self, name: &str, realm: u8) -> Result<LogIndex, Failure> {
        if self.registry.find_named(name).is_err() {
            self.registry.create(name)?;
        }
        let followed = LogIndex::new(self.registry.find_named(name)?, realm)?;
        self.maintenance.notifier().notify();
        Ok(followed)
    }

    /// Descriptions of all indexes.
    pub fn list_indexes(&self) -> Response {
        let mut json = vec![b'['];
        let unavailable = self.registry.unavailable();
        let mut all: Vec<(String, Vec<u8>)> =
            unavailable.iter().map(|(name, state)| (name.clone(), state.json(name))).collect();
        for index in self.registry.all() {
            // The index may have been deleted since `all`.
            let Ok(info) = index.info() else { continue };
            // It may have been loaded since `unavailable`.
            if !unavailable.contains_key(&info.name) {
                all.push((info.name.clone(), info.json()));
            }
        }
        if !unavailable.is_empty() {
            all.sort_unstable();
        }
        for (_, info) in all {
            if json.len() > 1 {
                json.push(b',');
            }
            json.extend(info);
        }
        json.push(b']');
        Ok(json)
    }

    /// Description of one index.
    pub fn index(&self, name: &str) -> Response {
        Ok(self.registry.find(name)?.info()?.json())
    }

    /// Deletes an index with its assets, durably.
    pub fn delete_index(&self, name: &str) -> Result<(), Failure> {
        self.registry.delete(name)
    }

    /// Renames an index to the name in `{"name": ...}`, durably. Returns its description. Requests that use it continue.
    pub fn rename_index(&self, name: &str, body: &[u8]) -> Response {
        let to = request::index::read(body)?;
        self.registry.rename(name, &to)?;
        self.index(&to)
    }

    /// Counts for metrics, as JSON: of the queues, of all searches, and of each index.
    pub fn metrics(&self) -> Vec<u8> {
        let queue = |QueueMetrics { waiting, pushed, refused }: QueueMetrics| {
            format!("{{\"waiting\":{waiting},\"pushed\":{pushed},\"refused\":{refused}}}")
        };
        let inline = self.inline_searches.load(Ordering::Relaxed);
        let head = format!(
            "{{\"searches\":{},\"changes\":{},\"inlineSearches\":{inline},\"rowsScanned\":{},\"probes\":{},\"earlyEnds\":{},\"indexes\":[",
            queue(self.searches.metrics()),
            queue(self.batches.metrics()),
            self.scan_pool.rows(),
            self.scan_pool.methods.get().json(),
            self.scan_pool.early_ends(),
        );
        let all = self.registry.all();
        let all: Vec<_> = all.iter().map(|index| index.metrics().json()).collect();
        [head.as_bytes(), &all.join(&b","[..]), b"]}"].concat()
    }

    /// All aliases, as a JSON array of `{"name", "index"}`.
    pub fn list_aliases(&self) -> Vec<u8> {
        let all = self.registry.aliases().all();
        let all: Vec<_> = all.iter().map(|(alias, index)| response::alias(alias, index)).collect();
        [b"[", &all.join(&b","[..])[..], b"]"].concat()
    }

    /// One alias, as `{"name", "index"}`.
    pub fn alias(&self, alias: &str) -> Response {
        let index = self.alias_target(alias).ok_or_else(|| registry::no_alias(alias))?;
        Ok(response::alias(alias, &index))
    }

    /// A reference to an index, for requests with several steps. It may be used like a name, and stays that of this index
    /// when the index is renamed, or its alias switched.
    pub fn hold_index(&self, name: &str) -> Result<String, Failure> {
        self.registry.hold(name)
    }

    /// The index that an alias stands for.
    pub fn alias_target(&self, alias: &str) -> Option<String> {
        self.registry.aliases().target(alias)
    }

    /// Points an alias to the index in `{"index": ...}`, durably. Requests that arrive later use this index. Returns the
    /// alias.
    pub fn put_alias(&self, alias: &str, body: &[u8]) -> Response {
        let index = request::alias::read(body)?;
        request::index::check_name(alias)?;
        self.registry.put_alias(alias, &index)?;
        Ok(response::alias(alias, &index))
    }

    /// Deletes an alias, durably. Its index stays.
    pub fn delete_alias(&self, alias: &str) -> Result<(), Failure> {
        self.registry.delete_alias(alias)
    }

    /// One asset, with these members of its metadata.
    pub fn asset(&self, index: &str, id: &str, fields: &Fields) -> Response {
        self.registry.find(index)?.asset(id, fields)
    }

    /// Adds a batch of entries. Replies when it is durable and visible.
    pub fn add(&self, index: &str, body: impl AsRef<[u8]> + Send + 'static, reply: Reply) {
        self.change(index, body, BatchForm::Entries, reply);
    }

    /// Adds NDJSON, one entry per line. A line that breaks a rule is refused; the others are added. Replies with
    /// `{"lines", "created", "updated", "refused"}` when they are durable and visible. `first` is the number of the
    /// first line.
    pub fn add_lines(
        &self,
        index: &str,
        body: impl AsRef<[u8]> + Send + 'static,
        first: u64,
        reply: Reply,
    ) {
        self.change(index, body, BatchForm::Lines(first), reply);
    }

    /// Deletes the assets of a JSON array of ISCC-IDs. Replies with the status of each.
    pub fn delete_assets(
        &self,
        index: &str,
        body: impl AsRef<[u8]> + Send + 'static,
        reply: Reply,
    ) {
        self.change(index, body, BatchForm::Deletions, reply);
    }

    fn change(
        &self,
        index: &str,
        body: impl AsRef<[u8]> + Send + 'static,
        form: BatchForm,
        reply: Reply,
    ) {
        let job = AddJob { index: index.to_owned(), body: Box::new(body), form, reply };
        if let Err(job) = self.batches.push(job) {
            job.reply.send(Err(busy()));
        }
    }

    /// Assets in the order of their ISCC-ID bodies, after an ISCC-ID: all, or those that meet all conditions. One
    /// condition needs a declared path whose rows are complete.
    pub fn assets(
        &self,
        index: &str,
        after: Option<&str>,
        limit: i64,
        form: Form,
        filters: &[String],
    ) -> Result<AssetPage, Failure> {
        let limit = query::checked_limit(limit)?;
        let filters = request::paths::filters(filters)?;
        self.registry.find(index)?.assets(after, limit, form, &filters)
    }

    /// The declared metadata paths of an index, as `{"paths": [{"path", "state"}]}`.
    pub fn paths(&self, index: &str) -> Response {
        Ok(response::paths(self.registry.find(index)?.paths().declared()))
    }

    /// Declares the metadata paths in `{"paths": [...]}` instead of the present ones, durably. Returns them. Rows of
    /// present assets are added in the background.
    pub fn put_paths(&self, index: &str, body: &[u8]) -> Response {
        let wanted = request::paths::read(body)?;
        let found = self.registry.find(index)?;
        found.check_writable()?;
        found.declare_paths(&wanted).map_err(|error| store_failure(&error))?;
        self.maintenance.notifier().notify();
        self.paths(index)
    }

    /// Deletes an asset. Replies with an empty body when the deletion is durable and visible.
    pub fn delete_asset(&self, index: &str, id: &str, reply: Reply) {
        match jobs::prepare(&self.registry, index, &ChangeForm::Deletion, id.as_bytes()) {
            Ok((index, change)) => {
                index.submit(change, reply);
                self.maintenance.notifier().notify();
            }
            Err(failure) => reply.send(Err(failure)),
        }
    }

    /// Searches with the JSON of a query.
    pub fn search(
        &self,
        index: &str,
        body: Vec<u8>,
        parameters: impl Into<SearchParameters>,
        reply: Reply<Found>,
    ) {
        self.enqueue(index, SearchBody::Json(body), parameters.into(), SearchReply::Json(reply));
    }

    /// Searches with an ISCC-CODE.
    pub fn search_code(
        &self,
        index: &str,
        code: String,
        parameters: impl Into<SearchParameters>,
        reply: Reply<Found>,
    ) {
        self.enqueue(index, SearchBody::Code(code), parameters.into(), SearchReply::Json(reply));
    }

    /// Runs a search on the calling thread if that takes less time than handing it to another thread.
    ///
    /// Returns `None` for larger searches, and while other searches are running or waiting: those share one pass.
    pub fn search_inline(
        &self,
        index: &str,
        body: &[u8],
        parameters: impl Into<SearchParameters>,
    ) -> Option<Result<Found, Failure>> {
        let SearchParameters { limit, skip_featureless, selection } = parameters.into();
        if selection.is_some()
            || !is_bounded(body)
            || limit > INLINE_LIMIT_MAX
            || !self.searches.is_idle()
        {
            return None;
        }
        let index = self.registry.find(index).ok()?;
        if !index.is_small(INLINE_ROWS_MAX, INLINE_DISK_BYTES_MAX) {
            return None;
        }
        let search = || {
            let mut query = query::read(body)?;
            query.skip_featureless = skip_featureless;
            index.search_one(&self.scan_pool, query, query::checked_limit(limit)?)
        };
        self.inline_searches.fetch_add(1, Ordering::Relaxed);
        Some(search())
    }

    /// Searches with units. Replies with the matches of the JSON response to `{"units": units}`.
    pub fn search_units(
        &self,
        index: &str,
        units: Vec<String>,
        parameters: impl Into<SearchParameters>,
        reply: Reply<Vec<AssetMatch>>,
    ) {
        let body = SearchBody::Units(units);
        self.enqueue(index, body, parameters.into(), SearchReply::Matches(reply));
    }

    /// Member `gateway` of an asset's metadata, if it is a string.
    pub fn gateway(&self, index: &str, id: &str) -> Result<Option<String>, Failure> {
        self.registry.find(index)?.gateway(id)
    }

    fn enqueue(
        &self,
        index: &str,
        body: SearchBody,
        parameters: SearchParameters,
        reply: SearchReply,
    ) {
        let task = SearchTask { index: index.to_owned(), body, parameters, reply };
        if let Err(task) = self.searches.push(task) {
            task.reply.fail(busy());
        }
    }

    /// What the background thread did with segments since the last call, as a JSON array, for the log.
    pub fn take_decisions(&self) -> Vec<u8> {
        self.maintenance.take_decisions()
    }

    /// Waits until no work in the background is due. For tests and benchmarks.
    pub fn wait_for_maintenance(&self) {
        // The reply to a batch may come before the background thread is notified.
        while !self.batches.is_idle() {
            std::thread::yield_now();
        }
        self.maintenance.wait();
    }

    /// Number of graphs of an index. For tests and benchmarks.
    pub fn graphs(&self, index: &str) -> usize {
        self.registry.find(index).map_or(0, |index| index.snapshot().graphs())
    }
}

/// Whether a body is short and has no `iscc_id`: a stored asset may have any number of units and simprints.
///
/// This is a byte search, so bodies with escapes, which could hide the name, count as unbounded.
fn is_bounded(body: &[u8]) -> bool {
    const NAME: &[u8] = b"iscc_id";
    body.len() <= INLINE_BODY_BYTES_MAX
        && !body.contains(&b'\\')
        && !body.windows(NAME.len()).any(|part| part == NAME)
}

fn busy() -> Failure {
    Failure::new(FailureKind::Busy, "Too many requests are waiting; try again in a moment")
}
