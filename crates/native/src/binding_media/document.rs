//! Office documents, books, drawings and audio tags: reads metadata, and writes it into copies.

use std::fs::{self, File, OpenOptions};

use iscc_av::audio::tags::{self, TagError};
use iscc_image::svg::{self, SvgError};
use iscc_media::metadata::xmp;
use iscc_text::document::{self, DocumentError, Format};
use iscc_text::pdf;
use iscc_text::text::html;
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::binding_media::read;
use crate::error::{ErrorCode, NativeError, Result};
use crate::runtime::CPU;

/// Metadata of an audio file.
#[napi(object)]
pub struct AudioTags {
    /// Name (as TagLib calls it) and value of each property.
    pub properties: Vec<(String, String)>,
    /// The file of the first attached picture.
    pub cover: Option<Buffer>,
    /// Playing time.
    pub duration_seconds: f64,
    /// Samples per second and channel; absent if unknown.
    pub sample_rate_hz: Option<u32>,
}

/// Writes properties, as pairs of place and value, into the document at `path`, in place: pass a copy.
/// A place is `title` or `meta:NAME` in HTML, and the name of an element or `custom:NAME` in office
/// documents and books. Rejects with `NO_DECODER` for other types.
#[napi(catch_unwind, ts_return_type = "Promise<void>")]
pub fn embed_document<'env>(
    env: &'env Env,
    path: String,
    mediatype: String,
    properties: Vec<(String, String)>,
) -> Result<Object<'env>> {
    CPU.run(env, move || {
        let file = read(&path)?;
        let properties = borrowed(&properties);
        let copy = match mediatype.as_str() {
            "text/html" | "application/xhtml+xml" => html::embed::embed(&file, &properties),
            _ => document::embed(format(&mediatype, &file)?, &file, &properties)?,
        };
        write(&path, &copy)
    })
}

/// A copy of an XMP packet, or a new one, with the given properties, as pairs of name and value.
#[napi(catch_unwind)]
pub fn write_xmp(packet: Option<&[u8]>, properties: Vec<(String, String)>) -> Buffer {
    xmp::write(packet, &borrowed(&properties)).into()
}

/// Fields of a PDF's XMP packet, for where its information dictionary has none.
#[napi(object)]
pub struct PdfXmp {
    /// First language of `dc:title`.
    pub title: Option<String>,
    /// First language of `dc:description`.
    pub description: Option<String>,
    /// Items of `dc:creator`, joined with `, `.
    pub creator: Option<String>,
    /// First language of `dc:rights`.
    pub rights: Option<String>,
    /// `pdf:Keywords`.
    pub keywords: Option<String>,
}

/// Reads the XMP packet of a PDF. Takes milliseconds for large files, so workers call it.
#[napi(catch_unwind)]
pub fn read_pdf_xmp(bytes: &[u8]) -> PdfXmp {
    let pdf::PdfXmp { title, description, creator, rights, keywords } = pdf::xmp(bytes);
    PdfXmp { title, description, creator, rights, keywords }
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
        let copy = svg::embed(&read(&path)?, &borrowed(&fields))?;
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
            sample_rate_hz: tags.sample_rate_hz,
        })
    })
}

/// A property of an audio file to write.
#[napi(object)]
pub struct AudioProperty {
    /// TagLib's name
    pub name: String,
    /// The new value; replaces all old ones.
    pub value: String,
    /// Whether it is only written where the file has the property already
    pub only_existing: bool,
}

/// Writes properties into the audio file at `path`, in place: pass a copy.
#[napi(catch_unwind, ts_return_type = "Promise<void>")]
pub fn embed_audio_tags<'env>(
    env: &'env Env,
    path: String,
    properties: Vec<AudioProperty>,
) -> Result<Object<'env>> {
    CPU.run(env, move || {
        let opened = OpenOptions::new().read(true).write(true).open(&path);
        let mut copy = opened.map_err(|error| NativeError::io(&path, &error))?;
        let properties: Vec<_> = properties
            .iter()
            .map(|AudioProperty { name, value, only_existing }| tags::Property {
                name,
                value,
                only_existing: *only_existing,
            })
            .collect();
        Ok(tags::embed(&mut copy, &properties)?)
    })
}

impl From<DocumentError> for NativeError {
    fn from(error: DocumentError) -> Self {
        let code = match error {
            DocumentError::TooLarge | DocumentError::TooManyEntries => ErrorCode::TooLarge,
            DocumentError::NotEmbeddable => ErrorCode::InvalidArgument,
            DocumentError::Encrypted => ErrorCode::Encrypted,
            DocumentError::Unsupported(_) => ErrorCode::NoDecoder,
            _ => ErrorCode::Damaged,
        };
        Self::new(code, error)
    }
}

impl From<SvgError> for NativeError {
    fn from(error: SvgError) -> Self {
        let code = match error {
            SvgError::TooLarge => ErrorCode::TooLarge,
            SvgError::TooCostly => ErrorCode::TooCostly,
            _ => ErrorCode::Damaged,
        };
        Self::new(code, error)
    }
}

impl From<TagError> for NativeError {
    fn from(error: TagError) -> Self {
        let code = match error {
            TagError::TooCostly(_) => ErrorCode::TooCostly,
            TagError::Damaged(_) => ErrorCode::Damaged,
        };
        Self::new(code, error)
    }
}

fn borrowed(pairs: &[(String, String)]) -> Vec<(&str, &str)> {
    pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}

fn format(mediatype: &str, file: &[u8]) -> Result<Format> {
    Format::of_properties(mediatype, file).ok_or_else(|| {
        let reason = format!("no writer for documents of type {mediatype}");
        NativeError::new(ErrorCode::NoDecoder, reason)
    })
}

fn write(path: &str, bytes: &[u8]) -> Result<()> {
    fs::write(path, bytes).map_err(|error| NativeError::io(path, &error))
}
