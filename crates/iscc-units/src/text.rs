//! Text normalisation (ISO 24138) under Unicode 16.0, and the Text-Code.

pub(crate) mod chunks;
mod code;
mod json;

pub(crate) use code::soft_hash_at;
pub use code::{TextCode, code, code_at};
pub use json::{JsonTextError, json_text};

pub use crate::kernels::clean::clean_at;
pub use crate::kernels::collapse::collapse_at;
pub use crate::kernels::utf16::{LoneSurrogate, from_utf16, to_utf16};
use crate::simd;

/// Text for display: NFKC, without control characters other than line breaks (which become `\n`),
/// with at most one consecutive empty line, trimmed.
///
/// A line of white space becomes an empty line, as in the standard and iscc-core; iscc-lib keeps
/// its spaces. Tabs are control characters and are removed.
pub fn clean(text: &str) -> String {
    clean_at(simd::level(), text)
}

/// Text for comparison: without case, white space, marks, punctuation and control characters; NFKC.
pub fn collapse(text: &str) -> String {
    collapse_at(simd::level(), text)
}

/// The longest prefix of `text` that fits into `max_bytes` bytes of UTF-8, trimmed.
pub fn trim(text: &str, max_bytes: usize) -> &str {
    text[..text.floor_char_boundary(max_bytes)].trim_matches(is_space)
}

/// The words of `text`, separated by one space.
pub fn remove_newlines(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split(is_space).filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// White space, including the four information separators as in the reference.
fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}')
}
