//! Scalable Vector Graphics: renders them, reads their metadata, and writes metadata into a copy.

#[cfg(feature = "native")]
mod cost;
mod embed;
#[cfg(feature = "native")]
mod expansion;
mod metadata;
#[cfg(feature = "native")]
mod paths;
#[cfg(feature = "native")]
mod raster;
#[cfg(feature = "native")]
mod units;

pub use embed::{Fields, embed};
pub use metadata::{SvgMetadata, read};
#[cfg(feature = "native")]
pub use raster::{Raster, rasterize};

use std::borrow::Cow;

use iscc_media::charset;
use iscc_media::xml::prolog::Prolog;

/// Maximum longer side of a rendered image, in pixels.
pub const SVG_SIDE_PIXELS_MAX: u32 = 4096;

/// Maximum bytes of an SVG file.
pub const SVG_BYTES_MAX: usize = 64 << 20;

/// Why an SVG cannot be rendered or edited.
#[derive(Debug, thiserror::Error)]
pub enum SvgError {
    /// Larger than [`SVG_BYTES_MAX`].
    #[error("an SVG may have at most {SVG_BYTES_MAX} bytes")]
    TooLarge,
    /// Declares entities, which can expand without limit or refer to other files.
    #[error("SVG documents with entity declarations are refused")]
    Entities,
    /// Drawing it would take too long, because of its filters, layers and references.
    #[error("drawing the filters, layers and references of the SVG would take too long")]
    TooCostly,
    /// Not well-formed, or without a size.
    #[error("not a drawable SVG: {0}")]
    Invalid(String),
}

/// Whether a file starts with a tag, in any encoding. Raster images never do, so among images such
/// a file is an SVG or invalid.
pub fn is_markup(file: &[u8]) -> bool {
    let text = [&b"\xef\xbb\xbf"[..], b"\xff\xfe", b"\xfe\xff"]
        .iter()
        .find_map(|mark| file.strip_prefix(*mark))
        .unwrap_or(file);
    // UTF-16 has zeros between ASCII characters.
    text.iter().find(|byte| !byte.is_ascii_whitespace() && **byte != 0) == Some(&b'<')
}

/// The prefix of an element's name, with its colon; may be empty.
fn prefix(name: &str) -> &str {
    name.rfind(':').map_or("", |colon| &name[..=colon])
}

/// Decodes the document. Rejects what no parser should see: oversized documents and entity
/// declarations.
fn guard(bytes: &[u8]) -> Result<Cow<'_, str>, SvgError> {
    if bytes.len() > SVG_BYTES_MAX {
        return Err(SvgError::TooLarge);
    }
    let text = match charset::decode_declared_xml(bytes) {
        Some(text) => text,
        None => str::from_utf8(bytes).map_err(|error| SvgError::Invalid(error.to_string()))?.into(),
    };
    if Prolog::of(text.as_bytes()).has_entities {
        return Err(SvgError::Entities);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::{SvgError, guard, is_markup};

    #[test]
    fn markup_begins_with_a_tag_in_any_encoding() {
        let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
        for markup in [&b"<svg"[..], b"\xef\xbb\xbf \n<!-- -->", &wide("\u{feff} <svg"), &wide("<")]
        {
            assert!(is_markup(markup), "{markup:?}");
        }
        for other in [&b""[..], b"words <svg", b"\x89PNG<", b"BM<", b" ", b"\0\0\x01\0"] {
            assert!(!is_markup(other), "{other:?}");
        }
    }

    #[test]
    fn only_declarations_in_the_doctype_are_rejected() {
        let style = "<svg><style><![CDATA[ /* <!ENTITY x> */ ]]></style><!-- <!ENTITY y> --></svg>";
        assert_eq!(guard(style.as_bytes()).unwrap(), style);
        let declared = format!("<!-- x --><!DOCTYPE svg [<!ENTITY x 'y'>]>{style}");
        assert!(matches!(guard(declared.as_bytes()), Err(SvgError::Entities)));
        let wide: Vec<u8> =
            format!("\u{feff}{declared}").encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert!(matches!(guard(&wide), Err(SvgError::Entities)));
    }
}
