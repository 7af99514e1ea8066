//! Similar simprints: all rows within the threshold, by scan.

use super::plan::{ColumnPlan, scan_all};
use crate::column::Body;
use crate::scan_pool::ScanPool;
use crate::segment::{Chunk, SimprintKind};
use crate::snapshot::Snapshot;

/// A simprint of a query.
#[derive(Debug, Clone, Copy)]
pub struct SimprintProbe {
    /// Type of the simprint.
    pub kind: SimprintKind,
    /// The simprint.
    pub body: Body,
}

/// A stored simprint near a probe.
#[derive(Debug, Clone, Copy)]
pub struct SimprintHit {
    /// Position in the list of probes.
    pub probe: usize,
    /// Position of the asset's segment in the snapshot.
    pub segment: u32,
    /// Origin of the stored simprint.
    pub chunk: Chunk,
    /// The stored simprint.
    pub body: Body,
    /// Number of differing bits.
    pub distance: u16,
}

/// Finds every simprint of a live asset within the threshold of a probe of the same type and length.
pub fn similar_simprints(
    scan_pool: &ScanPool,
    snapshot: &Snapshot,
    probes: &[SimprintProbe],
    threshold: f64,
) -> Vec<SimprintHit> {
    let mut plans = Vec::new();
    for (number, segment) in snapshot.segments.iter().enumerate() {
        for ((kind, bits), column) in &segment.simprints {
            let fits = |probe: &SimprintProbe| probe.kind == *kind && probe.body.bits() == *bits;
            let bodies: Vec<(usize, &Body, f64)> = probes
                .iter()
                .enumerate()
                .filter(|(_, probe)| fits(probe))
                .map(|(index, probe)| (index, &probe.body, threshold))
                .collect();
            if !bodies.is_empty() {
                plans.push(ColumnPlan::new(number, column, bodies.into_iter()));
            }
        }
    }
    scan_all(scan_pool, &plans, |plan, hit, hits| {
        let chunk = plan.rows.payload(hit.row);
        let segment = &snapshot.segments[plan.segment];
        if segment.slots.is_live(chunk.slot) {
            hits.push(SimprintHit {
                probe: hit.probe,
                segment: plan.segment as u32,
                chunk,
                body: plan.rows.body(hit.row),
                distance: hit.distance,
            });
        }
    })
}
