//! From any accepted text of a code to its bytes.

use crate::Error;
use crate::base::base32::{BASE32, text_len};
use crate::code::CODE_BYTES_MAX;
use crate::multiformat;

/// Bytes of the longest sequence of units that can still become an ISCC-CODE.
const SEQUENCE_BYTES_MAX: usize = 5 * 34;

/// Bytes of text that are looked at: the longest sequence in base16, and as much again for
/// hyphens and spaces.
pub(crate) const TEXT_BYTES_MAX: usize = 4 * SEQUENCE_BYTES_MAX;

/// Where the bytes of a code go. Whole groups of five and one to spare, as the decoder wants.
pub(crate) struct Buffer([u8; SEQUENCE_BYTES_MAX + 10]);

impl Default for Buffer {
    #[inline]
    fn default() -> Self {
        Self([0; SEQUENCE_BYTES_MAX + 10])
    }
}

/// The bytes of a code in any accepted form: with or without `ISCC:`, any case, spaces around,
/// hyphens, base32 with `=`, or multiformat.
#[inline]
pub(crate) fn code_bytes<'a>(text: &str, buffer: &'a mut Buffer) -> Result<&'a [u8], Error> {
    let bytes = text.as_bytes();
    let code = match bytes.split_at_checked(5) {
        Some((scheme, code)) if scheme.eq_ignore_ascii_case(b"ISCC:") => code,
        _ => bytes,
    };
    // The common case. Hyphens, spaces and colons are no digits, so they take the other way.
    let short = code.len() <= text_len(CODE_BYTES_MAX);
    let plain = short && code.first().is_some_and(|&letter| !multiformat::is_letter(letter));
    match plain.then(|| BASE32.try_decode(code, &mut buffer.0)).flatten() {
        Some(count) => Ok(&buffer.0[..count]),
        None => untidy_code_bytes(text, buffer),
    }
}

#[cold]
fn untidy_code_bytes<'a>(text: &str, buffer: &'a mut Buffer) -> Result<&'a [u8], Error> {
    let code = clean(text)?;
    let bytes = match code.as_bytes() {
        [letter, ..] if multiformat::is_letter(*letter) => multiformat::decode(&code)?,
        digits => BASE32.decode(digits)?,
    };
    let place = buffer.0.get_mut(..bytes.len()).ok_or(Error::TooLong(SEQUENCE_BYTES_MAX))?;
    place.copy_from_slice(&bytes);
    Ok(place)
}

/// Takes away white space around, the scheme and, unless the code is in multiformat, hyphens.
pub(crate) fn clean(text: &str) -> Result<String, Error> {
    if text.len() > TEXT_BYTES_MAX {
        return Err(Error::TooLong(TEXT_BYTES_MAX));
    }
    let mut parts = text.split(':').map(trim);
    let (first, second, third) = (parts.next(), parts.next(), parts.next());
    let code = match (first, second, third) {
        (Some(code), None, _) => code,
        (Some(scheme), Some(code), None) if scheme.eq_ignore_ascii_case("iscc") => code,
        (Some(scheme), Some(_), None) => return Err(Error::Scheme(scheme.to_owned())),
        _ => return Err(Error::Colons(text.to_owned())),
    };
    // In base64url a hyphen is a digit.
    let multiformat = code.bytes().next().is_some_and(multiformat::is_letter);
    let kept: String = if multiformat { code.to_owned() } else { code.replace('-', "") };
    if kept.is_empty() { Err(Error::Empty) } else { Ok(kept) }
}

/// Also takes the four separators U+001C to U+001F, white space to Python but not to Unicode.
fn trim(part: &str) -> &str {
    part.trim_matches(|c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c))
}
