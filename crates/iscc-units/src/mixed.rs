//! Content-Code Mixed (ISO 24138): the similarity hash of the Content-Codes of an item's parts.

use crate::kernels::simhash::Simhash;
use crate::simd::{self, Level};

/// Bytes of a Content-Code's header.
const HEADER_BYTES: usize = 2;

/// MainType CONTENT, in the high half of the first header byte.
const MAINTYPE_CONTENT: u8 = 2;

/// Highest length field: 256 bits.
const LENGTH_FIELD_MAX: u8 = 7;

/// Why there is no Mixed-Code. Codes are counted from 0.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum MixedError {
    /// Fewer than two codes.
    #[error("codes: a Mixed-Code needs at least 2 Content-Codes, not {0}")]
    TooFew(usize),
    /// Not a multiple of 32 from 32 to 256.
    #[error("bits: {0} is not a multiple of 32 from 32 to 256")]
    Bits(usize),
    /// A header of another kind, or a body of another length than its header says.
    #[error("codes: number {0} is not the bytes of a Content-Code")]
    NotContent(usize),
    /// A code shorter than the Mixed-Code is to be.
    #[error("codes: number {index} has {has} bits, {wanted} are wanted")]
    TooShort {
        /// Which code.
        index: usize,
        /// Its bits.
        has: usize,
        /// The Mixed-Code's bits.
        wanted: usize,
    },
}

/// The Mixed-Code digest of decoded Content-Codes (header and body each) for a code of `bits` bits;
/// bytes beyond these are zero. Unlike other units, a shorter code is not a prefix of a longer one's
/// hash input: every code gives its first header byte and the first `bits / 8 - 1` body bytes.
pub fn digest(codes: &[&[u8]], bits: usize) -> Result<[u8; 32], MixedError> {
    digest_at(simd::level(), codes, bits)
}

/// [`digest`] with the kernels of a level.
pub fn digest_at(level: Level, codes: &[&[u8]], bits: usize) -> Result<[u8; 32], MixedError> {
    if codes.len() < 2 {
        return Err(MixedError::TooFew(codes.len()));
    }
    if bits == 0 || bits > 256 || !bits.is_multiple_of(32) {
        return Err(MixedError::Bits(bits));
    }
    let mut state = Simhash::new_at(level);
    for (index, code) in codes.iter().enumerate() {
        let body = content_body(code).ok_or(MixedError::NotContent(index))?;
        if 8 * body.len() < bits {
            return Err(MixedError::TooShort { index, has: 8 * body.len(), wanted: bits });
        }
        let mut part = [0; 32];
        part[0] = code[0];
        part[1..bits / 8].copy_from_slice(&body[..bits / 8 - 1]);
        state.update(&[part]);
    }
    // Beyond the wanted bits no part has a bit set, so none has the majority.
    Ok(state.digest())
}

fn content_body(code: &[u8]) -> Option<&[u8]> {
    let (header, body) = code.split_first_chunk::<HEADER_BYTES>()?;
    // Any SubType will do: the published conformance vectors mix codes with an unassigned one.
    let [maintype, _subtype] = halves(header[0]);
    let [version, length] = halves(header[1]);
    let is_content = maintype == MAINTYPE_CONTENT && version == 0;
    let is_whole = length <= LENGTH_FIELD_MAX && body.len() == 4 * (usize::from(length) + 1);
    (is_content && is_whole).then_some(body)
}

fn halves(byte: u8) -> [u8; 2] {
    [byte >> 4, byte & 15]
}
