//! Reasons why a string, a byte sequence or a set of units is not a code.

use crate::tables::MainType;

/// Every reason for which this crate rejects input. The message completes "Invalid ISCC - ".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is empty without white space, prefix and hyphens.
    #[error("the code is empty")]
    Empty,
    /// The text is longer than any code.
    #[error("the code is longer than {0} bytes")]
    TooLong(usize),
    /// More than one colon.
    #[error("malformed code: more than one ':' in {0}")]
    Colons(String),
    /// Something other than `ISCC` before the colon.
    #[error("invalid scheme: {0}")]
    Scheme(String),
    /// A character that is not a digit of the base.
    #[error("{character:?} is not a {base} digit")]
    Digit {
        /// Name of the base.
        base: &'static str,
        /// The first such character.
        character: char,
    },
    /// No byte sequence has a text of this length, or there are too many `=`.
    #[error("incorrect padding: no {base} text has this length")]
    Padding {
        /// Name of the base.
        base: &'static str,
    },
    /// The last digit has unused bits that are not zero.
    #[error("the last {base} digit has bits beyond the last byte")]
    TrailingBits {
        /// Name of the base.
        base: &'static str,
    },
    /// A multibase letter without the two bytes that identify an ISCC after it.
    #[error("malformed multiformat: the bytes do not start with cc01")]
    Multicodec,
    /// The bytes end inside the header.
    #[error("the header is incomplete")]
    HeaderTruncated,
    /// A varnibble that starts with `1111`, or a number that does not fit into a varnibble.
    #[error("a header field must be from 0 to 4679")]
    HeaderField,
    /// The last nibble of the header is padding, but not zero.
    #[error("the header is not canonical: its padding nibble is not zero")]
    HeaderFill,
    /// The first field of the header is not a MainType.
    #[error("unknown MainType {0}")]
    MainType(u16),
    /// The MainType does not exist in this version.
    #[error("invalid version {version} for MainType {main}")]
    Version {
        /// MainType of the header.
        main: MainType,
        /// Number in the header.
        version: u16,
    },
    /// The MainType does not have this SubType in this version.
    #[error("unknown SubType {sub} for MainType {main}")]
    SubType {
        /// MainType of the header.
        main: MainType,
        /// Number in the header.
        sub: u16,
    },
    /// The length field of the header is invalid for this MainType.
    #[error("invalid length field {length} for MainType {main}")]
    Length {
        /// MainType of the header.
        main: MainType,
        /// Number in the header.
        length: u16,
    },
    /// The body is longer or shorter than the header states.
    #[error("the header says {expected} bytes of body, but there are {actual}")]
    BodyLength {
        /// Bytes according to the header.
        expected: usize,
        /// Bytes present.
        actual: usize,
    },
    /// A unit of this MainType cannot have this length.
    #[error("invalid number of bits {bits} for MainType {main}")]
    Bits {
        /// MainType of the unit.
        main: MainType,
        /// Requested number of bits.
        bits: usize,
    },
    /// The digest has fewer bits than requested for the unit.
    #[error("the digest has {actual} bits, but the unit needs {needed}")]
    DigestTooShort {
        /// Requested number of bits.
        needed: usize,
        /// Bits of the digest.
        actual: usize,
    },
    /// An ISCC-CODE where a single unit is required.
    #[error("MainType {0} is not a unit")]
    NotAUnit(MainType),
    /// A unit where an ISCC-CODE is required.
    #[error("MainType {0} is not an ISCC-CODE")]
    NotACode(MainType),
    /// An ISCC-CODE needs at least Data and Instance.
    #[error("an ISCC-CODE needs at least two units")]
    TooFewUnits,
    /// An ISCC-CODE has at most five units.
    #[error("an ISCC-CODE has at most five units")]
    TooManyUnits,
    /// Every unit of an ISCC-CODE has at least 64 bits.
    #[error("an ISCC-CODE cannot be built from a unit shorter than 64 bits: {0}")]
    UnitTooShort(String),
    /// The last two units, sorted by MainType, are not Data and Instance.
    #[error("an ISCC-CODE needs a Data-Code and an Instance-Code, and no ISCC-ID or Flake")]
    DataOrInstanceMissing,
    /// Two units of the same MainType.
    #[error("an ISCC-CODE cannot have two units of MainType {0}")]
    DuplicateUnit(MainType),
    /// Semantic-Code and Content-Code describe different kinds of content.
    #[error("Semantic-Code and Content-Code must have the same SubType")]
    SubTypesDiffer,
    /// A number does not fit its field.
    #[error("{field} must be below {limit}")]
    OutOfRange {
        /// Name of the field.
        field: &'static str,
        /// The first value that is out of range.
        limit: u64,
    },
    /// The bytes after the hash of an ISCC-IDv0 are not exactly one LEB128 number.
    #[error("the counter of the ISCC-ID is malformed")]
    Counter,
    /// A valid code, but not an ISCC-ID of this version.
    #[error("not an ISCC-ID of version {0}")]
    NotAnId(u8),
    /// An ISCC-SEQ has at least one unit.
    #[error("an ISCC-SEQ needs at least one unit")]
    SeqEmpty,
    /// A unit of an ISCC-SEQ is malformed.
    #[error("unit at offset {offset}: {reason}")]
    SeqUnit {
        /// Byte offset of the unit's header.
        offset: usize,
        /// The fault of the unit.
        reason: Box<Error>,
    },
    /// An ISCC-SEQ has no MainTypes from ISCC on.
    #[error("MainType {0} is not allowed in an ISCC-SEQ")]
    SeqMainType(u16),
    /// An ISCC-SEQ has no length fields from 8 on.
    #[error("length field {0} is not allowed in an ISCC-SEQ")]
    SeqLength(u16),
    /// A C2PA value has only units of version 0 with 256 bits.
    #[error("a C2PA value needs units of version 0 with 256 bits")]
    SeqNotForC2pa,
}
