//! [`Code`]: any code, parsed from any accepted text; normalisation and validation.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use crate::code::IsccCode;
use crate::kind::Kind;
use crate::limits::HEADER_BYTES;
use crate::padded::Padded;
use crate::parse;
use crate::tables::MainType;
use crate::unit::{Unit, read_header};
use crate::units::Units;
use crate::{CodeText, Error};

/// Any code: an ISCC-CODE, or a single unit, ISCC-ID or Flake.
///
/// Parses text with or without `ISCC:`, in any case, with spaces around it or hyphens, or in
/// multiformat. Concatenated texts of several units parse as the ISCC-CODE of these units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    /// A single unit, ISCC-ID or Flake.
    Unit(Unit),
    /// An ISCC-CODE.
    Composite(IsccCode),
}

impl Code {
    /// Decodes header and body. Composes an ISCC-CODE from the headers and bodies of several units.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        Padded::new(bytes).map_or_else(|| sequence(bytes), |padded| Self::from_padded(&padded))
    }

    #[inline]
    fn from_padded(padded: &Padded) -> Result<Self, Error> {
        let (kind, expected) = read_header(padded.as_slice())?;
        if kind.main() == MainType::Iscc {
            return IsccCode::with_header(padded, (kind, expected)).map(Self::Composite);
        }
        if padded.count > HEADER_BYTES + expected {
            return sequence(padded.as_slice());
        }
        Unit::with_header(padded, (kind, expected)).map(Self::Unit)
    }

    /// MainType, SubType and version.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Unit(unit) => unit.kind(),
            Self::Composite(code) => code.kind(),
        }
    }

    /// The digest, or the concatenated digests of the units; 4 to 40 bytes.
    #[inline]
    pub fn body(&self) -> &[u8] {
        match self {
            Self::Unit(unit) => unit.body(),
            Self::Composite(code) => code.body(),
        }
    }

    /// The units in body order; for a single unit, that unit.
    pub fn units(&self) -> Units {
        match self {
            Self::Unit(unit) => {
                let mut units = Units::new();
                units.push(*unit);
                units
            }
            Self::Composite(code) => code.units(),
        }
    }

    /// Header and body.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Unit(unit) => unit.as_bytes(),
            Self::Composite(code) => code.as_bytes(),
        }
    }

    /// Canonical text, without allocation.
    #[inline]
    pub fn text(&self) -> CodeText {
        match self {
            Self::Unit(unit) => unit.text(),
            Self::Composite(code) => code.text(),
        }
    }
}

/// Composes an ISCC-CODE from concatenated units.
#[cold]
fn sequence(bytes: &[u8]) -> Result<Code, Error> {
    let mut units = Units::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let (unit, after) = Unit::read(rest)?;
        if !units.push(unit) {
            return Err(Error::TooManyUnits);
        }
        rest = after;
    }
    IsccCode::compose(&units, false).map(Code::Composite)
}

impl FromStr for Code {
    type Err = Error;

    #[inline]
    fn from_str(text: &str) -> Result<Self, Error> {
        match parse::tidy(text) {
            Some(padded) => Self::from_padded(&padded),
            None => Self::from_bytes(&parse::untidy(text)?),
        }
    }
}

impl Display for Code {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        Display::fmt(&self.text(), out)
    }
}

impl FromStr for IsccCode {
    type Err = Error;

    /// Accepts the same text as [`Code`], but rejects a single unit.
    fn from_str(text: &str) -> Result<Self, Error> {
        match text.parse()? {
            Code::Composite(code) => Ok(code),
            Code::Unit(unit) => Err(Error::NotACode(unit.kind().main())),
        }
    }
}

/// The canonical text of a code: `ISCC:` and upper-case base32 without `=`.
pub fn normalize(text: &str) -> Result<String, Error> {
    Ok((*text.parse::<Code>()?.text()).to_owned())
}

/// Whether a text is a code in canonical form, that is, equal to its [`normalize`]d form.
pub fn validate(text: &str) -> bool {
    text.parse::<Code>().is_ok_and(|code| *code.text() == *text)
}

/// The text without scheme, hyphens and surrounding white space; in multiformat, hyphens stay.
/// Validates nothing else.
pub fn clean(text: &str) -> Result<String, Error> {
    parse::clean(text)
}
