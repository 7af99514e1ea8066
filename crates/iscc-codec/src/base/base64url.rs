//! Base64 with the URL-safe alphabet, without `=` (RFC 4648, section 5).

use super::{NO_DIGIT, digit_values, fault};
use crate::Error;

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
static VALUES: [u8; 256] = digit_values(DIGITS, false);
const NAME: &str = "base64url";

/// Text of `bytes`, without `=`.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = Vec::with_capacity((bytes.len() * 4).div_ceil(3));
    for group in bytes.chunks(3) {
        let byte = |index: usize| u32::from(group.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        let digit = |index: usize| DIGITS[(bits >> (18 - 6 * index)) as usize & 63];
        text.extend((0..=group.len()).map(digit));
    }
    String::from_utf8(text).unwrap_or_default()
}

/// Decodes text without `=`.
pub fn decode(text: &[u8]) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    for group in text.chunks(4) {
        let mut bits = 0;
        for &digit in group {
            let value = VALUES[usize::from(digit)];
            if value == NO_DIGIT {
                return Err(fault(text, &VALUES, NAME));
            }
            bits = bits << 6 | u32::from(value);
        }
        if group.len() == 1 {
            return Err(Error::Padding { base: NAME });
        }
        let decoded = (bits << (32 - 6 * group.len())).to_be_bytes();
        let (kept, dropped) = decoded.split_at(group.len() - 1);
        if dropped.iter().any(|&byte| byte != 0) {
            return Err(Error::TrailingBits { base: NAME });
        }
        bytes.extend_from_slice(kept);
    }
    Ok(bytes)
}
