//! 16 windows in parallel.

use std::arch::x86_64::*;

use super::block::Block;
use super::runs::Run;
use super::{WINDOW, features_with, lanes};
use crate::kernels::xxh32::{PRIME_1, PRIME_2, PRIME_3, PRIME_4, PRIME_5};

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn features(text: &str, sink: impl FnMut(&[u32])) -> usize {
    features_with(text, sink, |text, run, block| hash_run(text, run, block))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,bmi1,bmi2,lzcnt,popcnt")]
fn hash_run<S: FnMut(&[u32])>(text: &[u8], run: Run, block: &mut Block<S>) -> usize {
    match run.width {
        1 => lanes::walk(text, run, block, |text| hash::<1>(text)),
        2 => lanes::walk(text, run, block, |text| hash::<2>(text)),
        3 => lanes::walk(text, run, block, |text| hash::<3>(text)),
        _ => lanes::walk(text, run, block, |text| hash::<4>(text)),
    }
}

/// For each lane, the first four bytes of its window.
const fn offsets(width: usize) -> [u8; 64] {
    let mut offsets = [0; 64];
    let mut i = 0;
    while i < 64 {
        offsets[i] = (i / 4 * width + i % 4) as u8;
        i += 1;
    }
    offsets
}

/// xxHash32 of the first 16 windows of 13 characters of `WIDTH` bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
fn hash<const WIDTH: usize>(text: &[u8; 128]) -> [u32; 16] {
    let length = const { WINDOW * WIDTH };
    let offsets = const { offsets(WIDTH) };
    // SAFETY: 64 bytes.
    let offsets = unsafe { _mm512_loadu_si512(offsets.as_ptr().cast()) };
    // Bytes `at..at + 4` of every window. The last window is 15 characters after the first, at most
    // 60 bytes, so all are within one register.
    let words = |at: usize| {
        let text = &text[at..][..64];
        // SAFETY: `text` is 64 bytes.
        _mm512_permutexvar_epi8(offsets, unsafe { _mm512_loadu_si512(text.as_ptr().cast()) })
    };
    let all = |word: u32| _mm512_set1_epi32(word as i32);
    let times = |a: __m512i, prime: u32| _mm512_mullo_epi32(a, all(prime));

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
                let added = _mm512_add_epi32(*sum, times(words(at), PRIME_2));
                *sum = times(_mm512_rol_epi32::<13>(added), PRIME_1);
                at += 4;
            }
        }
        let (low, high) = (
            _mm512_add_epi32(_mm512_rol_epi32::<1>(sums[0]), _mm512_rol_epi32::<7>(sums[1])),
            _mm512_add_epi32(_mm512_rol_epi32::<12>(sums[2]), _mm512_rol_epi32::<18>(sums[3])),
        );
        mixed = _mm512_add_epi32(low, high);
    }
    mixed = _mm512_add_epi32(mixed, all(length as u32));
    while length - at >= 4 {
        let added = _mm512_add_epi32(mixed, times(words(at), PRIME_3));
        mixed = times(_mm512_rol_epi32::<17>(added), PRIME_4);
        at += 4;
    }
    if at < length {
        let mut rest = words(at);
        while at < length {
            let byte = _mm512_and_si512(rest, all(0xFF));
            let added = _mm512_add_epi32(mixed, times(byte, PRIME_5));
            mixed = times(_mm512_rol_epi32::<11>(added), PRIME_1);
            rest = _mm512_srli_epi32::<8>(rest);
            at += 1;
        }
    }
    mixed = times(_mm512_xor_si512(mixed, _mm512_srli_epi32::<15>(mixed)), PRIME_2);
    mixed = times(_mm512_xor_si512(mixed, _mm512_srli_epi32::<13>(mixed)), PRIME_3);
    mixed = _mm512_xor_si512(mixed, _mm512_srli_epi32::<16>(mixed));

    let mut hashes = [0; 16];
    // SAFETY: 64 bytes.
    unsafe { _mm512_storeu_si512(hashes.as_mut_ptr().cast(), mixed) };
    hashes
}
