//! Checks the columns loaded at start-up: they contain exactly the units and simprints of the stored assets.
use iscc_columns::column::Body;
use iscc_columns::frozen::Chunk;
use iscc_columns::unit::UnitType;

use super::Findings;
use crate::record::{Record, read_simprints};
use crate::segment::{AssetRows, Segment, SimprintKind};
use crate::snapshot::Snapshot;
use crate::store::{Reading, StoreError};

const UNITS: &str = "the unit vectors of an asset equal the units of its row";
const SIMPRINTS: &str = "the simprint vectors of an asset equal the simprints of its row";
const NO_ASSET: &str = "vectors belong to a stored asset";
const NO_VECTORS: &str = "every stored asset has vectors";

pub(super) fn check(
    reading: &Reading<'_>,
    state: &Snapshot,
    found: &mut Findings,
) -> Result<(), StoreError> {
    let mut with_vectors = Vec::with_capacity(state.assets() as usize);
    for segment in &state.segments {
        for (slot, vectors) in by_slot(segment).into_iter().enumerate() {
            let id = segment.slots.id(slot as u32);
            found.check.vectors += (vectors.units.len() + vectors.simprints.len()) as u64;
            with_vectors.push(id);
            match reading.asset(id)? {
                None => found.add(id, NO_ASSET),
                Some(record) => compare(reading, state, (id, record), vectors, found)?,
            }
        }
    }
    with_vectors.sort_unstable();
    for row in reading.asset_rows()? {
        let (key, _) = row?;
        let Ok(key) = <[u8; 8]>::try_from(key) else { continue };
        let id = u64::from_be_bytes(key);
        if with_vectors.binary_search(&id).is_err() {
            found.add(id, NO_VECTORS);
        }
    }
    Ok(())
}

/// The rows of each slot, collected from the columns.
fn by_slot(segment: &Segment) -> Vec<AssetRows> {
    let mut slots = vec![AssetRows::default(); segment.slots.len() as usize];
    for ((unit, _), rows) in segment.unit_columns() {
        rows.for_each(|body, slot| slots[slot as usize].units.push((unit, body)));
    }
    for ((unit, _), rows) in &segment.sorted().units {
        for (body, slot) in rows.iter() {
            slots[slot as usize].units.push((*unit, body));
        }
    }
    let mut add = |kind: SimprintKind, body: Body, chunk: Chunk| {
        let row = (kind, body, chunk.offset, chunk.size);
        slots[chunk.slot as usize].simprints.push(row);
    };
    for ((kind, _), rows) in segment.simprint_columns() {
        rows.for_each(|body, chunk| add(kind, body, chunk));
    }
    slots
}

fn compare(
    reading: &Reading<'_>,
    state: &Snapshot,
    (id, record): (u64, &[u8]),
    mut vectors: AssetRows,
    found: &mut Findings,
) -> Result<(), StoreError> {
    let (mut units, has_simprints) =
        Record::read_units(record).ok_or(StoreError::Damaged { id })?;
    sort_units(&mut units);
    sort_units(&mut vectors.units);
    if units != vectors.units {
        found.add(id, UNITS);
    }
    let mut simprints = Vec::new();
    if has_simprints {
        let stored = reading.simprints(id)?.unwrap_or_default();
        for (name, list) in read_simprints(stored).ok_or(StoreError::Damaged { id })? {
            let Some(known) = state.simprint_types.get(&name) else { continue };
            simprints.extend(list.iter().map(|s| (known.kind, s.body, s.offset, s.size)));
        }
    }
    simprints.sort_unstable();
    vectors.simprints.sort_unstable();
    if simprints != vectors.simprints {
        found.add(id, SIMPRINTS);
    }
    Ok(())
}

fn sort_units(units: &mut [(UnitType, Body)]) {
    units.sort_unstable_by_key(|&(unit, body)| (unit, body));
}
