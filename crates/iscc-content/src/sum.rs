//! Data- and Instance-Code of the bytes of a file.

use iscc_codec::{Error, IsccCode, Kind};
use iscc_units::instance;
use serde::Serialize;

use crate::unit;

/// The codes of bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SumCodes {
    /// ISCC-CODE of both units
    pub iscc: String,
    /// Data-Code and Instance-Code
    pub units: [String; 2],
    /// Number of bytes
    pub filesize: u64,
    /// Multihash in hexadecimal
    pub datahash: String,
}

/// The units of `bits`, and their ISCC-CODE. `wide` keeps 128 bits of each.
pub fn codes(sum: &iscc_units::sum::Sum, bits: u32, wide: bool) -> Result<SumCodes, Error> {
    let data = unit(Kind::DATA, &sum.data, bits)?;
    let instance = unit(Kind::INSTANCE, &sum.instance, bits)?;
    // A code needs units of at least 64 bits, or 128 for a wide one.
    let iscc = IsccCode::compose_text(&[&data, &instance], wide)?.to_string();
    Ok(SumCodes {
        iscc,
        units: [data, instance],
        filesize: sum.size,
        datahash: instance::multihash(&sum.instance),
    })
}
