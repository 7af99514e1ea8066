//! Decodes code text into header and body, as leniently as the reference service and with its error texts.
//!
//! `iscc-codec` is strict: it rejects leftover bits after the last byte, and bodies whose length differs from the
//! header's. This service accepts the former everywhere and the latter in queries.

use std::sync::LazyLock;

use data_encoding::{DecodeKind, Encoding, Specification};
use iscc_codec::base::base32::{BASE32, text_len};
use iscc_codec::{Error, Header, Kind};

/// Prefix of every code.
pub const SCHEME: &str = "ISCC:";

/// Why a text is not a valid code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CodeError {
    /// A character outside of base32 (RFC 4648, upper case).
    #[error("Non-base32 digit found")]
    Digit,
    /// A number of characters that does not encode whole bytes.
    #[error("Incorrect padding")]
    Padding,
    /// The header is truncated.
    #[error("Input too short - minimum 4 bits required")]
    Short,
    /// A header field starts with four ones.
    #[error("Invalid prefix pattern '1111' - must be one of: 0, 10, 110, 1110")]
    Prefix,
    /// An empty body, or one longer than any unit.
    #[error("ISCC body of {0} bits (expected 8 to 256)")]
    Length(usize),
    /// An ISCC-CODE or ISCC-ID where an ISCC-UNIT is expected.
    #[error("Not an ISCC-UNIT: {0}")]
    NotAUnit(String),
    /// Any other error of the codec.
    #[error("Invalid ISCC - {0}")]
    Other(Error),
}

impl From<Error> for CodeError {
    fn from(error: Error) -> Self {
        match error {
            Error::HeaderTruncated => Self::Short,
            Error::HeaderField => Self::Prefix,
            error => Self::Other(error),
        }
    }
}

/// RFC 4648 base32 in upper case, without padding. Bits after the last byte are ignored.
static BASE32_LENIENT: LazyLock<Encoding> = LazyLock::new(|| {
    let mut specification = Specification::new();
    specification.symbols.push_str("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567");
    specification.check_trailing_bits = false;
    specification.encoding().expect("a valid specification of base32")
});

/// Decodes the text of a code, with or without `ISCC:`. Bits after the last byte are ignored.
pub fn decode(text: &str) -> Result<Vec<u8>, CodeError> {
    let digits = text.strip_prefix(SCHEME).unwrap_or(text).as_bytes();
    // The reference service reports a wrong length before lower case, but after any other wrong character.
    let is_letter_or_digit = |byte: &u8| matches!(byte, b'A'..=b'Z' | b'a'..=b'z' | b'2'..=b'7');
    BASE32_LENIENT.decode(digits).map_err(|error| match error.kind {
        DecodeKind::Length if digits.iter().all(is_letter_or_digit) => CodeError::Padding,
        _ => CodeError::Digit,
    })
}

/// Encodes a code as text, with `ISCC:`.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = vec![0; SCHEME.len() + text_len(bytes.len())];
    text[..SCHEME.len()].copy_from_slice(SCHEME.as_bytes());
    BASE32.encode_into(bytes, &mut text[SCHEME.len()..]);
    String::from_utf8(text).unwrap_or_default()
}

/// Splits a code into its kind (MainType, SubType, version), length field and body.
pub fn split(bytes: &[u8]) -> Result<(Kind, u16, &[u8]), CodeError> {
    let (header, count) = Header::decode(bytes)?;
    let kind = Kind::new(header.main, header.sub, header.version)?;
    Ok((kind, header.length, &bytes[count..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoding_reverses_encoding() {
        for length in 0..40 {
            let bytes: Vec<u8> = (0..length).map(|index| (index * 37 + 11) as u8).collect();
            assert_eq!(decode(&encode(&bytes)), Ok(bytes));
        }
    }

    #[test]
    fn errors_have_the_texts_of_the_reference_service() {
        assert_eq!(decode("foo").unwrap_err().to_string(), "Incorrect padding");
        assert_eq!(decode("ISCC:!!!!"), Err(CodeError::Digit));
        assert_eq!(decode("!!!"), Err(CodeError::Digit));
        assert_eq!(decode("aaaa"), Err(CodeError::Digit));
        assert_eq!(split(&decode("ISCC:AA").unwrap()), Err(CodeError::Short));
        assert_eq!(split(&[0xff; 10]), Err(CodeError::Prefix));
    }

    #[test]
    fn ignores_bits_after_the_last_byte() {
        assert_eq!(decode("KAC42YWGSRP3HXGYRVTJ").map(|bytes| bytes.len()), Ok(12));
    }
}
