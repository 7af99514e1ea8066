//! Data- and Instance-Code of bytes that arrive in pieces.

use iscc_codec::{IsccCode, Kind};
use iscc_units::{instance, sum};
use serde_json::{Value, json};

use crate::PIECE_BYTES;
use crate::error::Result;
use crate::units::unit;

/// A hasher and the buffer of its pieces.
pub struct Hasher {
    hasher: sum::SumHasher,
    pub piece: Box<[u8]>,
}

impl Hasher {
    pub fn new() -> Self {
        Self { hasher: sum::SumHasher::new(), piece: vec![0; PIECE_BYTES].into() }
    }

    /// Adds the first `length` bytes of the piece.
    pub fn update(&mut self, length: usize) {
        self.hasher.update(&self.piece[..length]);
    }

    pub fn finish(self, bits: u32, wide: bool) -> Result<Value> {
        result(&self.hasher.finish(), bits, wide)
    }
}

/// The units of `bits`, and their ISCC-CODE.
fn result(sum: &sum::Sum, bits: u32, wide: bool) -> Result<Value> {
    let data = unit(Kind::DATA, &sum.data, bits)?;
    let instance = unit(Kind::INSTANCE, &sum.instance, bits)?;
    // A code needs units of at least 64 bits, or 128 for a wide one.
    let iscc = IsccCode::compose_text(&[&data, &instance], wide)?.to_string();
    Ok(json!({
        "iscc": iscc,
        "units": [data, instance],
        "filesize": sum.size,
        "datahash": instance::multihash(&sum.instance),
    }))
}
