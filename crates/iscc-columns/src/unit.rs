//! ISCC-UNITs: a type and up to 256 bits.

use iscc_codec::{IsccCode, Kind, MainType};

use crate::code::{self, CodeError};
use crate::column::Body;

/// Type of a unit. Displays as the name in responses, for example `CONTENT_TEXT_V0`.
pub type UnitType = Kind;

/// SubType of an ISCC-CODE with a 128-bit Data-Code and a 128-bit Instance-Code.
const WIDE: u8 = 7;

/// Whether units of a type match by prefix instead of similarity.
pub fn is_instance(kind: UnitType) -> bool {
    kind.main() == MainType::Instance
}

/// Whether units of a type stand for the content of a file, not for its bytes: many files may share one.
pub fn is_of_content(kind: UnitType) -> bool {
    matches!(kind.main(), MainType::Meta | MainType::Semantic | MainType::Content)
}

/// A decoded unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unit {
    /// Type of the unit.
    pub kind: UnitType,
    /// Body of the unit.
    pub body: Body,
}

impl Unit {
    /// Decodes a unit to store. Its length must be that of its header; ISCC-CODEs and ISCC-IDs are rejected.
    pub fn stored(bytes: &[u8]) -> Result<Self, CodeError> {
        let (kind, _, _) = code::split(bytes)?;
        if matches!(kind.main(), MainType::Iscc | MainType::Id) {
            return Err(CodeError::NotAUnit(code::encode(bytes)));
        }
        Self::new(kind, iscc_codec::Unit::from_bytes(bytes)?.body())
    }

    /// Decodes a unit to search with. Accepts any type and length: types that are not stored match nothing.
    pub fn searched(bytes: &[u8]) -> Result<Self, CodeError> {
        let (kind, _, body) = code::split(bytes)?;
        Self::new(kind, body)
    }

    /// Whether this is an Image-Code without features, whose matches mean nothing.
    pub fn is_featureless(&self) -> bool {
        iscc_codec::is_featureless(self.kind, &self.body.to_bytes())
    }

    /// The unit as text.
    pub fn text(&self) -> String {
        code::encode(&unit_bytes(self.kind, self.body.bits(), &self.body.to_bytes()))
    }

    fn new(kind: UnitType, body: &[u8]) -> Result<Self, CodeError> {
        Ok(Self { kind, body: Body::new(body).ok_or(CodeError::Length(body.len() * 8))? })
    }
}

/// Units of a code to store: an ISCC-CODE, a unit, or a sequence of units, all of full length.
pub fn decompose_stored(code: &[u8]) -> Result<Vec<Unit>, CodeError> {
    let (kind, _, _) = code::split(code)?;
    if kind.main() == MainType::Iscc {
        let units = IsccCode::from_bytes(code)?.units();
        return units.iter().map(|unit| Unit::new(unit.kind(), unit.body())).collect();
    }
    decompose(code)?.iter().map(|unit| Unit::stored(unit)).collect()
}

/// Splits an ISCC-CODE, a unit or a sequence of units into units, each as header and body.
///
/// A body shorter than its header says yields shorter units, so that clients can search with the start of a code.
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

/// Units of an ISCC-CODE: of 64 bits each, or two of 128 bits in the wide form.
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
    // Each bit of the length field stands for an optional unit.
    for bit in [4, 2, 1].into_iter().filter(|bit| length & bit != 0) {
        let kind = match bit {
            4 => Kind::META,
            2 => of_sub(MainType::Semantic as u16)?,
            _ => of_sub(MainType::Content as u16)?,
        };
        let start = units.len() * 8;
        units.push(unit_bytes(kind, 64, part(start, start + 8)));
    }
    // Data-Code and Instance-Code are always the last 16 bytes.
    let (data, instance) = (body.len().saturating_sub(16), body.len().saturating_sub(8));
    units.push(unit_bytes(Kind::DATA, 64, &body[data..instance]));
    units.push(unit_bytes(Kind::INSTANCE, 64, &body[instance..]));
    Ok(units)
}

/// Header and body of a unit of `bits` bits. The body may be shorter.
fn unit_bytes(kind: Kind, bits: u16, body: &[u8]) -> Vec<u8> {
    let header = [
        (kind.main() as u8) << 4 | kind.sub(),
        (kind.version() as u8) << 4 | (bits / 32 - 1) as u8,
    ];
    [&header, body].concat()
}

/// Composes units into an ISCC-CODE. Returns `None` if they do not form one.
pub fn compose(units: &[Unit]) -> Option<Vec<u8>> {
    let whole = |unit: &Unit| {
        iscc_codec::Unit::new(unit.kind, &unit.body.to_bytes(), usize::from(unit.body.bits())).ok()
    };
    let units: Vec<iscc_codec::Unit> = units.iter().map(whole).collect::<Option<_>>()?;
    Some(IsccCode::compose(&units, true).ok()?.as_bytes().to_vec())
}
