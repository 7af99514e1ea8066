//! Manifests in slots, their units in columns.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::column::{Body, Column};
use crate::slots::Slots;
use crate::unit::UnitType;

const BITS: u16 = 256;

/// Clones share what later changes leave, so that a query scans without holding a lock.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    slots: Slots,
    ranks: Chunks,
    columns: BTreeMap<UnitType, Column<u32>>,
}

impl Rows {
    /// Adds a manifest; gives its slot.
    pub fn push(&mut self, key: u64, rank: u64) -> u32 {
        self.ranks.push(rank);
        self.slots.push(key)
    }

    /// Adds a unit of the manifest in a slot.
    pub fn push_unit(&mut self, kind: UnitType, body: &Body, slot: u32) {
        self.columns.entry(kind).or_insert_with(|| Column::new(BITS)).push(body, slot);
    }

    /// All units of a kind; the payload is the slot.
    pub fn column(&self, kind: UnitType) -> Option<&Column<u32>> {
        self.columns.get(&kind)
    }

    /// Marks a manifest dead.
    pub fn kill(&mut self, slot: u32) {
        self.slots.kill(slot);
    }

    /// Number of manifests that are there.
    pub fn live(&self) -> u32 {
        self.slots.live()
    }

    /// Number of manifests that are gone and still take room.
    pub fn dead(&self) -> u32 {
        self.slots.dead()
    }

    /// Whether the manifest in a slot is there.
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

    /// Leaves out dead manifests; gives the new slot of each old one.
    pub fn rewrite(&mut self) -> Vec<Option<u32>> {
        let mut rewritten = Self::default();
        let mut moved = vec![None; self.slots.len() as usize];
        for (old, key) in self.iter_live() {
            moved[old as usize] = Some(rewritten.push(key, self.rank(old)));
        }
        for (kind, column) in &self.columns {
            for (body, old) in column.iter() {
                if let Some(slot) = moved[old as usize] {
                    rewritten.push_unit(*kind, &body, slot);
                }
            }
        }
        *self = rewritten;
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
