//! Candidates of a search as an index in memory.
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use iscc_index::filter::Filter;
use iscc_index::record::Record;
use iscc_index::segment::{AssetRows, Segment};
use iscc_index::snapshot::{Snapshot, Whole};

use super::{MATCHING, simprint_of};
use crate::failure::Failure;
use crate::index::IndexState;
use crate::row::Row;
use crate::search::Source;

/// Counts of a whole index. They are part of the scores of simprints.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    /// Number of assets.
    pub assets: u64,
    /// Number of assets with each of some simprints, by term.
    pub simprints: Vec<(String, u64)>,
}

/// The assets that may match.
pub struct Candidates {
    snapshot: Snapshot,
    records: HashMap<u64, Vec<u8>>,
}

impl Candidates {
    /// Reads the JSON array of their rows.
    pub fn read(state: &IndexState, rows: &[u8], counts: &Counts) -> Result<Self, Failure> {
        let rows: Vec<Row<'_>> = serde_json::from_slice(rows).map_err(Failure::broken)?;
        let mut snapshot = Snapshot { realm: state.realm, ..Snapshot::default() };
        for (name, bits) in &state.simprint_types {
            snapshot.simprint_type(name, *bits);
        }
        let frequencies = counts.simprints.iter();
        snapshot.whole = Some(Arc::new(Whole {
            assets: counts.assets,
            frequencies: frequencies
                .filter_map(|(term, count)| Some((simprint_of(term)?, *count as usize)))
                .collect(),
        }));
        let mut segment = Segment::new(0, MATCHING);
        let mut records = HashMap::with_capacity(rows.len());
        for row in rows {
            let asset = row.into_asset(state.realm.unwrap_or_default(), MATCHING)?;
            let mut rows = AssetRows { units: asset.units, simprints: Vec::new() };
            for (name, list) in asset.simprints.unwrap_or_default() {
                // Of a type that was added after the state was read.
                let Some(known) = snapshot.simprint_types.get(&name) else { continue };
                let row = list.iter().map(|one| (known.kind, one.body, one.offset, one.size));
                rows.simprints.extend(row);
            }
            let mut record = asset.record;
            Record::mark_simprints(&mut record, !rows.simprints.is_empty());
            if records.insert(asset.id.body, record).is_none() {
                segment.add(asset.id.body, &rows);
            }
        }
        snapshot.segments.push(Arc::new(segment));
        Ok(Self { snapshot, records })
    }
}

impl Source for Candidates {
    fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    fn record(&self, id: u64) -> Result<Option<&[u8]>, Failure> {
        Ok(self.records.get(&id).map(Vec::as_slice))
    }

    fn narrowed(&self, _: &[Filter], _: usize) -> Result<Option<HashSet<u64>>, Failure> {
        Ok(None)
    }
}
