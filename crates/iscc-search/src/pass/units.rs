//! Similar units: all rows within the threshold, by lists, graph or scan.

use super::choice::{Choices, choose};
use super::column_rows::UnitRows;
use super::columns::{Hits, Pass, PassFound, Probes, Sought};
use super::plan::RowHit;
use super::work::Work;
use crate::column::Body;
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

/// Finds every live asset with a unit within the threshold of a probe, of the same type. `queries` is the number of
/// queries that the probes belong to.
pub fn similar_units(
    scan_pool: &ScanPool,
    snapshot: &Snapshot,
    probes: &[UnitProbe],
    queries: usize,
    way: Way,
) -> PassFound<UnitHit> {
    let probes = Units { snapshot, probes };
    Pass { scan_pool, probes: &probes }.run(queries, || probes.choose(way))
}

/// The work of [`similar_units`] with the probes of one query.
pub fn units_work(snapshot: &Snapshot, probes: &[UnitProbe], way: Way) -> Work {
    let probes = Units { snapshot, probes };
    probes.choose(way).work(&probes)
}

/// The units of all queries of a pass.
struct Units<'a> {
    snapshot: &'a Snapshot,
    probes: &'a [UnitProbe],
}

impl<'a> Units<'a> {
    fn choose(&self, way: Way) -> Choices<'a, u32> {
        let mut choices = Choices::default();
        for (number, segment) in self.snapshot.segments.iter().enumerate() {
            for (key, rows) in UnitRows::all(segment) {
                let is_probe = |index: &usize| self.probes[*index].unit == key.0;
                let indexes = (0..self.probes.len()).filter(is_probe).collect();
                let graph = segment.graphs.get(&key).map(AsRef::as_ref);
                choose(number, rows, graph, self, indexes, way, &mut choices);
            }
        }
        choices
    }
}

impl Probes for Units<'_> {
    fn get(&self, index: usize) -> Sought<'_> {
        let UnitProbe { body, threshold, exact, .. } = &self.probes[index];
        Sought { body, threshold: *threshold, exact: *exact }
    }

    fn query(&self, index: usize) -> usize {
        self.probes[index].query
    }
}

impl<'a> Hits<'a, u32> for Units<'_> {
    type Hit = UnitHit;

    /// Adds a hit for each live asset of a row.
    fn add(&self, segment: usize, rows: &UnitRows<'a>, hit: RowHit, hits: &mut Vec<UnitHit>) {
        let probe = &self.probes[hit.probe];
        if !probe.accepts(rows, hit.row) {
            return;
        }
        let slots = &self.snapshot.segments[segment].slots;
        let live = rows.owners(hit.row).iter().filter(|&&slot| slots.is_live(slot));
        hits.extend(live.map(|&slot| UnitHit {
            query: probe.query,
            segment: segment as u32,
            slot,
            position: probe.position,
            distance: hit.distance,
            bits: hit.bits,
        }));
    }
}
