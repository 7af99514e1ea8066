//! ASCII, one byte at a time.

use super::{ASCII, DROPPED};
use crate::kernels::utf8::Output;

/// Collapses the ASCII characters at the start of `input`; returns their number.
pub(super) fn ascii_run(input: &[u8], out: &mut Output) -> usize {
    for (at, &byte) in input.iter().enumerate() {
        let Some(&form) = ASCII.get(usize::from(byte)) else { return at };
        let kept = usize::from(form != DROPPED);
        // SAFETY: the output has room for the rest of the input and for a register; each counted
        // byte is one ASCII character for one of the input.
        unsafe {
            out.end().write(form);
            out.advance(kept);
        }
    }
    input.len()
}
