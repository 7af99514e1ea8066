//! Texts of the files that are attached to mail.

use encoding_rs::Encoding;

use super::container::Budget;
use super::{DocumentError, Format, read_inner};
use crate::text::html;
use iscc_media::charset;

/// Appends the text of a file, and a line feed. Files that are neither text nor documents have no text.
///
/// `encoding` is the declared one of text; without it, the content decides.
pub fn append(
    text: &mut String,
    mediatype: &str,
    encoding: Option<&'static Encoding>,
    content: &[u8],
    budget: &mut Budget,
) -> Result<(), DocumentError> {
    if content.starts_with(b"%PDF-") {
        return budget.append_pdf(content, text);
    }
    if mediatype == "text/html" {
        let decoded = match encoding {
            Some(encoding) => encoding.decode(content).0,
            None => html::decode(content),
        };
        text.push_str(&html::extract(&decoded).text);
    } else if mediatype.starts_with("text/") && mediatype != "text/rtf" {
        match encoding {
            Some(encoding) => text.push_str(&encoding.decode(content).0),
            None => text.push_str(&charset::decode(content)),
        }
    } else if let Some(format) = Format::from_mediatype(mediatype)
        && format.has_signature(content)
        && let Some(document) = read_inner(format, content, budget)?
    {
        text.push_str(&document.text);
    }
    text.push('\n');
    Ok(())
}
