//! One committed state of an index. Searches hold a snapshot and never wait for writers, which publish a new one.

pub mod load;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use iscc_columns::column::Body;
use iscc_columns::probes::Rows;
use iscc_columns::unit::UnitType;

use crate::options::Sealing;
use crate::segment::sealed::SealedFile;
use crate::segment::{Segment, SimprintKind};

/// One committed state of an index. Clones are cheap: they share all bulk data.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// Number of the store transaction that created this state.
    pub version: usize,
    /// Realm of all ISCC-IDs. `None` until the first asset is added.
    pub realm: Option<u8>,
    /// Oldest first. Only the last one accepts new rows.
    pub segments: Vec<Arc<Segment>>,
    /// Simprint types by name.
    pub simprint_types: Arc<BTreeMap<String, SimprintType>>,
    /// Simprint type names by number.
    pub simprint_names: Arc<Vec<String>>,
    /// Counts of the whole index, if this is a part of one.
    pub whole: Option<Arc<Whole>>,
}

/// Counts of an index of which a snapshot has only some assets. They are part of scores.
#[derive(Debug, Clone, Default)]
pub struct Whole {
    /// Number of assets.
    pub assets: u64,
    /// Number of assets with a simprint.
    pub frequencies: HashMap<(SimprintKind, Body), usize>,
}

/// A simprint type of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SimprintType {
    /// Number within the index.
    pub kind: SimprintKind,
    /// Length in bits, set by the first simprint of the type.
    pub bits: u16,
}

/// Maximum number of simprint types in one index.
pub const SIMPRINT_TYPES_MAX: usize = 64;

impl Snapshot {
    /// Number of assets.
    pub fn assets(&self) -> u64 {
        self.segments.iter().map(|segment| u64::from(segment.slots.live())).sum()
    }

    /// Number of assets of the whole index.
    pub fn all_assets(&self) -> u64 {
        self.whole.as_ref().map_or_else(|| self.assets(), |whole| whole.assets)
    }

    /// Number of assets of the whole index with a simprint, if this is a part of one.
    pub fn frequency(&self, kind: SimprintKind, body: Body) -> Option<usize> {
        self.whole.as_ref()?.frequencies.get(&(kind, body)).copied()
    }

    /// Returns the simprint type with a name; adds it if it is new.
    pub fn simprint_type(&mut self, name: &str, bits: u16) -> SimprintType {
        if let Some(&known) = self.simprint_types.get(name) {
            return known;
        }
        let names = Arc::make_mut(&mut self.simprint_names);
        let added = SimprintType { kind: names.len() as SimprintKind, bits };
        names.push(name.to_owned());
        Arc::make_mut(&mut self.simprint_types).insert(name.to_owned(), added);
        added
    }

    /// Public name of the columns of a simprint type.
    pub fn simprint_column_name(&self, kind: SimprintKind) -> String {
        format!("SIMPRINT_{}", self.simprint_names[usize::from(kind)])
    }

    /// Whether the index is so large that its full segments are in files.
    pub fn is_large(&self, sealing: &Sealing) -> bool {
        self.assets() > sealing.assets_max || self.rows() > sealing.rows_max
    }

    /// Number of all rows: an upper bound of what a search reads or finds.
    pub fn rows(&self) -> usize {
        self.segments.iter().map(|segment| segment.rows()).sum()
    }

    /// Rows of each unit type that are compared by similarity: units, or distinct bodies of frozen columns.
    pub fn unit_rows(&self) -> BTreeMap<UnitType, usize> {
        let mut rows = BTreeMap::new();
        for segment in &self.segments {
            for ((unit, _), column) in segment.unit_columns() {
                *rows.entry(unit).or_default() += column.rows();
            }
        }
        rows
    }

    /// Number of columns with graphs.
    pub fn graphs(&self) -> usize {
        self.files().map(|file| file.graphs()).sum()
    }

    /// The files of segments.
    pub fn files(&self) -> impl Iterator<Item = &Arc<SealedFile>> {
        self.segments.iter().filter_map(|segment| segment.file())
    }

    /// Number of rows in files.
    pub fn mapped_rows(&self) -> usize {
        let mapped = self.segments.iter().filter(|segment| segment.file().is_some());
        mapped.map(|segment| segment.rows()).sum()
    }

    /// Heap memory of rows and graphs in bytes. Rows and lists in files take none.
    pub fn heap_bytes(&self) -> usize {
        let tails = self.segments.iter().filter(|segment| segment.tail().is_some());
        let rows = tails.flat_map(|segment| self.column_bytes(segment));
        let graphs = self.files().map(|file| file.graph_heap_bytes());
        graphs.sum::<usize>() + rows.map(|(_, bytes)| bytes).sum::<usize>()
    }

    /// Size in bytes per unit type and simprint type, by their public names: of heap memory or of files.
    pub fn memory_bytes(&self) -> BTreeMap<String, usize> {
        let mut bytes: BTreeMap<String, usize> = BTreeMap::new();
        for (name, size) in self.segments.iter().flat_map(|segment| self.column_bytes(segment)) {
            *bytes.entry(name).or_default() += size;
        }
        bytes
    }

    /// Public name and size in bytes of each column with its lists and its graph, in heap memory or in a file.
    fn column_bytes(&self, segment: &Segment) -> Vec<(String, usize)> {
        let graph = |key| segment.file().map_or(0, |file| file.graph_bytes(key));
        let units = segment.unit_columns();
        let units = units.map(|(key, rows)| (key.0, rows.memory_bytes() + graph(key)));
        let sorted = segment.sorted();
        let units =
            units.chain(sorted.units.iter().map(|(key, rows)| (key.0, rows.memory_bytes())));
        let simprints = segment.simprint_columns().map(|(key, rows)| (key.0, rows.memory_bytes()));
        let equal = sorted.simprints.iter().map(|(key, rows)| (key.0, rows.memory_bytes()));
        let named = units.map(|(unit, size)| (unit.to_string(), size));
        let simprints = simprints.chain(equal);
        named.chain(simprints.map(|(kind, size)| (self.simprint_column_name(kind), size))).collect()
    }
}
