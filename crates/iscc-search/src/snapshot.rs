//! One committed state of an index. Searches hold a snapshot and never wait for writers, which publish a new one.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::column::Body;
use crate::lists::Lists;
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

    /// Memory in bytes per unit type and simprint type, by their public names.
    pub fn memory_bytes(&self) -> BTreeMap<String, usize> {
        let mut bytes: BTreeMap<String, usize> = BTreeMap::new();
        for segment in &self.segments {
            for ((unit, _), rows) in &segment.units {
                *bytes.entry(unit.to_string()).or_default() += rows.memory_bytes();
            }
            for ((unit, _), column) in &segment.frozen {
                let lists = column.lists().map_or(0, Lists::memory_bytes);
                *bytes.entry(unit.to_string()).or_default() += column.memory_bytes() + lists;
            }
            for ((unit, _), rows) in &segment.prefixes {
                *bytes.entry(unit.to_string()).or_default() += rows.memory_bytes();
            }
            for ((unit, _), graph) in &segment.graphs {
                *bytes.entry(unit.to_string()).or_default() += graph.memory_bytes();
            }
            for ((unit, _), file) in segment.graph_files() {
                *bytes.entry(unit.to_string()).or_default() += file.bytes as usize;
            }
            let scanned = segment.simprints.iter().map(|(key, rows)| (key.0, rows.memory_bytes()));
            let frozen = segment.frozen_simprints.iter().map(|(key, column)| {
                let lists = column.lists().map_or(0, Lists::memory_bytes);
                (key.0, column.memory_bytes() + lists)
            });
            let equal =
                segment.equal_simprints.iter().map(|(key, rows)| (key.0, rows.memory_bytes()));
            for (kind, size) in scanned.chain(frozen).chain(equal) {
                let name = self.simprint_column_name(kind);
                *bytes.entry(name).or_default() += size;
            }
        }
        bytes
    }
}
