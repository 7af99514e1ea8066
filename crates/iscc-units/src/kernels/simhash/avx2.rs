//! 32 byte-wide counters per register: four digest bytes at a time.

use super::{Ones, ROUND};
use std::arch::x86_64::*;

/// Adds the set bits of at most [`ROUND`] digests.
#[target_feature(enable = "avx2")]
pub(super) fn count<const N: usize>(digests: &[[u8; N]], ones: &mut Ones<N>) {
    assert!(digests.len() <= ROUND);
    // Copies each of four bytes to eight lanes, each of which tests another bit.
    let (a, b, c, d) = (0, 0x0101_0101_0101_0101, 0x0202_0202_0202_0202, 0x0303_0303_0303_0303);
    let spread = _mm256_setr_epi64x(a, b, c, d);
    let bits = _mm256_set1_epi64x(i64::from_le_bytes([128, 64, 32, 16, 8, 4, 2, 1]));
    for (quad, rows) in ones.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        let mut counters = _mm256_setzero_si256();
        for digest in digests {
            let bytes = i32::from_le_bytes(digest.as_chunks::<4>().0[quad]);
            let spread = _mm256_shuffle_epi8(_mm256_set1_epi32(bytes), spread);
            let set = _mm256_cmpeq_epi8(_mm256_and_si256(spread, bits), bits);
            // A set lane is -1.
            counters = _mm256_sub_epi8(counters, set);
        }
        let mut counts = [[0u8; 8]; 4];
        // SAFETY: the destination is 32 bytes.
        unsafe { _mm256_storeu_si256(counts.as_mut_ptr().cast(), counters) };
        for (ones, count) in rows.as_flattened_mut().iter_mut().zip(counts.as_flattened()) {
            *ones += u32::from(*count);
        }
    }
}
