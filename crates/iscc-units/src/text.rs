//! Text normalisation (ISO 24138) under Unicode 16.0, and the Text-Code.

pub(crate) mod chunks;
mod code;
mod json;
pub(crate) mod table;

pub(crate) use code::soft_hash_at;
pub use code::{TextCode, code, code_at};
pub use json::{JsonTextError, json_text};

pub use crate::kernels::clean::clean_at;
pub use crate::kernels::collapse::collapse_at;
pub use crate::kernels::utf16::{LoneSurrogate, from_utf16, to_utf16};
use crate::simd;

/// Text for display: NFKC, no control characters but line breaks (which become `\n`), at most one
/// empty line in a row, no whitespace at either end.
///
/// A line of whitespace only becomes an empty line, as the standard and iscc-core have it; iscc-lib
/// keeps its blanks. Tabs are control characters and vanish.
pub fn clean(text: &str) -> String {
    clean_at(simd::level(), text)
}

/// Text for comparison: no case, whitespace, marks, punctuation and control characters; NFKC.
pub fn collapse(text: &str) -> String {
    collapse_at(simd::level(), text)
}

/// The most of `text` that fits into `max_bytes` bytes of UTF-8, without whitespace around it.
pub fn trim(text: &str, max_bytes: usize) -> &str {
    text[..text.floor_char_boundary(max_bytes)].trim_matches(is_space)
}

/// The words of `text` with one space between them.
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

/// Whitespace, with the four information separators that the reference counts to it.
fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}')
}
