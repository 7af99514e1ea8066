//! A part of an index: assets in slots, and their rows.
//!
//! Rows are in the tail, which is in heap memory and grows, or in a file. They are never removed: replacing or deleting an
//! asset marks its slot dead, and searches drop hits in dead slots.

pub mod sealed;
use std::collections::BTreeMap;
use std::sync::Arc;

use iscc_columns::column::{Body, Column};
use iscc_columns::frozen::{Chunk, FrozenColumn};
use iscc_columns::graph::Graph;
use iscc_columns::prefix_runs::PrefixRuns;
use iscc_columns::probes::{SimprintRows, UnitRows};
use iscc_columns::slots::Slots;
use iscc_columns::unit::{UnitType, is_instance};

use crate::options::{Sealing, SegmentSizes};
use sealed::SealedFile;

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
    /// Unique in the index. A rewritten segment gets a new one.
    pub uid: u32,
    /// The assets.
    pub slots: Slots,
    /// Their rows.
    pub rows: SegmentRows,
}

/// Where the rows of a segment are.
#[derive(Debug, Clone)]
pub enum SegmentRows {
    /// In heap memory. Only the last segment of an index grows.
    Tail(Tail),
    /// In a file.
    File(FileSegment),
}

/// Rows in heap memory, in the order in which they were added.
#[derive(Debug, Clone)]
pub struct Tail {
    matching: Matching,
    /// Units that are compared by similarity. The payload is the slot.
    pub units: BTreeMap<Key<UnitType>, Column<u32>>,
    /// Simprints that are compared by similarity.
    pub simprints: BTreeMap<Key<SimprintKind>, Column<Chunk>>,
    /// Rows that are looked up by prefix.
    pub sorted: SortedRows,
}

/// Rows in a file. Nothing changes them.
#[derive(Debug, Clone)]
pub struct FileSegment {
    /// The file.
    pub file: Arc<SealedFile>,
    /// The columns that are mapped from it.
    pub columns: Arc<FileColumns>,
}

/// The columns of a file.
#[derive(Debug, Default)]
pub struct FileColumns {
    /// Units that are compared by similarity.
    pub units: BTreeMap<Key<UnitType>, FrozenColumn>,
    /// Simprints that are compared by similarity.
    pub simprints: BTreeMap<Key<SimprintKind>, FrozenColumn<Chunk>>,
    /// Rows that are looked up by prefix.
    pub sorted: SortedRows,
}

/// Rows that are looked up by prefix.
#[derive(Debug, Clone, Default)]
pub struct SortedRows {
    /// Units. The payload is the slot.
    pub units: BTreeMap<Key<UnitType>, PrefixRuns<u32>>,
    /// Simprints, which are looked up by equality.
    pub simprints: BTreeMap<Key<SimprintKind>, PrefixRuns<Chunk>>,
}

impl Segment {
    /// An empty segment in memory.
    pub fn new(uid: u32, matching: Matching) -> Self {
        Self { uid, slots: Slots::default(), rows: SegmentRows::Tail(Tail::new(matching)) }
    }

    /// The rows, if they are in memory.
    pub fn tail(&self) -> Option<&Tail> {
        match &self.rows {
            SegmentRows::Tail(tail) => Some(tail),
            SegmentRows::File(_) => None,
        }
    }

    /// The file, if the rows are in one.
    pub fn file(&self) -> Option<&Arc<SealedFile>> {
        self.file_segment().map(|segment| &segment.file)
    }

    /// The rows, if they are in a file.
    pub fn file_segment(&self) -> Option<&FileSegment> {
        match &self.rows {
            SegmentRows::Tail(_) => None,
            SegmentRows::File(segment) => Some(segment),
        }
    }

    /// The rows that are looked up by prefix.
    pub fn sorted(&self) -> &SortedRows {
        match &self.rows {
            SegmentRows::Tail(tail) => &tail.sorted,
            SegmentRows::File(segment) => &segment.columns.sorted,
        }
    }

    /// All columns of units that are compared by similarity.
    pub fn unit_columns(&self) -> impl Iterator<Item = (Key<UnitType>, UnitRows<'_>)> {
        let growing = self.tail().into_iter().flat_map(|tail| &tail.units);
        let in_file = self.file_segment().into_iter().flat_map(|file| &file.columns.units);
        let growing = growing.map(|(key, column)| (*key, UnitRows::Growing(column)));
        growing.chain(in_file.map(|(key, column)| (*key, UnitRows::Frozen(column))))
    }

    /// All columns of simprints that are compared by similarity.
    pub fn simprint_columns(&self) -> impl Iterator<Item = (Key<SimprintKind>, SimprintRows<'_>)> {
        let growing = self.tail().into_iter().flat_map(|tail| &tail.simprints);
        let in_file = self.file_segment().into_iter().flat_map(|file| &file.columns.simprints);
        let growing = growing.map(|(key, column)| (*key, SimprintRows::Growing(column)));
        growing.chain(in_file.map(|(key, column)| (*key, SimprintRows::Frozen(column))))
    }

    /// The graph over a column, if it can be used.
    pub fn graph(&self, key: Key<UnitType>) -> Option<&Graph> {
        self.file()?.graph(key)
    }

    /// Adds an asset to a segment in memory, and returns its slot. Panics if the rows are in a file.
    pub fn add(&mut self, id: u64, rows: &AssetRows) -> u32 {
        let SegmentRows::Tail(tail) = &mut self.rows else {
            unreachable!("rows are added to the tail only")
        };
        let slot = self.slots.push(id);
        tail.add(slot, rows);
        slot
    }

    /// Number of rows of units and simprints, including dead ones.
    pub fn rows(&self) -> usize {
        self.column_rows().into_iter().sum()
    }

    /// Number of rows of the largest column.
    pub fn largest_column(&self) -> usize {
        self.column_rows().into_iter().max().unwrap_or(0)
    }

    fn column_rows(&self) -> Vec<usize> {
        let mut rows: Vec<usize> = match &self.rows {
            SegmentRows::Tail(Tail { units, simprints, .. }) => {
                let units = units.values().map(Column::rows);
                units.chain(simprints.values().map(Column::rows)).collect()
            }
            SegmentRows::File(FileSegment { columns, .. }) => {
                let units = columns.units.values().map(FrozenColumn::owned);
                units.chain(columns.simprints.values().map(FrozenColumn::owned)).collect()
            }
        };
        let sorted = self.sorted();
        rows.extend(sorted.units.values().map(PrefixRuns::rows));
        rows.extend(sorted.simprints.values().map(PrefixRuns::rows));
        rows
    }

    /// Whether a segment takes no more assets.
    pub fn is_full(&self, sizes: &SegmentSizes) -> bool {
        let is_large = self.slots.len() >= sizes.segment_slots || self.rows() >= sizes.segment_rows;
        self.tail().is_none() || is_large
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
        self.file_segment().is_some_and(|FileSegment { columns, .. }| {
            columns.units.values().any(|column| column.lists().is_some())
                || columns.simprints.values().any(|column| column.lists().is_some())
        })
    }

    /// The live assets of segments in memory, in the order of their ISCC-ID bodies. Returns the new segment, and for each
    /// source the new slots by old ones. Those of dead slots are [`DEAD`].
    pub fn compacted(uid: u32, matching: Matching, sources: &[&Self]) -> (Self, Vec<Vec<u32>>) {
        let mut slots = Slots::default();
        let moves = copy_live_slots(sources, &mut slots);
        let mut tail = Tail::new(matching);
        for (source, moves) in sources.iter().zip(&moves) {
            if let SegmentRows::Tail(source) = &source.rows {
                tail.copy_live(source, moves);
            }
        }
        (Self { uid, slots, rows: SegmentRows::Tail(tail) }, moves)
    }
}

fn copy_live_slots(sources: &[&Segment], slots: &mut Slots) -> Vec<Vec<u32>> {
    let live = sources.iter().enumerate().flat_map(|(number, source)| {
        source.slots.iter_live().map(move |(slot, id)| (id, number as u32, slot))
    });
    let mut live: Vec<(u64, u32, u32)> = live.collect();
    // Segments usually are in order, so that this only finds runs.
    live.sort();
    let mut moves: Vec<Vec<u32>> =
        sources.iter().map(|source| vec![DEAD; source.slots.len() as usize]).collect();
    for (id, number, old) in live {
        moves[number as usize][old as usize] = slots.push(id);
    }
    moves
}

impl Tail {
    fn new(matching: Matching) -> Self {
        let sorted = SortedRows::default();
        Self { matching, units: BTreeMap::new(), simprints: BTreeMap::new(), sorted }
    }

    fn add(&mut self, slot: u32, rows: &AssetRows) {
        for (unit, body) in &rows.units {
            self.add_unit(*unit, body, slot);
        }
        for &(kind, ref body, offset, size) in &rows.simprints {
            self.add_simprint(kind, body, Chunk { slot, offset, size });
        }
    }

    /// Adds the rows of live slots, with their new numbers.
    fn copy_live(&mut self, source: &Self, moves: &[u32]) {
        let slot_of = |old: u32| moves.get(old as usize).copied().filter(|&slot| slot != DEAD);
        let scanned = source
            .units
            .iter()
            .flat_map(|(key, rows)| rows.iter().map(move |(body, slot)| (key.0, body, slot)));
        let sorted = source.sorted.units.iter();
        let sorted =
            sorted.flat_map(|(key, rows)| rows.iter().map(move |(body, slot)| (key.0, body, slot)));
        for (unit, body, old) in scanned.chain(sorted) {
            if let Some(slot) = slot_of(old) {
                self.add_unit(unit, &body, slot);
            }
        }
        let scanned = source
            .simprints
            .iter()
            .flat_map(|(key, rows)| rows.iter().map(move |(body, chunk)| (key.0, body, chunk)));
        let sorted = source.sorted.simprints.iter();
        let sorted = sorted
            .flat_map(|(key, rows)| rows.iter().map(move |(body, chunk)| (key.0, body, chunk)));
        for (kind, body, chunk) in scanned.chain(sorted) {
            if let Some(slot) = slot_of(chunk.slot) {
                self.add_simprint(kind, &body, Chunk { slot, ..chunk });
            }
        }
    }

    fn add_unit(&mut self, unit: UnitType, body: &Body, slot: u32) {
        let key = (unit, body.bits());
        if self.matching == Matching::Exact || is_instance(unit) {
            let new = || PrefixRuns::new(body.bits());
            self.sorted.units.entry(key).or_insert_with(new).push(body, slot);
        } else {
            let new = || Column::new(body.bits());
            self.units.entry(key).or_insert_with(new).push(body, slot);
        }
    }

    fn add_simprint(&mut self, kind: SimprintKind, body: &Body, chunk: Chunk) {
        let key = (kind, body.bits());
        match self.matching {
            Matching::Exact => {
                let new = || PrefixRuns::new(body.bits());
                self.sorted.simprints.entry(key).or_insert_with(new).push(body, chunk);
            }
            Matching::Approximate => {
                let new = || Column::new(body.bits());
                self.simprints.entry(key).or_insert_with(new).push(body, chunk);
            }
        }
    }
}
