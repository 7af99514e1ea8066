//! A nearest-neighbour graph (HNSW) over a frozen column: one node per distinct body.
//!
//! The graph only proposes rows: searches compute their exact distances from the column. Each graph is tried with queries
//! made from its own rows with some bits flipped. It is refused if it misses too many of the rows that a scan finds, or
//! compares too many. Columns of uniform random codes, on which HNSW performs poorly, are therefore always scanned.

mod build;
pub mod metric;
mod trial;

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;

use usearch::{Index, IndexOptions, MetricKind, ScalarKind, b1x8};

use crate::column::Body;
use crate::sealed::map::FileMap;
use metric::{ROW_BYTES, pack};

pub use build::{Advance, Build, Building};
pub use trial::Trial;

/// Links per row on each level (`M`).
const CONNECTIVITY: usize = 16;
/// Candidates while a row is added (`efConstruction`).
const EXPANSION_ADD: usize = 128;
/// Candidates during a search (`ef`). The first value that passes the trial is used.
const EXPANSIONS_SEARCH: [usize; 3] = [64, 128, 256];
/// Neighbours requested first. Four times as many are requested while all of them are within the distance.
const NEIGHBOURS_FIRST: usize = 64;
/// With more neighbours than this, a scan is not slower.
const NEIGHBOURS_MAX: usize = 4096;

thread_local! {
    /// Comparisons of this thread in graphs that count them.
    static COMPARED: Cell<u64> = const { Cell::new(0) };
}

/// A graph over the rows of a column.
pub struct Graph {
    // Dropped before the mapping that it reads.
    index: Index,
    map: Option<Arc<FileMap>>,
}

impl std::fmt::Debug for Graph {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Graph").field("rows", &self.index.size()).finish()
    }
}

/// The library failed, for example because memory ran out.
#[derive(Debug, thiserror::Error)]
#[error("the graph library failed: {0}")]
pub struct GraphError(String);

impl Graph {
    /// A graph without nodes, with space for `rows` of them.
    pub fn empty(rows: usize, searchers: usize) -> Result<Self, GraphError> {
        let options = IndexOptions {
            dimensions: ROW_BYTES * 8,
            metric: MetricKind::Hamming,
            quantization: ScalarKind::B1,
            connectivity: CONNECTIVITY,
            expansion_add: EXPANSION_ADD,
            expansion_search: EXPANSIONS_SEARCH[0],
            multi: false,
        };
        let mut graph = Self { index: Index::new(&options).map_err(library)?, map: None };
        graph.set_metric(false);
        graph.index.reserve_capacity_and_threads(rows, searchers + 1).map_err(library)?;
        Ok(graph)
    }

    /// A saved graph in heap memory, with space for `rows` nodes.
    pub fn load(path: &Path, rows: usize, searchers: usize) -> Result<Self, GraphError> {
        let mut graph = Self::empty(1, searchers)?;
        let path = path.to_str().ok_or_else(|| GraphError("the path is not text".to_owned()))?;
        graph.index.load(path).map_err(library)?;
        // The library has set its own metric.
        graph.set_metric(false);
        graph.index.reserve_capacity_and_threads(rows, searchers + 1).map_err(library)?;
        Ok(graph)
    }

    /// A saved graph that is read from a mapped file. No nodes can be added.
    ///
    /// The file must have been compared with its hash: the library follows links without checking them.
    pub fn view(map: Arc<FileMap>, expansion: usize, searchers: usize) -> Result<Self, GraphError> {
        let mut graph = Self::empty(1, searchers)?;
        // SAFETY: the graph keeps the mapping and drops it last.
        unsafe { graph.index.view_from_buffer(map.bytes()) }.map_err(library)?;
        graph.map = Some(map);
        graph.set_metric(false);
        graph.index.change_expansion_search(expansion);
        Ok(graph)
    }

    fn set_metric(&mut self, counts: bool) {
        let nphd = metric::metric();
        self.index.change_metric::<b1x8>(Box::new(move |a, b| {
            if counts {
                COMPARED.set(COMPARED.get() + 1);
            }
            // SAFETY: the library passes its own vectors and the query, all with the dimensions given above, that is,
            // `ROW_BYTES` bytes.
            let (a, b) = unsafe { (&*a.cast(), &*b.cast()) };
            nphd(a, b)
        }));
    }

    /// Adds a node for a row.
    fn add(&self, row: usize, body: &Body) -> Result<(), GraphError> {
        self.index.add(row as u64, b1x8::from_u8s(&pack(body))).map_err(library)
    }

    /// Rows that are probably within `distance` (0 to 1) of a body. The body must be at least as long as the rows.
    /// Returns `None` if there are so many that a scan is better.
    pub fn near(&self, body: &Body, distance: f32) -> Option<Vec<u32>> {
        let packed = pack(body);
        let mut count = NEIGHBOURS_FIRST;
        loop {
            let found = self.index.search(b1x8::from_u8s(&packed), count).ok()?;
            let all_near = found.distances.last().is_some_and(|&last| last <= distance);
            if all_near && found.keys.len() == count {
                count *= 4;
                if count > NEIGHBOURS_MAX {
                    return None;
                }
                continue;
            }
            let pairs = found.keys.iter().zip(&found.distances);
            let near = pairs.filter(|&(_, &d)| d <= distance).map(|(&row, _)| row as u32);
            return Some(near.collect());
        }
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.index.size()
    }

    /// Heap memory in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.index.memory_usage()
    }

    /// Number of bytes that [`Graph::save`] passes on.
    pub fn saved_bytes(&self) -> usize {
        self.index.serialized_length()
    }

    /// Passes the graph's bytes on in pieces, until `write` fails.
    #[cfg(unix)]
    pub fn save<E: Send>(
        &self,
        write: impl FnMut(&[u8]) -> Result<(), E> + Send,
    ) -> Result<Result<(), E>, GraphError> {
        use std::os::fd::AsRawFd;
        // The library writes to a named file. Through a pipe the bytes are hashed and paced on their way, and the disk
        // does not get all of them at once.
        let broken = |error: std::io::Error| GraphError(error.to_string());
        let (reader, writer) = std::io::pipe().map_err(broken)?;
        std::thread::scope(|scope| {
            let passing = scope.spawn(move || pass_on(reader, write));
            let saved = self.index.save(&format!("/dev/fd/{}", writer.as_raw_fd()));
            drop(writer);
            let passed = passing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            saved.map_err(library)?;
            passed.map_err(broken)
        })
    }

    /// Passes the graph's bytes on, until `write` fails.
    #[cfg(not(unix))]
    pub fn save<E: Send>(
        &self,
        mut write: impl FnMut(&[u8]) -> Result<(), E> + Send,
    ) -> Result<Result<(), E>, GraphError> {
        let mut bytes = vec![0; self.saved_bytes()];
        self.index.save_to_buffer(&mut bytes).map_err(library)?;
        Ok(bytes.chunks(1 << 20).try_for_each(|step| write(step)))
    }
}

/// Reads all bytes, also after `write` has failed, so that the library's writes to the pipe do not.
#[cfg(unix)]
fn pass_on<E>(
    mut reader: std::io::PipeReader,
    mut write: impl FnMut(&[u8]) -> Result<(), E>,
) -> std::io::Result<Result<(), E>> {
    use std::io::Read;
    let (mut outcome, mut buffer) = (Ok(()), vec![0; 1 << 16]);
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok(outcome),
            Ok(count) if outcome.is_ok() => outcome = write(&buffer[..count]),
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn library(error: impl std::fmt::Display) -> GraphError {
    GraphError(error.to_string())
}
