//! Header and body of one code on the stack.

use crate::limits::GROUPS_MAX;

/// Bytes of a code (or of few short units), followed by zeros up to a whole number of groups.
///
/// The size is fixed, so copies need no loop, and base32 has no rest to treat.
#[derive(Clone, Copy)]
pub(crate) struct Padded {
    pub(crate) bytes: [u8; 5 * GROUPS_MAX],
    /// How many of `bytes` count.
    pub(crate) count: usize,
}

impl Padded {
    /// `None` for what is longer than any code.
    #[inline]
    pub(crate) fn new(code: &[u8]) -> Option<Self> {
        let mut bytes = [0; _];
        <[u8]>::get_mut(&mut bytes, ..code.len())?.copy_from_slice(code);
        Some(Self { bytes, count: code.len() })
    }

    #[inline]
    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.count]
    }
}
