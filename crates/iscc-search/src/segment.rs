//! A part of an index: assets in slots, their rows in columns and sorted runs.
//!
//! A segment is in heap memory and grows until it is full, or it is in a file. Rows are never removed: replacing or deleting
//! an asset marks its slot dead, and searches drop hits in dead slots.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytemuck::{Pod, Zeroable};

use crate::column::{Body, Column};
use crate::frozen::FrozenColumn;
use crate::graph::Graph;
use crate::lists::Lists;
use crate::options::{Sealing, SegmentSizes};
use crate::prefix_runs::PrefixRuns;
use crate::sealed::SealedFile;
use crate::slots::Slots;
use crate::store::{GraphEntry, GraphFile};
use crate::unit::{UnitType, is_instance};

/// How an index matches. Decides which structure stores the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matching {
    /// By equal prefix: all units and simprints are in sorted runs.
    Exact,
    /// By similarity: distance scan, except for Instance-Codes.
    Approximate,
}

/// Number of a simprint type within its index.
pub type SimprintKind = u16;

/// A unit type or simprint type, and the length of its bodies in bits.
pub type Key<T> = (T, u16);

/// The origin of a simprint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Zeroable, Pod)]
#[repr(C)]
pub struct Chunk {
    /// Slot of its asset.
    pub slot: u32,
    /// Start in the asset's content. The producer defines the unit, usually bytes or characters.
    pub offset: u32,
    /// Length in the asset's content, in the same unit.
    pub size: u32,
}

/// All rows of one asset.
#[derive(Debug, Clone, Default)]
pub struct AssetRows {
    /// Type and body of each unit.
    pub units: Vec<(UnitType, Body)>,
    /// Type, body, offset and size of each simprint.
    pub simprints: Vec<(SimprintKind, Body, u32, u32)>,
}

/// New slot of a dead one.
pub const DEAD: u32 = u32::MAX;

/// A part of an index. Clones share all data that later changes do not touch.
#[derive(Debug, Clone)]
pub struct Segment {
    /// Unique in the index. A compacted segment gets a new one.
    pub uid: u32,
    /// The assets.
    pub slots: Slots,
    /// Units that are compared by similarity. The payload is the slot.
    pub units: BTreeMap<Key<UnitType>, Column<u32>>,
    /// Units in a file.
    pub frozen: BTreeMap<Key<UnitType>, Arc<FrozenColumn>>,
    /// Units that are looked up by prefix. The payload is the slot.
    pub prefixes: BTreeMap<Key<UnitType>, PrefixRuns<u32>>,
    /// Simprints that are scanned.
    pub simprints: BTreeMap<Key<SimprintKind>, Column<Chunk>>,
    /// Simprints in a file.
    pub frozen_simprints: BTreeMap<Key<SimprintKind>, Arc<FrozenColumn<Chunk>>>,
    /// Simprints that are looked up by equality.
    pub equal_simprints: BTreeMap<Key<SimprintKind>, PrefixRuns<Chunk>>,
    /// Graphs over columns of `frozen`. Only a sealed segment has some.
    pub graphs: BTreeMap<Key<UnitType>, Arc<Graph>>,
    /// What the index's record says about graphs, also of those that are not open.
    pub known_graphs: BTreeMap<Key<UnitType>, Arc<GraphEntry>>,
    /// The file that the columns are mapped from, if the segment is sealed.
    pub file: Option<Arc<SealedFile>>,
    matching: Matching,
}

impl Segment {
    /// An empty segment.
    pub fn new(uid: u32, matching: Matching) -> Self {
        Self {
            uid,
            slots: Slots::default(),
            units: BTreeMap::new(),
            frozen: BTreeMap::new(),
            prefixes: BTreeMap::new(),
            simprints: BTreeMap::new(),
            frozen_simprints: BTreeMap::new(),
            equal_simprints: BTreeMap::new(),
            graphs: BTreeMap::new(),
            known_graphs: BTreeMap::new(),
            file: None,
            matching,
        }
    }

    /// Adds an asset and returns its slot.
    pub fn add(&mut self, id: u64, rows: &AssetRows) -> u32 {
        let slot = self.slots.push(id);
        for (unit, body) in &rows.units {
            self.add_unit(*unit, body, slot);
        }
        for &(kind, ref body, offset, size) in &rows.simprints {
            self.add_simprint(kind, body, Chunk { slot, offset, size });
        }
        slot
    }

    /// Number of rows of units and simprints, including dead ones.
    pub fn rows(&self) -> usize {
        self.column_rows().sum()
    }

    /// Number of rows of the largest column.
    pub fn largest_column(&self) -> usize {
        self.column_rows().max().unwrap_or(0)
    }

    fn column_rows(&self) -> impl Iterator<Item = usize> {
        let units = self.units.values().map(Column::rows);
        let frozen = self.frozen.values().map(|column| column.owned());
        let prefixes = self.prefixes.values().map(PrefixRuns::rows);
        let simprints = self.simprints.values().map(Column::rows);
        let frozen_simprints = self.frozen_simprints.values().map(|column| column.owned());
        let equal = self.equal_simprints.values().map(PrefixRuns::rows);
        units.chain(frozen).chain(prefixes).chain(simprints).chain(frozen_simprints).chain(equal)
    }

    /// The files of graphs, also of unfinished ones.
    pub fn graph_files(&self) -> impl Iterator<Item = (Key<UnitType>, &GraphFile)> {
        let known = self.known_graphs.iter();
        known.filter_map(|(key, known)| Some((*key, known.file.as_ref()?)))
    }

    /// Whether a segment in memory takes no more assets.
    pub fn is_full(&self, sizes: &SegmentSizes) -> bool {
        self.slots.len() >= sizes.segment_slots || self.rows() >= sizes.segment_rows
    }

    /// Whether a segment that is loaded takes no more assets.
    pub fn is_largest(&self, sizes: &SegmentSizes) -> bool {
        self.slots.len() >= sizes.segment_slots_max
            || self.largest_column() >= sizes.column_rows_max
    }

    /// Whether a full segment is large enough to be in a file.
    pub fn is_worth(&self, sealing: &Sealing) -> bool {
        self.slots.len() >= sealing.slots_min || self.rows() >= sealing.rows_min
    }

    /// Whether a column has lists.
    pub fn has_lists(&self) -> bool {
        self.all_lists().next().is_some()
    }

    /// The lists of all columns.
    fn all_lists(&self) -> impl Iterator<Item = &Lists> {
        let units = self.frozen.values().filter_map(|column| column.lists());
        units.chain(self.frozen_simprints.values().filter_map(|column| column.lists()))
    }

    /// The live assets of segments in memory, in the order of their ISCC-ID bodies. Returns the new segment, and for each
    /// source the new slots by old ones. Those of dead slots are [`DEAD`].
    pub fn compacted(uid: u32, sources: &[&Self]) -> (Self, Vec<Vec<u32>>) {
        let matching = sources.first().map_or(Matching::Approximate, |segment| segment.matching);
        let mut target = Self::new(uid, matching);
        let moves = target.copy_live_slots(sources);
        for (source, moves) in sources.iter().zip(&moves) {
            target.copy_live_from(source, moves);
        }
        (target, moves)
    }

    fn copy_live_slots(&mut self, sources: &[&Self]) -> Vec<Vec<u32>> {
        let live = sources.iter().enumerate().flat_map(|(number, source)| {
            source.slots.iter_live().map(move |(slot, id)| (id, number as u32, slot))
        });
        let mut live: Vec<(u64, u32, u32)> = live.collect();
        // Segments usually are in order, so that this only finds runs.
        live.sort();
        let mut moves: Vec<Vec<u32>> =
            sources.iter().map(|source| vec![DEAD; source.slots.len() as usize]).collect();
        for (id, number, old) in live {
            moves[number as usize][old as usize] = self.slots.push(id);
        }
        moves
    }

    fn copy_live_from(&mut self, source: &Self, renumbered: &[u32]) {
        let slot_of = |old: u32| renumbered.get(old as usize).copied().filter(|&slot| slot != DEAD);
        let scanned = source
            .units
            .iter()
            .flat_map(|(key, rows)| rows.iter().map(move |(body, slot)| (key.0, body, slot)));
        let prefixed = source
            .prefixes
            .iter()
            .flat_map(|(key, rows)| rows.iter().map(move |(body, slot)| (key.0, body, slot)));
        for (unit, body, old) in scanned.chain(prefixed) {
            if let Some(slot) = slot_of(old) {
                self.add_unit(unit, &body, slot);
            }
        }
        let scanned = source
            .simprints
            .iter()
            .flat_map(|(key, rows)| rows.iter().map(move |(body, chunk)| (key.0, body, chunk)));
        let equal = source
            .equal_simprints
            .iter()
            .flat_map(|(key, rows)| rows.iter().map(move |(body, chunk)| (key.0, body, chunk)));
        for (kind, body, chunk) in scanned.chain(equal) {
            if let Some(slot) = slot_of(chunk.slot) {
                self.add_simprint(kind, &body, Chunk { slot, ..chunk });
            }
        }
    }

    fn add_unit(&mut self, unit: UnitType, body: &Body, slot: u32) {
        let key = (unit, body.bits());
        if self.matching == Matching::Exact || is_instance(unit) {
            let rows = self.prefixes.entry(key).or_insert_with(|| PrefixRuns::new(body.bits()));
            rows.push(body, slot);
        } else {
            let rows = self.units.entry(key).or_insert_with(|| Column::new(body.bits()));
            rows.push(body, slot);
        }
    }

    fn add_simprint(&mut self, kind: SimprintKind, body: &Body, chunk: Chunk) {
        let key = (kind, body.bits());
        match self.matching {
            Matching::Exact => self
                .equal_simprints
                .entry(key)
                .or_insert_with(|| PrefixRuns::new(body.bits()))
                .push(body, chunk),
            Matching::Approximate => self
                .simprints
                .entry(key)
                .or_insert_with(|| Column::new(body.bits()))
                .push(body, chunk),
        }
    }
}
