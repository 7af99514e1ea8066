//! Base58 with Bitcoin's alphabet: a number in base 58, with one leading `1` per leading zero byte.

use super::{NO_DIGIT, digit_values, fault};
use crate::Error;

const DIGITS: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
static VALUES: [u8; 256] = digit_values(DIGITS, false);

/// Text of `bytes`.
///
/// Takes time quadratic in the length: for codes, not for files.
pub fn encode(bytes: &[u8]) -> String {
    let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
    // Least significant digit first.
    let mut digits: Vec<u8> = Vec::with_capacity(bytes.len() * 138 / 100 + 1);
    for &byte in &bytes[zeros..] {
        multiply_add(&mut digits, 256, 58, u32::from(byte));
    }
    let leading = std::iter::repeat_n(&0, zeros);
    leading
        .chain(digits.iter().rev())
        .map(|&digit| char::from(DIGITS[usize::from(digit)]))
        .collect()
}

/// Decodes text; case-sensitive. Takes time quadratic in the length.
pub fn decode(text: &[u8]) -> Result<Vec<u8>, Error> {
    let zeros = text.iter().take_while(|&&digit| digit == DIGITS[0]).count();
    let mut bytes: Vec<u8> = Vec::with_capacity(text.len());
    for &digit in &text[zeros..] {
        let value = VALUES[usize::from(digit)];
        if value == NO_DIGIT {
            return Err(fault(text, &VALUES, "base58"));
        }
        multiply_add(&mut bytes, 58, 256, u32::from(value));
    }
    bytes.extend(std::iter::repeat_n(0, zeros));
    bytes.reverse();
    Ok(bytes)
}

/// `number = number * factor + addend`, where `number` has digits of `base`, least significant first.
fn multiply_add(number: &mut Vec<u8>, factor: u32, base: u32, addend: u32) {
    let mut carry = addend;
    for digit in number.iter_mut() {
        carry += u32::from(*digit) * factor;
        *digit = (carry % base) as u8;
        carry /= base;
    }
    while carry > 0 {
        number.push((carry % base) as u8);
        carry /= base;
    }
}
