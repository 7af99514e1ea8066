//! A nearest-neighbour graph (HNSW) over one column of a segment that takes no more rows.
//!
//! The graph only proposes rows: what it finds is measured again against the column. It has to
//! earn its place. Right after it is built it answers for rows of its own column with some bits
//! flipped, and is dropped if it misses too much of what a scan finds, or is not faster. Uniform
//! random codes, on which graphs are known to fail, are thus scanned for ever.

pub mod metric;
mod recall_check;

use usearch::{Index, IndexOptions, MetricKind, ScalarKind, b1x8};

use crate::column::{Body, Column};
use metric::{ROW_BYTES, pack};

/// Links a row has to others on each level (`M`).
const CONNECTIVITY: usize = 16;
/// Candidates kept while a row is linked (`efConstruction`).
const EXPANSION_ADD: usize = 128;
/// Candidates kept during a search (`ef`), tried in this order until the trial is passed.
const EXPANSIONS_SEARCH: [usize; 3] = [64, 128, 256];
/// Neighbours asked for at first; four times as many while all of them are within the distance.
const NEIGHBOURS_FIRST: usize = 64;
/// From so many on, scanning costs no more.
const NEIGHBOURS_MAX: usize = 4096;
/// Rows linked between two looks at whether to go on.
const ROWS_PER_STEP: usize = 256;

/// A graph over the live rows of a column.
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
    /// The caller wanted to stop.
    #[error("building was stopped")]
    Stopped,
    /// It misses rows, or a scan is as fast: the column is better scanned.
    #[error("a scan answers better: recall {recall:.4}, {speedup:.2} times a scan's speed")]
    Unfit {
        /// Share of the rows within the distance that it found.
        recall: f64,
        /// Time of a scan divided by the graph's.
        speedup: f64,
    },
    /// The library failed, for example for want of memory.
    #[error("{0}")]
    Library(String),
}

/// Searches and building at the same time, and when to stop building.
pub struct Build<'a> {
    /// Searches that may run at once.
    pub searchers: usize,
    /// Which rows to leave out, by slot.
    pub is_live: &'a dyn Fn(u32) -> bool,
    /// Asked now and then: `false` ends the work. May sleep, to leave the processor to searches.
    pub go_on: &'a dyn Fn() -> bool,
    /// Similarity from which on a row is a match.
    pub threshold: f64,
}

impl Graph {
    /// Links all live rows of a column, and tries the result out.
    pub fn build(column: &Column<u32>, build: &Build<'_>) -> Result<Self, NoGraph> {
        let graph = Self::empty(column.rows(), build.searchers)?;
        for (row, (body, slot)) in column.iter().enumerate() {
            if row.is_multiple_of(ROWS_PER_STEP) && !(build.go_on)() {
                return Err(NoGraph::Stopped);
            }
            if (build.is_live)(slot) {
                let packed = pack(&body);
                graph.index.add(row as u64, b1x8::from_u8s(&packed)).map_err(library)?;
            }
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

    /// Rows that probably lie within `distance` (0 to 1) of a body that is at least as long as
    /// they are; `None` if there are so many that scanning is better.
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

    /// Bytes of memory it takes.
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
            // SAFETY: the library hands out its own vectors and the query, all of the dimensions
            // given above: `ROW_BYTES` bytes.
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
