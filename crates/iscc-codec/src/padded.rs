//! Header and body of one code, without allocation.

use crate::limits::GROUPS_MAX;

/// Bytes of a code (or of a few short units), followed by zeros up to a whole number of groups.
///
/// The fixed size lets copies compile without a loop and base32 work on whole groups only.
#[derive(Clone, Copy)]
pub(crate) struct Padded {
    pub(crate) bytes: [u8; 5 * GROUPS_MAX],
    /// Number of `bytes` in use.
    pub(crate) count: usize,
}

impl Padded {
    /// `None` if `code` is longer than any code.
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
