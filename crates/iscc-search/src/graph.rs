//! A nearest-neighbour graph (HNSW) over a frozen column: one node per distinct body.
//!
//! The graph only proposes rows: searches compute their exact distances from the column. A new graph is checked with
//! queries made from its own rows with some bits flipped. It is rejected if it misses too many of the rows that a scan
//! finds, or is not faster. Columns of uniform random codes, on which HNSW performs poorly, are therefore always
//! scanned.

pub mod metric;
mod recall_check;

use usearch::{Index, IndexOptions, MetricKind, ScalarKind, b1x8};

use crate::column::Body;
use crate::frozen::FrozenColumn;
use metric::{ROW_BYTES, pack};

/// Links per row on each level (`M`).
const CONNECTIVITY: usize = 16;
/// Candidates while a row is added (`efConstruction`).
const EXPANSION_ADD: usize = 128;
/// Candidates during a search (`ef`). The first value that passes the recall check is used.
const EXPANSIONS_SEARCH: [usize; 3] = [64, 128, 256];
/// Neighbours requested first. Four times as many are requested while all of them are within the distance.
const NEIGHBOURS_FIRST: usize = 64;
/// With more neighbours than this, a scan is not slower.
const NEIGHBOURS_MAX: usize = 4096;
/// Rows added between two calls of `should_continue`.
const ROWS_PER_STEP: usize = 256;

/// A graph over the rows of a column.
pub struct Graph {
    index: Index,
}

impl std::fmt::Debug for Graph {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Graph").field("rows", &self.index.size()).finish()
    }
}

/// Why there is no graph.
#[derive(Debug, thiserror::Error)]
pub enum NoGraph {
    /// The caller stopped the build.
    #[error("building was stopped")]
    Stopped,
    /// The graph misses too many rows or is not faster than a scan.
    #[error("graph rejected: recall {recall:.4}, {speedup:.2} times the speed of a scan")]
    Unfit {
        /// Share of the rows within the distance that the graph found, 0 to 1.
        recall: f64,
        /// Time of a scan divided by the time of the graph.
        speedup: f64,
    },
    /// The library failed, for example because memory ran out.
    #[error("{0}")]
    Library(String),
}

/// Settings of a build.
pub struct Build<'a> {
    /// Maximum number of concurrent searches.
    pub searchers: usize,
    /// Called between steps. `false` stops the build. May sleep, to leave processor time to searches.
    pub should_continue: &'a dyn Fn() -> bool,
    /// Minimum similarity of a match, 0 to 1.
    pub threshold: f64,
}

impl Graph {
    /// Builds a graph of all rows of a column and checks its recall and speed.
    pub fn build(column: &FrozenColumn, build: &Build<'_>) -> Result<Self, NoGraph> {
        let graph = Self::empty(column.rows(), build.searchers)?;
        for row in 0..column.rows() {
            if row.is_multiple_of(ROWS_PER_STEP) && !(build.should_continue)() {
                return Err(NoGraph::Stopped);
            }
            let packed = pack(&column.body(row));
            graph.index.add(row as u64, b1x8::from_u8s(&packed)).map_err(library)?;
        }
        let mut last = NoGraph::Stopped;
        for expansion in EXPANSIONS_SEARCH {
            graph.index.change_expansion_search(expansion);
            match recall_check::run(&graph, column, build) {
                Ok(()) => return Ok(graph),
                Err(failure) => last = failure,
            }
        }
        Err(last)
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

    /// Memory of the graph in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.index.memory_usage()
    }

    fn empty(rows: usize, searchers: usize) -> Result<Self, NoGraph> {
        let options = IndexOptions {
            dimensions: ROW_BYTES * 8,
            metric: MetricKind::Hamming,
            quantization: ScalarKind::B1,
            connectivity: CONNECTIVITY,
            expansion_add: EXPANSION_ADD,
            expansion_search: EXPANSIONS_SEARCH[0],
            multi: false,
        };
        let mut index = Index::new(&options).map_err(library)?;
        let nphd = metric::metric();
        index.change_metric::<b1x8>(Box::new(move |a, b| {
            // SAFETY: the library passes its own vectors and the query, all with the dimensions given above, that is,
            // `ROW_BYTES` bytes.
            let (a, b) = unsafe { (&*a.cast(), &*b.cast()) };
            nphd(a, b)
        }));
        index.reserve_capacity_and_threads(rows, searchers + 1).map_err(library)?;
        Ok(Self { index })
    }
}

fn library(error: impl std::fmt::Display) -> NoGraph {
    NoGraph::Library(error.to_string())
}
