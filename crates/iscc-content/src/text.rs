//! Text documents: digest, simprints and metadata.

use iscc_media::MediaError;
use iscc_media::metadata::Metadata;
use iscc_text::extraction::{self, TEXT_CHARACTERS_MAX, TEXT_CHARACTERS_MAX_0_9_5};
use iscc_units::simprint::{self, Features};
use iscc_units::{Compat, text};

/// How to read a text document.
#[derive(Debug, Clone, Default)]
pub struct TextOptions<'a> {
    /// Whether to compute simprints
    pub granular: bool,
    /// Release of iscc-sdk to follow
    pub compat: Compat,
    /// The texts of the PDFs in the document, in their order
    pub pdf_texts: &'a [String],
}

/// What a text document holds.
#[derive(Debug, Clone)]
pub struct TextContent {
    /// Digest of the Text-Code
    pub digest: [u8; 32],
    /// Code points that the code covers
    pub characters: usize,
    /// Simprints of the cleaned text, if wanted; positions in bytes of UTF-8
    pub features: Option<Features>,
    /// Embedded metadata
    pub metadata: Metadata,
    /// The cleaned text
    pub text: String,
    /// Image file of the cover, for books
    pub cover: Option<Vec<u8>>,
    /// Embedded PDFs whose texts are missing: the document is to be read again with them
    pub pdfs: Vec<Vec<u8>>,
}

/// Reads a text document. The file is freed before its text is coded.
pub fn content(
    file: impl AsRef<[u8]>,
    mediatype: &str,
    options: &TextOptions<'_>,
) -> Result<TextContent, MediaError> {
    let TextOptions { granular, compat, pdf_texts } = *options;
    let extracted =
        extraction::extract(file.as_ref(), mediatype, characters_max(compat), pdf_texts)?;
    drop(file);
    let text = text::clean(&extracted.text);
    let code = text::code(&text);
    let features = granular.then(|| simprint::features(&text, simprint::Unit::Utf8Bytes, compat));
    Ok(TextContent {
        digest: code.digest,
        characters: code.characters,
        features,
        metadata: extracted.metadata,
        text,
        cover: extracted.cover,
        pdfs: extracted.pdfs,
    })
}

fn characters_max(compat: Compat) -> usize {
    match compat {
        Compat::Sdk0_9_5 => TEXT_CHARACTERS_MAX_0_9_5,
        Compat::Sdk0_9_7 => TEXT_CHARACTERS_MAX,
    }
}
