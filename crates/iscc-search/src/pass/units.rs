//! Similar units: all rows within the threshold, by lists, graph or scan.

use std::time::Instant;

use super::choice::{Choices, Task, WithLists, choose};
use super::plan::{ColumnPlan, RowHit, Rows, probe_of, scan_all};
use super::unit_rows::UnitRows;
use super::ways::{Times, Ways};
use crate::column::{Body, word_count};
use crate::graph::Graph;
use crate::lists::cost::scan_cost;
use crate::options::Way;
use crate::scan_pool::ScanPool;
use crate::snapshot::Snapshot;
use crate::unit::UnitType;

/// A unit of a query.
#[derive(Debug, Clone, Copy)]
pub struct UnitProbe {
    /// Position of its query among the queries of the pass.
    pub query: usize,
    /// Position among the query's units.
    pub position: usize,
    /// Type of the unit.
    pub unit: UnitType,
    /// Body of the unit.
    pub body: Body,
    /// Lowest similarity of a hit, 0 to 1.
    pub threshold: f64,
    /// Whether graphs are not used.
    pub exact: bool,
    /// Whether rows that are featureless Image-Codes are no hits.
    pub skips_featureless: bool,
}

impl UnitProbe {
    /// Whether a row may be a hit.
    fn accepts(&self, rows: &UnitRows<'_>, row: usize) -> bool {
        !self.skips_featureless
            || !iscc_codec::is_featureless(self.unit, &rows.body(row).to_bytes())
    }
}

/// An asset with a unit near a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnitHit {
    /// Position of the probe's query among the queries of the pass.
    pub query: usize,
    /// Position of the asset's segment in the snapshot.
    pub segment: u32,
    /// The asset's slot.
    pub slot: u32,
    /// Position of the probe among the query's units.
    pub position: usize,
    /// Number of differing bits.
    pub distance: u16,
    /// Number of compared bits.
    pub bits: u16,
}

/// Hits of a pass, and how they were found.
#[derive(Debug, Default)]
pub struct UnitsFound {
    /// All hits, in undefined order.
    pub hits: Vec<UnitHit>,
    /// How each query was searched, by its position among the queries of the pass.
    pub ways: Vec<Ways>,
    /// Time of the pass.
    pub times: Times,
}

/// Finds every live asset with a unit within the threshold of a probe, of the same type. `queries` is the number of
/// queries that the probes belong to.
pub fn similar_units(
    scan_pool: &ScanPool,
    snapshot: &Snapshot,
    probes: &[UnitProbe],
    queries: usize,
    way: Way,
) -> UnitsFound {
    let mut found = UnitsFound { ways: vec![Ways::default(); queries], ..UnitsFound::default() };
    let pass = Pass { scan_pool, snapshot, probes };
    let start = Instant::now();
    let mut choices = pass.choose(way);
    pass.search_lists(&mut choices, &mut found);
    let lists_end = Instant::now();
    pass.search_graphs(&mut choices, &mut found);
    let graphs_end = Instant::now();
    pass.scan(&choices, &mut found);
    found.times = Times {
        lists: lists_end - start,
        graphs: graphs_end - lists_end,
        scans: graphs_end.elapsed(),
    };
    found.ways.iter().for_each(|ways| scan_pool.ways.add(ways));
    found
}

/// What all searches of a pass read.
struct Pass<'a> {
    scan_pool: &'a ScanPool,
    snapshot: &'a Snapshot,
    probes: &'a [UnitProbe],
}

impl<'a> Pass<'a> {
    fn choose(&self, way: Way) -> Choices<'a> {
        let mut choices = Choices::default();
        for (number, segment) in self.snapshot.segments.iter().enumerate() {
            for (key, rows) in UnitRows::all(segment) {
                let is_probe = |index: &usize| self.probes[*index].unit == key.0;
                let indexes = (0..self.probes.len()).filter(is_probe).collect();
                let graph = segment.graphs.get(&key).map(AsRef::as_ref);
                choose(number, rows, graph, self.probes, indexes, way, &mut choices);
            }
        }
        choices
    }

    fn search_lists(&self, choices: &mut Choices<'a>, found: &mut UnitsFound) {
        for (task, hits) in self.run(&choices.lists, |task| self.near_in_lists(task)) {
            let ways = &mut found.ways[self.probes[task.probe].query];
            match hits {
                Some(hits) => {
                    ways.lists += 1;
                    found.hits.extend(hits);
                }
                None => {
                    ways.gave_up += 1;
                    choices.scan(&task);
                }
            }
        }
    }

    fn search_graphs(&self, choices: &mut Choices<'a>, found: &mut UnitsFound) {
        for (task, hits) in self.run(&choices.graphs, |task| self.near_in_graph(task)) {
            match hits {
                Some(hits) => {
                    found.ways[self.probes[task.probe].query].graphs += 1;
                    found.hits.extend(hits);
                }
                None => choices.scan(&task),
            }
        }
    }

    fn scan(&self, choices: &Choices<'a>, found: &mut UnitsFound) {
        let probes = self.probes;
        let bodies = |index: &usize| (*index, &probes[*index].body, probes[*index].threshold);
        let mut plans = Vec::with_capacity(choices.scans.len());
        for (segment, rows, indexes) in &choices.scans {
            plans.push(ColumnPlan::new(*segment, *rows, indexes.iter().map(bodies)));
            indexes.iter().for_each(|&index| found.ways[probes[index].query].scans += 1);
        }
        found.hits.extend(scan_all(self.scan_pool, &plans, |plan, hit, hits| {
            self.add_hits(plan.segment, &plan.rows, hit, hits);
        }));
    }

    /// Runs tasks, with the help of idle threads if there are several.
    fn run<X: Copy + Send + Sync>(
        &self,
        tasks: &[Task<'a, X>],
        search: impl Fn(&Task<'a, X>) -> Option<Vec<UnitHit>> + Sync,
    ) -> Vec<(Task<'a, X>, Option<Vec<UnitHit>>)> {
        let search = |task: &Task<'a, X>| (*task, search(task));
        match tasks {
            [] => Vec::new(),
            [task] => vec![search(task)],
            tasks => self.scan_pool.run(tasks, search),
        }
    }

    /// Returns `None` if the search gave up.
    fn near_in_lists(&self, task: &Task<'_, WithLists<'_>>) -> Option<Vec<UnitHit>> {
        let (column, lists, plan) = (task.extra.column, task.extra.lists, &task.extra.plan);
        let unit = &self.probes[task.probe];
        let (probe, bits) = probe_of(&unit.body, column.bits(), unit.threshold);
        let columns = column.columns(word_count(bits), 0, column.rows());
        let budget = scan_cost(column.rows(), bits);
        let rows = lists.search(&columns, &probe, bits, plan, budget)?;
        let mut hits = Vec::with_capacity(rows.len());
        for found in rows {
            let (distance, row) = (found.distance, found.row as usize);
            let hit = RowHit { probe: task.probe, distance, bits, row };
            self.add_hits(task.segment, &task.rows, hit, &mut hits);
        }
        Some(hits)
    }

    /// The rows that a graph proposes, with exact distances. Returns `None` if the column must be scanned.
    fn near_in_graph(&self, task: &Task<'_, &Graph>) -> Option<Vec<UnitHit>> {
        let unit = &self.probes[task.probe];
        let (probe, bits) = probe_of(&unit.body, task.rows.bits(), unit.threshold);
        let limit = probe.distance_max;
        let rows = task.extra.near(&unit.body, limit as f32 / f32::from(bits))?;
        let mut hits = Vec::new();
        for row in rows {
            let row = row as usize;
            let distance = hamming_distance(&task.rows.body(row), &unit.body.prefix(bits));
            if distance <= limit {
                let hit = RowHit { probe: task.probe, distance: distance as u16, bits, row };
                self.add_hits(task.segment, &task.rows, hit, &mut hits);
            }
        }
        Some(hits)
    }

    /// Adds a hit for each live asset of a row.
    fn add_hits(&self, segment: usize, rows: &UnitRows<'_>, hit: RowHit, hits: &mut Vec<UnitHit>) {
        let probe = &self.probes[hit.probe];
        if !probe.accepts(rows, hit.row) {
            return;
        }
        let slots = &self.snapshot.segments[segment].slots;
        rows.for_each_slot(hit.row, |slot| {
            if slots.is_live(slot) {
                hits.push(UnitHit {
                    query: probe.query,
                    segment: segment as u32,
                    slot,
                    position: probe.position,
                    distance: hit.distance,
                    bits: hit.bits,
                });
            }
        });
    }
}

fn hamming_distance(a: &Body, b: &Body) -> u32 {
    a.words().iter().zip(b.words()).map(|(a, b)| (a ^ b).count_ones()).sum()
}
