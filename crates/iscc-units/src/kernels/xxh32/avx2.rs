//! Two chunks in each 256-bit register: a stripe of 16 bytes from each.

use super::portable::{PRIME_1, PRIME_2, START, STRIPE};
use super::side_by_side::CHUNKS;
use std::arch::x86_64::*;

/// The four accumulators of each chunk after `stripes` stripes. No chunk is shorter than these.
#[target_feature(enable = "avx2")]
pub(super) fn lanes(chunks: &[&[u8]; CHUNKS], stripes: usize) -> [[u32; 4]; CHUNKS] {
    assert!(chunks.iter().all(|chunk| chunk.len() >= STRIPE * stripes));
    let prime_1 = _mm256_set1_epi32(PRIME_1 as i32);
    let prime_2 = _mm256_set1_epi32(PRIME_2 as i32);
    let start = _mm_setr_epi32(START[0] as i32, START[1] as i32, START[2] as i32, START[3] as i32);
    let mut sums = [_mm256_set_m128i(start, start); CHUNKS / 2];
    let at = chunks.map(<[u8]>::as_ptr);
    for stripe in 0..stripes {
        for (pair, sum) in sums.iter_mut().enumerate() {
            // SAFETY: both chunks hold at least `stripes` stripes, as asserted above.
            let words = unsafe {
                _mm256_loadu2_m128i(
                    at[2 * pair + 1].add(STRIPE * stripe).cast(),
                    at[2 * pair].add(STRIPE * stripe).cast(),
                )
            };
            let mixed = _mm256_add_epi32(*sum, _mm256_mullo_epi32(words, prime_2));
            let turned =
                _mm256_or_si256(_mm256_slli_epi32::<13>(mixed), _mm256_srli_epi32::<19>(mixed));
            *sum = _mm256_mullo_epi32(turned, prime_1);
        }
    }
    unpack(&sums)
}

/// Lanes in memory order: two chunks of four accumulators per register.
#[target_feature(enable = "avx2")]
pub(super) fn unpack(sums: &[__m256i; CHUNKS / 2]) -> [[u32; 4]; CHUNKS] {
    let mut lanes = [[0; 4]; CHUNKS];
    for (pair, &sum) in lanes.as_chunks_mut::<2>().0.iter_mut().zip(sums) {
        // SAFETY: the pair is 32 bytes of plain integers.
        unsafe { _mm256_storeu_si256(pair.as_mut_ptr().cast(), sum) };
    }
    lanes
}
