//! Rows of a binding index: manifests in slots, their units in columns.
use std::collections::BTreeMap;
use std::sync::Arc;

use iscc_columns::column::{Body, Column};
use iscc_columns::slots::Slots;
use iscc_columns::unit::UnitType;

const BITS: u16 = 256;

/// Clones share all data that later changes do not touch, so that a query scans without a lock.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    slots: Slots,
    ranks: Chunks,
    columns: BTreeMap<UnitType, Column<u32>>,
}

impl Rows {
    /// Adds a manifest and returns its slot.
    pub fn push(&mut self, key: u64, rank: u64) -> u32 {
        self.ranks.push(rank);
        self.slots.push(key)
    }

    /// Adds a unit of the manifest in a slot.
    pub fn push_unit(&mut self, kind: UnitType, body: &Body, slot: u32) {
        self.columns.entry(kind).or_insert_with(|| Column::new(BITS)).push(body, slot);
    }

    /// All units of a type. The payload is the slot.
    pub fn column(&self, kind: UnitType) -> Option<&Column<u32>> {
        self.columns.get(&kind)
    }

    /// Marks a manifest dead.
    pub fn mark_dead(&mut self, slot: u32) {
        self.slots.mark_dead(slot);
    }

    /// Number of live manifests.
    pub fn live(&self) -> u32 {
        self.slots.live()
    }

    /// Number of dead manifests that still take memory.
    pub fn dead(&self) -> u32 {
        self.slots.dead()
    }

    /// Whether the manifest in a slot is live.
    pub fn is_live(&self, slot: u32) -> bool {
        self.slots.is_live(slot)
    }

    /// A manifest's key.
    pub fn key(&self, slot: u32) -> u64 {
        self.slots.id(slot)
    }

    /// A manifest's rank.
    pub fn rank(&self, slot: u32) -> u64 {
        self.ranks.get(slot)
    }

    /// Slots and keys of the live manifests.
    pub fn iter_live(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.slots.iter_live()
    }

    /// Removes dead manifests. Returns the new slot of each old one.
    pub fn compact(&mut self) -> Vec<Option<u32>> {
        let mut compacted = Self::default();
        let mut moved = vec![None; self.slots.len() as usize];
        for (old, key) in self.iter_live() {
            moved[old as usize] = Some(compacted.push(key, self.rank(old)));
        }
        for (kind, column) in &self.columns {
            for (body, old) in column.iter() {
                if let Some(slot) = moved[old as usize] {
                    compacted.push_unit(*kind, &body, slot);
                }
            }
        }
        *self = compacted;
        moved
    }
}

/// A growing list of numbers whose clones share all full chunks.
#[derive(Debug, Clone, Default)]
struct Chunks {
    chunks: Vec<Arc<Vec<u64>>>,
}

impl Chunks {
    const LEN: usize = 4096;

    fn push(&mut self, number: u64) {
        match self.chunks.last_mut().filter(|last| last.len() < Self::LEN) {
            Some(last) => Arc::make_mut(last).push(number),
            None => self.chunks.push(Arc::new(vec![number])),
        }
    }

    fn get(&self, index: u32) -> u64 {
        self.chunks[index as usize / Self::LEN][index as usize % Self::LEN]
    }
}
