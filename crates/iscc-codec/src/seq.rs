//! ISCC-SEQ (IEP-0020, `alg` `io.iscc.v0`): concatenated units (header and body), no separators.
//!
//! Each list of units has exactly one byte sequence: the decoder rejects what the encoder cannot
//! produce. Unknown SubTypes and versions are kept, as are order and repetitions.

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

/// A unit of an ISCC-SEQ: well-formed, MainType Meta to Instance, 32 to 256 bits. Its SubType or
/// version may be unknown to this crate.
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

    /// Whether a C2PA value may contain the unit: version 0 and 256 bits.
    pub fn fits_c2pa(&self) -> bool {
        self.header.version == 0 && self.body.len() == C2PA_BODY_BYTES
    }

    /// Whether a declaration may name the unit: known SubType, version 0 and 256 bits.
    pub fn is_declarable(&self) -> bool {
        self.fits_c2pa() && self.known().is_some()
    }

    /// Whether a C2PA query may match by the unit: declarable and not a Meta-Code, because equal
    /// titles do not imply similar content.
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
/// has a header that is not canonical, a MainType of 5 or more, or a length field of 8 or more.
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

/// The reason that a value cannot be queried. Clients see the message.
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

/// The units that a C2PA query matches by: the searchable units of an ISCC-SEQ in their order,
/// each once; 1 to [`QUERY_UNITS_MAX`].
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

/// Like [`decode`], but requires version 0 and 256 bits of every unit, as C2PA soft bindings do.
pub fn decode_c2pa(seq: &[u8]) -> Result<Vec<SeqUnit<'_>>, Error> {
    for_c2pa(decode(seq)?)
}

/// Encodes units given as text to an ISCC-SEQ, in their order.
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
    let extra = bytes.len() - unit.bytes.len();
    if extra > 0 {
        let expected = unit.body.len();
        return Err(Error::BodyLength { expected, actual: expected + extra });
    }
    seq.extend_from_slice(&bytes);
    Ok(())
}

/// Like [`encode`], but requires version 0 and 256 bits of every unit, as C2PA soft bindings do.
pub fn encode_c2pa<T: AsRef<str>>(units: &[T]) -> Result<Vec<u8>, Error> {
    let seq = encode(units)?;
    decode_c2pa(&seq)?;
    Ok(seq)
}

/// The display form of an ISCC-SEQ: `ISCC:` and base32.
pub fn display(seq: &[u8]) -> Result<String, Error> {
    decode(seq)?;
    Ok(format!("{PREFIX}{}", BASE32.encode(seq)))
}

fn for_c2pa(units: Vec<SeqUnit<'_>>) -> Result<Vec<SeqUnit<'_>>, Error> {
    if units.iter().all(SeqUnit::fits_c2pa) { Ok(units) } else { Err(Error::SeqNotForC2pa) }
}
