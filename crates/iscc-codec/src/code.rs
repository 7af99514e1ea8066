//! ISCC-CODE: several units under one header.
//!
//! The length field is a mask of the optional units: 1 Content, 2 Semantic, 4 Meta. The body has
//! 64 bits of each unit in the order of MainTypes, Data and Instance last. SubType WIDE has no
//! optional units and 128 bits of Data and of Instance.

use std::fmt::{self, Debug, Display, Formatter};

use crate::kind::Kind;
use crate::limits::{GROUPS_MAX, HEADER_BYTES};
use crate::padded::Padded;
use crate::tables::{MainType, Mode, iscc_sub};
use crate::unit::{Unit, header_bytes, read_header};
use crate::units::Units;
use crate::{CodeText, Error};

/// Bits per unit in an ISCC-CODE, and in a WIDE one.
const PART_BITS: usize = 64;
const WIDE_PART_BITS: usize = 128;

/// The optional units with their bits in the mask, in body order.
const OPTIONAL: [(MainType, u8); 3] =
    [(MainType::Meta, 4), (MainType::Semantic, 2), (MainType::Content, 1)];

/// A composite of Data, Instance and up to three other units.
///
/// Always canonical: the SubType follows from the units.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IsccCode {
    /// Header and body, then zeros.
    bytes: [u8; 5 * GROUPS_MAX],
    /// Length of header and body in bytes.
    count: u8,
}

impl IsccCode {
    /// Builds the code from two to five units in any order.
    ///
    /// `wide` keeps 128 bits per unit if the only units are Data and Instance and both have at least
    /// 128 bits; otherwise it has no effect.
    ///
    /// # Errors
    /// A unit below 64 bits; a missing Data- or Instance-Code; an ISCC-ID or Flake; two units of
    /// the same MainType; Semantic- and Content-Code of different SubTypes.
    pub fn compose(units: &[Unit], wide: bool) -> Result<Self, Error> {
        let sorted = sorted(units)?;
        let [optional @ .., data, instance] = &*sorted else { return Err(Error::TooFewUnits) };
        let statics = (data.kind(), instance.kind()) == (Kind::DATA, Kind::INSTANCE);
        if !statics {
            return Err(Error::DataOrInstanceMissing);
        }
        let wide = wide && optional.is_empty();
        if wide && data.bits() >= WIDE_PART_BITS && instance.bits() >= WIDE_PART_BITS {
            return Ok(Self::filled(iscc_sub::WIDE, 0, &sorted, WIDE_PART_BITS / 8));
        }
        let mut mask = 0;
        let mut mode = None;
        for unit in optional {
            let main = unit.kind().main();
            let bit = OPTIONAL.iter().find(|&&(other, _)| other == main).map_or(0, |&(_, bit)| bit);
            if bit == 0 || mask & bit != 0 {
                return Err(Error::DuplicateUnit(main));
            }
            mask |= bit;
            if main != MainType::Meta
                && mode.replace(unit.kind().sub()).is_some_and(|other| other != unit.kind().sub())
            {
                return Err(Error::SubTypesDiffer);
            }
        }
        let without = if optional.is_empty() { iscc_sub::SUM } else { iscc_sub::NONE };
        Ok(Self::filled(mode.unwrap_or(without), mask, &sorted, PART_BITS / 8))
    }

    /// Builds the code from units given as text.
    pub fn compose_text<T: AsRef<str>>(units: &[T], wide: bool) -> Result<Self, Error> {
        let mut parsed = Units::new();
        for text in units {
            if !parsed.push(text.as_ref().parse()?) {
                return Err(Error::TooManyUnits);
            }
        }
        Self::compose(&parsed, wide)
    }

    /// A code whose SubType and mask are known to match the units.
    #[inline]
    fn filled(sub: u8, mask: u8, units: &[Unit], part_bytes: usize) -> Self {
        let mut bytes = [0; _];
        let (header, body) = <[u8]>::split_at_mut(&mut bytes, HEADER_BYTES);
        header.copy_from_slice(&header_bytes(Kind::iscc(sub), mask));
        for (place, unit) in body.chunks_exact_mut(part_bytes).zip(units) {
            place.copy_from_slice(&unit.body()[..part_bytes]);
        }
        Self { bytes, count: (HEADER_BYTES + units.len() * part_bytes) as u8 }
    }

    /// Decodes header and body; `bytes` must end with the body.
    ///
    /// Replaces a SubType that contradicts the units by the correct one, as the reference does when
    /// it normalises. SUM or NONE with a Semantic or Content unit is an error.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let (kind, expected) = read_header(bytes)?;
        let actual = bytes.len() - HEADER_BYTES;
        let padded = Padded::new(bytes).ok_or(Error::BodyLength { expected, actual })?;
        Self::with_header(&padded, (kind, expected))
    }

    /// Validates a code whose header states `kind` and a body of `expected` bytes.
    #[inline]
    pub(crate) fn with_header(
        padded: &Padded,
        (kind, expected): (Kind, usize),
    ) -> Result<Self, Error> {
        if kind.main() != MainType::Iscc {
            return Err(Error::NotACode(kind.main()));
        }
        let actual = padded.count - HEADER_BYTES;
        if actual != expected {
            return Err(Error::BodyLength { expected, actual });
        }
        let mut bytes = padded.bytes;
        let mask = bytes[1] & 7;
        let (sub, mask) = match (kind.sub(), mask) {
            (iscc_sub::WIDE, _) => (iscc_sub::WIDE, 0),
            (_, 0) => (iscc_sub::SUM, 0),
            (_, 4) => (iscc_sub::NONE, 4),
            (sub, mask) if sub <= Mode::Mixed as u8 => (sub, mask),
            (sub, _) => return Err(Error::SubType { main: MainType::Content, sub: sub.into() }),
        };
        [bytes[0], bytes[1]] = header_bytes(Kind::iscc(sub), mask);
        Ok(Self { bytes, count: padded.count as u8 })
    }

    /// The kind: MainType ISCC, version 0, and the SubType.
    pub fn kind(&self) -> Kind {
        Kind::iscc(self.sub())
    }

    #[inline]
    fn sub(&self) -> u8 {
        self.bytes[0] & 15
    }

    /// Bits of the optional units that are present.
    #[inline]
    fn mask(&self) -> u8 {
        self.bytes[1] & 7
    }

    /// Header and body.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.count)]
    }

    /// The concatenated digests of the units, 16 to 40 bytes.
    #[inline]
    pub fn body(&self) -> &[u8] {
        &self.as_bytes()[HEADER_BYTES..]
    }

    /// The units in body order, 64 bits each (WIDE: 128).
    pub fn units(&self) -> Units {
        let wide = self.sub() == iscc_sub::WIDE;
        let mut parts = self.body().chunks_exact(if wide { WIDE_PART_BITS } else { PART_BITS } / 8);
        let mut units = Units::new();
        let kinds =
            OPTIONAL.iter().filter(|&&(_, bit)| self.mask() & bit != 0).map(|&(main, _)| {
                let sub = if main == MainType::Meta { 0 } else { self.sub() };
                Kind::of_unit(main, sub)
            });
        for kind in kinds.chain([Kind::DATA, Kind::INSTANCE]) {
            if let Some(part) = parts.next() {
                units.push(Unit::filled(kind, part));
            }
        }
        units
    }

    /// Initials of the units in body order for readable forms: `DI` to `MSCDI`.
    pub(crate) fn letters(&self) -> &'static str {
        ["DI", "CDI", "SDI", "SCDI", "MDI", "MCDI", "MSDI", "MSCDI"][usize::from(self.mask())]
    }

    /// Canonical text, without allocation.
    #[inline]
    pub fn text(&self) -> CodeText {
        CodeText::of(&self.bytes, usize::from(self.count))
    }
}

/// The units sorted by MainType. Checks their lengths.
fn sorted(units: &[Unit]) -> Result<Units, Error> {
    if units.len() < 2 {
        return Err(Error::TooFewUnits);
    }
    let mut sorted = Units::new();
    for unit in units {
        if unit.bits() < PART_BITS {
            return Err(Error::UnitTooShort(unit.text().bare().to_owned()));
        }
        if !sorted.push(*unit) {
            return Err(Error::TooManyUnits);
        }
    }
    sorted.sort();
    Ok(sorted)
}

impl Display for IsccCode {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        Display::fmt(&self.text(), out)
    }
}

impl Debug for IsccCode {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        Debug::fmt(&self.text(), out)
    }
}
