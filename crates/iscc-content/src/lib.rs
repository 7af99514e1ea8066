//! Codes of whole files, of the crates that read them and the crates that compute units. The addon, the module for browsers
//! and the program without Node.js use it, each with its own conversion of arguments and results.
//!
//! Design: docs/design/media.md.

pub mod compared;
pub mod picture;
pub mod sum;
pub mod text;
pub mod title;

use iscc_codec::{Kind, Unit};

/// Bits of the units of files. Shorter units are prefixes of these.
pub const UNIT_BITS: u32 = 256;

/// The unit of a digest, with prefix. Fails if no unit has so many `bits`.
pub fn unit(kind: Kind, digest: &[u8], bits: u32) -> Result<String, iscc_codec::Error> {
    Ok(Unit::new(kind, digest, bits as usize)?.to_string())
}
