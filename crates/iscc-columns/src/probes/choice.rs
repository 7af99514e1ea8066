//! Chooses how each probe searches a column: with lists, with a graph, or with a scan that probes share.

use super::column_rows::ColumnRows;
use super::columns::{ColumnProbe, Probes};
use super::plan::{Rows, probe_of};
use crate::frozen::{FrozenColumn, Owner};
use crate::graph::Graph;
use crate::lists::cost::scan_cost;
use crate::lists::{Lists, Plan};
use crate::probes::Method;

/// Number of probes that share the cost of a scan.
const PROBES_SHARED_MAX: usize = 4;

/// A search of one column with one probe.
#[derive(Clone, Copy)]
pub struct Task<'a, O: Owner, X> {
    /// The segment's position in the snapshot.
    pub segment: usize,
    /// The column.
    pub rows: ColumnRows<'a, O>,
    /// Position in the list of probes.
    pub probe: usize,
    /// What the search needs besides.
    pub extra: X,
}

/// What a search in lists needs.
#[derive(Clone, Copy)]
pub struct WithLists<'a, O: Owner> {
    /// The column.
    pub column: &'a FrozenColumn<O>,
    /// Its lists.
    pub lists: &'a Lists,
    /// How to search them.
    pub plan: Plan,
}

/// All searches of a pass.
pub struct Choices<'a, O: Owner> {
    /// Searches in lists.
    pub lists: Vec<Task<'a, O, WithLists<'a, O>>>,
    /// Searches in graphs.
    pub graphs: Vec<Task<'a, O, &'a Graph>>,
    /// Scans: segment, rows and probes.
    pub scans: Vec<(usize, ColumnRows<'a, O>, Vec<usize>)>,
}

impl<O: Owner> Default for Choices<'_, O> {
    fn default() -> Self {
        Self { lists: Vec::new(), graphs: Vec::new(), scans: Vec::new() }
    }
}

impl<'a, O: Owner> Choices<'a, O> {
    /// Adds a scan in place of a search.
    pub fn scan<X>(&mut self, task: &Task<'a, O, X>) {
        let is_same = |rows: &ColumnRows<'_, O>| match (rows, &task.rows) {
            (ColumnRows::Frozen(a), ColumnRows::Frozen(b)) => std::ptr::eq(*a, *b),
            (ColumnRows::Growing(a), ColumnRows::Growing(b)) => std::ptr::eq(*a, *b),
            _ => false,
        };
        match self.scans.iter_mut().find(|(_, rows, _)| is_same(rows)) {
            Some((_, _, probes)) => probes.push(task.probe),
            None => self.scans.push((task.segment, task.rows, vec![task.probe])),
        }
    }
}

/// Chooses the searches of one column. `indexes` are the positions of its probes.
pub fn choose<'a, O: Owner>(
    segment: usize,
    rows: ColumnRows<'a, O>,
    graph: Option<&'a Graph>,
    probes: &impl Probes,
    mut indexes: Vec<usize>,
    method: Method,
    choices: &mut Choices<'a, O>,
) {
    if let ColumnRows::Frozen(column) = rows
        && let Some(lists) = column.lists()
        && method != Method::Scan
    {
        let planned = indexes.iter().map(|&index| (index, plan(column, lists, probes.get(index))));
        let (with_lists, others) = divide(planned.collect(), method);
        choices.lists.extend(with_lists.into_iter().map(|(probe, plan)| {
            let extra = WithLists { column, lists, plan };
            Task { segment, rows, probe, extra }
        }));
        indexes = others;
    }
    if let (Some(graph), ColumnRows::Frozen(_)) = (graph, rows)
        && method != Method::Scan
    {
        let fits = |&index: &usize| {
            let wanted = probes.get(index);
            // A graph over long rows cannot compare their prefixes with a shorter probe.
            !wanted.exact && wanted.body.bits() >= rows.bits()
        };
        let (with_graph, others): (Vec<usize>, Vec<usize>) = indexes.into_iter().partition(fits);
        let task = |probe| Task { segment, rows, probe, extra: graph };
        choices.graphs.extend(with_graph.into_iter().map(task));
        indexes = others;
    }
    if !indexes.is_empty() {
        choices.scans.push((segment, rows, indexes));
    }
}

/// A plan of a search in lists, and the cost of the scan that it would replace.
struct Planned {
    plan: Option<Plan>,
    scan_cost: f64,
}

impl Planned {
    /// Cost relative to a scan.
    fn share(&self) -> f64 {
        self.plan.map_or(f64::INFINITY, |plan| plan.cost / self.scan_cost)
    }
}

fn plan<O: Owner>(column: &FrozenColumn<O>, lists: &Lists, wanted: ColumnProbe<'_>) -> Planned {
    let (probe, bits) = probe_of(wanted.body, column.bits(), wanted.threshold);
    Planned { plan: lists.plan(&probe, bits), scan_cost: scan_cost(column.rows(), bits) }
}

/// The probes for which lists are cheaper, and the others, which share a scan.
fn divide(mut planned: Vec<(usize, Planned)>, method: Method) -> (Vec<(usize, Plan)>, Vec<usize>) {
    planned.sort_by(|a, b| b.1.share().total_cmp(&a.1.share()));
    let is_scanned = |count: usize| {
        let share = planned[count - 1].1.share();
        match method {
            Method::Lists => share.is_infinite(),
            // One more probe in a scan costs less than a scan of its own.
            Method::Planned | Method::Scan => share > 1.0 / count.min(PROBES_SHARED_MAX) as f64,
        }
    };
    let scanned = (1..=planned.len()).rev().find(|&count| is_scanned(count)).unwrap_or(0);
    let with_lists = planned.split_off(scanned);
    let with_lists = with_lists.into_iter().filter_map(|(index, one)| Some((index, one.plan?)));
    (with_lists.collect(), planned.into_iter().map(|(index, _)| index).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::{Body, Column, word_count};
    use crate::lists::ListSizes;
    use crate::scan::Probe;

    /// Plans with given costs, as shares of a scan.
    fn planned(shares: &[f64]) -> Vec<(usize, Planned)> {
        let mut column = Column::new(64);
        column.push(&Body::new(&[1; 8]).unwrap(), 0);
        let frozen = FrozenColumn::new(&column, |_| true);
        let columns = frozen.columns(word_count(64), 0, 1);
        let lists = Lists::build(&columns, 64, ListSizes::default(), &|| true).unwrap();
        let any = lists.plan(&Probe { words: [0; 4], distance_max: 0 }, 64).unwrap();
        let one = |&share: &f64| {
            // Two probes with the same plan have different shares of scans with different costs.
            Planned { plan: share.is_finite().then_some(any), scan_cost: any.cost / share }
        };
        shares.iter().map(one).enumerate().collect()
    }

    fn scanned(shares: &[f64], method: Method) -> Vec<usize> {
        let (with_lists, mut scanned) = divide(planned(shares), method);
        assert_eq!(with_lists.len() + scanned.len(), shares.len());
        scanned.sort_unstable();
        scanned
    }

    #[test]
    fn probes_share_a_scan_if_that_is_cheaper() {
        assert_eq!(scanned(&[], Method::Planned), [0; 0]);
        assert_eq!(scanned(&[0.9], Method::Planned), [0; 0]);
        assert_eq!(scanned(&[1.1], Method::Planned), [0]);
        assert_eq!(scanned(&[0.4; 4], Method::Planned), [0, 1, 2, 3]);
        assert_eq!(scanned(&[0.4, 0.4], Method::Planned), [0; 0]);
        assert_eq!(scanned(&[0.01, f64::INFINITY, 0.6], Method::Planned), [1, 2]);
        assert_eq!(scanned(&[0.01, f64::INFINITY, 9.0], Method::Lists), [1]);
    }
}
