//! The methods by which the probes of a query were searched.

use std::ops::{AddAssign, Sub};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Number of searches of a column with one probe, by method.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MethodCounts {
    /// With lists.
    pub lists: u64,
    /// With a scan.
    pub scans: u64,
    /// With a graph, which may miss matches.
    pub graphs: u64,
    /// With lists first, and then with a scan, because the buckets were larger than planned. Also in `scans`.
    pub gave_up: u64,
}

impl AddAssign for MethodCounts {
    fn add_assign(&mut self, other: Self) {
        self.lists += other.lists;
        self.scans += other.scans;
        self.graphs += other.graphs;
        self.gave_up += other.gave_up;
    }
}

impl Sub for MethodCounts {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            lists: self.lists - other.lists,
            scans: self.scans - other.scans,
            graphs: self.graphs - other.graphs,
            gave_up: self.gave_up - other.gave_up,
        }
    }
}

impl MethodCounts {
    /// The counts as JSON.
    pub fn json(&self) -> String {
        let Self { lists, scans, graphs, gave_up } = self;
        format!("{{\"lists\":{lists},\"scan\":{scans},\"graph\":{graphs},\"gave_up\":{gave_up}}}")
    }
}

/// Time of a pass, by method. All queries of the pass share it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Times {
    /// In lists, including planning.
    pub lists: Duration,
    /// In graphs.
    pub graphs: Duration,
    /// In scans.
    pub scans: Duration,
}

impl AddAssign for Times {
    fn add_assign(&mut self, other: Self) {
        self.lists += other.lists;
        self.graphs += other.graphs;
        self.scans += other.scans;
    }
}

/// Counts of all passes since the start.
#[derive(Debug, Default)]
pub struct MethodTotals {
    lists: AtomicU64,
    scans: AtomicU64,
    graphs: AtomicU64,
    gave_up: AtomicU64,
}

impl MethodTotals {
    /// Adds the counts of a query.
    pub fn add(&self, methods: &MethodCounts) {
        for (total, count) in [
            (&self.lists, methods.lists),
            (&self.scans, methods.scans),
            (&self.graphs, methods.graphs),
            (&self.gave_up, methods.gave_up),
        ] {
            total.fetch_add(count, Ordering::Relaxed);
        }
    }

    /// The counts.
    pub fn get(&self) -> MethodCounts {
        let get = |total: &AtomicU64| total.load(Ordering::Relaxed);
        MethodCounts {
            lists: get(&self.lists),
            scans: get(&self.scans),
            graphs: get(&self.graphs),
            gave_up: get(&self.gave_up),
        }
    }
}
