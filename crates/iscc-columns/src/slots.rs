//! The assets of a segment. Each stored version of an asset has a slot, which is live until the asset is replaced or
//! deleted.

use std::sync::Arc;

use crate::array::Array;
use crate::id_filter::IdFilter;

/// Slots of one block.
const BLOCK_SLOTS: usize = 4096;
const DEAD_WORDS: usize = BLOCK_SLOTS / 64;

/// ISCC-ID bodies by slot, and which slots are dead. Clones share all blocks that later changes do not touch.
#[derive(Debug, Clone)]
pub struct Slots {
    ids: Ids,
    dead: Vec<Arc<[u64; DEAD_WORDS]>>,
    len: u32,
    dead_count: u32,
    /// Whether each body is greater than the one before.
    is_ascending: bool,
}

/// ISCC-ID bodies by slot.
#[derive(Debug, Clone)]
enum Ids {
    /// In full blocks, and a last one.
    Growing(Vec<Arc<Vec<u64>>>),
    /// Of a file, and their filter.
    Sealed(Array<u64>, IdFilter),
}

impl Default for Slots {
    fn default() -> Self {
        let ids = Ids::Growing(Vec::new());
        Self { ids, dead: Vec::new(), len: 0, dead_count: 0, is_ascending: true }
    }
}

impl Slots {
    /// The slots of a file with ascending ISCC-ID bodies and their filter, all live.
    pub fn sealed(ids: Array<u64>, filter: IdFilter) -> Self {
        let (len, live) = (ids.len(), Arc::new([0; DEAD_WORDS]));
        let dead = (0..len.div_ceil(BLOCK_SLOTS)).map(|_| Arc::clone(&live)).collect();
        let ids = Ids::Sealed(ids, filter);
        Self { ids, dead, len: len as u32, dead_count: 0, is_ascending: true }
    }

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

    /// Whether the slots are in the order of their ISCC-ID bodies, so that [`Slots::find`] finds them.
    pub fn is_ascending(&self) -> bool {
        self.is_ascending
    }

    /// Appends a live slot for an asset and returns its number.
    ///
    /// # Panics
    /// If the slots are those of a file.
    pub fn push(&mut self, id: u64) -> u32 {
        self.is_ascending &= self.len == 0 || self.id(self.len - 1) < id;
        let Ids::Growing(blocks) = &mut self.ids else { panic!("a sealed segment does not grow") };
        if (self.len as usize).is_multiple_of(BLOCK_SLOTS) {
            blocks.push(Arc::default());
            self.dead.push(Arc::new([0; DEAD_WORDS]));
        }
        let last = blocks.len() - 1;
        Arc::make_mut(&mut blocks[last]).push(id);
        self.len += 1;
        self.len - 1
    }

    /// ISCC-ID body of a slot, dead or live.
    pub fn id(&self, slot: u32) -> u64 {
        match &self.ids {
            Ids::Growing(blocks) => {
                blocks[slot as usize / BLOCK_SLOTS][slot as usize % BLOCK_SLOTS]
            }
            Ids::Sealed(ids, _) => ids[slot as usize],
        }
    }

    /// The live slot of an asset, if the slots are ascending.
    pub fn find(&self, id: u64) -> Option<u32> {
        if !self.is_ascending || self.len == 0 || id < self.id(0) || id > self.id(self.len - 1) {
            return None;
        }
        if let Ids::Sealed(_, filter) = &self.ids
            && !filter.may_have(id)
        {
            return None;
        }
        let (mut low, mut high) = (0, self.len);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.id(middle) < id {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        (low < self.len && self.id(low) == id && self.is_live(low)).then_some(low)
    }

    /// Whether the slot holds the current version of its asset. Slots that do not exist are dead.
    pub fn is_live(&self, slot: u32) -> bool {
        let within = slot as usize % BLOCK_SLOTS;
        slot < self.len
            && self.dead[slot as usize / BLOCK_SLOTS][within / 64] >> (within % 64) & 1 == 0
    }

    /// The dead slots, one bit each.
    pub fn dead_words(&self) -> impl Iterator<Item = u64> {
        let words = self.dead.iter().flat_map(|block| block.iter().copied());
        words.take((self.len as usize).div_ceil(64))
    }

    /// Marks the slots dead whose bit is set.
    pub fn mark_dead_words(&mut self, words: impl Iterator<Item = u64>) {
        for (word, mut bits) in words.enumerate() {
            while bits != 0 {
                self.mark_dead((word * 64) as u32 + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
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

    /// Live slots and their ISCC-ID bodies, in the order of the bodies.
    pub fn ascending(&self) -> Box<dyn Iterator<Item = (u32, u64)> + '_> {
        if self.is_ascending {
            return Box::new(self.iter_live());
        }
        let mut live: Vec<(u32, u64)> = self.iter_live().collect();
        live.sort_unstable_by_key(|&(_, id)| id);
        Box::new(live.into_iter())
    }

    /// Live slots and their ISCC-ID bodies, in slot order.
    pub fn iter_live(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        (0..self.len).filter(|&slot| self.is_live(slot)).map(|slot| (slot, self.id(slot)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed(ids: Vec<u64>) -> Slots {
        let filter = IdFilter::build(ids.len(), ids.iter().copied());
        Slots::sealed(ids.into(), IdFilter::new(filter.into()))
    }

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
        let mut same = sealed((0..5000).collect());
        same.mark_dead_words(slots.dead_words());
        assert_eq!((same.live(), same.died_since(&snapshot)), (4998, vec![0, 4999]));
        assert!(!same.is_live(5000) && !same.is_live(u32::MAX));
    }

    #[test]
    fn live_slots_are_found_while_their_ids_ascend() {
        let mut slots = Slots::default();
        assert_eq!(slots.find(0), None);
        for id in 0..9000 {
            slots.push(id * 3);
        }
        slots.mark_dead(7);
        let sealed = sealed((0..9000).map(|slot| slots.id(slot)).collect());
        for id in 0..27_010 {
            let expected = (id % 3 == 0 && id < 27_000).then_some((id / 3) as u32);
            assert_eq!(slots.find(id), expected.filter(|&slot| slot != 7));
            assert_eq!(sealed.find(id), expected);
        }
        assert!(slots.is_ascending());
        slots.push(5);
        assert!(!slots.is_ascending());
        assert_eq!(slots.find(3), None);
    }
}
