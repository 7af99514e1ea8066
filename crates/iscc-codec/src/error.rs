//! Why a string, a byte sequence or a set of units is not a code.

use crate::tables::MainType;

/// Every way in which this crate refuses its input. The message is a sentence part, fit to follow
/// "Invalid ISCC - ".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing is left of the text after white space, prefix and hyphens are taken away.
    #[error("the code is empty")]
    Empty,
    /// The text is longer than any code can be.
    #[error("the code is longer than {0} bytes")]
    TooLong(usize),
    /// More than one colon.
    #[error("malformed code: more than one ':' in {0}")]
    Colons(String),
    /// Something other than `ISCC` before the colon.
    #[error("invalid scheme: {0}")]
    Scheme(String),
    /// A character that the base does not have.
    #[error("{character:?} is not a {base} digit")]
    Digit {
        /// Name of the base.
        base: &'static str,
        /// The first such character.
        character: char,
    },
    /// No byte sequence has a text of this length, or there are more `=` than complete it.
    #[error("incorrect padding: no {base} text has this length")]
    Padding {
        /// Name of the base.
        base: &'static str,
    },
    /// The last digit has bits that belong to no byte, and they are not zero.
    #[error("the last {base} digit has bits beyond the last byte")]
    TrailingBits {
        /// Name of the base.
        base: &'static str,
    },
    /// A multibase letter, but not the two bytes that announce an ISCC after it.
    #[error("malformed multiformat: the bytes do not start with cc01")]
    Multicodec,
    /// The bytes end inside the header.
    #[error("the header is incomplete")]
    HeaderTruncated,
    /// A varnibble that starts with `1111`, or a number that none can hold.
    #[error("a header field must be from 0 to 4679")]
    HeaderField,
    /// The header's last nibble only fills the byte, and is not zero.
    #[error("the header is not canonical: its filling nibble is not zero")]
    HeaderFill,
    /// The header's first field names no MainType.
    #[error("unknown MainType {0}")]
    MainType(u16),
    /// The MainType has no such version.
    #[error("invalid version {version} for MainType {main}")]
    Version {
        /// MainType of the header.
        main: MainType,
        /// Number in the header.
        version: u16,
    },
    /// The MainType has no such SubType in this version.
    #[error("unknown SubType {sub} for MainType {main}")]
    SubType {
        /// MainType of the header.
        main: MainType,
        /// Number in the header.
        sub: u16,
    },
    /// The header's length field says nothing that this MainType can have.
    #[error("invalid length field {length} for MainType {main}")]
    Length {
        /// MainType of the header.
        main: MainType,
        /// Number in the header.
        length: u16,
    },
    /// The body is longer or shorter than its header says.
    #[error("the header says {expected} bytes of body, but there are {actual}")]
    BodyLength {
        /// Bytes by the header.
        expected: usize,
        /// Bytes that are there.
        actual: usize,
    },
    /// A unit cannot have so many bits.
    #[error("invalid number of bits {bits} for MainType {main}")]
    Bits {
        /// MainType of the unit.
        main: MainType,
        /// Wanted number of bits.
        bits: usize,
    },
    /// The digest has fewer bits than the unit shall have.
    #[error("the digest has {actual} bits, but the unit needs {needed}")]
    DigestTooShort {
        /// Bits that the unit shall have.
        needed: usize,
        /// Bits of the digest.
        actual: usize,
    },
    /// A composite where a single unit is needed.
    #[error("MainType {0} is not a unit")]
    NotAUnit(MainType),
    /// A unit where an ISCC-CODE is needed.
    #[error("MainType {0} is not an ISCC-CODE")]
    NotACode(MainType),
    /// An ISCC-CODE has at least Data and Instance.
    #[error("an ISCC-CODE needs at least two units")]
    TooFewUnits,
    /// More units than there are places in an ISCC-CODE.
    #[error("an ISCC-CODE has at most five units")]
    TooManyUnits,
    /// Units of an ISCC-CODE have at least 64 bits.
    #[error("an ISCC-CODE cannot be built from a unit shorter than 64 bits: {0}")]
    UnitTooShort(String),
    /// The two last units, in the order of their MainTypes, are not Data and Instance.
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
        /// First value that is too large.
        limit: u64,
    },
    /// The bytes after an ISCC-IDv0's hash are not one LEB128 number.
    #[error("the counter of the ISCC-ID is malformed")]
    Counter,
    /// A valid code, but not an ISCC-ID of the wanted version.
    #[error("not an ISCC-ID of version {0}")]
    NotAnId(u8),
    /// An ISCC-SEQ has at least one unit.
    #[error("an ISCC-SEQ needs at least one unit")]
    SeqEmpty,
    /// A unit inside an ISCC-SEQ is not well-formed.
    #[error("unit at offset {offset}: {reason}")]
    SeqUnit {
        /// Offset of the unit's header in bytes.
        offset: usize,
        /// What is wrong with it.
        reason: Box<Error>,
    },
    /// MainTypes from ISCC on have no place in an ISCC-SEQ.
    #[error("MainType {0} is not allowed in an ISCC-SEQ")]
    SeqMainType(u16),
    /// A length field from 8 on has no meaning in an ISCC-SEQ.
    #[error("length field {0} is not allowed in an ISCC-SEQ")]
    SeqLength(u16),
    /// A C2PA value holds units of version 0 with 256 bits and nothing else.
    #[error("a C2PA value needs units of version 0 with 256 bits")]
    SeqNotForC2pa,
}
