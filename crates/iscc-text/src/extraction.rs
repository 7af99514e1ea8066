//! Text and metadata of text documents of any format: [`text`](crate::text) reads text formats,
//! [`document`] office documents and books. PDF is read outside of this crate.

use crate::document::{self, DocumentError, Format};
use crate::text::{Extracted, html, plain, without_controls, xml};
use iscc_media::MediaError;
use iscc_media::charset;
use iscc_media::mediatype;
use iscc_media::metadata::Metadata;
use iscc_media::metadata::text::Keys;
use std::borrow::Cow;

/// Maximum characters of extracted text. Counted as in the reference's extractor: in UTF-16 code
/// units, including the white space that the extractor adds.
pub const TEXT_CHARACTERS_MAX: usize = 10_000_000;

/// [`TEXT_CHARACTERS_MAX`] in release 0.9.5 of the reference.
pub const TEXT_CHARACTERS_MAX_0_9_5: usize = 500_000;

/// Extracts text and metadata. `mediatype` is the expected type; content with the signature of
/// another text format is read as that format, as in the reference's extractor. The text is
/// truncated to `characters_max` characters. `pdf_texts` are the texts of the PDFs embedded in it: a
/// document with [`Extracted::pdfs`] is to be extracted again with their texts, and has no error for
/// missing text until then.
///
/// # Errors
/// [`MediaError::NoText`] if the text is blank, or if the content is an image, audio or similar;
/// [`MediaError::NoDecoder`] for PDF; `Damaged` and `TooLarge` for
/// broken and oversized documents.
pub fn extract(
    bytes: &[u8],
    mediatype: &str,
    characters_max: usize,
    pdf_texts: &[String],
) -> Result<Extracted, MediaError> {
    let mut extracted = read(Kind::of(bytes, mediatype)?, bytes, mediatype, pdf_texts)?;
    if let Cow::Owned(text) = without_controls(extracted.text.as_str().into()) {
        extracted.text = text;
    }
    extracted.text.truncate(truncated_length(&extracted.text, characters_max));
    if extracted.text.trim().is_empty() && extracted.pdfs.is_empty() {
        return Err(MediaError::NoText);
    }
    Ok(extracted)
}

/// The metadata of a text document, also of one without text and of types without Text-Code.
///
/// # Errors
/// As [`extract`], but `NoText` only for content that is an image, audio or similar.
pub fn metadata(bytes: &[u8], mediatype: &str) -> Result<Metadata, MediaError> {
    let kind = match Format::of_properties(mediatype, bytes) {
        Some(format) => Kind::Document(format),
        None => Kind::of(bytes, mediatype)?,
    };
    Ok(read(kind, bytes, mediatype, &[])?.metadata)
}

fn read(
    kind: Kind,
    bytes: &[u8],
    mediatype: &str,
    pdf_texts: &[String],
) -> Result<Extracted, MediaError> {
    Ok(match kind {
        Kind::Plain => Extracted { text: plain(bytes, mediatype), ..Extracted::default() },
        Kind::Html => html::extract(&html::decode(bytes)),
        Kind::Xml => xml::extract(&charset::decode_xml(bytes)),
        Kind::MailOrPlain => {
            let mail = from_document(Format::Mail, bytes, pdf_texts)?;
            match mail.text.trim().is_empty() && mail.pdfs.is_empty() {
                true => Extracted { text: plain(bytes, mediatype), ..Extracted::default() },
                false => mail,
            }
        }
        Kind::Document(format) => from_document(format, bytes, pdf_texts)?,
    })
}

/// Byte length of the first `max` UTF-16 code units, without a partial character.
fn truncated_length(text: &str, max: usize) -> usize {
    // A character has at least as many bytes as code units.
    if text.len() <= max {
        return text.len();
    }
    let mut units = 0;
    let exceeds_max = |character: char| {
        units += character.len_utf16();
        units > max
    };
    text.find(exceeds_max).unwrap_or(text.len())
}

/// Reader of a text document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    /// A text that starts like a mail. Without a body, it is a text.
    MailOrPlain,
    Html,
    Xml,
    Document(Format),
}

impl Kind {
    fn of(bytes: &[u8], mediatype: &str) -> Result<Self, MediaError> {
        let head = &bytes[..bytes.len().min(mediatype::HEAD_BYTES_MAX)];
        let sniffed = mediatype::from_bytes(head);
        // An archive that names its format, which may not be that of its extension.
        if let Some(format @ (Format::Odt | Format::Epub)) =
            sniffed.and_then(Format::from_mediatype)
        {
            return Ok(Self::Document(format));
        }
        if let Some(format) = Format::from_mediatype(mediatype)
            && (format.has_signature(head)
                || sniffed.is_none() && !mediatype::is_text(head)
                || format.may_begin_without_signature(head))
        {
            return Ok(Self::Document(format));
        }
        if let Some(format) = sniffed.and_then(Format::from_mediatype) {
            return Ok(Self::Document(format));
        }
        // Templates, and binary workbooks.
        if let Some(format) = document::format_of_archive(bytes) {
            return Ok(Self::Document(format));
        }
        let is_html = matches!(mediatype, "text/html" | "application/xhtml+xml");
        match sniffed {
            Some("text/html" | "application/xhtml+xml") => Ok(Self::Html),
            Some("text/xml" | "image/svg+xml") if !is_html => {
                Ok(document::format_of_xml(head).map_or(Self::Xml, Self::Document))
            }
            // Binary data under the name of a text.
            None if mediatype::is_binary(head) => Err(MediaError::NoText),
            None if mediatype == "text/plain" && document::is_mail(head) => Ok(Self::MailOrPlain),
            Some("application/json" | "text/xml" | "image/svg+xml") | None => {
                Ok(Self::by_mediatype(mediatype)?)
            }
            // The streams of a compound file decide about its format.
            Some("application/x-ole-storage") => Ok(Self::Document(Format::Doc)),
            Some(other @ "application/pdf") => Err(MediaError::NoDecoder(other.to_owned())),
            Some(_) => Err(MediaError::NoText),
        }
    }

    fn by_mediatype(mediatype: &str) -> Result<Self, MediaError> {
        match mediatype {
            "text/html" | "application/xhtml+xml" => Ok(Self::Html),
            "text/xml" => Ok(Self::Xml),
            "application/json" => Ok(Self::Plain),
            // Text under the name of a document.
            other if other.starts_with("text/") || Format::from_mediatype(other).is_some() => {
                Ok(Self::Plain)
            }
            other => Err(MediaError::NoDecoder(other.to_owned())),
        }
    }
}

fn from_document(
    format: Format,
    bytes: &[u8],
    pdf_texts: &[String],
) -> Result<Extracted, MediaError> {
    let document = document::read(format, bytes, pdf_texts).map_err(|error| match error {
        DocumentError::TooLarge => MediaError::TooLarge {
            what: "decompressed document bytes",
            limit: document::DOCUMENT_BYTES_MAX,
        },
        DocumentError::TooManyEntries => MediaError::TooLarge {
            what: "number of archive entries",
            limit: document::DOCUMENT_ENTRIES_MAX as u64,
        },
        DocumentError::Encrypted => MediaError::Encrypted,
        DocumentError::Unsupported(reason) => MediaError::NoDecoder(reason.to_owned()),
        other => MediaError::damaged("document", other),
    })?;
    let metadata = Keys::from(&document.properties).metadata();
    Ok(Extracted { text: document.text, metadata, cover: document.cover, pdfs: document.pdfs })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8], mediatype: &str) -> Result<String, MediaError> {
        extract(bytes, mediatype, TEXT_CHARACTERS_MAX, &[]).map(|extracted| extracted.text)
    }

    #[test]
    fn content_decides_between_text_formats() {
        assert_eq!(text(b"a < b\n", "text/plain").unwrap(), "a < b\n");
        assert_eq!(text(b"<html><body>x</body></html>", "text/plain").unwrap(), "x");
        assert_eq!(text(b"<p>x", "text/html").unwrap().trim(), "x");
        assert_eq!(text(b"<p>x</p>", "text/xml").unwrap().trim(), "x");
        assert_eq!(text(b"{\"a\": \"<b>\"}", "application/json").unwrap(), "{\"a\": \"<b>\"}");
        assert_eq!(text(b"body { }", "text/css").unwrap(), "body { }");
    }

    #[test]
    fn parts_of_rtf_are_read_as_rtf() {
        for (part, expected) in [
            ("{\\pard one\\par} two \\par three", "one\n"),
            ("words first {\\rtf1\\pard inside\\par} after", "inside\n"),
            ("\\pard one {two}\\par three", "one two"),
            ("plain words", "plain words"),
        ] {
            assert_eq!(text(part.as_bytes(), "application/rtf").unwrap(), expected, "{part}");
        }
    }

    #[test]
    fn archives_that_name_their_format_are_read_as_that() {
        let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        let stored = zip::write::SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Stored);
        for (name, content) in [
            ("mimetype", "application/vnd.oasis.opendocument.spreadsheet"),
            ("content.xml", "<d><office:body><text:p>cell</text:p></office:body></d>"),
        ] {
            archive.start_file(name, stored).unwrap();
            std::io::Write::write_all(&mut archive, content.as_bytes()).unwrap();
        }
        let bytes = archive.finish().unwrap().into_inner();
        let named = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
        assert_eq!(text(&bytes, named).unwrap().trim(), "cell");
    }

    #[test]
    fn texts_that_start_like_mail_are_read_as_mail() {
        let mail = b"From: Jo <jo@x>\nSubject: A subject\n\nThe body.\n";
        let read = extract(mail, "text/plain", TEXT_CHARACTERS_MAX, &[]).unwrap();
        assert_eq!(read.text.trim(), "The body.");
        assert_eq!(read.metadata.name.as_deref(), Some("A subject"));
        assert_eq!(text(mail, "text/markdown").unwrap().as_bytes(), mail);
        let heads = b"From: Jo\nSubject: A subject\n";
        assert_eq!(text(heads, "text/plain").unwrap().as_bytes(), heads);
    }

    #[test]
    fn control_characters_of_plain_text_are_replaced() {
        let plain = |bytes: &[u8]| text(bytes, "text/plain").unwrap();
        assert_eq!(plain(b"page\x0c\r\n\x1b[1mtext\t"), "page\u{fffd}\r\n\u{fffd}[1mtext\t");
        assert_eq!(plain("a\u{85}\u{fffe}".as_bytes()), "a\u{fffd}\u{fffd}");
        let html = "<p>ab\u{7f}cd\u{85}ef\u{90}gh</p>";
        let text = text(html.as_bytes(), "text/html").unwrap();
        assert_eq!(text.trim(), "ab\u{fffd}cd\u{fffd}ef\u{fffd}gh");
        assert!(plain(&b"a,b\x0c\n".repeat(12)).contains("b\u{fffd}"));
    }

    #[test]
    fn text_is_truncated_by_utf_16_code_units() {
        let cut = |text: &str, max: usize| {
            extract(text.as_bytes(), "text/plain", max, &[]).map(|extracted| extracted.text).ok()
        };
        assert_eq!(cut("abcdef", 6).as_deref(), Some("abcdef"));
        assert_eq!(cut("abcdef", 5).as_deref(), Some("abcde"));
        assert_eq!(cut("üüüüüü", 5).as_deref(), Some("üüüüü"));
        assert_eq!(cut("😀b😀b", 4).as_deref(), Some("😀b"));
        assert_eq!(cut("😀b😀b", 5).as_deref(), Some("😀b😀"));
        assert_eq!(cut("   word", 3), None);
        // The tabs that are added to a table count.
        assert_eq!(cut(&"a,b\n".repeat(12), 7).as_deref(), Some("\ta\tb\n\ta".get(..7).unwrap()));
    }

    #[test]
    fn documents_without_text_are_rejected() {
        assert!(matches!(text(b"", "text/plain"), Err(MediaError::NoText)));
        assert!(matches!(text(b" \n\t ", "text/plain"), Err(MediaError::NoText)));
        for mediatype in ["text/plain", "text/xml", "text/html", "text/vnd.trolltech.linguist"] {
            let mixed = (0..4000u32).map(|at| (at * at / 7 % 253) as u8).collect::<Vec<_>>();
            assert!(matches!(text(&mixed, mediatype), Err(MediaError::NoText)), "{mediatype}");
            assert!(matches!(text(&[0; 400], mediatype), Err(MediaError::NoText)), "{mediatype}");
        }
        assert!(text(&b"a line of a log\0\x1b[1m bold\n".repeat(50), "text/plain").is_ok());
        assert!(matches!(text(b"RIFF\x24\0\0\0WAVEfmt ", "text/plain"), Err(MediaError::NoText)));
        assert!(matches!(text(b"%PDF-1.7\n", "text/plain"), Err(MediaError::NoDecoder(_))));
        assert!(matches!(text(b"%PDF-1.7\n", "application/pdf"), Err(MediaError::NoDecoder(_))));
    }
}
