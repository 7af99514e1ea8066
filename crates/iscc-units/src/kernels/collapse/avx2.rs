//! ASCII, 16 bytes at a time. A table has the shuffle that packs the kept bytes of each half.

use std::arch::x86_64::*;

use super::{ASCII, DROPPED, collapse_with};
use crate::kernels::utf8::Output;

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn collapse(text: &str) -> String {
    collapse_with(text, |input, out| ascii_run(input, out))
}

/// For each low nibble of an ASCII byte: bit h is set if the byte with high nibble h is kept.
pub(super) const KEPT_BY_LOW_NIBBLE: [u8; 16] = {
    let mut kept = [0; 16];
    let mut c = 0;
    while c < 128 {
        if ASCII[c] != DROPPED {
            kept[c & 15] |= 1 << (c >> 4);
        }
        c += 1;
    }
    kept
};

/// The bit to test by high nibble; 0 for non-ASCII bytes.
pub(super) const BIT_BY_HIGH_NIBBLE: [u8; 16] =
    [1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0];

/// For each mask of kept bytes among eight: their packed indexes.
static GATHER: [[u8; 8]; 256] = {
    let mut table = [[0x80; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut from, mut to) = (0, 0);
        while from < 8 {
            if mask >> from & 1 == 1 {
                table[mask][to] = from as u8;
                to += 1;
            }
            from += 1;
        }
        mask += 1;
    }
    table
};

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn ascii_run(input: &[u8], out: &mut Output) -> usize {
    let (blocks, _) = input.as_chunks::<16>();
    for (i, block) in blocks.iter().enumerate() {
        // SAFETY: `block` is 16 readable bytes.
        let bytes = unsafe { _mm_loadu_si128(block.as_ptr().cast()) };
        let ascii = (_mm_movemask_epi8(bytes) as u32 | 1 << 16).trailing_zeros();
        collapse_block(bytes, (1 << ascii) - 1, out);
        if ascii < 16 {
            return 16 * i + ascii as usize;
        }
    }
    let done = 16 * blocks.len();
    done + super::portable::ascii_run(&input[done..], out)
}

/// Collapses the bytes of `block` in the mask `lanes`, all of them ASCII.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn collapse_block(block: __m128i, lanes: u32, out: &mut Output) {
    let nibble = _mm_set1_epi8(15);
    // SAFETY: both tables are 16 bytes.
    let (kept_bits, bits) = unsafe {
        (
            _mm_loadu_si128(KEPT_BY_LOW_NIBBLE.as_ptr().cast()),
            _mm_loadu_si128(BIT_BY_HIGH_NIBBLE.as_ptr().cast()),
        )
    };
    let low = _mm_shuffle_epi8(kept_bits, _mm_and_si128(block, nibble));
    let high = _mm_shuffle_epi8(bits, _mm_and_si128(_mm_srli_epi16::<4>(block), nibble));
    let dropped = _mm_cmpeq_epi8(_mm_and_si128(low, high), _mm_setzero_si128());
    let kept = !_mm_movemask_epi8(dropped) as u32 & lanes;

    let from_a = _mm_sub_epi8(block, _mm_set1_epi8(b'A' as i8));
    let upper = _mm_cmpeq_epi8(_mm_min_epu8(from_a, _mm_set1_epi8(25)), from_a);
    let lower = _mm_add_epi8(block, _mm_and_si128(upper, _mm_set1_epi8(32)));

    for (half, mask) in [(lower, kept & 0xFF), (_mm_srli_si128::<8>(lower), kept >> 8)] {
        // SAFETY: the table's rows are 8 bytes; the output has room for the rest of the input,
        // which includes this part, and for a register. The counted bytes are ASCII of the input.
        unsafe {
            let together = _mm_loadl_epi64(GATHER[mask as usize].as_ptr().cast());
            _mm_storel_epi64(out.end().cast(), _mm_shuffle_epi8(half, together));
            out.advance(mask.count_ones() as usize);
        }
    }
}
