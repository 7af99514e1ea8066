//! Similar units: every row within the threshold, by scan or by graph.

use std::collections::HashSet;

use super::plan::{ColumnPlan, scan_all};
use crate::column::{BLOCK_ROWS, Body};
use crate::distance::distance_max;
use crate::scan_pool::ScanPool;
use crate::segment::{Key, Segment};
use crate::snapshot::Snapshot;
use crate::unit::UnitType;

/// A unit that a query asks for.
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
    /// Bits that differ.
    pub distance: u16,
    /// Bits that were compared.
    pub bits: u16,
}

/// Probe `probe` was answered by the graph over the column `key` of segment `segment`.
type Answered = HashSet<(usize, Key<UnitType>, usize)>;

/// Every live asset with a unit within the threshold of a probe of the same type.
pub fn similar_units(
    scan_pool: &ScanPool,
    snapshot: &Snapshot,
    probes: &[UnitProbe],
    threshold: f64,
) -> Vec<UnitHit> {
    let (mut found, answered) = from_graphs(scan_pool, snapshot, probes, threshold);
    let mut plans = Vec::new();
    for (number, segment) in snapshot.segments.iter().enumerate() {
        for (key, column) in &segment.units {
            let bodies = probes.iter().enumerate().filter(|(index, probe)| {
                probe.unit == key.0 && !answered.contains(&(number, *key, *index))
            });
            let bodies: Vec<(usize, &Body)> =
                bodies.map(|(index, probe)| (index, &probe.body)).collect();
            if !bodies.is_empty() {
                plans.push(ColumnPlan::new(number, column, bodies.into_iter(), threshold));
            }
        }
    }
    found.extend(scan_all(scan_pool, &plans, |plan, block, hit| {
        let slot = block.payload(hit.row);
        let segment = &snapshot.segments[plan.segment];
        segment.slots.is_live(slot).then(|| UnitHit {
            query: probes[hit.probe].query,
            segment: plan.segment as u32,
            slot,
            position: probes[hit.probe].position,
            distance: hit.distance,
            bits: hit.bits,
        })
    }));
    found
}

/// What the graphs find, measured again, and which probes of which columns that settles.
fn from_graphs(
    scan_pool: &ScanPool,
    snapshot: &Snapshot,
    probes: &[UnitProbe],
    threshold: f64,
) -> (Vec<UnitHit>, Answered) {
    let mut tasks = Vec::new();
    for (number, segment) in snapshot.segments.iter().enumerate() {
        for key in segment.graphs.keys() {
            // A graph over long rows knows nothing of the distances of their prefixes.
            let fits = |probe: &UnitProbe| probe.unit == key.0 && probe.body.bits() >= key.1;
            let indexes = (0..probes.len()).filter(|&index| fits(&probes[index]));
            tasks.extend(indexes.map(|index| (number, segment.as_ref(), *key, index)));
        }
    }
    let ask = |&(number, segment, key, index): &(usize, &Segment, Key<UnitType>, usize)| {
        let hits = near(segment, key, &probes[index], threshold)?;
        let hits = hits.into_iter().map(|hit| UnitHit { segment: number as u32, ..hit });
        Some(((number, key, index), hits.collect::<Vec<UnitHit>>()))
    };
    if tasks.is_empty() {
        return (Vec::new(), Answered::new());
    }
    let mut answered = Answered::new();
    let mut found = Vec::new();
    for (task, hits) in scan_pool.run(&tasks, ask).into_iter().flatten() {
        answered.insert(task);
        found.extend(hits);
    }
    (found, answered)
}

/// Rows that the graph proposes, with their exact distance; `None` if it has to be a scan.
fn near(
    segment: &Segment,
    key: Key<UnitType>,
    probe: &UnitProbe,
    threshold: f64,
) -> Option<Vec<UnitHit>> {
    let (graph, column) = (segment.graphs.get(&key)?, segment.units.get(&key)?);
    let bits = key.1;
    let limit = distance_max(bits, threshold);
    let rows = graph.near(&probe.body, limit as f32 / f32::from(bits))?;
    let hits = rows.into_iter().filter_map(|row| {
        let block = &column.blocks()[row as usize / BLOCK_ROWS];
        let row = row as usize % BLOCK_ROWS;
        let slot = block.payload(row);
        let distance = differing(&block.body(row, bits), &probe.body.prefix(bits));
        (distance <= limit && segment.slots.is_live(slot)).then_some(UnitHit {
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

fn differing(a: &Body, b: &Body) -> u32 {
    a.words().iter().zip(b.words()).map(|(a, b)| (a ^ b).count_ones()).sum()
}
