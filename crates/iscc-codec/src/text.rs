//! The text of a code, without allocation.

use std::fmt::{self, Debug, Display, Formatter};
use std::ops::Deref;

use crate::base::base32::{BASE32, text_len};
use crate::limits::{GROUPS_MAX, PREFIX};

/// Canonical text of a unit or an ISCC-CODE. Dereferences to a `str` that starts with `ISCC:`.
#[derive(Clone, Copy)]
pub struct CodeText {
    bytes: [u8; PREFIX.len() + 8 * GROUPS_MAX],
    length: u8,
}

impl CodeText {
    /// Encodes header and body, the first `count` bytes of `padded`. Zeros must follow up to a
    /// whole group.
    #[inline]
    pub(crate) fn of(padded: &[u8], count: usize) -> Self {
        let length = (PREFIX.len() + text_len(count)) as u8;
        let mut text = Self { bytes: [0; _], length };
        let (prefix, digits) = text.bytes.split_at_mut(PREFIX.len());
        prefix.copy_from_slice(PREFIX.as_bytes());
        let groups = &padded.as_chunks().0[..count.div_ceil(5)];
        BASE32.encode_groups(groups, digits.as_chunks_mut().0);
        text
    }

    /// The text without `ISCC:`.
    #[inline]
    pub fn bare(&self) -> &str {
        &self[PREFIX.len()..]
    }
}

impl Deref for CodeText {
    type Target = str;

    #[inline]
    fn deref(&self) -> &str {
        // Base32 is ASCII, so the default is never used.
        std::str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or_default()
    }
}

impl Display for CodeText {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        out.pad(self)
    }
}

impl Debug for CodeText {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        Debug::fmt(&**self, out)
    }
}
