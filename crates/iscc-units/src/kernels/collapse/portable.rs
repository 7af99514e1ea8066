//! ASCII a byte at a time.

use super::{ASCII, DROPPED};
use crate::kernels::utf8::Output;

/// Collapses the ASCII characters at the start of `input`; returns how many there are.
pub(super) fn ascii_run(input: &[u8], out: &mut Output) -> usize {
    for (at, &byte) in input.iter().enumerate() {
        let Some(&form) = ASCII.get(usize::from(byte)) else { return at };
        let kept = usize::from(form != DROPPED);
        // SAFETY: the output has room for the rest of the input and a register more; what is
        // counted is one ASCII character for one of the input.
        unsafe {
            out.end().write(form);
            out.advance(kept);
        }
    }
    input.len()
}
