//! Units: a type and up to 256 bits.

use iscc_codec::{IsccCode, Kind, MainType};

use crate::code::{self, CodeError};
use crate::column::Body;

/// What a unit is. Its `Display` is the name that clients know, for example `CONTENT_TEXT_V0`.
pub type UnitType = Kind;

/// SubType of an ISCC-CODE of a 128-bit Data- and a 128-bit Instance-Code.
const WIDE: u8 = 7;

/// Whether units of the type match by prefix rather than by similarity.
pub fn is_instance(kind: UnitType) -> bool {
    kind.main() == MainType::Instance
}

/// A unit's bytes and what they say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unit {
    /// Type of the unit.
    pub kind: UnitType,
    /// Body of the unit.
    pub body: Body,
}

impl Unit {
    /// A unit to be stored: no code or ISCC-ID, as long as its header says.
    pub fn stored(bytes: &[u8]) -> Result<Self, CodeError> {
        let (kind, _, _) = code::split(bytes)?;
        if matches!(kind.main(), MainType::Iscc | MainType::Id) {
            return Err(CodeError::NotAUnit(code::encode(bytes)));
        }
        Self::new(kind, iscc_codec::Unit::from_bytes(bytes)?.body())
    }

    /// A unit to search with. Any type and length is taken: what nothing is stored for finds
    /// nothing.
    pub fn searched(bytes: &[u8]) -> Result<Self, CodeError> {
        let (kind, _, body) = code::split(bytes)?;
        Self::new(kind, body)
    }

    fn new(kind: UnitType, body: &[u8]) -> Result<Self, CodeError> {
        Ok(Self { kind, body: Body::new(body).ok_or(CodeError::Length(body.len() * 8))? })
    }
}

/// Units of a code to be stored: an ISCC-CODE, a unit, or a chain of units, of full length.
pub fn decompose_stored(code: &[u8]) -> Result<Vec<Unit>, CodeError> {
    let (kind, _, _) = code::split(code)?;
    if kind.main() == MainType::Iscc {
        let units = IsccCode::from_bytes(code)?.units();
        return units.iter().map(|unit| Unit::new(unit.kind(), unit.body())).collect();
    }
    decompose(code)?.iter().map(|unit| Unit::stored(unit)).collect()
}

/// Splits an ISCC-CODE, a unit or a chain of units into units (each header and body).
///
/// A body that is shorter than its header says gives shorter units: clients may search with the
/// beginning of a code.
pub fn decompose(code: &[u8]) -> Result<Vec<Vec<u8>>, CodeError> {
    let mut units = Vec::new();
    let mut rest = code;
    while !rest.is_empty() {
        let (kind, length, body) = code::split(rest)?;
        if kind.main() == MainType::Iscc {
            units.extend(decompose_code(kind, length, body)?);
            break;
        }
        let bytes = match kind.main() {
            MainType::Id => body.len(),
            _ => (usize::from(length) + 1) * 4,
        };
        let (own, after) = body.split_at(bytes.min(body.len()));
        units.push([&rest[..rest.len() - body.len()], own].concat());
        rest = after;
    }
    Ok(units)
}

/// Units of an ISCC-CODE: 64 bits each, or twice 128.
fn decompose_code(kind: Kind, length: u16, body: &[u8]) -> Result<Vec<Vec<u8>>, CodeError> {
    let part = |from: usize, to: usize| &body[from.min(body.len())..to.min(body.len())];
    if kind.sub() == WIDE {
        return Ok(vec![
            unit_bytes(Kind::DATA, 128, part(0, 16)),
            unit_bytes(Kind::INSTANCE, 128, part(16, 32)),
        ]);
    }
    let of_sub = |main| Kind::new(main, u16::from(kind.sub()), 0);
    let mut units = Vec::with_capacity(5);
    // The length field tells which optional units there are, one bit each.
    for bit in [4, 2, 1].into_iter().filter(|bit| length & bit != 0) {
        let kind = match bit {
            4 => Kind::META,
            2 => of_sub(MainType::Semantic as u16)?,
            _ => of_sub(MainType::Content as u16)?,
        };
        let start = units.len() * 8;
        units.push(unit_bytes(kind, 64, part(start, start + 8)));
    }
    // Data- and Instance-Code are the last sixteen bytes, whatever comes before them.
    let (data, instance) = (body.len().saturating_sub(16), body.len().saturating_sub(8));
    units.push(unit_bytes(Kind::DATA, 64, &body[data..instance]));
    units.push(unit_bytes(Kind::INSTANCE, 64, &body[instance..]));
    Ok(units)
}

/// Header and body of a unit that is `bits` long, or would be.
fn unit_bytes(kind: Kind, bits: u8, body: &[u8]) -> Vec<u8> {
    let header =
        [(kind.main() as u8) << 4 | kind.sub(), (kind.version() as u8) << 4 | (bits / 32 - 1)];
    [&header, body].concat()
}

/// The ISCC-CODE that units form, if they form one.
pub fn compose(units: &[Unit]) -> Option<Vec<u8>> {
    let whole = |unit: &Unit| {
        iscc_codec::Unit::new(unit.kind, &unit.body.to_bytes(), usize::from(unit.body.bits())).ok()
    };
    let units: Vec<iscc_codec::Unit> = units.iter().map(whole).collect::<Option<_>>()?;
    Some(IsccCode::compose(&units, true).ok()?.as_bytes().to_vec())
}
