//! Printable ASCII, 32 bytes at a time.

use std::arch::x86_64::*;

use super::clean_with;
use crate::kernels::utf8::Output;

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn clean(text: &str) -> String {
    clean_with(text, |input, out| printable_run(input, out))
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn printable_run(input: &[u8], out: &mut Output) -> usize {
    let (blocks, _) = input.as_chunks::<32>();
    for (i, block) in blocks.iter().enumerate() {
        // SAFETY: `block` is 32 readable bytes.
        let bytes = unsafe { _mm256_loadu_si256(block.as_ptr().cast()) };
        // Signed comparison: non-ASCII bytes are negative, so they are not above 0x1F.
        let above = _mm256_cmpgt_epi8(bytes, _mm256_set1_epi8(0x1F));
        let delete = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(0x7F));
        let printable = _mm256_movemask_epi8(_mm256_andnot_si256(delete, above)) as u32;
        let run = printable.trailing_ones() as usize;
        // SAFETY: the output has room for a register; the counted bytes are ASCII of the input.
        unsafe {
            _mm256_storeu_si256(out.end().cast(), bytes);
            out.advance(run);
        }
        if run < 32 {
            return 32 * i + run;
        }
    }
    let done = 32 * blocks.len();
    done + super::portable::printable_run(&input[done..], out)
}
