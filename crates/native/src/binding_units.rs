//! Binding of `iscc-units`: units and simprints of bytes, files and text.

pub mod bytes;
pub mod file;
pub mod text;

use iscc_codec::Kind;

use crate::error::Result;

/// The unit of a digest, with prefix. Fails if no unit has so many `bits`.
pub(crate) fn unit(kind: Kind, digest: &[u8], bits: u32) -> Result<String> {
    Ok(iscc_content::unit(kind, digest, bits)?)
}
