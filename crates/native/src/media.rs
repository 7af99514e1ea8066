//! JavaScript face of `iscc-media`'s media types, images and texts, and of the Content-Codes made
//! from them: a file goes in, a code and some facts come out, nothing big crosses.
//!
//! Errors begin with a code and a colon: `NO_DECODER`, `DAMAGED`, `TOO_LARGE`, `NO_TEXT`,
//! `RAW_PIXELS` or `IO`.

use std::fs;
use std::sync::LazyLock;
use std::thread::available_parallelism;

use iscc_codec::{Kind, Mode, Unit};
use iscc_media::image::{self, Options, Orientation, Prepared, Trim};
use iscc_media::metadata::image::Blocks;
use iscc_media::{MediaError, mediatype, metadata, sanitize, text};
use iscc_units::{Compat, simprint};
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::task::Pool;

static POOL: LazyLock<Pool> =
    LazyLock::new(|| Pool::new("media", available_parallelism().map_or(1, Into::into)));

/// Bits of the units handed out; shorter ones are their prefixes.
const UNIT_BITS: usize = 256;

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

/// An image's content.
#[napi(object)]
pub struct ImageContent {
    /// Image-Code of 256 bits, with prefix
    pub unit: String,
    /// The 32 x 32 gray levels it is made from
    pub pixels: Buffer,
    /// Width in pixels, before rotation
    pub width: u32,
    /// Height in pixels, before rotation
    pub height: u32,
    /// What the image says about itself
    pub metadata: FileMetadata,
}

/// A decoded image.
#[napi(object)]
pub struct ImagePixels {
    /// Gray or RGB samples, rows from the top
    pub samples: Buffer,
    /// Width in pixels
    pub width: u32,
    /// Height in pixels
    pub height: u32,
    /// 1 or 3
    pub channels: u32,
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

/// Image-Code, size and metadata of an image file. `compat` is `0.9.7` or `0.9.5`. Rejects with
/// `NO_DECODER` for formats that another decoder has to take: see `imageContentOfPixels`.
#[napi(catch_unwind, ts_return_type = "Promise<ImageContent>")]
pub fn image_content<'env>(env: &'env Env, path: String, compat: String) -> Result<Object<'env>> {
    let compat = parse(&compat)?;
    POOL.run(env, move || {
        let file = read(&path)?;
        let prepared = image::prepare(&file, &options(compat)).map_err(refused)?;
        image_result(prepared, image_metadata_of(&file), compat)
    })
}

/// Like `imageContent`, with pixels that another decoder made of the file: 8 bits per sample, rows
/// from the top as stored, without the file's orientation applied. `channels` is 1 gray, 2 gray and
/// alpha, 3 RGB or 4 RGBA. The pixels must not change until the promise is settled.
#[napi(catch_unwind, ts_return_type = "Promise<ImageContent>")]
pub fn image_content_of_pixels<'env>(
    env: &'env Env,
    path: String,
    samples: Uint8Array,
    width: u32,
    height: u32,
    channels: u32,
    compat: String,
) -> Result<Object<'env>> {
    let compat = parse(&compat)?;
    POOL.run(env, move || {
        let file = read(&path)?;
        let prepared = image::prepare_samples(
            &samples,
            width as usize,
            height as usize,
            channels as usize,
            Orientation::from_blocks(&Blocks::read(&file)),
            &options(compat),
        );
        image_result(prepared.map_err(refused)?, image_metadata_of(&file), compat)
    })
}

/// What an image says about itself.
#[napi(catch_unwind, ts_return_type = "Promise<FileMetadata>")]
pub fn image_metadata<'env>(env: &'env Env, path: String) -> Result<Object<'env>> {
    POOL.run(env, move || Ok(image_metadata_of(&read(&path)?)))
}

/// A decoded image, with transparency on white: for formats whose thumbnail nobody else can make.
#[napi(catch_unwind, ts_return_type = "Promise<ImagePixels>")]
pub fn image_pixels<'env>(env: &'env Env, path: String) -> Result<Object<'env>> {
    POOL.run(env, move || {
        let raster = image::decode(&read(&path)?, image::IMAGE_PIXELS_MAX).map_err(refused)?;
        Ok(ImagePixels {
            width: raster.width() as u32,
            height: raster.height() as u32,
            channels: raster.channels().count() as u32,
            samples: raster.into_samples().into(),
        })
    })
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
        let extracted = text::extract(&read(&path)?, &mediatype).map_err(refused)?;
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
        let extracted = text::extract(&read(&path)?, &mediatype).map_err(refused)?;
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

fn image_metadata_of(file: &[u8]) -> FileMetadata {
    metadata::image::of_file(file).into()
}

fn image_result(
    prepared: Prepared,
    metadata: FileMetadata,
    compat: Compat,
) -> Result<ImageContent> {
    let digest = iscc_units::image::digest(&prepared.pixels, UNIT_BITS, compat);
    Ok(ImageContent {
        unit: unit(Mode::Image, &digest)?,
        pixels: prepared.pixels.to_vec().into(),
        width: prepared.width,
        height: prepared.height,
        metadata,
    })
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

pub(crate) fn options(compat: Compat) -> Options {
    let trim = match compat {
        Compat::Sdk0_9_5 => Trim::Exact,
        Compat::Sdk0_9_7 => Trim::Tolerant,
    };
    Options { trim, ..Options::default() }
}

pub(crate) fn parse(compat: &str) -> Result<Compat> {
    compat
        .parse()
        .map_err(|_| Error::from_reason(format!("compat: {compat:?} is not 0.9.7 or 0.9.5")))
}

fn unit(mode: Mode, digest: &[u8; 32]) -> Result<String> {
    let unit = Unit::new(Kind::content(mode), digest, UNIT_BITS);
    unit.map(|unit| unit.to_string()).map_err(|error| Error::from_reason(error.to_string()))
}

pub(crate) fn read(path: &str) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| refused(error.into()))
}

pub(crate) fn refused(error: MediaError) -> Error {
    Error::from_reason(format!("{}: {error}", error.code()))
}
