//! Readers of text formats: plain text, tables, HTML, XML and feeds.

pub mod csv;
mod feed;
pub mod html;
pub mod xml;

use std::borrow::Cow;

use iscc_media::charset;
use iscc_media::metadata::Metadata;

/// A document's text, metadata and cover.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extracted {
    /// Text in reading order, not normalised
    pub text: String,
    /// Metadata fields, as plain text
    pub metadata: Metadata,
    /// Image file of the cover, for books
    pub cover: Option<Vec<u8>>,
    /// Embedded PDFs whose texts are missing from the text, for documents
    pub pdfs: Vec<Vec<u8>>,
}

/// The text unchanged, except for tables and characters that XML does not allow.
pub fn plain(bytes: &[u8], mediatype: &str) -> String {
    let text = without_controls(charset::decode(bytes));
    let is_table_type = matches!(mediatype, "text/csv" | "text/plain");
    let table = if is_table_type { csv::rows(&text) } else { None };
    table.unwrap_or_else(|| text.into_owned())
}

/// Replaces control characters, such as form feeds and escapes, as the reference's extractor does:
/// its result is XHTML, which has no place for them. Bytes that a code page leaves free are decoded to such
/// characters, too.
pub fn without_controls(text: Cow<'_, str>) -> Cow<'_, str> {
    let is_foreign = |it: char| {
        it.is_control() && !matches!(it, '\t' | '\n' | '\r')
            || matches!(it, '\u{fffe}' | '\u{ffff}')
    };
    if !text.contains(is_foreign) {
        return text;
    }
    Cow::Owned(text.replace(is_foreign, "\u{fffd}"))
}
