//! Builds a graph in steps, with pauses for other work and saves in between.

use super::trial::{self, Sample};
use super::{Graph, GraphError, Trial};
use crate::frozen::FrozenColumn;

/// Rows added between two calls of `should_pause`.
const ROWS_PER_STEP: usize = 256;

/// Settings of a build.
pub struct Build<'a> {
    /// Maximum number of concurrent searches.
    pub searchers: usize,
    /// Whether the work is no longer wanted.
    pub is_stopping: &'a (dyn Fn() -> bool + Sync),
    /// Whether other work waits. Called between steps. May sleep, to leave processor time to searches.
    pub should_pause: &'a (dyn Fn() -> bool + Sync),
    /// Minimum similarity of a match, 0 to 1.
    pub threshold: f64,
    /// Number of nodes of the graph that is tried first.
    pub trial_rows: usize,
    /// A graph is saved each time that so many nodes were added.
    pub save_rows: usize,
}

/// A graph that is being built.
pub struct Building {
    graph: Graph,
    order: Order,
    nodes: usize,
    /// Number of nodes that were loaded.
    loaded: usize,
    /// The last trial, which was passed.
    trial: Option<Trial>,
}

/// Where a build is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Advance {
    /// Other work waits, or the build is no longer wanted.
    Paused,
    /// The graph of a part of the rows has passed a trial, and is to be saved.
    Save(Trial),
    /// The graph has all rows and has passed the trial.
    Finished(Trial),
    /// The graph has not passed the trial.
    Refused(Trial),
}

impl Building {
    /// A graph without nodes.
    pub fn new(column: &FrozenColumn, build: &Build<'_>) -> Result<Self, GraphError> {
        let graph = Graph::empty(column.rows(), build.searchers)?;
        Ok(Self { graph, order: Order::new(column.rows()), nodes: 0, loaded: 0, trial: None })
    }

    /// A saved graph with the first nodes, which has passed a trial.
    pub fn resume(column: &FrozenColumn, graph: Graph, trial: Trial) -> Self {
        let (nodes, order) = (graph.nodes(), Order::new(column.rows()));
        Self { graph, order, nodes, loaded: nodes, trial: Some(trial) }
    }

    /// The graph so far.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Number of nodes that a former build had saved.
    pub fn loaded(&self) -> usize {
        self.loaded
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Adds rows of the column until something is to be done. After [`Advance::Paused`] and [`Advance::Save`], the next
    /// call continues.
    pub fn advance(
        &mut self,
        column: &FrozenColumn,
        build: &Build<'_>,
    ) -> Result<Advance, GraphError> {
        let rows = column.rows();
        let first_trial = build.trial_rows.min(rows);
        let next_save = (self.nodes / build.save_rows + 1).saturating_mul(build.save_rows);
        let goal = match self.trial {
            None => first_trial,
            Some(_) => next_save.min(rows),
        };
        while self.nodes < goal {
            let row = self.order.row(self.nodes);
            self.graph.add(row, &column.body(row))?;
            self.nodes += 1;
            if self.nodes.is_multiple_of(ROWS_PER_STEP)
                && ((build.is_stopping)() || (build.should_pause)())
            {
                return Ok(Advance::Paused);
            }
        }
        let is_complete = self.nodes == rows;
        if let (Some(trial), false) = (self.trial, is_complete) {
            return Ok(Advance::Save(trial));
        }
        let sample = (!is_complete)
            .then(|| Sample::new(rows, (0..self.nodes).map(|node| self.order.row(node))));
        let Some(trial) = trial::run(&mut self.graph, column, sample.as_ref(), build) else {
            return Ok(Advance::Paused);
        };
        if !trial.is_passed(rows) {
            return Ok(Advance::Refused(trial));
        }
        self.trial = Some(trial);
        Ok(if is_complete { Advance::Finished(trial) } else { Advance::Save(trial) })
    }
}

impl Graph {
    /// Tries a complete graph again. Returns `None` if the trial was stopped.
    pub fn try_again(&mut self, column: &FrozenColumn, build: &Build<'_>) -> Option<Trial> {
        trial::run(self, column, None, build)
    }
}

/// The order in which rows become nodes. Rows are in ascending order of bodies; this one mixes them, so that the first
/// nodes are a sample. It is the same for each build, so that a saved one can continue.
struct Order {
    rows: usize,
    step: usize,
}

impl Order {
    fn new(rows: usize) -> Self {
        // Without a common divisor with `rows`, and near `rows` divided by the golden ratio.
        let golden = (rows as f64 * 0.618_033_988_749_895) as usize;
        let step = (golden.max(1)..).find(|&step| divisor(step, rows) == 1).unwrap_or(1);
        Self { rows, step }
    }

    /// The row of a node.
    fn row(&self, node: usize) -> usize {
        (node as u128 * self.step as u128 % self.rows as u128) as usize
    }
}

/// Greatest common divisor.
fn divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_have_different_rows_and_the_first_ones_are_spread() {
        for rows in [1, 2, 3, 4, 6, 7, 10, 64, 100, 1000, 4096, 6765, 10_946] {
            let order = Order::new(rows);
            let mut all: Vec<usize> = (0..rows).map(|node| order.row(node)).collect();
            let tenths: std::collections::HashSet<usize> =
                all.iter().take(20).map(|row| row * 10 / rows).collect();
            all.sort_unstable();
            assert_eq!(all, (0..rows).collect::<Vec<_>>(), "{rows}");
            assert_eq!(tenths.len(), rows.min(10), "{rows}");
        }
    }
}
