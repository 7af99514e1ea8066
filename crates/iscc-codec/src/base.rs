//! Text encodings of bytes, in the five bases that codes use.
//!
//! All decoders are strict: each byte sequence has one text. Exceptions: base16, base32 and
//! base32hex ignore letter case, and base32 accepts `=` at the end.

pub mod base16;
pub mod base32;
pub mod base58;
pub mod base64url;

use crate::Error;

/// Entry of a decoding table for a byte that is not a digit.
const NO_DIGIT: u8 = 0xFF;

/// Maps each byte to its value as a digit of `alphabet`. With `fold`, letters match in both cases.
const fn digit_values(alphabet: &[u8], fold: bool) -> [u8; 256] {
    let mut values = [NO_DIGIT; 256];
    let mut digit = 0;
    while digit < alphabet.len() {
        values[alphabet[digit] as usize] = digit as u8;
        if fold {
            values[alphabet[digit].to_ascii_lowercase() as usize] = digit as u8;
        }
        digit += 1;
    }
    values
}

/// The reason that `text` is invalid: its first invalid character, or otherwise its length.
#[cold]
fn fault(text: &[u8], values: &[u8; 256], base: &'static str) -> Error {
    let invalid = String::from_utf8_lossy(text).chars().find(|&c| {
        u8::try_from(c).map_or(true, |byte| !c.is_ascii() || values[byte as usize] == NO_DIGIT)
    });
    invalid.map_or(Error::Padding { base }, |character| Error::Digit { base, character })
}
