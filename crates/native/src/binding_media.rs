//! JavaScript face of `iscc-media`'s media types and texts, and of the Text-Codes made from them:
//! a file goes in, a code and some facts come out, nothing big crosses.
//!
//! Errors begin with a code and a colon: `NO_DECODER`, `DAMAGED`, `TOO_LARGE`, `NO_TEXT`,
//! `RAW_PIXELS` or `IO`.

use std::fs;
use std::sync::LazyLock;
use std::thread::available_parallelism;

use iscc_codec::{Kind, Mode, Unit};
use iscc_media::{MediaError, mediatype, metadata, sanitize, text};
use iscc_units::{Compat, simprint};
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::runtime::Pool;

pub mod av;
pub mod document;
pub mod image;

pub(crate) static POOL: LazyLock<Pool> =
    LazyLock::new(|| Pool::new("media", available_parallelism().map_or(1, Into::into)));

/// Bits of the units handed out; shorter ones are their prefixes.
pub(crate) const UNIT_BITS: usize = 256;

/// What a file is taken for.
#[napi(object)]
pub struct InspectedFile {
    /// Media type
    pub mediatype: String,
    /// `text`, `image`, `audio` or `video`; absent for other types.
    pub mode: Option<String>,
}

/// What a file says about itself; only what it does say, as plain text.
#[napi(object)]
pub struct FileMetadata {
    /// Title
    pub name: Option<String>,
    /// Description
    pub description: Option<String>,
    /// Extended metadata, a Data-URL
    pub meta: Option<String>,
    /// Who made it
    pub creator: Option<String>,
    /// URL of the licence
    pub license: Option<String>,
    /// URL where one can acquire a licence
    pub acquire: Option<String>,
    /// Copyright notice
    pub rights: Option<String>,
    /// Whom to credit
    pub credit: Option<String>,
    /// Identifier given by others
    pub identifier: Option<String>,
    /// Language
    pub language: Option<String>,
    /// Keywords
    pub keywords: Option<String>,
}

/// A text's content.
#[napi(object)]
pub struct TextFileContent {
    /// Text-Code of 256 bits, with prefix
    pub unit: String,
    /// Code points that went into the code
    pub characters: u32,
    /// Simprints in base64url, if asked for
    pub simprints: Option<Vec<String>>,
    /// Where each chunk begins in the cleaned text, in bytes of UTF-8
    pub offsets: Option<Vec<f64>>,
    /// Lengths of the chunks in bytes of UTF-8
    pub sizes: Option<Vec<f64>>,
    /// What the document says about itself
    pub metadata: FileMetadata,
    /// The cleaned text in UTF-8, if asked for
    pub text: Option<Buffer>,
}

/// What a file is, by its name and its first bytes (4096 are enough).
#[napi(catch_unwind)]
pub fn inspect(filename: String, head: &[u8]) -> InspectedFile {
    let found = mediatype::inspect(head, &filename);
    InspectedFile {
        mediatype: found.mediatype.to_owned(),
        mode: found.mode.map(|mode| mode.name().to_owned()),
    }
}

/// Text-Code, simprints and metadata of a text document, and its text itself if it is to be kept.
/// Rejects with `NO_TEXT` if there is only white space, with `NO_DECODER` for PDF and the binary office formats.
#[napi(catch_unwind, ts_return_type = "Promise<TextFileContent>")]
pub fn text_file_content<'env>(
    env: &'env Env,
    path: String,
    mediatype: String,
    granular: bool,
    keep_text: bool,
    compat: String,
) -> Result<Object<'env>> {
    let compat = parse(&compat)?;
    POOL.run(env, move || {
        let file = read(&path)?;
        let extracted =
            text::extract(&file, &mediatype, characters_max(compat)).map_err(refused)?;
        drop(file);
        let clean = iscc_units::text::clean(&extracted.text);
        let result = text_result(&clean, extracted.metadata.into(), granular, compat)?;
        Ok(TextFileContent { text: keep_text.then(|| clean.into_bytes().into()), ..result })
    })
}

/// What a text document says about itself.
#[napi(catch_unwind, ts_return_type = "Promise<FileMetadata>")]
pub fn text_metadata<'env>(
    env: &'env Env,
    path: String,
    mediatype: String,
) -> Result<Object<'env>> {
    POOL.run(env, move || {
        // Metadata stands apart from the text: no release cuts it there.
        let max = text::TEXT_CHARACTERS_MAX;
        let extracted = text::extract(&read(&path)?, &mediatype, max).map_err(refused)?;
        Ok(FileMetadata::from(extracted.metadata))
    })
}

/// A metadata value without markup, character references and superfluous white space.
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

fn text_result(
    clean: &str,
    metadata: FileMetadata,
    granular: bool,
    compat: Compat,
) -> Result<TextFileContent> {
    let code = iscc_units::text::code(clean);
    let features = granular.then(|| simprint::features(clean, simprint::Unit::Utf8Bytes, compat));
    let numbers = |values: &[u64]| values.iter().map(|value| *value as f64).collect();
    Ok(TextFileContent {
        unit: unit(Mode::Text, &code.digest)?,
        characters: u32::try_from(code.characters).unwrap_or(u32::MAX),
        offsets: features.as_ref().map(|features| numbers(&features.offsets)),
        sizes: features.as_ref().map(|features| numbers(&features.sizes)),
        simprints: features
            .map(|features| features.simprints.iter().map(simprint::encode).collect()),
        metadata,
        text: None,
    })
}

fn characters_max(compat: Compat) -> usize {
    match compat {
        Compat::Sdk0_9_5 => text::TEXT_CHARACTERS_MAX_0_9_5,
        Compat::Sdk0_9_7 => text::TEXT_CHARACTERS_MAX,
    }
}

pub(crate) fn parse(compat: &str) -> Result<Compat> {
    compat
        .parse()
        .map_err(|_| Error::from_reason(format!("compat: {compat:?} is not 0.9.7 or 0.9.5")))
}

pub(crate) fn unit(mode: Mode, digest: &[u8; 32]) -> Result<String> {
    let unit = Unit::new(Kind::content(mode), digest, UNIT_BITS);
    unit.map(|unit| unit.to_string()).map_err(|error| Error::from_reason(error.to_string()))
}

pub(crate) fn read(path: &str) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| refused(error.into()))
}

pub(crate) fn refused(error: MediaError) -> Error {
    Error::from_reason(format!("{}: {error}", error.code()))
}
