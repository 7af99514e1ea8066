//! The work that searches are planned to take, before any row is compared.

use std::ops::AddAssign;

use super::choice::Choices;
use super::column_rows::ColumnRows;
use super::columns::Probes;
use super::plan::{Rows, probe_of};
use crate::frozen::Owner;
use crate::lists::cost::{scan_cost, shared_scan_cost};

/// Share of a scan that a graph is planned to cost (`benches/scale.rs`, `kind=graph`).
const GRAPH_SHARE: f64 = 1.0 / 3.0;

/// Planned work. Counted, not timed, so the same request has the same work each time.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Work {
    /// Cost (see [`crate::lists::cost`]).
    pub cost: f64,
    /// Number of rows that are compared, once per probe.
    pub rows: f64,
}

impl AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.cost += other.cost;
        self.rows += other.rows;
    }
}

impl<O: Owner> Choices<'_, O> {
    /// The work of all searches of one query. Those that share scans with other queries cost less.
    pub fn work(&self, probes: &impl Probes) -> Work {
        let mut work = Work::default();
        let scan = |rows: &ColumnRows<'_, O>, probe: usize| {
            let wanted = probes.get(probe);
            scan_cost(rows.rows(), probe_of(wanted.body, rows.bits(), wanted.threshold).1)
        };
        for task in &self.lists {
            let plan = &task.extra.plan;
            work += Work { cost: plan.cost, rows: plan.entries };
        }
        for task in &self.graphs {
            let rows = task.rows.rows() as f64 * GRAPH_SHARE;
            work += Work { cost: scan(&task.rows, task.probe) * GRAPH_SHARE, rows };
        }
        for (_, rows, indexes) in &self.scans {
            let alone: f64 = indexes.iter().map(|&probe| scan(rows, probe)).sum();
            let mean = alone / indexes.len().max(1) as f64;
            let cost = shared_scan_cost(mean, indexes.len());
            work += Work { cost, rows: (rows.rows() * indexes.len()) as f64 };
        }
        work
    }
}
