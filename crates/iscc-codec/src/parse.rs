//! From any accepted text of a code to its bytes.

use crate::Error;
use crate::base::base32::BASE32;
use crate::limits::{PREFIX, UNIT_BYTES_MAX, UNITS_MAX};
use crate::multiformat;
use crate::padded::Padded;

/// Maximum length of a text in bytes: the longest sequence of units that forms an ISCC-CODE, in
/// base16, twice, to leave room for hyphens and spaces.
const TEXT_BYTES_MAX: usize = 4 * UNITS_MAX * UNIT_BYTES_MAX;

/// The bytes of plain base32 with or without `ISCC:`; `None` for any other text, including text
/// with hyphens, spaces or more colons.
#[inline]
pub(crate) fn tidy(text: &str) -> Option<Padded> {
    let text = text.as_bytes();
    let code = match text.split_at_checked(PREFIX.len()) {
        Some((scheme, code)) if scheme.eq_ignore_ascii_case(PREFIX.as_bytes()) => code,
        _ => text,
    };
    if multiformat::is_letter(*code.first()?) {
        return None;
    }
    let mut bytes = [0; _];
    let count = BASE32.try_decode(code, &mut bytes)?;
    Some(Padded { bytes, count })
}

/// The bytes of a code in any accepted form: with or without `ISCC:`, in any case, with spaces
/// around it, with hyphens, in base32 with `=`, or in multiformat.
#[cold]
pub(crate) fn untidy(text: &str) -> Result<Vec<u8>, Error> {
    let code = clean(text)?;
    match code.as_bytes() {
        [letter, ..] if multiformat::is_letter(*letter) => multiformat::decode(&code),
        digits => BASE32.decode(digits),
    }
}

/// Removes surrounding white space, the scheme and hyphens. In multiformat, hyphens stay.
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
    // A hyphen is a digit in base64url.
    let multiformat = code.bytes().next().is_some_and(multiformat::is_letter);
    let kept: String = if multiformat { code.to_owned() } else { code.replace('-', "") };
    if kept.is_empty() { Err(Error::Empty) } else { Ok(kept) }
}

/// Trims white space, including U+001C to U+001F, which Python counts as white space and Unicode
/// does not.
fn trim(part: &str) -> &str {
    part.trim_matches(|c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c))
}
