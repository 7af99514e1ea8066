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
    /// Whether to code characters that the reference loses
    pub better: bool,
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
    /// The cleaned text that was coded, if the reference has another one
    pub coded: Option<String>,
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
    let TextOptions { granular, compat, better, pdf_texts } = *options;
    let extracted =
        extraction::extract(file.as_ref(), mediatype, characters_max(compat), pdf_texts)?;
    drop(file);
    let text = text::clean(&extracted.text);
    let coded = match compat {
        Compat::Sdk0_9_7 if !better => without_supplementary(&extracted.text),
        Compat::Sdk0_9_7 | Compat::Sdk0_9_5 => None,
    };
    let coded = coded.map(|coded| text::clean(&coded));
    let code = text::code(coded.as_ref().unwrap_or(&text));
    let features = granular.then(|| simprint::features(&text, simprint::Unit::Utf8Bytes, compat));
    Ok(TextContent {
        digest: code.digest,
        characters: code.characters,
        features,
        metadata: extracted.metadata,
        text,
        coded,
        cover: extracted.cover,
        pdfs: extracted.pdfs,
    })
}

/// The text as release 0.9.7 of the reference has it; `None` if that is the same. Its extractor passes text on in "modified UTF-8",
/// in which a character beyond U+FFFF has six bytes that are not UTF-8. Each of them is replaced.
fn without_supplementary(text: &str) -> Option<String> {
    const REPLACEMENT: &str = "\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}";
    let is_supplementary = |character: char| character > '\u{ffff}';
    text.contains(is_supplementary).then(|| text.replace(is_supplementary, REPLACEMENT))
}

fn characters_max(compat: Compat) -> usize {
    match compat {
        Compat::Sdk0_9_5 => TEXT_CHARACTERS_MAX_0_9_5,
        Compat::Sdk0_9_7 => TEXT_CHARACTERS_MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(text: &str, options: &TextOptions<'_>) -> ([u8; 32], usize, bool) {
        let found = content(text, "text/plain", options).unwrap();
        assert_eq!(found.text, text);
        (found.digest, found.characters, found.coded.is_some())
    }

    #[test]
    fn only_the_current_release_replaces_characters_beyond_the_basic_plane() {
        let (emoji, replaced) =
            ("so \u{1f600} we go", "so \u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd} we go");
        let exact = TextOptions::default();
        let (digest, characters, _) = unit(replaced, &exact);
        assert_eq!(unit(emoji, &exact), (digest, characters, true));
        assert_eq!(characters, 12);
        let better = TextOptions { better: true, ..TextOptions::default() };
        let old = TextOptions { compat: Compat::Sdk0_9_5, ..TextOptions::default() };
        assert_eq!(unit(emoji, &better), unit(emoji, &old));
        assert_eq!(unit(emoji, &better).1, 7);
        assert_ne!(unit(emoji, &better).0, digest);
        // The normal form of a letter beyond the basic plane may be a plain letter.
        assert!(content("\u{1d400}", "text/plain", &exact).unwrap().coded.is_some());
    }
}
