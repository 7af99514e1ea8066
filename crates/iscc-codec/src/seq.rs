//! ISCC-SEQ (IEP-0020, `alg` `io.iscc.v0`): units back to back, header and body, no separators.
//!
//! One byte sequence for one list of units: the decoder refuses what the encoder would not write.
//! SubTypes and versions that are not known yet are kept, and so are order and repetitions.

use std::collections::HashSet;
use std::fmt::{self, Display, Formatter};

use crate::Error;
use crate::base::base32::BASE32;
use crate::header::Header;
use crate::limits::PREFIX;
use crate::parse;
use crate::tables::MainType;
use crate::unit::Unit;

/// Bytes of the body of a unit with 256 bits.
const C2PA_BODY_BYTES: usize = 32;

/// Distinct searchable units that one query may have.
pub const QUERY_UNITS_MAX: usize = 32;

/// A unit of an ISCC-SEQ: well-formed, with a MainType from Meta to Instance and 32 to 256 bits,
/// but perhaps of a SubType or version that this crate does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeqUnit<'a> {
    /// The four fields of the header.
    pub header: Header,
    /// The digest.
    pub body: &'a [u8],
    /// Header and body.
    pub bytes: &'a [u8],
}

impl<'a> SeqUnit<'a> {
    /// Reads the unit at `offset`.
    fn read(seq: &'a [u8], offset: usize) -> Result<Self, Error> {
        let rest = &seq[offset..];
        let (header, header_bytes) = Header::decode(rest)?;
        if header.main > MainType::Instance as u16 {
            return Err(Error::SeqMainType(header.main));
        }
        if header.length > 7 {
            return Err(Error::SeqLength(header.length));
        }
        let expected = 4 * (usize::from(header.length) + 1);
        let actual = rest.len() - header_bytes;
        let short = Error::BodyLength { expected, actual };
        let bytes = rest.get(..header_bytes + expected).ok_or(short)?;
        Ok(Self { header, body: &bytes[header_bytes..], bytes })
    }

    /// Whether the unit may be in a C2PA value: version 0 and 256 bits.
    pub fn fits_c2pa(&self) -> bool {
        self.header.version == 0 && self.body.len() == C2PA_BODY_BYTES
    }

    /// Whether a declaration may name it: any MainType of a known SubType, version 0 and 256 bits.
    pub fn is_declarable(&self) -> bool {
        self.fits_c2pa() && self.known().is_some()
    }

    /// Whether a C2PA query may match by it: declarable and not a Meta-Code, because equal titles
    /// do not make content similar.
    pub fn is_searchable(&self) -> bool {
        self.header.main != MainType::Meta as u16 && self.is_declarable()
    }

    /// The unit, if its SubType and version are known.
    pub fn known(&self) -> Option<Unit> {
        Unit::from_bytes(self.bytes).ok()
    }
}

impl Display for SeqUnit<'_> {
    /// Canonical text.
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        write!(out, "{PREFIX}{}", BASE32.encode(self.bytes))
    }
}

/// The units of an ISCC-SEQ in their order.
///
/// # Errors
/// [`Error::SeqEmpty`], or [`Error::SeqUnit`] with the offset of the first unit that is truncated,
/// has a header that is not canonical, a MainType from ISCC on or a length field from 8 on.
pub fn decode(seq: &[u8]) -> Result<Vec<SeqUnit<'_>>, Error> {
    let mut units = Vec::new();
    let mut offset = 0;
    while offset < seq.len() {
        let unit = SeqUnit::read(seq, offset)
            .map_err(|reason| Error::SeqUnit { offset, reason: Box::new(reason) })?;
        offset += unit.bytes.len();
        units.push(unit);
    }
    if units.is_empty() { Err(Error::SeqEmpty) } else { Ok(units) }
}

/// The value cannot be queried. The message is shown to clients.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// The value is not an ISCC-SEQ.
    #[error("Value is not a valid ISCC-SEQ: {0}")]
    NotASequence(#[source] Error),
    /// No unit is searchable.
    #[error("Value holds no searchable ISCC-UNIT")]
    NoUnit,
    /// More than [`QUERY_UNITS_MAX`] distinct searchable units.
    #[error("Value holds more than {QUERY_UNITS_MAX} searchable ISCC-UNITs")]
    TooManyUnits,
}

/// The units that a C2PA query matches by: the searchable units of an ISCC-SEQ in their order, each
/// once; 1 to [`QUERY_UNITS_MAX`].
pub fn query_units(seq: &[u8]) -> Result<Vec<SeqUnit<'_>>, QueryError> {
    let mut units = decode(seq).map_err(QueryError::NotASequence)?;
    let mut seen = HashSet::new();
    units.retain(|unit| unit.is_searchable() && seen.insert(unit.bytes));
    match units.len() {
        0 => Err(QueryError::NoUnit),
        1..=QUERY_UNITS_MAX => Ok(units),
        _ => Err(QueryError::TooManyUnits),
    }
}

/// Like [`decode`], for the value of a C2PA soft binding: every unit has version 0 and 256 bits.
pub fn decode_c2pa(seq: &[u8]) -> Result<Vec<SeqUnit<'_>>, Error> {
    for_c2pa(decode(seq)?)
}

/// The ISCC-SEQ of units given as text, in their order.
pub fn encode<T: AsRef<str>>(units: &[T]) -> Result<Vec<u8>, Error> {
    let mut seq = Vec::new();
    for unit in units {
        let offset = seq.len();
        append(unit.as_ref(), &mut seq)
            .map_err(|reason| Error::SeqUnit { offset, reason: Box::new(reason) })?;
    }
    if seq.is_empty() { Err(Error::SeqEmpty) } else { Ok(seq) }
}

/// Appends header and body of a single unit.
fn append(text: &str, seq: &mut Vec<u8>) -> Result<(), Error> {
    let bytes = parse::untidy(text)?;
    let unit = SeqUnit::read(&bytes, 0)?;
    let beyond = bytes.len() - unit.bytes.len();
    if beyond > 0 {
        let expected = unit.body.len();
        return Err(Error::BodyLength { expected, actual: expected + beyond });
    }
    seq.extend_from_slice(&bytes);
    Ok(())
}

/// As [`encode`], for the value of a C2PA soft binding: every unit has version 0 and 256 bits.
pub fn encode_c2pa<T: AsRef<str>>(units: &[T]) -> Result<Vec<u8>, Error> {
    let seq = encode(units)?;
    decode_c2pa(&seq)?;
    Ok(seq)
}

/// The text that people see: `ISCC:` and base32 of an ISCC-SEQ.
pub fn display(seq: &[u8]) -> Result<String, Error> {
    decode(seq)?;
    Ok(format!("{PREFIX}{}", BASE32.encode(seq)))
}

fn for_c2pa(units: Vec<SeqUnit<'_>>) -> Result<Vec<SeqUnit<'_>>, Error> {
    if units.iter().all(SeqUnit::fits_c2pa) { Ok(units) } else { Err(Error::SeqNotForC2pa) }
}
