//! Bytes as text in the five bases that codes are written in.
//!
//! All decoders are strict: one text for one byte sequence, apart from letter case where the
//! base has only one (base16, base32, base32hex), and apart from `=` after base32.

pub mod base16;
pub mod base32;
pub mod base58;
pub mod base64url;

use crate::Error;

/// Marks a byte in a decoding table that is no digit.
const NO_DIGIT: u8 = 0xFF;

/// Value of each byte as a digit of `alphabet`; letters of both cases if `fold`.
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

/// Why `text` could not be decoded: its first strange character, or else its length.
#[cold]
fn fault(text: &[u8], values: &[u8; 256], base: &'static str) -> Error {
    let strange = String::from_utf8_lossy(text).chars().find(|&c| {
        u8::try_from(c).map_or(true, |byte| !c.is_ascii() || values[byte as usize] == NO_DIGIT)
    });
    strange.map_or(Error::Padding { base }, |character| Error::Digit { base, character })
}
