//! Eight messages in parallel, twice.

use std::arch::x86_64::*;

use super::{BATCH, Batch, compress};

const LANES: usize = 8;

#[target_feature(enable = "avx2")]
pub(super) fn hash(batch: &Batch) -> [[u8; 32]; BATCH] {
    let mut hashes = [[0; 32]; BATCH];
    for (half, hashes) in hashes.chunks_exact_mut(LANES).enumerate() {
        if half * LANES < batch.len {
            hash_half(batch, half, hashes);
        }
    }
    hashes
}

#[inline]
#[target_feature(enable = "avx2")]
fn hash_half(batch: &Batch, half: usize, hashes: &mut [[u8; 32]]) {
    let load = |words: &[u32; BATCH]| {
        let words = &words[half * LANES..][..LANES];
        // SAFETY: `words` has eight words.
        unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
    };
    let [a, b, c, d] = &batch.words;
    let words = compress::compress(
        [load(a), load(b), load(c), load(d)],
        load(&batch.lengths),
        |word| _mm256_set1_epi32(word as i32),
        |a, b| _mm256_add_epi32(a, b),
        |a, b| _mm256_xor_si256(a, b),
        |a, bits| match bits {
            16 => rotated::<16, 16>(a),
            12 => rotated::<12, 20>(a),
            8 => rotated::<8, 24>(a),
            _ => rotated::<7, 25>(a),
        },
    );
    for (w, word) in words.into_iter().enumerate() {
        let mut lanes = [0u32; LANES];
        // SAFETY: eight words.
        unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), word) };
        for (hash, lane) in hashes.iter_mut().zip(lanes) {
            hash[4 * w..][..4].copy_from_slice(&lane.to_le_bytes());
        }
    }
}

/// Rotates each lane to the right by `RIGHT`. `LEFT` is 32 - `RIGHT`.
#[inline]
#[target_feature(enable = "avx2")]
fn rotated<const RIGHT: i32, const LEFT: i32>(lanes: __m256i) -> __m256i {
    _mm256_or_si256(_mm256_srli_epi32::<RIGHT>(lanes), _mm256_slli_epi32::<LEFT>(lanes))
}
