//! The assets of a segment. Each stored version of an asset has a slot, which is live until the asset is replaced or
//! deleted.

use std::sync::Arc;

/// Slots of one block.
const BLOCK_SLOTS: usize = 4096;
const DEAD_WORDS: usize = BLOCK_SLOTS / 64;

/// ISCC-ID bodies by slot, and which slots are dead. Clones share all blocks that later changes do not touch.
#[derive(Debug, Clone, Default)]
pub struct Slots {
    ids: Vec<Arc<Vec<u64>>>,
    dead: Vec<Arc<[u64; DEAD_WORDS]>>,
    len: u32,
    dead_count: u32,
}

impl Slots {
    /// Number of slots, including dead ones.
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Whether there are no slots, not even dead ones.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Number of live slots, that is, of assets.
    pub fn live(&self) -> u32 {
        self.len - self.dead_count
    }

    /// Number of dead slots.
    pub fn dead(&self) -> u32 {
        self.dead_count
    }

    /// Appends a live slot for an asset and returns its number.
    pub fn push(&mut self, id: u64) -> u32 {
        if (self.len as usize).is_multiple_of(BLOCK_SLOTS) {
            self.ids.push(Arc::default());
            self.dead.push(Arc::new([0; DEAD_WORDS]));
        }
        let last = self.ids.len() - 1;
        Arc::make_mut(&mut self.ids[last]).push(id);
        self.len += 1;
        self.len - 1
    }

    /// ISCC-ID body of a slot, dead or live.
    pub fn id(&self, slot: u32) -> u64 {
        self.ids[slot as usize / BLOCK_SLOTS][slot as usize % BLOCK_SLOTS]
    }

    /// Whether the slot holds the current version of its asset.
    pub fn is_live(&self, slot: u32) -> bool {
        let within = slot as usize % BLOCK_SLOTS;
        self.dead[slot as usize / BLOCK_SLOTS][within / 64] >> (within % 64) & 1 == 0
    }

    /// Marks a slot dead.
    pub fn mark_dead(&mut self, slot: u32) {
        if self.is_live(slot) {
            let within = slot as usize % BLOCK_SLOTS;
            let block = Arc::make_mut(&mut self.dead[slot as usize / BLOCK_SLOTS]);
            block[within / 64] |= 1 << (within % 64);
            self.dead_count += 1;
        }
    }

    /// Slots that are dead here, and were live in an earlier state of the same segment.
    pub fn died_since(&self, before: &Self) -> Vec<u32> {
        let mut died = Vec::new();
        for (number, (now, before)) in self.dead.iter().zip(&before.dead).enumerate() {
            if Arc::ptr_eq(now, before) {
                continue;
            }
            for slot in 0..BLOCK_SLOTS {
                let dead = |block: &[u64; DEAD_WORDS]| block[slot / 64] >> (slot % 64) & 1 == 1;
                if dead(now) && !dead(before) {
                    died.push((number * BLOCK_SLOTS + slot) as u32);
                }
            }
        }
        died
    }

    /// Live slots and their ISCC-ID bodies, in slot order.
    pub fn iter_live(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        (0..self.len).filter(|&slot| self.is_live(slot)).map(|slot| (slot, self.id(slot)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_does_not_see_later_deaths() {
        let mut slots = Slots::default();
        for id in 0..5000 {
            assert_eq!(u64::from(slots.push(id)), id);
        }
        let snapshot = slots.clone();
        slots.mark_dead(4999);
        slots.mark_dead(4999);
        slots.mark_dead(0);
        assert_eq!((slots.live(), slots.dead(), snapshot.live()), (4998, 2, 5000));
        assert!(snapshot.is_live(0) && !slots.is_live(0) && slots.is_live(1));
        assert_eq!(slots.id(4999), 4999);
        assert_eq!(slots.iter_live().next(), Some((1, 1)));
        assert_eq!(slots.died_since(&snapshot), [0, 4999]);
        assert_eq!(slots.died_since(&slots.clone()), [0; 0]);
    }
}
