//! The filter with eight features per register.

use super::filter::{FACTOR, GROUP, GROUPS, OFFSET};
use std::arch::x86_64::*;

/// Permutations processed together: as many as fit into 16 registers with their factors.
const TOGETHER: usize = 4;

/// The minimum bound of each permutation over the groups.
#[target_feature(enable = "avx2")]
pub(super) fn least(groups: &[[u32; GROUP]]) -> [u32; 64] {
    let mut least = [0; 64];
    for (i, eight) in least.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        let [low, high] = [0, TOGETHER].map(|j| {
            let [a, b, c, d] = each_least(groups, 8 * i + j);
            min_halves_64(min_halves_32(a, b), min_halves_32(c, d))
        });
        let even = _mm256_permute2x128_si256::<0x20>(low, high);
        let odd = _mm256_permute2x128_si256::<0x31>(low, high);
        // SAFETY: the destination is 32 bytes of plain integers.
        unsafe { _mm256_storeu_si256(eight.as_mut_ptr().cast(), _mm256_min_epu32(even, odd)) };
    }
    least
}

/// Lane-wise minimum bounds of the permutations from `first`.
#[inline]
#[target_feature(enable = "avx2")]
fn each_least(groups: &[[u32; GROUP]], first: usize) -> [__m256i; TOGETHER] {
    let mut factor = [_mm256_setzero_si256(); TOGETHER];
    let mut offset = factor;
    for j in 0..TOGETHER {
        factor[j] = _mm256_set1_epi32(FACTOR[first + j] as i32);
        offset[j] = _mm256_set1_epi32(OFFSET[first + j] as i32);
    }
    let mut minima = [_mm256_set1_epi32(-1); TOGETHER];
    for features in groups.as_flattened().as_chunks::<8>().0 {
        let features = load(features);
        for j in 0..TOGETHER {
            let bound = _mm256_add_epi32(_mm256_mullo_epi32(features, factor[j]), offset[j]);
            minima[j] = _mm256_min_epu32(minima[j], bound);
        }
    }
    minima
}

/// Minima of neighbouring lanes: of `a` in the even result lanes, of `b` in the odd ones.
#[inline]
#[target_feature(enable = "avx2")]
fn min_halves_32(a: __m256i, b: __m256i) -> __m256i {
    _mm256_min_epu32(_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b))
}

/// The same for pairs of lanes. The result has four permutations in each 128 bits.
#[inline]
#[target_feature(enable = "avx2")]
fn min_halves_64(a: __m256i, b: __m256i) -> __m256i {
    _mm256_min_epu32(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b))
}

/// The features, one bit each, whose bound under permutation `i` is at most `limit`.
#[target_feature(enable = "avx2")]
pub(super) fn at_most(groups: &[[u32; GROUP]], i: usize, limit: u32) -> [u16; GROUPS] {
    let factor = _mm256_set1_epi32(FACTOR[i] as i32);
    let offset = _mm256_set1_epi32(OFFSET[i] as i32);
    let limit = _mm256_set1_epi32(limit as i32);
    let mut marked = [0; GROUPS];
    for (group, marks) in groups.iter().zip(&mut marked) {
        for (half, features) in group.as_chunks::<8>().0.iter().enumerate() {
            let bound = _mm256_add_epi32(_mm256_mullo_epi32(load(features), factor), offset);
            let within = _mm256_cmpeq_epi32(_mm256_min_epu32(bound, limit), bound);
            let bits = _mm256_movemask_ps(_mm256_castsi256_ps(within)) as u16;
            *marks |= bits << (8 * half);
        }
    }
    marked
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(features: &[u32; 8]) -> __m256i {
    // SAFETY: eight features are 32 bytes.
    unsafe { _mm256_loadu_si256(features.as_ptr().cast()) }
}
