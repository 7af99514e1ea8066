//! The text of a code, on the stack.

use std::fmt::{self, Debug, Display, Formatter};
use std::ops::Deref;

use crate::base::base32::{BASE32, text_len};
use crate::code::CODE_BYTES_MAX;

/// The scheme of a canonical code.
pub(crate) const PREFIX: &str = "ISCC:";

/// Whole groups of eight characters, so that the encoder never meets the end of the buffer.
const TEXT_BYTES: usize = (PREFIX.len() + text_len(CODE_BYTES_MAX)).next_multiple_of(8);

/// Canonical text of a unit or an ISCC-CODE; behaves as a `str` that starts with `ISCC:`.
#[derive(Clone, Copy)]
pub struct CodeText {
    bytes: [u8; TEXT_BYTES],
    length: u8,
}

impl CodeText {
    /// Text of header and body.
    #[inline]
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut text = [0; TEXT_BYTES];
        text[..PREFIX.len()].copy_from_slice(PREFIX.as_bytes());
        let written = BASE32.encode_into(bytes, &mut text[PREFIX.len()..]);
        Self { bytes: text, length: (PREFIX.len() + written) as u8 }
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
        // Base32 is ASCII, so the default is never taken.
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
