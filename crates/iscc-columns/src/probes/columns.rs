//! Searches columns with probes, by lists, graph or scan.

use std::time::Instant;

use super::choice::{Choices, Task, WithLists};
use super::column_rows::ColumnRows;
use super::plan::{ColumnPlan, RowHit, Rows, probe_of, scan_all};
use crate::column::{Body, word_count};
use crate::frozen::Owner;
use crate::graph::Graph;
use crate::lists::cost::scan_cost;
use crate::methods::{MethodCounts, Times};
use crate::scan::Probe;
use crate::scan_pool::ScanPool;

/// Planned cost from which on other threads help. To wake one takes about half of it.
const HELP_COST_MIN: f64 = 200_000.0;

/// What a column is searched for.
#[derive(Debug, Clone, Copy)]
pub struct ColumnProbe<'a> {
    /// The body.
    pub body: &'a Body,
    /// Lowest similarity of a hit, 0 to 1.
    pub threshold: f64,
    /// Whether graphs are not used.
    pub exact: bool,
}

/// The probes of a pass, by their positions.
pub trait Probes: Sync {
    /// The probe at a position.
    fn get(&self, index: usize) -> ColumnProbe<'_>;

    /// Position of a probe's query among the queries of the pass.
    fn query(&self, index: usize) -> usize;
}

/// Makes hits of rows.
pub trait Hits<'a, O: Owner>: Probes {
    /// A hit.
    type Hit: Send;

    /// Adds the hits of a row. `segment` is the position of the rows' segment in the snapshot.
    fn add(&self, segment: usize, rows: &ColumnRows<'a, O>, hit: RowHit, hits: &mut Vec<Self::Hit>);
}

/// Hits of a pass, and how they were found.
#[derive(Debug)]
pub struct PassFound<H> {
    /// All hits, in undefined order.
    pub hits: Vec<H>,
    /// How each query was searched, by its position among the queries of the pass.
    pub methods: Vec<MethodCounts>,
    /// Time of the pass.
    pub times: Times,
}

/// A task with its hits; `None` if the column must be scanned.
type Searched<'a, O, X, H> = (Task<'a, O, X>, Option<Vec<H>>);

/// A search of columns.
pub struct Pass<'p, P> {
    /// Helps with large scans.
    pub scan_pool: &'p ScanPool,
    /// The probes, and what becomes of the rows that they find.
    pub probes: &'p P,
}

impl<P> Pass<'_, P> {
    /// Runs the searches that `choose` returns, for so many queries.
    pub fn run<'a, O: Owner>(
        &self,
        queries: usize,
        choose: impl FnOnce() -> Choices<'a, O>,
    ) -> PassFound<P::Hit>
    where
        P: Hits<'a, O>,
    {
        let (methods, times) = (vec![MethodCounts::default(); queries], Times::default());
        let mut found = PassFound { hits: Vec::new(), methods, times };
        let start = Instant::now();
        let mut choices = choose();
        self.search_lists(&mut choices, &mut found);
        let lists_end = Instant::now();
        self.search_graphs(&mut choices, &mut found);
        let graphs_end = Instant::now();
        self.scan(&choices, &mut found);
        found.times = Times {
            lists: lists_end - start,
            graphs: graphs_end - lists_end,
            scans: graphs_end.elapsed(),
        };
        found.methods.iter().for_each(|methods| self.scan_pool.methods.add(methods));
        found
    }

    fn search_lists<'a, O: Owner>(
        &self,
        choices: &mut Choices<'a, O>,
        found: &mut PassFound<P::Hit>,
    ) where
        P: Hits<'a, O>,
    {
        let cost = choices.lists.iter().map(|task| task.extra.plan.cost).sum();
        for (task, hits) in self.run_all(&choices.lists, cost, |task| {
            let (_, bits) = self.probe_of(task);
            self.near_in_lists(task, scan_cost(task.rows.rows(), bits))
        }) {
            let methods = &mut found.methods[self.probes.query(task.probe)];
            match hits {
                Some(hits) => {
                    methods.lists += 1;
                    found.hits.extend(hits);
                }
                None => {
                    methods.gave_up += 1;
                    choices.scan(&task);
                }
            }
        }
    }

    fn search_graphs<'a, O: Owner>(
        &self,
        choices: &mut Choices<'a, O>,
        found: &mut PassFound<P::Hit>,
    ) where
        P: Hits<'a, O>,
    {
        let near = |task: &Task<'a, O, &'a Graph>| self.near_in_graph(task);
        for (task, hits) in self.run_all(&choices.graphs, f64::INFINITY, near) {
            match hits {
                Some(hits) => {
                    found.methods[self.probes.query(task.probe)].graphs += 1;
                    found.hits.extend(hits);
                }
                None => choices.scan(&task),
            }
        }
    }

    fn scan<'a, O: Owner>(&self, choices: &Choices<'a, O>, found: &mut PassFound<P::Hit>)
    where
        P: Hits<'a, O>,
    {
        let body = |&index: &usize| {
            let wanted = self.probes.get(index);
            (index, wanted.body, wanted.threshold)
        };
        let mut plans = Vec::with_capacity(choices.scans.len());
        for (segment, rows, indexes) in &choices.scans {
            plans.push(ColumnPlan::new(*segment, *rows, indexes.iter().map(body)));
            for &index in indexes {
                found.methods[self.probes.query(index)].scans += 1;
            }
        }
        found.hits.extend(scan_all(self.scan_pool, &plans, |plan, hit, hits| {
            self.probes.add(plan.segment, &plan.rows, hit, hits);
        }));
    }

    /// Runs tasks, with the help of idle threads if there are several and all together `cost` enough.
    fn run_all<'a, O: Owner, X: Copy + Send + Sync, H: Send>(
        &self,
        tasks: &[Task<'a, O, X>],
        cost: f64,
        search: impl Fn(&Task<'a, O, X>) -> Option<Vec<H>> + Sync,
    ) -> Vec<Searched<'a, O, X, H>> {
        let search = |task: &Task<'a, O, X>| (*task, search(task));
        match tasks {
            tasks if tasks.len() > 1 && cost >= HELP_COST_MIN => self.scan_pool.run(tasks, search),
            tasks => tasks.iter().map(search).collect(),
        }
    }

    /// The probe of a task, and the number of bits that it compares.
    fn probe_of<'a, O: Owner, X>(&self, task: &Task<'a, O, X>) -> (Probe, u16)
    where
        P: Hits<'a, O>,
    {
        let wanted = self.probes.get(task.probe);
        probe_of(wanted.body, task.rows.bits(), wanted.threshold)
    }

    /// Returns `None` if the search gave up, because its cost would exceed `budget`.
    pub fn near_in_lists<'a, O: Owner>(
        &self,
        task: &Task<'a, O, WithLists<'a, O>>,
        budget: f64,
    ) -> Option<Vec<P::Hit>>
    where
        P: Hits<'a, O>,
    {
        let (column, lists, plan) = (task.extra.column, task.extra.lists, &task.extra.plan);
        let (probe, bits) = self.probe_of(task);
        let columns = column.columns(word_count(bits), 0, column.rows());
        let rows = lists.search(&columns, &probe, bits, plan, budget)?;
        let mut hits = Vec::with_capacity(rows.len());
        for found in rows {
            let (distance, row) = (found.distance, found.row as usize);
            let hit = RowHit { probe: task.probe, distance, bits, row };
            self.probes.add(task.segment, &task.rows, hit, &mut hits);
        }
        Some(hits)
    }

    /// The rows that a graph proposes, with exact distances. Returns `None` if the column must be scanned.
    fn near_in_graph<'a, O: Owner>(&self, task: &Task<'a, O, &'a Graph>) -> Option<Vec<P::Hit>>
    where
        P: Hits<'a, O>,
    {
        let wanted = self.probes.get(task.probe);
        let (probe, bits) = self.probe_of(task);
        let limit = probe.distance_max;
        let rows = task.extra.near(wanted.body, limit as f32 / f32::from(bits))?;
        let mut hits = Vec::new();
        for row in rows {
            let row = row as usize;
            let distance = task.rows.body(row).distance(&wanted.body.prefix(bits));
            if distance <= limit {
                let hit = RowHit { probe: task.probe, distance: distance as u16, bits, row };
                self.probes.add(task.segment, &task.rows, hit, &mut hits);
            }
        }
        Some(hits)
    }
}
