//! JavaScript face of `iscc-media`'s documents and audio tags: reading, and writing into copies.

use std::fs::{self, File, OpenOptions};
use std::sync::LazyLock;

use iscc_media::audio::tags;
use iscc_media::document::{self, Embed, Format};
use iscc_media::svg;
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::runtime::Pool;

static POOL: LazyLock<Pool> = LazyLock::new(|| Pool::new("document", 1));

/// What an office document or a book holds.
#[napi(object)]
pub struct DocumentContent {
    /// UTF-8, not cleaned.
    pub text: Buffer,
    /// What the document says about itself.
    pub properties: DocumentProperties,
    /// The cover's image file.
    pub cover: Option<Buffer>,
}

/// A document's properties in the words of Dublin Core.
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
    /// Name and value of properties under names of the user's own.
    pub custom: Vec<(String, String)>,
}

/// Properties to write; what is absent stays as it is.
#[napi(object)]
pub struct DocumentEmbed {
    /// dc:title
    pub title: Option<String>,
    /// dc:description
    pub description: Option<String>,
    /// dc:creator; replaces all creators.
    pub creator: Option<String>,
    /// cp:keywords; books have no place for them.
    pub keywords: Option<String>,
}

/// What an audio file says about itself.
#[napi(object)]
pub struct AudioTags {
    /// TagLib's name of each property, and its value.
    pub properties: Vec<(String, String)>,
    /// The first attached picture's file.
    pub cover: Option<Buffer>,
    /// Playing time.
    pub duration_seconds: f64,
}

/// Whether `readDocument` knows documents of this media type.
#[napi(catch_unwind)]
pub fn reads_document(mediatype: String) -> bool {
    Format::from_mediatype(&mediatype).is_some()
}

/// Reads a document's text, properties and cover.
#[napi(catch_unwind, ts_return_type = "Promise<DocumentContent>")]
pub fn read_document<'env>(
    env: &'env Env,
    path: String,
    mediatype: String,
) -> Result<Object<'env>> {
    POOL.run(env, move || {
        let document = document::read(format(&mediatype)?, &fs::read(path)?).map_err(refuse)?;
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

/// Writes properties into the document at `path` itself: hand in a copy.
#[napi(catch_unwind, ts_return_type = "Promise<void>")]
pub fn embed_document<'env>(
    env: &'env Env,
    path: String,
    mediatype: String,
    fields: DocumentEmbed,
) -> Result<Object<'env>> {
    POOL.run(env, move || {
        let fields = Embed {
            title: fields.title.as_deref(),
            description: fields.description.as_deref(),
            creator: fields.creator.as_deref(),
            keywords: fields.keywords.as_deref(),
        };
        let copy = document::embed(format(&mediatype)?, &fs::read(&path)?, &fields);
        fs::write(path, copy.map_err(refuse)?)?;
        Ok(())
    })
}

/// Writes fields of an ISCC result into the SVG at `path` itself: hand in a copy. Fields that an SVG
/// has no place for are left out.
#[napi(catch_unwind, ts_return_type = "Promise<void>")]
pub fn embed_svg<'env>(
    env: &'env Env,
    path: String,
    fields: Vec<(String, String)>,
) -> Result<Object<'env>> {
    POOL.run(env, move || {
        let fields: Vec<_> =
            fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let copy = svg::embed(&fs::read(&path)?, &fields).map_err(refuse)?;
        fs::write(path, copy)?;
        Ok(())
    })
}

/// Reads an audio file's tags, cover and playing time.
#[napi(catch_unwind, ts_return_type = "Promise<AudioTags>")]
pub fn read_audio_tags<'env>(env: &'env Env, path: String) -> Result<Object<'env>> {
    POOL.run(env, move || {
        let tags = tags::read(File::open(path)?).map_err(refuse)?;
        Ok(AudioTags {
            properties: tags.properties,
            cover: tags.cover.map(Into::into),
            duration_seconds: tags.duration_seconds,
        })
    })
}

/// Sets the title, if given, and properties in the audio file at `path` itself: hand in a copy.
#[napi(catch_unwind, ts_return_type = "Promise<void>")]
pub fn embed_audio_tags<'env>(
    env: &'env Env,
    path: String,
    title: Option<String>,
    properties: Vec<(String, String)>,
) -> Result<Object<'env>> {
    POOL.run(env, move || {
        let mut copy = OpenOptions::new().read(true).write(true).open(path)?;
        let properties: Vec<_> =
            properties.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        tags::embed(&mut copy, title.as_deref(), &properties).map_err(refuse)
    })
}

fn format(mediatype: &str) -> Result<Format> {
    Format::from_mediatype(mediatype)
        .ok_or_else(|| Error::from_reason(format!("no reader for documents of type {mediatype}")))
}

fn refuse(error: impl std::fmt::Display) -> Error {
    Error::from_reason(error.to_string())
}
