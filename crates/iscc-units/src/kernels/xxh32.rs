//! xxHash32 with seed 0 (Yann Collet, xxHash specification): the feature hash of chunks and
//! n-grams.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod lanes;
mod portable;
mod side_by_side;

use crate::simd::{InstructionSet, Level};

pub use portable::hash;
pub(super) use portable::{PRIME_1, PRIME_2, PRIME_3, PRIME_4, PRIME_5};

/// With fewer chunks, hashing them one by one is faster.
const SIDE_BY_SIDE_MIN_CHUNKS: usize = 24;

/// Appends the hashes of the consecutive chunks of `data` that end at `ends` (ascending, within the
/// data, the first chunk starting at 0).
pub fn hash_chunks_at(level: Level, data: &[u8], ends: &[u32], hashes: &mut Vec<u32>) {
    if ends.len() < SIDE_BY_SIDE_MIN_CHUNKS {
        return one_by_one(data, ends, hashes);
    }
    match level.set() {
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx512 => side_by_side::hash(data, ends, hashes, |chunks| {
            // SAFETY: a level proves that this machine has its instructions.
            unsafe { avx512::lanes(chunks) }
        }),
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 => side_by_side::hash(data, ends, hashes, |chunks| {
            // SAFETY: a level proves that this machine has its instructions.
            unsafe { avx2::lanes(chunks) }
        }),
        _ => one_by_one(data, ends, hashes),
    }
}

fn one_by_one(data: &[u8], ends: &[u32], hashes: &mut Vec<u32>) {
    let mut start = 0;
    hashes.extend(ends.iter().map(|&end| {
        let chunk = &data[start..end as usize];
        start = end as usize;
        hash(chunk)
    }));
}
