//! Printable ASCII, eight bytes at a time.

use super::is_printable;
use crate::kernels::utf8::Output;

/// Copies the printable ASCII characters at the start of `input`; returns their number.
pub(super) fn printable_run(input: &[u8], out: &mut Output) -> usize {
    let (words, _) = input.as_chunks::<8>();
    let run = 8 * words.iter().take_while(|word| all_printable(**word)).count();
    let run = run + input[run..].iter().take_while(|byte| is_printable(**byte)).count();
    // SAFETY: the output has room for the rest of the input, which includes this part; ASCII bytes
    // are whole characters.
    unsafe {
        out.end().copy_from_nonoverlapping(input.as_ptr(), run);
        out.advance(run);
    }
    run
}

/// Whether all bytes are from space to tilde, using sums that carry into the highest bits.
fn all_printable(word: [u8; 8]) -> bool {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    let word = u64::from_ne_bytes(word);
    let low = word & !HIGH;
    let at_least_space = low + ONES * 0x60;
    let above_tilde = low + ONES;
    word & HIGH == 0 && at_least_space & HIGH == HIGH && above_tilde & HIGH == 0
}
