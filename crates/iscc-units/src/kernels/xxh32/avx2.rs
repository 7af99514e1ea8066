//! AVX2: a rotation is two shifts.

use std::arch::x86_64::*;

super::lanes::kernel!("avx2", rotate_left_13);

#[inline]
#[target_feature(enable = "avx2")]
fn rotate_left_13(words: __m256i) -> __m256i {
    _mm256_or_si256(_mm256_slli_epi32::<13>(words), _mm256_srli_epi32::<19>(words))
}
