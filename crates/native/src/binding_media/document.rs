//! Office documents, books, drawings and audio tags: reads metadata, and writes it into copies.

use std::fs::{self, File, OpenOptions};

use iscc_media::audio::tags::{self, TagError};
use iscc_media::document::{self, DocumentError, Embed, Format};
use iscc_media::svg::{self, SvgError};
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::binding_media::read;
use crate::error::{ErrorCode, NativeError, Result};
use crate::runtime::CPU;

/// The content of an office document or a book.
#[napi(object)]
pub struct DocumentContent {
    /// UTF-8, not cleaned.
    pub text: Buffer,
    /// Embedded metadata.
    pub properties: DocumentProperties,
    /// The image file of the cover.
    pub cover: Option<Buffer>,
}

/// A document's properties, under their Dublin Core names.
#[napi(object)]
pub struct DocumentProperties {
    /// dc:title
    pub title: Option<String>,
    /// dc:description
    pub description: Option<String>,
    /// dc:creator
    pub creators: Vec<String>,
    /// dc:rights
    pub rights: Option<String>,
    /// cp:keywords, meta:keyword
    pub keywords: Vec<String>,
    /// Name and value of custom properties.
    pub custom: Vec<(String, String)>,
}

/// Properties to write. Absent ones keep their value.
#[napi(object)]
pub struct DocumentEmbed {
    /// dc:title
    pub title: Option<String>,
    /// dc:description
    pub description: Option<String>,
    /// dc:creator; replaces all creators.
    pub creator: Option<String>,
    /// cp:keywords; EPUB has no field for them.
    pub keywords: Option<String>,
}

/// Metadata of an audio file.
#[napi(object)]
pub struct AudioTags {
    /// Name (as TagLib calls it) and value of each property.
    pub properties: Vec<(String, String)>,
    /// The file of the first attached picture.
    pub cover: Option<Buffer>,
    /// Playing time.
    pub duration_seconds: f64,
}

/// Reads a document's text, properties and cover. Rejects with `NO_DECODER` for other media types.
#[napi(catch_unwind, ts_return_type = "Promise<DocumentContent>")]
pub fn read_document<'env>(
    env: &'env Env,
    path: String,
    mediatype: String,
) -> Result<Object<'env>> {
    CPU.run(env, move || {
        let document = document::read(format(&mediatype)?, &read(&path)?)?;
        let properties = document.properties;
        Ok(DocumentContent {
            text: document.text.into_bytes().into(),
            cover: document.cover.map(Into::into),
            properties: DocumentProperties {
                title: properties.title,
                description: properties.description,
                creators: properties.creators,
                rights: properties.rights,
                keywords: properties.keywords,
                custom: properties.custom,
            },
        })
    })
}

/// Writes properties into the document at `path`, in place: pass a copy.
#[napi(catch_unwind, ts_return_type = "Promise<void>")]
pub fn embed_document<'env>(
    env: &'env Env,
    path: String,
    mediatype: String,
    fields: DocumentEmbed,
) -> Result<Object<'env>> {
    CPU.run(env, move || {
        let fields = Embed {
            title: fields.title.as_deref(),
            description: fields.description.as_deref(),
            creator: fields.creator.as_deref(),
            keywords: fields.keywords.as_deref(),
        };
        let copy = document::embed(format(&mediatype)?, &read(&path)?, &fields)?;
        write(&path, &copy)
    })
}

/// Writes fields of an ISCC result into the SVG at `path`, in place: pass a copy. Fields that SVG
/// has no element for are ignored.
#[napi(catch_unwind, ts_return_type = "Promise<void>")]
pub fn embed_svg<'env>(
    env: &'env Env,
    path: String,
    fields: Vec<(String, String)>,
) -> Result<Object<'env>> {
    CPU.run(env, move || {
        let fields: Vec<_> =
            fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let copy = svg::embed(&read(&path)?, &fields)?;
        write(&path, &copy)
    })
}

/// Reads an audio file's tags, cover and playing time.
#[napi(catch_unwind, ts_return_type = "Promise<AudioTags>")]
pub fn read_audio_tags<'env>(env: &'env Env, path: String) -> Result<Object<'env>> {
    CPU.run(env, move || {
        let file = File::open(&path).map_err(|error| NativeError::io(&path, &error))?;
        let tags = tags::read(file)?;
        Ok(AudioTags {
            properties: tags.properties,
            cover: tags.cover.map(Into::into),
            duration_seconds: tags.duration_seconds,
        })
    })
}

/// Writes the title, if given, and properties into the audio file at `path`, in place: pass a copy.
#[napi(catch_unwind, ts_return_type = "Promise<void>")]
pub fn embed_audio_tags<'env>(
    env: &'env Env,
    path: String,
    title: Option<String>,
    properties: Vec<(String, String)>,
) -> Result<Object<'env>> {
    CPU.run(env, move || {
        let opened = OpenOptions::new().read(true).write(true).open(&path);
        let mut copy = opened.map_err(|error| NativeError::io(&path, &error))?;
        let properties: Vec<_> =
            properties.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        Ok(tags::embed(&mut copy, title.as_deref(), &properties)?)
    })
}

impl From<DocumentError> for NativeError {
    fn from(error: DocumentError) -> Self {
        let code = match error {
            DocumentError::TooLarge | DocumentError::TooManyEntries => ErrorCode::TooLarge,
            DocumentError::NotEmbeddable => ErrorCode::InvalidArgument,
            _ => ErrorCode::Damaged,
        };
        Self::new(code, error)
    }
}

impl From<SvgError> for NativeError {
    fn from(error: SvgError) -> Self {
        let code = match error {
            SvgError::TooLarge => ErrorCode::TooLarge,
            _ => ErrorCode::Damaged,
        };
        Self::new(code, error)
    }
}

impl From<TagError> for NativeError {
    fn from(error: TagError) -> Self {
        Self::new(ErrorCode::Damaged, error)
    }
}

fn format(mediatype: &str) -> Result<Format> {
    Format::from_mediatype(mediatype).ok_or_else(|| {
        let reason = format!("no reader for documents of type {mediatype}");
        NativeError::new(ErrorCode::NoDecoder, reason)
    })
}

fn write(path: &str, bytes: &[u8]) -> Result<()> {
    fs::write(path, bytes).map_err(|error| NativeError::io(path, &error))
}
