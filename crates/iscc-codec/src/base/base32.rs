//! Base32 and base32hex (RFC 4648, sections 6 and 7).

use super::{NO_DIGIT, digit_values, fault};
use crate::Error;

/// One of the two alphabets of 32 digits.
pub struct Alphabet {
    values: [u8; 256],
    /// The first digit.
    first: u8,
    /// Value of the first digit of the alphabet's second run of characters.
    second_run: u8,
    /// What to subtract and what to add to get from the first run's characters to the second's.
    steps: [u8; 2],
    name: &'static str,
}

/// Alphabet `A-Z2-7`, used for codes.
pub static BASE32: Alphabet = Alphabet::new(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 26, "base32");

/// Alphabet `0-9A-V`: text sorts in the order of its bytes.
pub static BASE32HEX: Alphabet =
    Alphabet::new(b"0123456789ABCDEFGHIJKLMNOPQRSTUV", 10, "base32hex");

impl Alphabet {
    /// Requires an alphabet of two runs of consecutive characters, as both are.
    const fn new(digits: &[u8; 32], second_run: u8, name: &'static str) -> Self {
        let first = digits[0];
        let (from, to) = (first + second_run, digits[second_run as usize]);
        let steps = [from.saturating_sub(to), to.saturating_sub(from)];
        Self { values: digit_values(digits, true), first, second_run, steps, name }
    }

    /// Writes the text of `bytes` to the start of `out` and returns its length.
    ///
    /// Upper-case, without `=`. Text beyond the end of `out` is dropped, so `out` should have
    /// room for [`text_len`] characters.
    pub fn encode_into(&self, bytes: &[u8], out: &mut [u8]) -> usize {
        for (group, place) in bytes.chunks(5).zip(out.chunks_mut(8)) {
            let mut padded = [0; 5];
            padded[..group.len()].copy_from_slice(group);
            let count = text_len(group.len()).min(place.len());
            place[..count].copy_from_slice(&self.digits_of(&padded)[..count]);
        }
        text_len(bytes.len()).min(out.len())
    }

    /// Writes the digits of whole groups. Faster than `encode_into`; the input is padded with
    /// zeros.
    #[inline]
    pub(crate) fn encode_groups(&self, groups: &[[u8; 5]], out: &mut [[u8; 8]]) {
        for (group, place) in groups.iter().zip(out) {
            *place = self.digits_of(group);
        }
    }

    #[inline]
    fn digits_of(&self, group: &[u8; 5]) -> [u8; 8] {
        let [a, b, c, d, e] = *group;
        let bits = u64::from_be_bytes([0, 0, 0, a, b, c, d, e]);
        // Eight lanes of one byte each: 40 bits into two of 20, into four of 10, into eight of 5.
        let lanes = bits & 0xF_FFFF | (bits & 0xFF_FFF0_0000) << 12;
        let lanes = lanes & 0x0000_03FF_0000_03FF | (lanes & 0x000F_FC00_000F_FC00) << 6;
        let lanes = lanes & 0x001F_001F_001F_001F | (lanes & 0x03E0_03E0_03E0_03E0) << 3;
        // All ones in the lanes of the second run; digits are below 32, so no lane overflows.
        let second = (lanes + every_lane(0x80 - self.second_run)) >> 7 & every_lane(1);
        let second = (second << 8).wrapping_sub(second);
        let [subtract, add] = self.steps.map(|step| second & every_lane(step));
        (lanes + every_lane(self.first) + add - subtract).to_be_bytes()
    }

    /// The text of `bytes`, upper-case and without `=`.
    pub fn encode(&self, bytes: &[u8]) -> String {
        let mut text = vec![0; text_len(bytes.len())];
        self.encode_into(bytes, &mut text);
        String::from_utf8(text).unwrap_or_default()
    }

    /// Decodes text without `=` into the start of `out`. Returns the number of bytes, or `None` if
    /// the text is not base32 or is longer than `out`.
    #[inline]
    pub(crate) fn try_decode(&self, text: &[u8], out: &mut [u8]) -> Option<usize> {
        let (groups, rest) = text.as_chunks::<8>();
        let (places, _) = out.as_chunks_mut::<5>();
        if places.len() < groups.len() + 1 {
            return None;
        }
        let mut invalid = 0;
        for (group, place) in groups.iter().zip(places.iter_mut()) {
            let bits = self.bits_of(group, &mut invalid);
            let [_, _, _, bytes @ ..] = bits.to_be_bytes();
            *place = bytes;
        }
        // A remainder of 1, 3 or 6 characters would have a last digit without a byte.
        if !matches!(rest.len(), 0 | 2 | 4 | 5 | 7) {
            return None;
        }
        let mut bits = self.bits_of(rest, &mut invalid);
        bits <<= 5 * (8 - rest.len());
        let [_, _, _, last @ ..] = (bits & 0xFF_FFFF_FFFF).to_be_bytes();
        let count = rest.len() * 5 / 8;
        let trailing = last.get(count).copied().unwrap_or(0);
        places[groups.len()] = last;
        (invalid & 0x80 == 0 && trailing == 0).then_some(5 * groups.len() + count)
    }

    #[inline]
    fn bits_of(&self, digits: &[u8], invalid: &mut u8) -> u64 {
        digits.iter().fold(0, |bits, &digit| {
            let value = self.values[usize::from(digit)];
            *invalid |= value;
            // The bits of an invalid digit are garbage, but then the caller returns `None`.
            bits << 5 | u64::from(value)
        })
    }

    /// Decodes text of either case.
    ///
    /// Some or all of the `=` at the end may be missing. More `=` than the last group of eight
    /// needs are an error.
    pub fn decode(&self, text: &[u8]) -> Result<Vec<u8>, Error> {
        let digits = without_padding(text);
        let fill = digits.len().next_multiple_of(8) - digits.len();
        if text.len() - digits.len() > fill {
            return Err(Error::Padding { base: self.name });
        }
        let mut bytes = vec![0; digits.len() / 8 * 5 + 5];
        let count = self.try_decode(digits, &mut bytes).ok_or_else(|| self.fault(digits))?;
        bytes.truncate(count);
        Ok(bytes)
    }

    #[cold]
    fn fault(&self, digits: &[u8]) -> Error {
        match fault(digits, &self.values, self.name) {
            Error::Padding { base } if matches!(digits.len() % 8, 0 | 2 | 4 | 5 | 7) => {
                Error::TrailingBits { base }
            }
            other => other,
        }
    }
}

/// Repeats the byte in each of eight lanes.
const fn every_lane(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// Number of characters of the text of `bytes` bytes.
pub const fn text_len(bytes: usize) -> usize {
    (bytes * 8).div_ceil(5)
}

fn without_padding(text: &[u8]) -> &[u8] {
    let kept = text.iter().rposition(|&byte| byte != b'=').map_or(0, |last| last + 1);
    &text[..kept]
}

const _: () = assert!(NO_DIGIT & 0x80 != 0, "a digit's value must not look like NO_DIGIT");
