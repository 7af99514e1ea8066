//! UTF-16, the form of JavaScript's strings, to UTF-8 and back.

use super::utf8;

/// UTF-16 that is no text: half of a surrogate pair without the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("lone surrogate at UTF-16 index {index}")]
pub struct LoneSurrogate {
    /// Where it is, in code units.
    pub index: usize,
}

/// Code units looked at together.
const LANES: usize = 16;

/// The text with these UTF-16 code units.
///
/// # Errors
/// [`LoneSurrogate`] for the first of them.
pub fn from_utf16(units: &[u16]) -> Result<String, LoneSurrogate> {
    // A unit takes three bytes at most, and a pair four.
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

/// A byte after a lead byte, with the lowest six bits of `bits`.
#[inline(always)]
const fn trail(bits: u8) -> u8 {
    0x80 | bits & 0x3F
}

/// The character that a pair of surrogates at the start of `units` stands for.
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
        // SAFETY: `at` moves by whole characters and has not reached the end.
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
