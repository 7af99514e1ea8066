//! The filter with 16 features per register: eight hashes per cycle, the limit of the multiplier.

use super::filter::{FACTOR, GROUP, GROUPS, OFFSET};
use std::arch::x86_64::*;

/// Permutations processed together: as many as fit into 32 registers with their constants.
const TOGETHER: usize = 8;

/// The minimum bound of each permutation over the groups.
#[target_feature(enable = "avx512f")]
pub(super) fn least(groups: &[[u32; GROUP]]) -> [u32; 64] {
    let mut least = [0; 64];
    for (i, sixteen) in least.as_chunks_mut::<16>().0.iter_mut().enumerate() {
        let [low, high] = [0, TOGETHER].map(|j| {
            let minima = each_least(groups, 16 * i + j);
            let pairs = [0, 2, 4, 6].map(|j| min_halves_32(minima[j], minima[j + 1]));
            [min_halves_64(pairs[0], pairs[1]), min_halves_64(pairs[2], pairs[3])]
        });
        let eights = [low, high].map(|[a, b]| {
            let even = _mm512_shuffle_i32x4::<0b10_00_10_00>(a, b);
            let odd = _mm512_shuffle_i32x4::<0b11_01_11_01>(a, b);
            _mm512_min_epu32(even, odd)
        });
        let even = _mm512_shuffle_i32x4::<0b10_00_10_00>(eights[0], eights[1]);
        let odd = _mm512_shuffle_i32x4::<0b11_01_11_01>(eights[0], eights[1]);
        // SAFETY: the destination is 64 bytes of plain integers.
        unsafe { _mm512_storeu_epi32(sixteen.as_mut_ptr().cast(), _mm512_min_epu32(even, odd)) };
    }
    least
}

/// Lane-wise minimum bounds of the permutations from `first`.
#[inline]
#[target_feature(enable = "avx512f")]
fn each_least(groups: &[[u32; GROUP]], first: usize) -> [__m512i; TOGETHER] {
    let mut factor = [_mm512_setzero_si512(); TOGETHER];
    let mut offset = factor;
    for j in 0..TOGETHER {
        factor[j] = _mm512_set1_epi32(FACTOR[first + j] as i32);
        offset[j] = _mm512_set1_epi32(OFFSET[first + j] as i32);
    }
    let mut minima = [_mm512_set1_epi32(-1); TOGETHER];
    for group in groups {
        let features = load(group);
        for j in 0..TOGETHER {
            let bound = _mm512_add_epi32(_mm512_mullo_epi32(features, factor[j]), offset[j]);
            minima[j] = _mm512_min_epu32(minima[j], bound);
        }
    }
    minima
}

/// Minima of neighbouring lanes: of `a` in the even result lanes, of `b` in the odd ones.
#[inline]
#[target_feature(enable = "avx512f")]
fn min_halves_32(a: __m512i, b: __m512i) -> __m512i {
    _mm512_min_epu32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b))
}

/// The same for pairs of lanes. The result has four permutations in each 128 bits.
#[inline]
#[target_feature(enable = "avx512f")]
fn min_halves_64(a: __m512i, b: __m512i) -> __m512i {
    _mm512_min_epu32(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b))
}

/// The features, one bit each, whose bound under permutation `i` is at most `limit`.
#[target_feature(enable = "avx512f")]
pub(super) fn at_most(groups: &[[u32; GROUP]], i: usize, limit: u32) -> [u16; GROUPS] {
    let factor = _mm512_set1_epi32(FACTOR[i] as i32);
    let offset = _mm512_set1_epi32(OFFSET[i] as i32);
    let limit = _mm512_set1_epi32(limit as i32);
    let mut marked = [0; GROUPS];
    for (group, marks) in groups.iter().zip(&mut marked) {
        let bound = _mm512_add_epi32(_mm512_mullo_epi32(load(group), factor), offset);
        *marks = _mm512_cmple_epu32_mask(bound, limit);
    }
    marked
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(group: &[u32; GROUP]) -> __m512i {
    // SAFETY: a group is 64 bytes.
    unsafe { _mm512_loadu_epi32(group.as_ptr().cast()) }
}
