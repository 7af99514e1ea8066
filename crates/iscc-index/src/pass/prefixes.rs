//! Units and simprints that match by prefix or equality, found in sorted runs.
use iscc_columns::frozen::Chunk;

use super::simprints::SimprintQuery;
use super::units::{UnitHit, UnitProbe};
use crate::snapshot::Snapshot;

/// Finds every live asset with a unit that is a prefix of a probe of the same type, or vice versa. Distances are 0;
/// `bits` is the length of the shorter one.
pub fn prefixes(snapshot: &Snapshot, probes: &[UnitProbe<'_>]) -> Vec<UnitHit> {
    let mut found = Vec::new();
    for (number, segment) in snapshot.segments.iter().enumerate() {
        for ((unit, bits), rows) in &segment.sorted().units {
            for probe in probes.iter().filter(|probe| probe.unit == *unit) {
                // With the probe cut to the rows' length, one lookup serves both directions.
                let prefix = probe.body.prefix(*bits);
                rows.starting_with(&prefix, |slot| {
                    if segment.slots.is_live(slot) {
                        found.push(UnitHit {
                            query: probe.query,
                            segment: number as u32,
                            slot,
                            position: probe.position,
                            distance: 0,
                            bits: prefix.bits(),
                        });
                    }
                });
            }
        }
    }
    found
}

/// A simprint of a live asset that equals a probe.
#[derive(Debug, Clone, Copy)]
pub struct EqualSimprint {
    /// Position in the list of probes.
    pub probe: usize,
    /// ISCC-ID body of the asset.
    pub id: u64,
    /// Origin of the stored simprint.
    pub chunk: Chunk,
}

/// Finds every simprint of a live asset that equals a probe of the same type.
pub fn equal_simprints(snapshot: &Snapshot, query: &SimprintQuery) -> Vec<EqualSimprint> {
    let mut found = Vec::new();
    for segment in &snapshot.segments {
        for (probe, body) in query.probes.iter().enumerate() {
            let Some(rows) = segment.sorted().simprints.get(&(query.kind, body.bits())) else {
                continue;
            };
            rows.starting_with(body, |chunk| {
                if segment.slots.is_live(chunk.slot) {
                    found.push(EqualSimprint { probe, id: segment.slots.id(chunk.slot), chunk });
                }
            });
        }
    }
    found
}
