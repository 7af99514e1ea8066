//! The header: four varnibbles, padded to whole bytes with a zero nibble.

use crate::{Error, varnibble};

/// Bytes of the longest header: four varnibbles of four nibbles.
pub const HEADER_BYTES_MAX: usize = 8;

/// The four numbers of a header, not validated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Header {
    /// MainType; 0 to 7 are known.
    pub main: u16,
    /// SubType; its meaning depends on the MainType.
    pub sub: u16,
    /// Version of the algorithm.
    pub version: u16,
    /// Length field; its meaning depends on the MainType.
    pub length: u16,
}

impl Header {
    /// Reads the header at the start of `bytes`; returns it with its length in bytes.
    ///
    /// Each header has exactly one encoding: the ranges of the varnibbles do not overlap, and a
    /// padding nibble that is not zero is an error.
    pub fn decode(bytes: &[u8]) -> Result<(Self, usize), Error> {
        let (main, at) = varnibble::decode(bytes, 0)?;
        let (sub, at) = varnibble::decode(bytes, at)?;
        let (version, at) = varnibble::decode(bytes, at)?;
        let (length, at) = varnibble::decode(bytes, at)?;
        // The last nibble was read, so this byte exists.
        if !at.is_multiple_of(2) && bytes[at / 2] & 15 != 0 {
            return Err(Error::HeaderFill);
        }
        Ok((Self { main, sub, version, length }, at.div_ceil(2)))
    }

    /// The bytes of the header, and how many of them are used.
    pub fn encode(self) -> Result<([u8; HEADER_BYTES_MAX], usize), Error> {
        let (mut bits, mut nibbles) = (0u64, 0);
        for field in [self.main, self.sub, self.version, self.length] {
            let (value, count) = varnibble::encode(field)?;
            bits = bits << (4 * count) | u64::from(value);
            nibbles += count;
        }
        // At least four nibbles, so the shift stays below 64.
        let bytes = (bits << (64 - 4 * nibbles)).to_be_bytes();
        Ok((bytes, nibbles.div_ceil(2)))
    }
}
