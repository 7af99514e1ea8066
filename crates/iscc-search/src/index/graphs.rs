//! Graphs for frozen columns, built in the background once a full scan takes too long.

use std::collections::HashSet;
use std::sync::{Arc, MutexGuard, PoisonError};

use super::Index;
use crate::decision::{Decision, Subject};
use crate::graph::{Build, Graph};
use crate::segment::{Key, Segment};
use crate::unit::UnitType;

/// Segments and columns whose graph was built or rejected, so that no graph is tried twice.
pub(super) type Tried = HashSet<(u32, Key<UnitType>)>;

impl Index {
    /// Builds the next due graph. Returns `None` if no graph is due.
    ///
    /// A graph is due for each frozen column whose unit type has more rows than the scan limit. The build
    /// calls `should_continue` between steps and stops if it returns `false`.
    pub fn build_next_graph(&self, should_continue: &dyn Fn() -> bool) -> Option<Decision> {
        let (segment, key) = self.next_due()?;
        let build = Build {
            searchers: self.options.search_threads * 2,
            should_continue,
            threshold: self.options.match_threshold_units,
        };
        let built = Graph::build(&segment.frozen[&key], &build);
        // Also after success: if the segment was compacted meanwhile, the new one has another `uid`.
        self.tried().insert((segment.uid, key));
        let (outcome, detail) = match built {
            Ok(graph) => {
                let detail = format!("{} bytes", graph.memory_bytes());
                self.install(segment.uid, key, Arc::new(graph));
                ("graph", detail)
            }
            Err(reason) => ("scan", reason.to_string()),
        };
        let (unit, bits) = key;
        let rows = segment.frozen[&key].rows();
        let subject = Subject::Column { unit, bits, rows };
        Some(Decision { index: self.name(), subject, outcome, detail })
    }

    /// Number of graphs in use.
    pub fn graphs(&self) -> usize {
        self.snapshot().segments.iter().map(|segment| segment.graphs.len()).sum()
    }

    fn tried(&self) -> MutexGuard<'_, Tried> {
        self.graphs_tried.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next_due(&self) -> Option<(Arc<Segment>, Key<UnitType>)> {
        let snapshot = self.snapshot();
        let rows = snapshot.unit_rows();
        let (_, full) = snapshot.segments.split_last()?;
        for segment in full {
            for key in segment.frozen.keys() {
                let is_large = rows.get(&key.0).is_some_and(|&rows| rows > self.options.scan_limit);
                let is_done = segment.graphs.contains_key(key);
                if is_large && !is_done && !self.tried().contains(&(segment.uid, *key)) {
                    return Some((Arc::clone(segment), *key));
                }
            }
        }
        None
    }

    /// Adds a graph to its segment, if the segment still exists.
    fn install(&self, segment_uid: u32, key: Key<UnitType>, graph: Arc<Graph>) {
        let _writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut snapshot = (*self.snapshot()).clone();
        let mut segments = snapshot.segments.iter_mut();
        if let Some(segment) = segments.find(|segment| segment.uid == segment_uid) {
            Arc::make_mut(segment).graphs.insert(key, graph);
            self.publish(snapshot);
        }
    }
}
