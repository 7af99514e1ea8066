//! Instance-Code (ISO 24138): BLAKE3 of all bytes.

use crate::segments::{self, Wanted};
use crate::simd;

/// Multihash prefix of a 32-byte BLAKE3 digest: function 0x1e, length 0x20.
pub const MULTIHASH_BLAKE3_256: [u8; 2] = [0x1e, 0x20];

/// The Instance-Code digest of `data`.
pub fn digest(data: &[u8]) -> [u8; 32] {
    *blake3::hash(data).as_bytes()
}

/// [`digest`] on `threads` threads including the current one. Pays off from some MiB.
pub fn digest_parallel(data: &[u8], threads: usize) -> [u8; 32] {
    let Ok(sum) = segments::run(simd::level(), data, threads, Wanted::Instance);
    sum.instance
}

/// A digest as a multihash in lower-case hexadecimal, 68 characters: the reference's `datahash` and
/// `metahash`.
pub fn multihash(digest: &[u8; 32]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    MULTIHASH_BLAKE3_256
        .iter()
        .chain(digest)
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| char::from(DIGITS[usize::from(digit)]))
        .collect()
}

/// Instance-Code of data that arrives in pieces.
#[derive(Clone, Debug, Default)]
pub struct InstanceHasher {
    hasher: blake3::Hasher,
}

impl InstanceHasher {
    /// A hasher without data.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next piece.
    pub fn update(&mut self, piece: &[u8]) {
        self.hasher.update(piece);
    }

    /// The digest of all pieces.
    pub fn finish(self) -> [u8; 32] {
        *self.hasher.finalize().as_bytes()
    }

    /// Number of bytes so far.
    pub fn len(&self) -> u64 {
        self.hasher.count()
    }

    /// Whether it has no bytes yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
