//! Data- and Instance-Code of bytes that arrive in pieces.

use iscc_content::sum;
use iscc_units::sum::SumHasher;
use serde_json::Value;

use crate::PIECE_BYTES;
use crate::error::{Failure, Result};

/// A hasher and the buffer of its pieces.
pub struct Hasher {
    hasher: SumHasher,
    pub piece: Box<[u8]>,
}

impl Hasher {
    pub fn new() -> Self {
        Self { hasher: SumHasher::new(), piece: vec![0; PIECE_BYTES].into() }
    }

    /// Adds the first `length` bytes of the piece.
    pub fn update(&mut self, length: usize) {
        self.hasher.update(&self.piece[..length]);
    }

    pub fn finish(self, bits: u32, wide: bool) -> Result<Value> {
        let codes = sum::codes(&self.hasher.finish(), bits, wide)?;
        serde_json::to_value(codes).map_err(|error| Failure::new("INTERNAL", error))
    }
}
