//! A single unit: Meta-, Semantic-, Content-, Data- or Instance-Code; also ISCC-ID and Flake.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use crate::header::Header;
use crate::kind::Kind;
use crate::read::{self, Buffer};
use crate::tables::MainType;
use crate::{CodeText, Error};

/// Bytes of the longest body of a unit.
pub const BODY_BYTES_MAX: usize = 32;

/// Bytes of every unit's header: all legal fields are below eight, so a nibble each.
pub(crate) const HEADER_BYTES: usize = 2;

/// One header with its body. ISCC-IDs and Flakes have the same form and count as units here;
/// an ISCC-CODE does not.
///
/// Parsed from text with or without `ISCC:`, of any case, with hyphens or in multiformat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Unit {
    kind: Kind,
    /// Bytes of `body` that count; the others are zero.
    bytes: u8,
    body: [u8; BODY_BYTES_MAX],
}

impl Unit {
    /// The unit of so many bits that `digest` starts with. `bits` is a multiple of 32 up to 256
    /// (ISCC-ID: 64, and 72, 80 or 96 with a counter).
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

    /// A unit whose body is already known to have a legal length.
    #[inline]
    pub(crate) fn filled(kind: Kind, bytes: &[u8]) -> Self {
        let mut body = [0; BODY_BYTES_MAX];
        body[..bytes.len()].copy_from_slice(bytes);
        Self { kind, bytes: bytes.len() as u8, body }
    }

    /// Decodes header and body; the bytes must end where the body does.
    #[inline]
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let (kind, expected) = read_header(bytes)?;
        if kind.main() == MainType::Iscc {
            return Err(Error::NotAUnit(MainType::Iscc));
        }
        let body = &bytes[HEADER_BYTES..];
        if body.len() != expected {
            return Err(Error::BodyLength { expected, actual: body.len() });
        }
        Ok(Self::filled(kind, body))
    }

    /// Decodes the unit that `bytes` start with; returns it with the bytes after it.
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
        self.kind
    }

    /// The digest, 4 to 32 bytes.
    #[inline]
    pub fn body(&self) -> &[u8] {
        &self.body[..usize::from(self.bytes)]
    }

    /// Bits of the body.
    #[inline]
    pub fn bits(&self) -> usize {
        8 * usize::from(self.bytes)
    }

    /// The same unit with fewer bits; every shorter unit is a prefix of the longer one.
    pub fn truncated(&self, bits: usize) -> Result<Self, Error> {
        Self::new(self.kind, self.body(), bits)
    }

    /// Appends header and body to `out`.
    pub fn append_to(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.header());
        out.extend_from_slice(self.body());
    }

    /// Header and body.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER_BYTES + self.body().len());
        self.append_to(&mut bytes);
        bytes
    }

    #[inline]
    pub(crate) fn header(&self) -> [u8; HEADER_BYTES] {
        // A unit is only made with a body that has a length field.
        let length = self.kind.length_field(usize::from(self.bytes)).unwrap_or(0);
        header_bytes(self.kind, length as u8)
    }

    /// Canonical text, on the stack.
    #[inline]
    pub fn text(&self) -> CodeText {
        let mut bytes = [0; HEADER_BYTES + BODY_BYTES_MAX];
        bytes[..HEADER_BYTES].copy_from_slice(&self.header());
        bytes[HEADER_BYTES..].copy_from_slice(&self.body);
        CodeText::of(&bytes[..HEADER_BYTES + usize::from(self.bytes)])
    }
}

/// The two bytes of a header whose fields are all below eight.
#[inline]
pub(crate) fn header_bytes(kind: Kind, length: u8) -> [u8; HEADER_BYTES] {
    [(kind.main() as u8) << 4 | kind.sub(), (kind.version() as u8) << 4 | length]
}

/// Reads and checks the header that `bytes` start with; returns what it says about the body:
/// kind and bytes. All legal headers have [`HEADER_BYTES`] bytes.
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
    let length = Error::Length { main: kind.main(), length: header.length };
    Ok((kind, kind.body_bytes(header.length).ok_or(length)?))
}

impl FromStr for Unit {
    type Err = Error;

    #[inline]
    fn from_str(text: &str) -> Result<Self, Error> {
        let mut buffer = Buffer::default();
        Self::from_bytes(read::code_bytes(text, &mut buffer)?)
    }
}

impl Display for Unit {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        Display::fmt(&self.text(), out)
    }
}
