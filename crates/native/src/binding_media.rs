//! Binding of the crates that read files: media types, texts, images, documents, audio and video. A file goes in;
//! codes and metadata come out. Only thumbnails, covers, texts, and pictures for and from other decoders
//! cross as bytes.
//!
//! `NO_DECODER`, `UNSUPPORTED`, `ENCRYPTED`, `DAMAGED`, `TOO_LARGE`, `TOO_COSTLY`, `NO_TEXT` and `IO` tell why a file has no result.

pub mod av;
pub mod document;
pub mod heif;
pub mod image;

use std::fs;

use iscc_codec::{Kind, Mode};
pub(crate) use iscc_content::UNIT_BITS;
use iscc_content::text::{self, TextContent, TextOptions};
use iscc_media::{MediaError, mediatype, metadata, sanitize};
use iscc_text::extraction;
use iscc_units::{Compat, simprint};
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::binding_units::unit;
use crate::error::{NativeError, Result};
use crate::runtime::CPU;

/// The kind of a file.
#[napi(object)]
pub struct InspectedFile {
    /// Media type
    pub mediatype: String,
    /// `text`, `image`, `audio` or `video`; absent for other types.
    pub mode: Option<String>,
}

/// Metadata embedded in a file, as plain text. Absent fields are not in the file.
#[napi(object)]
pub struct FileMetadata {
    /// Title
    pub name: Option<String>,
    /// Description
    pub description: Option<String>,
    /// Extended metadata, a Data-URL
    pub meta: Option<String>,
    /// Creator
    pub creator: Option<String>,
    /// URL of the licence
    pub license: Option<String>,
    /// URL where a licence can be acquired
    pub acquire: Option<String>,
    /// Copyright notice
    pub rights: Option<String>,
    /// Credit line
    pub credit: Option<String>,
    /// Identifier assigned elsewhere
    pub identifier: Option<String>,
    /// Language
    pub language: Option<String>,
    /// Keywords
    pub keywords: Option<String>,
}

/// Codes and metadata of a text document.
#[napi(object)]
pub struct TextFileContent {
    /// Text-Code of 256 bits, with prefix
    pub unit: String,
    /// Code points that the code covers
    pub characters: u32,
    /// Simprints in base64url, with `granular`
    pub simprints: Option<Vec<String>>,
    /// Start of each chunk in the cleaned text, in bytes of UTF-8
    pub offsets: Option<Vec<f64>>,
    /// Length of each chunk in bytes of UTF-8
    pub sizes: Option<Vec<f64>>,
    /// Embedded metadata
    pub metadata: FileMetadata,
    /// The cleaned text in UTF-8, with `keepText`
    pub text: Option<Buffer>,
    /// The cleaned text that was coded, if the reference has another one; with `keepText`
    pub coded: Option<Buffer>,
    /// Whether the code lacks characters that the reference loses
    pub lacks_characters: bool,
    /// Image file of the cover, for books
    pub cover: Option<Buffer>,
    /// Embedded PDFs whose texts are missing; absent without any
    pub pdfs: Option<Vec<Buffer>>,
}

/// The kind of a file, from its name and its first bytes. 4096 bytes are enough.
#[napi(catch_unwind)]
pub fn inspect(filename: String, head: &[u8]) -> InspectedFile {
    let found = mediatype::inspect(head, &filename);
    InspectedFile {
        mediatype: found.mediatype.to_owned(),
        mode: found.mode.map(|mode| mode.name().to_owned()),
    }
}

/// What to read of a text document.
#[napi(object)]
pub struct TextReading {
    /// Also simprints
    pub granular: bool,
    /// Also the cleaned text
    pub keep_text: bool,
    /// Release of the reference whose code is made
    pub compat: String,
    /// The code has characters that the reference loses
    pub better: Option<bool>,
    /// Texts of the PDFs embedded in the document: one with `pdfs` in its result is to be read again with these
    pub pdf_texts: Option<Vec<String>>,
}

/// Text-Code and metadata of a text document. Rejects with `NO_TEXT` if there is only whitespace,
/// and with `NO_DECODER` for PDF.
#[napi(catch_unwind, ts_return_type = "Promise<TextFileContent>")]
pub fn text_file_content<'env>(
    env: &'env Env,
    path: String,
    mediatype: String,
    reading: TextReading,
) -> Result<Object<'env>> {
    let TextReading { granular, keep_text, compat, better, pdf_texts } = reading;
    let compat = release(&compat)?;
    let better = better.unwrap_or(false);
    let pdf_texts = pdf_texts.unwrap_or_default();
    CPU.run(env, move || {
        let options = TextOptions { granular, compat, better, pdf_texts: &pdf_texts };
        text_result(text::content(read(&path)?, &mediatype, &options)?, keep_text)
    })
}

/// The text of a file that is embedded in a document. Empty for files without text, and for PDF. The file must not change
/// until the promise is settled.
#[napi(catch_unwind, ts_return_type = "Promise<string>")]
pub fn embedded_text<'env>(env: &'env Env, file: Uint8Array) -> Result<Object<'env>> {
    CPU.run(env, move || Ok(iscc_text::document::embedded_text(&file)?))
}

/// Metadata embedded in a text document, also in one without text.
#[napi(catch_unwind, ts_return_type = "Promise<FileMetadata>")]
pub fn text_metadata<'env>(
    env: &'env Env,
    path: String,
    mediatype: String,
) -> Result<Object<'env>> {
    CPU.run(env, move || Ok(FileMetadata::from(extraction::metadata(&read(&path)?, &mediatype)?)))
}

/// A metadata value without markup, character references and superfluous whitespace.
#[napi(catch_unwind)]
pub fn plain_text(value: String) -> String {
    sanitize::plain_text(&value)
}

impl From<metadata::Metadata> for FileMetadata {
    fn from(metadata: metadata::Metadata) -> Self {
        Self {
            name: metadata.name,
            description: metadata.description,
            meta: metadata.meta,
            creator: metadata.creator,
            license: metadata.license,
            acquire: metadata.acquire,
            rights: metadata.rights,
            credit: metadata.credit,
            identifier: metadata.identifier,
            language: metadata.language,
            keywords: metadata.keywords,
        }
    }
}

fn text_result(content: TextContent, keep_text: bool) -> Result<TextFileContent> {
    let TextContent { digest, characters, features, metadata, text, coded, cover, pdfs } = content;
    let numbers = |values: &[u64]| values.iter().map(|value| *value as f64).collect();
    let pdfs = pdfs.into_iter().map(Into::into).collect::<Vec<_>>();
    Ok(TextFileContent {
        unit: content_code(Mode::Text, &digest)?,
        characters: u32::try_from(characters).unwrap_or(u32::MAX),
        offsets: features.as_ref().map(|features| numbers(&features.offsets)),
        sizes: features.as_ref().map(|features| numbers(&features.sizes)),
        simprints: features
            .map(|features| features.simprints.iter().map(simprint::encode).collect()),
        metadata: metadata.into(),
        text: keep_text.then(|| text.into_bytes().into()),
        lacks_characters: coded.is_some(),
        coded: coded.filter(|_| keep_text).map(|coded| coded.into_bytes().into()),
        cover: cover.map(Into::into),
        pdfs: Some(pdfs).filter(|pdfs| !pdfs.is_empty()),
    })
}

pub(crate) fn release(compat: &str) -> Result<Compat> {
    compat.parse().map_err(NativeError::invalid)
}

pub(crate) fn content_code(mode: Mode, digest: &[u8]) -> Result<String> {
    unit(Kind::content(mode), digest, UNIT_BITS)
}

/// The bytes of the file at `path`.
pub(crate) fn read(path: &str) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| MediaError::from(error).into())
}
