//! A small cache of features, for data that repeats.

const SLOT_BITS: u32 = 12;

/// Number of features after which the usefulness of the cache is checked.
const TRIAL: u32 = 4096;

/// Remembers the last feature of each of 4096 slots, selected by the feature's highest bits.
#[derive(Clone, Debug)]
pub(super) struct Recent {
    slots: Box<[u32]>,
    seen: u32,
    new: u32,
}

impl Recent {
    /// Initialises all slots with one feature that has been processed.
    pub(super) fn new(taken: u32) -> Self {
        Self { slots: vec![taken; 1 << SLOT_BITS].into(), seen: 0, new: 0 }
    }

    /// False if the feature is certainly a repetition. Remembers it.
    #[inline(always)]
    pub(super) fn is_new(&mut self, feature: u32) -> bool {
        let slot = &mut self.slots[(feature >> (u32::BITS - SLOT_BITS)) as usize];
        let is_new = *slot != feature;
        *slot = feature;
        self.seen += 1;
        self.new += u32::from(is_new);
        is_new
    }

    /// False if hardly any recent feature was a repetition.
    pub(super) fn pays(&mut self) -> bool {
        if self.seen < TRIAL {
            return true;
        }
        let pays = self.new < self.seen / 8 * 7;
        (self.seen, self.new) = (0, 0);
        pays
    }
}
