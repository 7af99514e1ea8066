//! Code text to header and body, as leniently and with the errors that clients of the service know.
//!
//! The codec refuses bits beyond the last byte and bodies of another length than the header's; the
//! service takes the former everywhere and the latter in queries.

use iscc_codec::base::base32::{BASE32, text_len};
use iscc_codec::{Error, Header, Kind};

/// What stands before every code.
pub const SCHEME: &str = "ISCC:";

/// Why a text is no code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CodeError {
    /// A character that base32 (RFC 4648, upper case) does not have.
    #[error("Non-base32 digit found")]
    Digit,
    /// So many characters that no bytes come out evenly.
    #[error("Incorrect padding")]
    Padding,
    /// The header ends in the middle.
    #[error("Input too short - minimum 4 bits required")]
    Short,
    /// A header field begins with four ones.
    #[error("Invalid prefix pattern '1111' - must be one of: 0, 10, 110, 1110")]
    Prefix,
    /// No body, or one that is longer than any unit's.
    #[error("ISCC body of {0} bits (expected 8 to 256)")]
    Length(usize),
    /// A code or ISCC-ID where a unit is expected.
    #[error("Not an ISCC-UNIT: {0}")]
    NotAUnit(String),
    /// Everything else.
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

/// Bytes of a code's text, with or without its `ISCC:`. Bits beyond the last byte do not count.
pub fn decode(text: &str) -> Result<Vec<u8>, CodeError> {
    let digits = text.strip_prefix(SCHEME).unwrap_or(text).as_bytes();
    if !digits.iter().all(|digit| matches!(digit, b'A'..=b'Z' | b'a'..=b'z' | b'2'..=b'7')) {
        return Err(CodeError::Digit);
    }
    if matches!(digits.len() % 8, 1 | 3 | 6) {
        return Err(CodeError::Padding);
    }
    let mut bytes = Vec::with_capacity(digits.len() * 5 / 8);
    let (mut bits, mut count) = (0u32, 0);
    for &digit in digits {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'2'..=b'7' => digit - b'2' + 26,
            _ => return Err(CodeError::Digit),
        };
        bits = bits << 5 | u32::from(value);
        count += 5;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    Ok(bytes)
}

/// Text of a code's bytes, with `ISCC:`.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = vec![0; SCHEME.len() + text_len(bytes.len())];
    text[..SCHEME.len()].copy_from_slice(SCHEME.as_bytes());
    BASE32.encode_into(bytes, &mut text[SCHEME.len()..]);
    String::from_utf8(text).unwrap_or_default()
}

/// Splits a code's bytes into what it is, its length field, and its body.
pub fn split(bytes: &[u8]) -> Result<(Kind, u16, &[u8]), CodeError> {
    let (header, count) = Header::decode(bytes)?;
    let kind = Kind::new(header.main, header.sub, header.version)?;
    Ok((kind, header.length, &bytes[count..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_bytes_are_each_others_inverse() {
        for length in 0..40 {
            let bytes: Vec<u8> = (0..length).map(|index| (index * 37 + 11) as u8).collect();
            assert_eq!(decode(&encode(&bytes)), Ok(bytes));
        }
    }

    #[test]
    fn errors_are_worded_as_known() {
        assert_eq!(decode("foo").unwrap_err().to_string(), "Incorrect padding");
        assert_eq!(decode("ISCC:!!!!"), Err(CodeError::Digit));
        assert_eq!(decode("aaaa"), Err(CodeError::Digit));
        assert_eq!(split(&decode("ISCC:AA").unwrap()), Err(CodeError::Short));
        assert_eq!(split(&[0xff; 10]), Err(CodeError::Prefix));
    }

    #[test]
    fn bits_beyond_the_last_byte_do_not_count() {
        assert_eq!(decode("KAC42YWGSRP3HXGYRVTJ").map(|bytes| bytes.len()), Ok(12));
    }
}
