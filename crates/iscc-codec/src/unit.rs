//! A single unit: Meta-, Semantic-, Content-, Data- or Instance-Code; also ISCC-ID and Flake.

use std::fmt::{self, Debug, Display, Formatter};
use std::str::FromStr;

use crate::header::Header;
use crate::kind::Kind;
use crate::limits::{HEADER_BYTES, UNIT_BYTES_MAX};
use crate::padded::Padded;
use crate::parse;
use crate::tables::MainType;
use crate::{CodeText, Error};

/// One header with its body. ISCC-IDs and Flakes have the same form and count as units here;
/// ISCC-CODEs do not.
///
/// Parses text with or without `ISCC:`, in any case, with hyphens or in multiformat.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Unit {
    /// Header and body, then zeros.
    bytes: [u8; UNIT_BYTES_MAX.next_multiple_of(5)],
    /// Number of `bytes` in use.
    count: u8,
}

impl Unit {
    /// A unit of the first `bits` bits of `digest`. `bits` is a multiple of 32 up to 256 (for an
    /// ISCC-ID: 64, or 72, 80 or 96 with a counter).
    #[inline]
    pub fn new(kind: Kind, digest: &[u8], bits: usize) -> Result<Self, Error> {
        let bytes = bits / 8;
        if kind.main() == MainType::Iscc {
            return Err(Error::NotAUnit(MainType::Iscc));
        }
        if !bits.is_multiple_of(8) || kind.length_field(bytes).is_none() {
            return Err(Error::Bits { main: kind.main(), bits });
        }
        let too_short = || Error::DigestTooShort { needed: bits, actual: 8 * digest.len() };
        Ok(Self::filled(kind, digest.get(..bytes).ok_or_else(too_short)?))
    }

    /// A unit of a body whose length is known to be valid.
    #[inline]
    pub(crate) fn filled(kind: Kind, body: &[u8]) -> Self {
        let count = HEADER_BYTES + body.len();
        let length = kind.length_field(body.len()).unwrap_or(0) as u8;
        let mut bytes = [0; _];
        bytes[..HEADER_BYTES].copy_from_slice(&header_bytes(kind, length));
        bytes[HEADER_BYTES..count].copy_from_slice(body);
        Self { bytes, count: count as u8 }
    }

    /// Decodes header and body; `bytes` must end with the body.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let (_, expected) = read_header(bytes)?;
        let actual = bytes.len() - HEADER_BYTES;
        let padded = Padded::new(bytes).ok_or(Error::BodyLength { expected, actual })?;
        Self::from_padded(&padded)
    }

    #[inline]
    pub(crate) fn from_padded(padded: &Padded) -> Result<Self, Error> {
        Self::with_header(padded, read_header(padded.as_slice())?)
    }

    /// Validates a code whose header states `kind` and a body of `expected` bytes.
    #[inline]
    pub(crate) fn with_header(
        padded: &Padded,
        (kind, expected): (Kind, usize),
    ) -> Result<Self, Error> {
        if kind.main() == MainType::Iscc {
            return Err(Error::NotAUnit(MainType::Iscc));
        }
        let actual = padded.count - HEADER_BYTES;
        if actual != expected {
            return Err(Error::BodyLength { expected, actual });
        }
        let [bytes @ .., _, _, _, _, _, _, _, _, _, _] = padded.bytes;
        Ok(Self { bytes, count: padded.count as u8 })
    }

    /// Decodes the unit at the start of `bytes`; returns it with the remaining bytes.
    pub fn read(bytes: &[u8]) -> Result<(Self, &[u8]), Error> {
        let (_, expected) = read_header(bytes)?;
        let body = &bytes[HEADER_BYTES..];
        if body.len() < expected {
            return Err(Error::BodyLength { expected, actual: body.len() });
        }
        let (unit, rest) = bytes.split_at(HEADER_BYTES + expected);
        Ok((Self::from_bytes(unit)?, rest))
    }

    /// MainType, SubType and version.
    #[inline]
    pub fn kind(&self) -> Kind {
        Kind::of_checked_header([self.bytes[0], self.bytes[1]])
    }

    /// The digest, 4 to 32 bytes.
    #[inline]
    pub fn body(&self) -> &[u8] {
        &self.as_bytes()[HEADER_BYTES..]
    }

    /// Length of the body in bits.
    #[inline]
    pub fn bits(&self) -> usize {
        8 * (usize::from(self.count) - HEADER_BYTES)
    }

    /// Header and body.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.count)]
    }

    /// The same unit with fewer bits. A shorter unit is a prefix of the longer one.
    pub fn truncated(&self, bits: usize) -> Result<Self, Error> {
        Self::new(self.kind(), self.body(), bits)
    }

    /// Canonical text, without allocation.
    #[inline]
    pub fn text(&self) -> CodeText {
        CodeText::of(&self.bytes, usize::from(self.count))
    }
}

/// The two bytes of a header whose fields are all below eight.
#[inline]
pub(crate) fn header_bytes(kind: Kind, length: u8) -> [u8; HEADER_BYTES] {
    [(kind.main() as u8) << 4 | kind.sub(), (kind.version() as u8) << 4 | length]
}

/// Reads and validates the header at the start of `bytes`; returns its kind and the length of the
/// body in bytes. Every valid header has [`HEADER_BYTES`] bytes.
#[inline]
pub(crate) fn read_header(bytes: &[u8]) -> Result<(Kind, usize), Error> {
    let header = match *bytes {
        // Four nibbles below eight are four varnibbles.
        [first, second, ..] if (first | second) & 0x88 == 0 => Header {
            main: u16::from(first >> 4),
            sub: u16::from(first & 15),
            version: u16::from(second >> 4),
            length: u16::from(second & 15),
        },
        _ => Header::decode(bytes)?.0,
    };
    let kind = Kind::new(header.main, header.sub, header.version)?;
    let invalid_length = || Error::Length { main: kind.main(), length: header.length };
    Ok((kind, kind.body_bytes(header.length).ok_or_else(invalid_length)?))
}

impl FromStr for Unit {
    type Err = Error;

    #[inline]
    fn from_str(text: &str) -> Result<Self, Error> {
        match parse::tidy(text) {
            Some(padded) => Self::from_padded(&padded),
            None => Self::from_bytes(&parse::untidy(text)?),
        }
    }
}

impl Display for Unit {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        Display::fmt(&self.text(), out)
    }
}

impl Debug for Unit {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        Debug::fmt(&self.text(), out)
    }
}
