//! Base16: two digits per byte (RFC 4648, section 8).

use super::{NO_DIGIT, digit_values, fault};
use crate::Error;

const DIGITS: &[u8; 16] = b"0123456789abcdef";
static VALUES: [u8; 256] = {
    let mut values = digit_values(DIGITS, true);
    let mut digit = 10;
    while digit < 16 {
        values[DIGITS[digit].to_ascii_uppercase() as usize] = digit as u8;
        digit += 1;
    }
    values
};

/// Lower-case text of `bytes`.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = Vec::with_capacity(2 * bytes.len());
    push(&mut text, bytes);
    String::from_utf8(text).unwrap_or_default()
}

/// Appends the lower-case text of `bytes`.
pub(crate) fn push(text: &mut Vec<u8>, bytes: &[u8]) {
    for byte in bytes {
        let digits = [byte >> 4, byte & 15].map(|value| DIGITS[usize::from(value)]);
        text.extend_from_slice(&digits);
    }
}

/// Decodes text of either case.
pub fn decode(text: &[u8]) -> Result<Vec<u8>, Error> {
    let (pairs, rest) = text.as_chunks::<2>();
    let mut bytes = Vec::with_capacity(pairs.len());
    for pair in pairs {
        let [high, low] = pair.map(|digit| VALUES[usize::from(digit)]);
        if high == NO_DIGIT || low == NO_DIGIT {
            return Err(fault(text, &VALUES, "base16"));
        }
        bytes.push(high << 4 | low);
    }
    if rest.is_empty() { Ok(bytes) } else { Err(fault(text, &VALUES, "base16")) }
}
