//! Frames told apart by a hash, compared in full where hashes agree.

use super::{COLUMNS, Row, Value};
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::LazyLock;

/// Sums of each column over the distinct frames.
#[inline(always)]
pub(super) fn sum_distinct<T: Value>(frames: &[Row<T>]) -> Row<i64> {
    let keys = &*KEYS;
    let mut sums = [0i64; COLUMNS];
    let mut seen = Seen::with_room_for(frames.len());
    for (i, frame) in frames.iter().enumerate() {
        let is_same = |other: u32| frames[other as usize] == *frame;
        if seen.insert(hash(frame, keys), i as u32, is_same) {
            for (sum, &value) in sums.iter_mut().zip(frame) {
                *sum += value.into();
            }
        }
    }
    sums
}

/// Secret summands of the hash, new in each process, so that nobody can make frames that collide.
static KEYS: LazyLock<Row<u32>> = LazyLock::new(|| {
    let state = RandomState::new();
    std::array::from_fn(|i| state.hash_one(i) as u32)
});

/// NH (Black et al. 1999, UMAC): two different frames agree in the 64 bits with probability 2^-32.
#[inline(always)]
fn hash<T: Value>(frame: &Row<T>, keys: &Row<u32>) -> u64 {
    const HALF: usize = COLUMNS / 2;
    let keyed = |i: usize| u64::from(frame[i].word().wrapping_add(keys[i]));
    (0..HALF).fold(0, |sum: u64, i| sum.wrapping_add(keyed(i).wrapping_mul(keyed(i + HALF))))
}

/// A set of frame numbers by hash: open addressing, at most half full.
struct Seen {
    slots: Vec<Slot>,
}

#[derive(Clone, Copy)]
struct Slot {
    tag: u32,
    frame: u32,
}

impl Seen {
    const FREE: Slot = Slot { tag: 0, frame: u32::MAX };

    fn with_room_for(frames: usize) -> Self {
        Self { slots: vec![Self::FREE; (2 * frames).next_power_of_two()] }
    }

    /// Whether the frame is new; it is then in the set.
    #[inline(always)]
    fn insert(&mut self, hash: u64, frame: u32, is_same: impl Fn(u32) -> bool) -> bool {
        // The lower half of the sum has less of the mixing in its lowest bits.
        let tag = (hash >> 32) as u32 ^ hash as u32;
        let mask = self.slots.len() - 1;
        let mut at = (u64::from(tag).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & mask;
        loop {
            let slot = &mut self.slots[at];
            if slot.frame == Self::FREE.frame {
                *slot = Slot { tag, frame };
                return true;
            }
            if slot.tag == tag && is_same(slot.frame) {
                return false;
            }
            at = (at + 1) & mask;
        }
    }
}
