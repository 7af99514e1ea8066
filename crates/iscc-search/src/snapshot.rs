//! One committed state of an index. Searches hold a snapshot and never wait for writers, which publish a new one.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::column::Body;
use crate::lists::Lists;
use crate::options::Sealing;
use crate::pass::{Rows, UnitRows};
use crate::segment::{Segment, SimprintKind};
use crate::unit::UnitType;

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
            for ((unit, _), column) in UnitRows::all(segment) {
                *rows.entry(unit).or_default() += column.rows();
            }
        }
        rows
    }

    /// Graphs in use, and columns that are scanned because a graph was refused.
    pub fn graphs(&self) -> (usize, usize) {
        let used = self.segments.iter().map(|segment| segment.graphs.len()).sum();
        let known = self.segments.iter().flat_map(|segment| segment.known_graphs.values());
        (used, known.filter(|known| known.file.is_none()).count())
    }

    /// Size of the files of graphs.
    pub fn graph_file_bytes(&self) -> u64 {
        let files = self.segments.iter().flat_map(|segment| segment.graph_files());
        files.map(|(_, file)| file.bytes).sum()
    }

    /// Number of rows in files.
    pub fn mapped_rows(&self) -> usize {
        let mapped = self.segments.iter().filter(|segment| segment.file.is_some());
        mapped.map(|segment| segment.rows()).sum()
    }

    /// Heap memory of rows, lists and graphs in bytes. Rows and lists in files take none.
    pub fn heap_bytes(&self) -> usize {
        let graphs = self.segments.iter().flat_map(|segment| segment.graphs.values());
        let in_heap = self.segments.iter().filter(|segment| segment.file.is_none());
        let rows = in_heap.flat_map(|segment| self.column_bytes(segment));
        graphs.map(|graph| graph.memory_bytes()).sum::<usize>()
            + rows.map(|(_, bytes)| bytes).sum::<usize>()
    }

    /// Size in bytes per unit type and simprint type, by their public names: of heap memory or of files.
    pub fn memory_bytes(&self) -> BTreeMap<String, usize> {
        let mut bytes: BTreeMap<String, usize> = BTreeMap::new();
        let mut add = |name: String, size: usize| *bytes.entry(name).or_default() += size;
        for segment in &self.segments {
            self.column_bytes(segment).into_iter().for_each(|(name, size)| add(name, size));
            for ((unit, _), graph) in &segment.graphs {
                add(unit.to_string(), graph.memory_bytes());
            }
            for ((unit, _), file) in segment.graph_files() {
                add(unit.to_string(), file.bytes as usize);
            }
        }
        bytes
    }

    /// Public name and size in bytes of each column with its lists, in heap memory or in a file.
    fn column_bytes(&self, segment: &Segment) -> Vec<(String, usize)> {
        let lists = |lists: Option<&Lists>| lists.map_or(0, Lists::memory_bytes);
        let units = segment.units.iter().map(|(key, rows)| (key.0, rows.memory_bytes()));
        let frozen = segment.frozen.iter();
        let frozen = frozen.map(|(key, rows)| (key.0, rows.memory_bytes() + lists(rows.lists())));
        let sorted = segment.prefixes.iter().map(|(key, rows)| (key.0, rows.memory_bytes()));
        let units = units.chain(frozen).chain(sorted);
        let scanned = segment.simprints.iter().map(|(key, rows)| (key.0, rows.memory_bytes()));
        let frozen = segment.frozen_simprints.iter();
        let frozen = frozen.map(|(key, rows)| (key.0, rows.memory_bytes() + lists(rows.lists())));
        let equal = segment.equal_simprints.iter().map(|(key, rows)| (key.0, rows.memory_bytes()));
        let simprints = scanned.chain(frozen).chain(equal);
        let named = units.map(|(unit, size)| (unit.to_string(), size));
        named.chain(simprints.map(|(kind, size)| (self.simprint_column_name(kind), size))).collect()
    }
}
