//! Loads records into segments at start-up, in parallel over ranges of keys.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use rayon::prelude::*;

use super::Snapshot;
use crate::options::SegmentSizes;
use crate::record::{Record, read_simprints};
use crate::segment::{AssetRows, Matching, Segment};
use crate::store::{PROGRESS_ROWS, Progress, Reading, Store, StoreError};

/// Loads the whole store into memory, on the current rayon pool. Segments are as large as permitted.
pub fn load(
    store: &Store,
    matching: Matching,
    sizes: &SegmentSizes,
    progress: &Progress,
) -> Result<Snapshot, StoreError> {
    let reading = store.read()?;
    let mut snapshot = without_assets(&reading)?;
    progress.total.store(reading.assets()?, Ordering::Relaxed);
    let ranges = match reading.id_range()? {
        Some((first, last)) => {
            let count = rayon::current_num_threads();
            key_ranges(first, last, &store.key_sample(count * SAMPLE_PER_RANGE), count)
        }
        None => Vec::new(),
    };
    let loaded: Vec<Vec<Segment>> = ranges
        .into_par_iter()
        .map(|range| load_range(&store.read()?, &snapshot, matching, sizes, range, progress))
        .collect::<Result<_, _>>()?;
    snapshot.segments = numbered(loaded.into_iter().flatten());
    Ok(snapshot)
}

/// Loads one state into memory. Other processes may write meanwhile.
pub fn load_state(
    reading: &Reading<'_>,
    matching: Matching,
    sizes: &SegmentSizes,
) -> Result<Snapshot, StoreError> {
    let mut snapshot = without_assets(reading)?;
    if let Some(range) = reading.id_range()? {
        let progress = Progress::default();
        let loaded = load_range(reading, &snapshot, matching, sizes, range, &progress)?;
        snapshot.segments = numbered(loaded.into_iter());
    }
    Ok(snapshot)
}

/// A snapshot with the index's metadata and without assets.
pub fn without_assets(reading: &Reading<'_>) -> Result<Snapshot, StoreError> {
    let meta = reading.meta()?;
    let mut snapshot =
        Snapshot { version: reading.version(), realm: meta.realm, ..Snapshot::default() };
    for (name, bits) in &meta.simprint_types {
        snapshot.simprint_type(name, *bits);
    }
    Ok(snapshot)
}

/// Segments with numbers in their order.
pub fn numbered(segments: impl Iterator<Item = Segment>) -> Vec<Arc<Segment>> {
    let number = |(uid, mut segment): (usize, Segment)| {
        segment.uid = uid as u32;
        Arc::new(segment)
    };
    segments.enumerate().map(number).collect()
}

/// Sampled keys for each range: the ranges' numbers of rows differ by a fraction of this.
const SAMPLE_PER_RANGE: usize = 16;

/// Divides the keys from `first` to `last` (both inclusive) into at most `count` ranges with about equally many keys of
/// an ascending sample. IDs are timestamps, so ranges of equal width may have very different numbers of rows.
fn key_ranges(first: u64, last: u64, sample: &[u64], count: usize) -> Vec<(u64, u64)> {
    let bounds = (1..count).filter_map(|part| sample.get(part * sample.len() / count).copied());
    let mut starts = vec![first];
    for start in bounds.filter(|&start| start <= last) {
        if starts.last().is_some_and(|&before| before < start) {
            starts.push(start);
        }
    }
    let ends = starts.iter().skip(1).map(|&start| start - 1).chain([last]);
    starts.iter().copied().zip(ends).collect()
}

fn load_range(
    reading: &Reading<'_>,
    snapshot: &Snapshot,
    matching: Matching,
    sizes: &SegmentSizes,
    (from, to): (u64, u64),
    progress: &Progress,
) -> Result<Vec<Segment>, StoreError> {
    let mut rows_read = 0;
    let mut segments = Vec::new();
    let mut segment = Segment::new(0, matching);
    for row in reading.assets_between(from, to)? {
        let (id, record) = row?;
        rows_read += 1;
        if rows_read % PROGRESS_ROWS == 0 {
            progress.add(PROGRESS_ROWS)?;
        }
        let rows = asset_rows(reading, snapshot, id, record)?;
        if segment.is_largest(sizes) {
            segments.push(std::mem::replace(&mut segment, Segment::new(0, matching)));
        }
        segment.add(id, &rows);
    }
    progress.add(rows_read % PROGRESS_ROWS)?;
    if !segment.slots.is_empty() {
        segments.push(segment);
    }
    Ok(segments)
}

/// The rows of an asset, from its record.
pub fn asset_rows(
    reading: &Reading<'_>,
    snapshot: &Snapshot,
    id: u64,
    record: &[u8],
) -> Result<AssetRows, StoreError> {
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
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::StoreOptions;

    #[test]
    fn key_ranges_cover_every_key_once() {
        let sample = [3, 3, 7, 100, 101, 102, 900];
        for (first, last) in [(0, 0), (5, 6), (0, u64::MAX), (u64::MAX, u64::MAX), (3, 1000)] {
            let all = key_ranges(first, last, &sample, 4);
            assert_eq!((all[0].0, all[all.len() - 1].1), (first, last));
            assert!(all.windows(2).all(|pair| pair[0].1 + 1 == pair[1].0), "{all:?}");
            assert!(all.iter().all(|(from, to)| from <= to), "{all:?}");
        }
    }

    #[test]
    fn one_early_id_does_not_put_all_others_into_one_range() {
        let folder = tempfile::tempdir().unwrap();
        let store =
            Store::open(folder.path(), &StoreOptions::default(), &Progress::default()).unwrap();
        let late = 1_u64 << 62;
        let written = store.write(|writing| {
            writing.put_asset(1, &[0])?;
            for id in 0..40_000 {
                writing.put_asset(late + id, &[0; 100])?;
            }
            Ok(Some(()))
        });
        written.unwrap();
        let sample = store.key_sample(32);
        let ranges = key_ranges(1, late + 40_000, &sample, 2);
        assert_eq!(ranges.len(), 2, "{ranges:?}");
        let middle = ranges[1].0 - late;
        assert!((15_000..25_000).contains(&middle), "{middle}");
    }
}
