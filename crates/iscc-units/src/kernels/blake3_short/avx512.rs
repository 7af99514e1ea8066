//! 16 messages in parallel.

use std::arch::x86_64::*;

use super::{BATCH, Batch, compress};

#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn hash(batch: &Batch) -> [[u8; 32]; BATCH] {
    // SAFETY: 16 words.
    let load = |words: &[u32; 16]| unsafe { _mm512_loadu_si512(words.as_ptr().cast()) };
    let [a, b, c, d] = &batch.words;
    let words = compress::compress(
        [load(a), load(b), load(c), load(d)],
        load(&batch.lengths),
        |word| _mm512_set1_epi32(word as i32),
        |a, b| _mm512_add_epi32(a, b),
        |a, b| _mm512_xor_si512(a, b),
        |a, bits| match bits {
            16 => _mm512_ror_epi32::<16>(a),
            12 => _mm512_ror_epi32::<12>(a),
            8 => _mm512_ror_epi32::<8>(a),
            _ => _mm512_ror_epi32::<7>(a),
        },
    );
    let mut hashes = [[0; 32]; BATCH];
    for (w, word) in words.into_iter().enumerate() {
        let mut lanes = [0u32; BATCH];
        // SAFETY: 16 words.
        unsafe { _mm512_storeu_si512(lanes.as_mut_ptr().cast(), word) };
        for (hash, lane) in hashes.iter_mut().zip(lanes) {
            hash[4 * w..][..4].copy_from_slice(&lane.to_le_bytes());
        }
    }
    hashes
}
