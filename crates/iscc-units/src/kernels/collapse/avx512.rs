//! ASCII, 64 bytes at a time. One compress instruction packs the kept bytes.

use std::arch::x86_64::*;

use super::avx2::{BIT_BY_HIGH_NIBBLE, KEPT_BY_LOW_NIBBLE};
use super::collapse_with;
use crate::kernels::utf8::Output;

#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt"
)]
pub(super) fn collapse(text: &str) -> String {
    collapse_with(text, |input, out| ascii_run(input, out))
}

#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt"
)]
fn ascii_run(input: &[u8], out: &mut Output) -> usize {
    let (blocks, _) = input.as_chunks::<64>();
    let mut at = 0;
    for block in blocks {
        // SAFETY: `block` is 64 readable bytes.
        let block = unsafe { _mm512_loadu_si512(block.as_ptr().cast()) };
        // A branch instead of arithmetic, so that the start of the next block does not depend on
        // this one.
        if _mm512_movepi8_mask(block) != 0 {
            break;
        }
        collapse_block(block, u64::MAX, out);
        at += 64;
    }
    let there = _bzhi_u64(u64::MAX, (input.len() - at).min(64) as u32);
    // SAFETY: the mask only selects bytes within `input`.
    let block = unsafe { _mm512_maskz_loadu_epi8(there, input.as_ptr().add(at).cast()) };
    let ascii = (_mm512_movepi8_mask(block) | !there).trailing_zeros();
    collapse_block(block, _bzhi_u64(u64::MAX, ascii), out);
    at + ascii as usize
}

/// Collapses the bytes of `block` in the mask `lanes`, all of them ASCII.
#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt"
)]
fn collapse_block(block: __m512i, lanes: u64, out: &mut Output) {
    // SAFETY: both tables are 16 bytes.
    let (kept_bits, bits) = unsafe {
        (
            _mm512_broadcast_i32x4(_mm_loadu_si128(KEPT_BY_LOW_NIBBLE.as_ptr().cast())),
            _mm512_broadcast_i32x4(_mm_loadu_si128(BIT_BY_HIGH_NIBBLE.as_ptr().cast())),
        )
    };
    let nibble = _mm512_set1_epi8(15);
    let low = _mm512_shuffle_epi8(kept_bits, _mm512_and_si512(block, nibble));
    let high = _mm512_shuffle_epi8(bits, _mm512_and_si512(_mm512_srli_epi16::<4>(block), nibble));
    let kept = _mm512_test_epi8_mask(low, high) & lanes;

    let from_a = _mm512_sub_epi8(block, _mm512_set1_epi8(b'A' as i8));
    let upper = _mm512_cmple_epu8_mask(from_a, _mm512_set1_epi8(25));
    let lower = _mm512_mask_add_epi8(block, upper, block, _mm512_set1_epi8(32));
    // SAFETY: the output has room for a register; the counted bytes are ASCII of the input.
    unsafe {
        _mm512_storeu_si512(out.end().cast(), _mm512_maskz_compress_epi8(kept, lower));
        out.advance(kept.count_ones() as usize);
    }
}
