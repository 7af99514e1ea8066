//! Similar units: all rows within the threshold, by scan or graph.

use std::collections::HashSet;

use super::plan::{ColumnPlan, scan_all};
use crate::column::{BLOCK_ROWS, Block, Body};
use crate::distance::distance_max;
use crate::scan_pool::ScanPool;
use crate::segment::{Key, Segment};
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
    /// Whether a row of `bits` bits may be a hit.
    fn accepts(&self, block: &Block<u32>, row: usize, bits: u16) -> bool {
        !self.skips_featureless
            || !iscc_codec::is_featureless(self.unit, &block.body(row, bits).to_bytes())
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

/// Segment, column and probe of each search that a graph handled.
type SearchedByGraph = HashSet<(usize, Key<UnitType>, usize)>;

/// Finds every live asset with a unit within the threshold of a probe, of the same type.
pub fn similar_units(
    scan_pool: &ScanPool,
    snapshot: &Snapshot,
    probes: &[UnitProbe],
) -> Vec<UnitHit> {
    let (mut found, searched) = search_graphs(scan_pool, snapshot, probes);
    let mut plans = Vec::new();
    for (number, segment) in snapshot.segments.iter().enumerate() {
        for (key, column) in &segment.units {
            let bodies = probes.iter().enumerate().filter(|(index, probe)| {
                probe.unit == key.0 && !searched.contains(&(number, *key, *index))
            });
            let bodies: Vec<(usize, &Body, f64)> =
                bodies.map(|(index, probe)| (index, &probe.body, probe.threshold)).collect();
            if !bodies.is_empty() {
                plans.push(ColumnPlan::new(number, column, bodies.into_iter()));
            }
        }
    }
    found.extend(scan_all(scan_pool, &plans, |plan, block, hit| {
        let slot = block.payload(hit.row);
        let segment = &snapshot.segments[plan.segment];
        let probe = &probes[hit.probe];
        let is_hit = segment.slots.is_live(slot) && probe.accepts(block, hit.row, plan.bits());
        is_hit.then_some(UnitHit {
            query: probe.query,
            segment: plan.segment as u32,
            slot,
            position: probe.position,
            distance: hit.distance,
            bits: hit.bits,
        })
    }));
    found
}

/// Searches the graphs. Returns the hits with exact distances, and the columns and probes that need no scan.
fn search_graphs(
    scan_pool: &ScanPool,
    snapshot: &Snapshot,
    probes: &[UnitProbe],
) -> (Vec<UnitHit>, SearchedByGraph) {
    let mut tasks = Vec::new();
    for (number, segment) in snapshot.segments.iter().enumerate() {
        for key in segment.graphs.keys() {
            // A graph over long rows cannot compare their prefixes with a shorter probe.
            let fits = |probe: &UnitProbe| {
                !probe.exact && probe.unit == key.0 && probe.body.bits() >= key.1
            };
            let indexes = (0..probes.len()).filter(|&index| fits(&probes[index]));
            tasks.extend(indexes.map(|index| (number, segment.as_ref(), *key, index)));
        }
    }
    let search = |&(number, segment, key, index): &(usize, &Segment, Key<UnitType>, usize)| {
        let hits = near(segment, key, &probes[index])?;
        let hits = hits.into_iter().map(|hit| UnitHit { segment: number as u32, ..hit });
        Some(((number, key, index), hits.collect::<Vec<UnitHit>>()))
    };
    if tasks.is_empty() {
        return (Vec::new(), SearchedByGraph::new());
    }
    let mut searched = SearchedByGraph::new();
    let mut found = Vec::new();
    for (task, hits) in scan_pool.run(&tasks, search).into_iter().flatten() {
        searched.insert(task);
        found.extend(hits);
    }
    (found, searched)
}

/// The rows that a graph proposes, with exact distances. Returns `None` if the column must be scanned.
fn near(segment: &Segment, key: Key<UnitType>, probe: &UnitProbe) -> Option<Vec<UnitHit>> {
    let (graph, column) = (segment.graphs.get(&key)?, segment.units.get(&key)?);
    let bits = key.1;
    let limit = distance_max(bits, probe.threshold);
    let rows = graph.near(&probe.body, limit as f32 / f32::from(bits))?;
    let hits = rows.into_iter().filter_map(|row| {
        let block = &column.blocks()[row as usize / BLOCK_ROWS];
        let row = row as usize % BLOCK_ROWS;
        let slot = block.payload(row);
        let distance = hamming_distance(&block.body(row, bits), &probe.body.prefix(bits));
        let is_near = distance <= limit && segment.slots.is_live(slot);
        (is_near && probe.accepts(block, row, bits)).then_some(UnitHit {
            query: probe.query,
            segment: 0,
            slot,
            position: probe.position,
            distance: distance as u16,
            bits,
        })
    });
    Some(hits.collect())
}

fn hamming_distance(a: &Body, b: &Body) -> u32 {
    a.words().iter().zip(b.words()).map(|(a, b)| (a ^ b).count_ones()).sum()
}
