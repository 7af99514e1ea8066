//! A small memory of features, for data that repeats.

const SLOT_BITS: u32 = 12;

/// Features after which the memory's use is judged.
const TRIAL: u32 = 4096;

/// Remembers the last feature of each of 4096 places, chosen by the feature's highest bits.
#[derive(Clone, Debug)]
pub(super) struct Recent {
    slots: Box<[u32]>,
    seen: u32,
    new: u32,
}

impl Recent {
    /// Starts with one feature, which has been taken, in all places.
    pub(super) fn new(taken: u32) -> Self {
        Self { slots: vec![taken; 1 << SLOT_BITS].into(), seen: 0, new: 0 }
    }

    /// False if the feature certainly came before; remembers it.
    #[inline(always)]
    pub(super) fn is_new(&mut self, feature: u32) -> bool {
        let slot = &mut self.slots[(feature >> (u32::BITS - SLOT_BITS)) as usize];
        let is_new = *slot != feature;
        *slot = feature;
        self.seen += 1;
        self.new += u32::from(is_new);
        is_new
    }

    /// False when, lately, hardly any feature repeated.
    pub(super) fn pays(&mut self) -> bool {
        if self.seen < TRIAL {
            return true;
        }
        let pays = self.new < self.seen / 8 * 7;
        (self.seen, self.new) = (0, 0);
        pays
    }
}
