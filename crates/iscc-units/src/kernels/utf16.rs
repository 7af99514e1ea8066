//! Converts between UTF-16, the encoding of JavaScript strings, and UTF-8.

use super::utf8;

/// Invalid UTF-16: one half of a surrogate pair without the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("lone surrogate at UTF-16 index {index}")]
pub struct LoneSurrogate {
    /// Its position in code units.
    pub index: usize,
}

/// Code units processed together.
const LANES: usize = 16;

/// Converts UTF-16 code units to a string.
///
/// # Errors
/// [`LoneSurrogate`] for the first lone surrogate.
pub fn from_utf16(units: &[u16]) -> Result<String, LoneSurrogate> {
    // A unit takes at most three bytes, a pair four.
    let mut bytes = vec![0; 3 * units.len() + LANES];
    let (mut at, mut end) = (0, 0);
    while at < units.len() {
        if let Some(lanes) = units[at..].first_chunk::<LANES>()
            && lanes.iter().fold(0, |all, unit| all | unit) < 0x80
        {
            bytes[end..end + LANES].copy_from_slice(&lanes.map(|unit| unit as u8));
            (at, end) = (at + LANES, end + LANES);
            continue;
        }
        let unit = units[at];
        let word = unit.to_be_bytes();
        match unit {
            0..0x80 => {
                bytes[end] = word[1];
                end += 1;
            }
            0x80..0x800 => {
                bytes[end..end + 2].copy_from_slice(&[0xC0 | (unit >> 6) as u8, trail(word[1])]);
                end += 2;
            }
            0xD800..0xE000 => {
                let c = pair(&units[at..]).ok_or(LoneSurrogate { index: at })?;
                end += c.encode_utf8(&mut bytes[end..]).len();
                at += 1;
            }
            _ => {
                let lead = 0xE0 | word[0] >> 4;
                bytes[end..end + 3].copy_from_slice(&[
                    lead,
                    trail((unit >> 6) as u8),
                    trail(word[1]),
                ]);
                end += 3;
            }
        }
        at += 1;
    }
    bytes.truncate(end);
    // SAFETY: every code unit or pair was written as its UTF-8 form.
    Ok(unsafe { String::from_utf8_unchecked(bytes) })
}

/// A continuation byte with the lowest six bits of `bits`.
#[inline(always)]
const fn trail(bits: u8) -> u8 {
    0x80 | bits & 0x3F
}

/// The character of the surrogate pair at the start of `units`.
fn pair(units: &[u16]) -> Option<char> {
    char::decode_utf16(units.iter().copied().take(2)).next()?.ok()
}

/// The UTF-16 code units of `text`.
pub fn to_utf16(text: &str) -> Vec<u16> {
    let mut units = vec![0; text.len()];
    let (mut at, mut end) = (0, 0);
    while at < text.len() {
        if let Some(lanes) = text.as_bytes()[at..].first_chunk::<LANES>()
            && lanes.is_ascii()
        {
            units[end..end + LANES].copy_from_slice(&lanes.map(u16::from));
            (at, end) = (at + LANES, end + LANES);
            continue;
        }
        // SAFETY: `at` advances by whole characters and is before the end.
        let (c, width) = unsafe { utf8::decode(text, at) };
        if let Ok(unit) = u16::try_from(c) {
            units[end] = unit;
            end += 1;
        } else {
            let c = c - 0x1_0000;
            units[end..end + 2]
                .copy_from_slice(&[0xD800 | (c >> 10) as u16, 0xDC00 | (c & 0x3FF) as u16]);
            end += 2;
        }
        at += width;
    }
    units.truncate(end);
    units
}
