//! All indexes of one location, and the threads that work on them.

mod folder;
mod jobs;
mod maintenance;
mod registry;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::channel;

use crate::batch_queue::BatchQueue;
use crate::failure::{Answer, Failure, FailureKind};
use crate::index::Change;
use crate::memory_index::MemoryIndex;
use crate::options::{Backend, BadLocation, Options};
use crate::reply::Reply;
use crate::request;
use crate::response::IndexInfo;
use crate::scan_pool::ScanPool;
use crate::store::StoreError;
use jobs::{AddJob, SearchBody, SearchTask};
use maintenance::Maintenance;
use registry::{AnyIndex, Registry};

/// Searches that wait at most; beyond, clients are asked to come again.
const SEARCHES_WAITING_MAX: usize = 4096;
/// Batches that wait at most.
const BATCHES_WAITING_MAX: usize = 256;
/// Searches of one pass at most.
const PASS_SEARCHES_MAX: usize = 16;

/// What a search may have to look at so that it is over in some 100 microseconds: rows, ...
const AT_ONCE_ROWS_MAX: usize = 50_000;
/// ... what is stored with them (metadata may be of any size), ...
const AT_ONCE_DISK_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// ... what is asked for, ...
const AT_ONCE_BODY_BYTES_MAX: usize = 2048;
/// ... and matches.
const AT_ONCE_LIMIT_MAX: i64 = 100;

/// Why an engine does not start.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The location is none.
    #[error(transparent)]
    Location(#[from] BadLocation),
    /// Another process works on the folder.
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

impl OpenError {
    /// Whether trying again is of no use: the location is none, or not for this version.
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::Location(_) | Self::Index(_, StoreError::Format { .. }))
    }
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

    /// Creates an index: `{"name": ...}` to the new index.
    pub fn create_index(&self, body: &[u8]) -> Answer {
        let name = request::index::read(body)?;
        self.registry.create(&name)?;
        Ok(IndexInfo { name, assets: 0, bytes: None }.json())
    }

    /// All indexes.
    pub fn list_indexes(&self) -> Answer {
        let mut json = vec![b'['];
        for index in self.registry.all() {
            // An index that is deleted meanwhile is no failure of the list.
            let Ok(info) = index.info() else { continue };
            if json.len() > 1 {
                json.push(b',');
            }
            json.extend(info.json());
        }
        json.push(b']');
        Ok(json)
    }

    /// One index.
    pub fn index(&self, name: &str) -> Answer {
        Ok(self.registry.find(name)?.info()?.json())
    }

    /// Deletes an index and all that is in it, durably.
    pub fn delete_index(&self, name: &str) -> Result<(), Failure> {
        self.registry.delete(name)
    }

    /// One asset as it was sent.
    pub fn asset(&self, index: &str, id: &str) -> Answer {
        match &*self.registry.find(index)? {
            AnyIndex::Stored(index) => index.asset(id),
            AnyIndex::Memory(index) => index.asset(id),
        }
    }

    /// Adds a batch of entries; the reply comes when it is durable and visible.
    pub fn add(&self, index: &str, body: impl AsRef<[u8]> + Send + 'static, reply: Reply) {
        let job = AddJob { index: index.to_owned(), body: Box::new(body), reply };
        if let Err(job) = self.batches.push(job) {
            job.reply.send(Err(busy()));
        }
    }

    /// Deletes an asset; the reply, which is empty, comes when that is durable and visible.
    pub fn delete_asset(&self, index: &str, id: &str, reply: Reply) {
        match self.registry.find(index).as_deref() {
            Err(failure) => reply.send(Err(failure.clone())),
            Ok(AnyIndex::Memory(index)) => reply.send(index.delete(id)),
            Ok(AnyIndex::Stored(index)) => match Change::delete(id) {
                Ok(change) => index.submit(change, reply),
                Err(failure) => reply.send(Err(failure)),
            },
        }
    }

    /// Searches with a query's JSON.
    pub fn search(&self, index: &str, body: Vec<u8>, limit: i64, reply: Reply) {
        self.enqueue(index, SearchBody::Json(body), limit, reply);
    }

    /// Searches with an ISCC-CODE.
    pub fn search_code(&self, index: &str, code: String, limit: i64, reply: Reply) {
        self.enqueue(index, SearchBody::Code(code), limit, reply);
    }

    /// Answers on this thread a search that takes less time than to wake another one and be woken by it; `None` if it
    /// takes longer, or if others are under way, which are better done together.
    pub fn search_at_once(&self, index: &str, body: &[u8], limit: i64) -> Option<Answer> {
        if !tells_all(body) || limit > AT_ONCE_LIMIT_MAX || !self.searches.is_idle() {
            return None;
        }
        let AnyIndex::Stored(stored) = &*self.registry.find(index).ok()? else { return None };
        if !stored.is_small(AT_ONCE_ROWS_MAX, AT_ONCE_DISK_BYTES_MAX) {
            return None;
        }
        let (sender, answer) = channel();
        let reply = Reply::new(move |answer| drop(sender.send(answer)));
        let body = SearchBody::Json(body.to_vec());
        let task = SearchTask { index: index.to_owned(), body, limit, reply };
        jobs::search(&self.registry, &self.scan_pool, vec![task]);
        answer.try_recv().ok()
    }

    fn enqueue(&self, index: &str, body: SearchBody, limit: i64, reply: Reply) {
        let task = SearchTask { index: index.to_owned(), body, limit, reply };
        if let Err(task) = self.searches.push(task) {
            task.reply.send(Err(busy()));
        }
    }

    /// Waits until no graph is due any more. For tests and measurements.
    pub fn wait_for_graphs(&self) {
        self.maintenance.wait();
    }

    /// Number of graphs of an index. For tests and measurements.
    pub fn graphs(&self, index: &str) -> usize {
        match self.registry.find(index).as_deref() {
            Ok(AnyIndex::Stored(index)) => index.graphs(),
            _ => 0,
        }
    }
}

/// Whether a query is short and names no asset, of which there may be much more to search for. An escape could hide that.
fn tells_all(body: &[u8]) -> bool {
    const NAMED: &[u8] = b"iscc_id";
    body.len() <= AT_ONCE_BODY_BYTES_MAX
        && !body.contains(&b'\\')
        && !body.windows(NAMED.len()).any(|part| part == NAMED)
}

fn busy() -> Failure {
    Failure::new(FailureKind::Busy, "Too many requests are waiting; try again in a moment")
}

/// A new index in memory.
fn in_memory(name: &str) -> AnyIndex {
    AnyIndex::Memory(MemoryIndex::new(name))
}
