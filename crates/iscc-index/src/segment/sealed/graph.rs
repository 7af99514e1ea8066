//! The graphs of a file.
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

use iscc_columns::graph::Graph;
use iscc_columns::map::MappedRange;
use iscc_columns::unit::UnitType;

use super::SealedFile;
use crate::segment::Key;

/// A graph in a file. It is opened when it is first used.
#[derive(Debug)]
pub struct FileGraph {
    bytes: MappedRange<u8>,
    /// Number of rows of its column.
    rows: usize,
    /// `None` if it cannot be opened.
    opened: OnceLock<Option<Graph>>,
}

impl FileGraph {
    /// A graph that is not open.
    pub(super) fn new(bytes: MappedRange<u8>, rows: usize) -> Self {
        Self { bytes, rows, opened: OnceLock::new() }
    }
}

impl SealedFile {
    /// The graph over a column. `None` without one, and until the file has been compared with its hashes.
    pub fn graph(&self, key: Key<UnitType>) -> Option<&Graph> {
        let graph = self.graphs.get(&key)?;
        if !self.is_checked.load(Ordering::Acquire) {
            return None;
        }
        let open = || {
            let opened = Graph::view(graph.bytes.clone()).ok()?;
            (opened.nodes() == graph.rows).then_some(opened)
        };
        graph.opened.get_or_init(open).as_ref()
    }

    /// Size of the graph over a column in the file; 0 without one.
    pub fn graph_bytes(&self, key: Key<UnitType>) -> usize {
        self.graphs.get(&key).map_or(0, |graph| graph.bytes.len())
    }

    /// Number of graphs.
    pub fn graphs(&self) -> usize {
        self.graphs.len()
    }

    /// Heap memory of the opened graphs in bytes.
    pub fn graph_heap_bytes(&self) -> usize {
        let opened = self.graphs.values().filter_map(|graph| graph.opened.get()?.as_ref());
        opened.map(Graph::memory_bytes).sum()
    }
}
