//! The engine: all indexes of one location, and the threads that serve them.

mod folder;
mod jobs;
mod maintenance;
mod registry;

use std::path::PathBuf;
use std::sync::Arc;

use crate::asset_match::AssetMatch;
use crate::batch_queue::BatchQueue;
use crate::failure::{Failure, FailureKind, Response};
use crate::index::Change;
use crate::log_index::LogIndex;
use crate::options::{Backend, BadLocation, Options};
use crate::reply::{Reply, SearchReply};
use crate::request::{self, query};
use crate::response::IndexInfo;
use crate::scan_pool::ScanPool;
use crate::store::StoreError;
use jobs::{AddJob, SearchBody, SearchTask};
use maintenance::Maintenance;
use registry::{AnyIndex, Registry};

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
    /// An index cannot be read.
    #[error("cannot open index {0}: {1}")]
    Index(PathBuf, StoreError),
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
}

impl Engine {
    /// Opens a location (see [`Backend::parse`]) and all indexes in it.
    pub fn open(location: &str, options: Options) -> Result<Self, OpenError> {
        let backend = Backend::parse(location)?;
        let options = Arc::new(options);
        let scan_pool = ScanPool::start(options.search_threads)
            .map_err(|error| OpenError::Threads(std::io::Error::other(error)))?;
        let registry = Arc::new(Registry::open(backend, &options, scan_pool.pool())?);
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
        Ok(Self {
            searches: searches.map_err(OpenError::Threads)?,
            scan_pool,
            batches: batches.map_err(OpenError::Threads)?,
            registry,
            maintenance,
        })
    }

    /// Creates an index from `{"name": ...}`. Returns its description.
    pub fn create_index(&self, body: &[u8]) -> Response {
        let name = request::index::read(body)?;
        self.registry.create(&name)?;
        Ok(IndexInfo { name, assets: 0, bytes: None }.json())
    }

    /// The index of a name as one that follows hub logs; creates it if it is missing.
    ///
    /// # Errors
    /// `Conflict` if it has assets that did not come from logs; `Rejected` in memory.
    pub fn log_index(&self, name: &str, realm: u8) -> Result<LogIndex, Failure> {
        if self.registry.find(name).is_err() {
            self.registry.create(name)?;
        }
        match &*self.registry.find(name)? {
            AnyIndex::Stored(index) => LogIndex::new(Arc::clone(index), realm),
            AnyIndex::Memory(_) => {
                Err(Failure::rejected("an index in memory cannot follow hub logs; use a folder"))
            }
        }
    }

    /// Descriptions of all indexes.
    pub fn list_indexes(&self) -> Response {
        let mut json = vec![b'['];
        for index in self.registry.all() {
            // The index may have been deleted since `all`.
            let Ok(info) = index.info() else { continue };
            if json.len() > 1 {
                json.push(b',');
            }
            json.extend(info.json());
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

    /// One asset, as its client sent it.
    pub fn asset(&self, index: &str, id: &str) -> Response {
        match &*self.registry.find(index)? {
            AnyIndex::Stored(index) => index.asset(id),
            AnyIndex::Memory(index) => index.asset(id),
        }
    }

    /// Adds a batch of entries. Replies when it is durable and visible.
    pub fn add(&self, index: &str, body: impl AsRef<[u8]> + Send + 'static, reply: Reply) {
        let job = AddJob { index: index.to_owned(), body: Box::new(body), reply };
        if let Err(job) = self.batches.push(job) {
            job.reply.send(Err(busy()));
        }
    }

    /// Deletes an asset. Replies with an empty body when the deletion is durable and visible.
    pub fn delete_asset(&self, index: &str, id: &str, reply: Reply) {
        match self.registry.find(index).as_deref() {
            Err(failure) => reply.send(Err(failure.clone())),
            Ok(AnyIndex::Memory(index)) => reply.send(index.delete(id)),
            Ok(AnyIndex::Stored(index)) => {
                match index.check_writable().and_then(|()| Change::delete(id)) {
                    Ok(change) => index.submit(change, reply),
                    Err(failure) => reply.send(Err(failure)),
                }
            }
        }
    }

    /// Searches with the JSON of a query.
    pub fn search(&self, index: &str, body: Vec<u8>, limit: i64, reply: Reply) {
        self.enqueue(index, SearchBody::Json(body), limit, SearchReply::Json(reply));
    }

    /// Searches with an ISCC-CODE.
    pub fn search_code(&self, index: &str, code: String, limit: i64, reply: Reply) {
        self.enqueue(index, SearchBody::Code(code), limit, SearchReply::Json(reply));
    }

    /// Runs a search on the calling thread if that takes less time than handing it to another thread.
    ///
    /// Returns `None` for larger searches, and while other searches are running or waiting: those share one pass.
    pub fn search_inline(&self, index: &str, body: &[u8], limit: i64) -> Option<Response> {
        if !is_bounded(body) || limit > INLINE_LIMIT_MAX || !self.searches.is_idle() {
            return None;
        }
        let AnyIndex::Stored(stored) = &*self.registry.find(index).ok()? else { return None };
        if !stored.is_small(INLINE_ROWS_MAX, INLINE_DISK_BYTES_MAX) {
            return None;
        }
        let search = || {
            let query = query::read(body)?;
            stored.search_one(&self.scan_pool, query, query::checked_limit(limit)?)
        };
        Some(search())
    }

    /// Searches with units. Replies with the matches of the JSON response to `{"units": units}`.
    pub fn search_units(
        &self,
        index: &str,
        units: Vec<String>,
        limit: i64,
        reply: Reply<Vec<AssetMatch>>,
    ) {
        self.enqueue(index, SearchBody::Units(units), limit, SearchReply::Matches(reply));
    }

    /// Member `gateway` of an asset's metadata, if it is a string.
    pub fn gateway(&self, index: &str, id: &str) -> Result<Option<String>, Failure> {
        match &*self.registry.find(index)? {
            AnyIndex::Stored(index) => index.gateway(id),
            AnyIndex::Memory(index) => index.gateway(id),
        }
    }

    fn enqueue(&self, index: &str, body: SearchBody, limit: i64, reply: SearchReply) {
        let task = SearchTask { index: index.to_owned(), body, limit, reply };
        if let Err(task) = self.searches.push(task) {
            task.reply.fail(busy());
        }
    }

    /// Waits until all due graphs are built. For tests and benchmarks.
    pub fn wait_for_graphs(&self) {
        self.maintenance.wait();
    }

    /// Number of graphs of an index. For tests and benchmarks.
    pub fn graphs(&self, index: &str) -> usize {
        match self.registry.find(index).as_deref() {
            Ok(AnyIndex::Stored(index)) => index.graphs(),
            _ => 0,
        }
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
