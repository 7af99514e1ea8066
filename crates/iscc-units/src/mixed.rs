//! Content-Code Mixed (ISO 24138): the similarity hash of several Content-Codes.

use crate::kernels::simhash::Simhash;
use crate::simd::{self, Level};

/// Bytes of a Content-Code's header.
const HEADER_BYTES: usize = 2;

/// MainType Content, the upper half of the first header byte.
const MAINTYPE_CONTENT: u8 = 2;

/// Maximum length field: 256 bits.
const LENGTH_FIELD_MAX: u8 = 7;

/// The reason that a Mixed-Code cannot be computed. Indexes start at 0.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum MixedError {
    /// Fewer than two codes.
    #[error("codes: a Mixed-Code needs at least 2 Content-Codes, not {0}")]
    TooFew(usize),
    /// `bits` is not a multiple of 32 from 32 to 256.
    #[error("bits: {0} is not a multiple of 32 from 32 to 256")]
    Bits(usize),
    /// The header is of another kind, or the body has another length than the header states.
    #[error("codes: number {0} is not a Content-Code in bytes")]
    NotContent(usize),
    /// A code is shorter than the requested Mixed-Code.
    #[error("codes: number {index} has {has} bits, but {wanted} are required")]
    TooShort {
        /// Index of the code.
        index: usize,
        /// Bits of the code.
        has: usize,
        /// Bits of the Mixed-Code.
        wanted: usize,
    },
}

/// The Mixed-Code digest of decoded Content-Codes (header and body), for a code of `bits` bits;
/// later bytes are zero. Each code contributes its first header byte and the first `bits / 8 - 1`
/// bytes of its body. So, unlike other units, a shorter code is not a prefix of a longer one.
pub fn digest(codes: &[&[u8]], bits: usize) -> Result<[u8; 32], MixedError> {
    digest_at(simd::level(), codes, bits)
}

/// [`digest`] at a given SIMD level.
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
    // No input has bits set after `bits`, so these are zero.
    Ok(state.digest())
}

fn content_body(code: &[u8]) -> Option<&[u8]> {
    let (header, body) = code.split_first_chunk::<HEADER_BYTES>()?;
    // Any SubType is accepted: the published conformance vectors use an unassigned one.
    let [maintype, _subtype] = halves(header[0]);
    let [version, length] = halves(header[1]);
    let is_content = maintype == MAINTYPE_CONTENT && version == 0;
    let is_whole = length <= LENGTH_FIELD_MAX && body.len() == 4 * (usize::from(length) + 1);
    (is_content && is_whole).then_some(body)
}

fn halves(byte: u8) -> [u8; 2] {
    [byte >> 4, byte & 15]
}
