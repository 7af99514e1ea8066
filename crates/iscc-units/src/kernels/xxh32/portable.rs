//! One message at a time.

pub const PRIME_1: u32 = 0x9E37_79B1;
pub const PRIME_2: u32 = 0x85EB_CA77;
pub const PRIME_3: u32 = 0xC2B2_AE3D;
pub const PRIME_4: u32 = 0x27D4_EB2F;
pub const PRIME_5: u32 = 0x1656_67B1;

/// Bytes that the four accumulators process at a time.
pub(super) const STRIPE: usize = 16;

/// Initial values of the four accumulators.
pub(super) const START: [u32; 4] =
    [PRIME_1.wrapping_add(PRIME_2), PRIME_2, 0, 0u32.wrapping_sub(PRIME_1)];

/// xxHash32 of `message`, seed 0.
#[inline]
pub fn hash(message: &[u8]) -> u32 {
    if message.len() < STRIPE {
        return finish(PRIME_5, message.len(), message);
    }
    finish_stripes(START, message.len(), message)
}

/// Continues from the accumulators with the `rest` of a message of `length` >= 16 bytes.
#[inline]
pub(super) fn finish_stripes(mut lanes: [u32; 4], length: usize, rest: &[u8]) -> u32 {
    let (stripes, tail) = rest.as_chunks::<STRIPE>();
    for stripe in stripes {
        for (lane, word) in lanes.iter_mut().zip(stripe.as_chunks::<4>().0) {
            *lane = round(*lane, u32::from_le_bytes(*word));
        }
    }
    let mixed = lanes[0]
        .rotate_left(1)
        .wrapping_add(lanes[1].rotate_left(7))
        .wrapping_add(lanes[2].rotate_left(12))
        .wrapping_add(lanes[3].rotate_left(18));
    finish(mixed, length, tail)
}

#[inline(always)]
fn round(lane: u32, word: u32) -> u32 {
    lane.wrapping_add(word.wrapping_mul(PRIME_2)).rotate_left(13).wrapping_mul(PRIME_1)
}

/// Processes at most 15 last bytes, and the avalanche. Only the low 32 bits of the length matter.
#[inline(always)]
fn finish(mixed: u32, length: usize, tail: &[u8]) -> u32 {
    let mut hash = mixed.wrapping_add(length as u32);
    let (words, bytes) = tail.as_chunks::<4>();
    for word in words {
        hash = hash
            .wrapping_add(u32::from_le_bytes(*word).wrapping_mul(PRIME_3))
            .rotate_left(17)
            .wrapping_mul(PRIME_4);
    }
    for &byte in bytes {
        hash = hash
            .wrapping_add(u32::from(byte).wrapping_mul(PRIME_5))
            .rotate_left(11)
            .wrapping_mul(PRIME_1);
    }
    hash ^= hash >> 15;
    hash = hash.wrapping_mul(PRIME_2);
    hash ^= hash >> 13;
    hash = hash.wrapping_mul(PRIME_3);
    hash ^ (hash >> 16)
}
