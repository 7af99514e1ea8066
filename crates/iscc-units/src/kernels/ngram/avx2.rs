//! Eight windows in parallel.

use std::arch::x86_64::*;

use super::block::Block;
use super::runs::Run;
use super::{WINDOW, features_with, lanes};
use crate::kernels::xxh32::{PRIME_1, PRIME_2, PRIME_3, PRIME_4, PRIME_5};

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn features(text: &str, sink: impl FnMut(&[u32])) -> usize {
    features_with(text, sink, |text, run, block| hash_run(text, run, block))
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn hash_run<S: FnMut(&[u32])>(text: &[u8], run: Run, block: &mut Block<S>) -> usize {
    match run.width {
        1 => lanes::walk(text, run, block, |text| hash::<1>(text)),
        2 => lanes::walk(text, run, block, |text| hash::<2>(text)),
        3 => lanes::walk(text, run, block, |text| hash::<3>(text)),
        _ => lanes::walk(text, run, block, |text| hash::<4>(text)),
    }
}

/// For each of four lanes, the first four bytes of its window.
const fn offsets(width: usize) -> [u8; 16] {
    let mut offsets = [0; 16];
    let mut i = 0;
    while i < 16 {
        offsets[i] = (i / 4 * width + i % 4) as u8;
        i += 1;
    }
    offsets
}

/// xxHash32 of the first eight windows of 13 characters of `WIDTH` bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn hash<const WIDTH: usize>(text: &[u8; 128]) -> [u32; 8] {
    let length = const { WINDOW * WIDTH };
    let offsets = const { offsets(WIDTH) };
    // SAFETY: 16 bytes.
    let offsets = unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(offsets.as_ptr().cast())) };
    // Bytes `at..at + 4` of every window, four windows from each half of the register. The last of
    // the four is three characters after the first, at most 12 bytes.
    let words = |at: usize| {
        let (low, high) = (&text[at..][..16], &text[at + 4 * WIDTH..][..16]);
        // SAFETY: both are 16 bytes.
        let halves = unsafe { _mm256_loadu2_m128i(high.as_ptr().cast(), low.as_ptr().cast()) };
        _mm256_shuffle_epi8(halves, offsets)
    };
    let all = |word: u32| _mm256_set1_epi32(word as i32);
    let times = |a: __m256i, prime: u32| _mm256_mullo_epi32(a, all(prime));

    let mut at = 0;
    let mut mixed = all(PRIME_5);
    if length >= 16 {
        let mut sums = [
            all(PRIME_1.wrapping_add(PRIME_2)),
            all(PRIME_2),
            all(0),
            all(0u32.wrapping_sub(PRIME_1)),
        ];
        while length - at >= 16 {
            for sum in &mut sums {
                let added = _mm256_add_epi32(*sum, times(words(at), PRIME_2));
                *sum = times(rotated::<13, 19>(added), PRIME_1);
                at += 4;
            }
        }
        let (low, high) = (
            _mm256_add_epi32(rotated::<1, 31>(sums[0]), rotated::<7, 25>(sums[1])),
            _mm256_add_epi32(rotated::<12, 20>(sums[2]), rotated::<18, 14>(sums[3])),
        );
        mixed = _mm256_add_epi32(low, high);
    }
    mixed = _mm256_add_epi32(mixed, all(length as u32));
    while length - at >= 4 {
        let added = _mm256_add_epi32(mixed, times(words(at), PRIME_3));
        mixed = times(rotated::<17, 15>(added), PRIME_4);
        at += 4;
    }
    if at < length {
        let mut rest = words(at);
        while at < length {
            let byte = _mm256_and_si256(rest, all(0xFF));
            let added = _mm256_add_epi32(mixed, times(byte, PRIME_5));
            mixed = times(rotated::<11, 21>(added), PRIME_1);
            rest = _mm256_srli_epi32::<8>(rest);
            at += 1;
        }
    }
    mixed = times(_mm256_xor_si256(mixed, _mm256_srli_epi32::<15>(mixed)), PRIME_2);
    mixed = times(_mm256_xor_si256(mixed, _mm256_srli_epi32::<13>(mixed)), PRIME_3);
    mixed = _mm256_xor_si256(mixed, _mm256_srli_epi32::<16>(mixed));

    let mut hashes = [0; 8];
    // SAFETY: 32 bytes.
    unsafe { _mm256_storeu_si256(hashes.as_mut_ptr().cast(), mixed) };
    hashes
}

/// Rotates each lane to the left by `LEFT`. `RIGHT` is 32 - `LEFT`.
#[inline]
#[target_feature(enable = "avx2")]
fn rotated<const LEFT: i32, const RIGHT: i32>(lanes: __m256i) -> __m256i {
    _mm256_or_si256(_mm256_slli_epi32::<LEFT>(lanes), _mm256_srli_epi32::<RIGHT>(lanes))
}
