//! Loads records into segments at start-up, in parallel over ranges of keys.

use std::sync::Arc;

use rayon::prelude::*;

use super::{Reading, Store, StoreError};
use crate::record::{Record, read_simprints};
use crate::segment::{AssetRows, Matching, Segment};
use crate::snapshot::Snapshot;

/// Loads the whole store into memory, on the current rayon pool. Segments hold up to `segment_slots` assets.
pub fn load(store: &Store, matching: Matching, segment_slots: u32) -> Result<Snapshot, StoreError> {
    let reading = store.read()?;
    let mut snapshot = without_assets(&reading)?;
    let ranges = match reading.id_range()? {
        Some((first, last)) => key_ranges(first, last, rayon::current_num_threads() as u64),
        None => Vec::new(),
    };
    let loaded: Vec<Vec<Segment>> = ranges
        .into_par_iter()
        .map(|range| load_range(&store.read()?, &snapshot, matching, segment_slots, range))
        .collect::<Result<_, _>>()?;
    snapshot.segments = numbered(loaded.into_iter().flatten());
    Ok(snapshot)
}

/// Loads one state into memory. Other processes may write meanwhile.
pub fn load_state(
    reading: &Reading<'_>,
    matching: Matching,
    segment_slots: u32,
) -> Result<Snapshot, StoreError> {
    let mut snapshot = without_assets(reading)?;
    if let Some(range) = reading.id_range()? {
        let loaded = load_range(reading, &snapshot, matching, segment_slots, range)?;
        snapshot.segments = numbered(loaded.into_iter());
    }
    Ok(snapshot)
}

/// A snapshot with the index's metadata and without assets.
fn without_assets(reading: &Reading<'_>) -> Result<Snapshot, StoreError> {
    let meta = reading.meta()?;
    let mut snapshot =
        Snapshot { version: reading.version(), realm: meta.realm, ..Snapshot::default() };
    for (name, bits) in &meta.simprint_types {
        snapshot.simprint_type(name, *bits);
    }
    Ok(snapshot)
}

fn numbered(segments: impl Iterator<Item = Segment>) -> Vec<Arc<Segment>> {
    let number = |(uid, mut segment): (usize, Segment)| {
        segment.uid = uid as u32;
        Arc::new(segment)
    };
    segments.enumerate().map(number).collect()
}

/// Divides the keys from `first` to `last` (both inclusive) into `count` ranges of about equal width.
fn key_ranges(first: u64, last: u64, count: u64) -> Vec<(u64, u64)> {
    let width = (last - first) / count.max(1) + 1;
    let starts: Vec<u64> = (0..count.max(1))
        .map_while(|index| first.checked_add(index.checked_mul(width)?))
        .take_while(|&start| start <= last)
        .collect();
    let ends = starts.iter().skip(1).map(|&start| start - 1).chain([last]);
    starts.iter().copied().zip(ends).collect()
}

fn load_range(
    reading: &Reading<'_>,
    snapshot: &Snapshot,
    matching: Matching,
    segment_slots: u32,
    (from, to): (u64, u64),
) -> Result<Vec<Segment>, StoreError> {
    let mut segments = Vec::new();
    let mut segment = Segment::new(0, matching);
    for row in reading.assets_between(from, to)? {
        let (id, record) = row?;
        let damaged = StoreError::Damaged { id };
        let Some((units, has_simprints)) = Record::read_units(record) else {
            return Err(damaged);
        };
        let mut rows = AssetRows { units, simprints: Vec::new() };
        if has_simprints {
            let stored = reading.simprints(id)?.unwrap_or_default();
            for (name, list) in read_simprints(stored).ok_or(damaged)? {
                let Some(known) = snapshot.simprint_types.get(&name) else {
                    return Err(StoreError::Damaged { id });
                };
                let row = |s: crate::record::StoredSimprint| (known.kind, s.body, s.offset, s.size);
                rows.simprints.extend(list.into_iter().map(row));
            }
        }
        if segment.slots.len() >= segment_slots {
            segments.push(std::mem::replace(&mut segment, Segment::new(0, matching)));
        }
        segment.add(id, &rows);
    }
    if !segment.slots.is_empty() {
        segments.push(segment);
    }
    Ok(segments)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_ranges_cover_every_key_once() {
        for (first, last) in [(0, 0), (5, 6), (0, u64::MAX), (u64::MAX, u64::MAX), (10, 1000)] {
            let all = key_ranges(first, last, 4);
            assert_eq!((all[0].0, all[all.len() - 1].1), (first, last));
            assert!(all.windows(2).all(|pair| pair[0].1 + 1 == pair[1].0), "{all:?}");
            assert!(all.iter().all(|(from, to)| from <= to), "{all:?}");
        }
    }
}
