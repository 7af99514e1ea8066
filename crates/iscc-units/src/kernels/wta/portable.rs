//! Detects repeated frames by a hash; compares frames in full if their hashes are equal.

use super::{COLUMNS, Row, Value};
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::LazyLock;

/// `COLUMNS` rounded up to a multiple of a 64-byte register.
const PADDED: usize = 384;

/// 32-bit words of a padded frame.
const WORDS: usize = PADDED / 4;

/// Maximum number of frames whose sums fit into 16 bits.
const ROUND: usize = u16::MAX as usize / u8::MAX as usize;

/// A frame of byte values, padded with zeros.
type Bytes = [u8; PADDED];

/// Sums of each column over the distinct frames, if all values are from 0 to 255.
#[inline(always)]
pub(super) fn sum_distinct_bytes<T: Value>(frames: &[Row<T>]) -> Option<Row<i64>> {
    let keys = &*KEYS;
    let mut sums = [0i64; COLUMNS];
    let mut seen = Seen::with_room_for(frames.len());
    for (round, frames_of_round) in frames.chunks(ROUND).enumerate() {
        let mut narrow_sums = [0u16; PADDED];
        for (i, frame) in frames_of_round.iter().enumerate() {
            let bytes = to_bytes(frame)?;
            let is_same = |other: u32| frames[other as usize] == *frame;
            if seen.insert(hash(&bytes, keys), (ROUND * round + i) as u32, is_same) {
                for (sum, &value) in narrow_sums.iter_mut().zip(&bytes) {
                    *sum += u16::from(value);
                }
            }
        }
        for (sum, narrow) in sums.iter_mut().zip(narrow_sums) {
            *sum += i64::from(narrow);
        }
    }
    Some(sums)
}

#[inline(always)]
fn to_bytes<T: Value>(frame: &Row<T>) -> Option<Bytes> {
    let mut bytes = [0; PADDED];
    let mut used_bits = 0;
    for (byte, value) in bytes.iter_mut().zip(frame) {
        used_bits |= value.word();
        *byte = value.word() as u8;
    }
    (used_bits <= u32::from(u8::MAX)).then_some(bytes)
}

/// Secret summands of the hash, random per process, so that an attacker cannot create collisions.
static KEYS: LazyLock<[u32; WORDS]> = LazyLock::new(|| {
    let state = RandomState::new();
    std::array::from_fn(|i| state.hash_one(i) as u32)
});

/// NH (Black et al. 1999, UMAC): two different frames collide with probability 2^-32.
#[inline(always)]
fn hash(frame: &Bytes, keys: &[u32; WORDS]) -> u64 {
    let words = frame.as_chunks::<4>().0;
    let keyed = |i: usize| u64::from(u32::from_le_bytes(words[i]).wrapping_add(keys[i]));
    (0..WORDS / 2)
        .fold(0, |sum: u64, i| sum.wrapping_add(keyed(i).wrapping_mul(keyed(i + WORDS / 2))))
}

/// A set of frame numbers by hash: open addressing, at most half full.
struct Seen {
    slots: Vec<Slot>,
}

#[derive(Clone, Copy)]
struct Slot {
    hash: u64,
    frame: u32,
}

impl Seen {
    const FREE: Slot = Slot { hash: 0, frame: u32::MAX };

    fn with_room_for(frames: usize) -> Self {
        Self { slots: vec![Self::FREE; (2 * frames).next_power_of_two()] }
    }

    /// Inserts the frame; returns whether it was new.
    #[inline(always)]
    fn insert(&mut self, hash: u64, frame: u32, is_same: impl Fn(u32) -> bool) -> bool {
        let mask = self.slots.len() - 1;
        // Sums of products mix upwards, so the middle bits depend on the whole frame.
        let mut at = (hash.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & mask;
        loop {
            let slot = &mut self.slots[at];
            if slot.frame == Self::FREE.frame {
                *slot = Slot { hash, frame };
                return true;
            }
            if slot.hash == hash && is_same(slot.frame) {
                return false;
            }
            at = (at + 1) & mask;
        }
    }
}
