//! Metadata of images: EXIF, IPTC and XMP, in the reference's order of preference.

mod boxes;
mod gif;
mod jpeg;
mod png;
mod psd;
mod riff;
mod tiff;

use std::borrow::Cow;

use super::exif::{Directory, tag};
use super::iptc::{self, dataset};
use super::xmp::{Xmp, namespace as ns};
use super::{Field, Metadata};
use crate::mediatype::Sniffed;

/// The metadata blocks of an image file, unparsed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Blocks<'a> {
    /// A TIFF structure, without the `Exif` prefix
    pub exif: Option<Cow<'a, [u8]>>,
    /// An XMP packet
    pub xmp: Option<Cow<'a, [u8]>>,
    /// IPTC-IIM datasets
    pub iptc: Option<Cow<'a, [u8]>>,
}

impl<'a> Blocks<'a> {
    /// Finds the blocks of a file; empty for formats without them. A truncated file yields the
    /// blocks before the cut.
    pub fn read(file: &Sniffed<'a>) -> Self {
        let Sniffed { bytes, mediatype } = *file;
        match mediatype {
            Some("image/jpeg") => jpeg::blocks(bytes),
            Some("image/png") => png::blocks(bytes),
            Some("image/webp") => riff::blocks(bytes),
            Some("image/tiff") => tiff::blocks(bytes),
            Some("image/gif") => gif::blocks(bytes),
            Some("image/vnd.adobe.photoshop") => psd::blocks(bytes),
            Some("image/heic" | "image/avif") => boxes::heif(bytes),
            Some("image/jxl" | "image/jp2") => boxes::top_level(bytes),
            _ => Self::default(),
        }
    }
}

/// Metadata from the blocks. A field gets its value from the first source that has one.
pub fn metadata(blocks: &Blocks<'_>) -> Metadata {
    let xmp = blocks.xmp.as_deref().map(Xmp::parse);
    let exif = blocks.exif.as_deref().and_then(Directory::first);
    let mut metadata = Metadata::default();
    for (source, field) in SOURCES {
        let value = match source {
            Source::Xmp(namespace, local) => xmp.as_ref().and_then(|it| it.text(namespace, local)),
            Source::Licensor(namespace) => xmp
                .as_ref()
                .and_then(|it| it.first_item_field(namespace, "Licensor", "LicensorURL")),
            Source::IptcList(number) => {
                blocks.iptc.as_deref().and_then(|it| iptc::values(it, *number))
            }
            Source::Iptc(number) => blocks.iptc.as_deref().and_then(|it| iptc::value(it, *number)),
            Source::Exif(number) => exif.as_ref().and_then(|it| Some(it.value(*number)?.text())),
            Source::ExifWide(number) => {
                exif.as_ref().and_then(|it| Some(it.value(*number)?.wide_text()))
            }
            Source::Photo(number) => {
                exif.as_ref().and_then(|it| Some(it.exif()?.value(*number)?.text()))
            }
        };
        if let Some(value) = value {
            metadata.offer(*field, &value);
        }
    }
    metadata
}

/// The identifier that a picture of Apple's cameras shares with the film of its Live Photo.
pub fn content_identifier(blocks: &Blocks<'_>) -> Option<String> {
    const CHARACTERS_MAX: usize = 128;
    let apple = Directory::first(blocks.exif.as_deref()?)?.exif()?.apple()?;
    let text = apple.value(tag::APPLE_CONTENT_IDENTIFIER)?.text();
    (!text.is_empty() && text.len() <= CHARACTERS_MAX).then_some(text)
}

/// Source of a value.
enum Source {
    /// An XMP property: namespace and name
    Xmp(&'static str, &'static str),
    /// The URL of the first PLUS licensor: namespace
    Licensor(&'static str),
    /// A dataset of the IPTC application record
    Iptc(u8),
    /// All values of a dataset of the IPTC application record
    IptcList(u8),
    /// Text in directory 0 of EXIF
    Exif(u16),
    /// UTF-16 text in directory 0 of EXIF
    ExifWide(u16),
    /// Text in the EXIF directory
    Photo(u16),
}

const SOURCES: &[(Source, Field)] = &[
    (Source::Xmp(ns::ISCC, "name"), Field::Name),
    (Source::Xmp(ns::ISCC, "description"), Field::Description),
    (Source::Xmp(ns::ISCC, "meta"), Field::Meta),
    (Source::Xmp(ns::DC, "title"), Field::Name),
    (Source::Xmp(ns::XMP, "Nickname"), Field::Name),
    (Source::Xmp(ns::XMP_DM, "shotName"), Field::Name),
    (Source::Xmp(ns::PHOTOSHOP, "Headline"), Field::Name),
    (Source::Xmp(ns::IPTC_EXT, "AOTitle"), Field::Name),
    (Source::Iptc(dataset::HEADLINE), Field::Name),
    (Source::Iptc(dataset::BYLINE_TITLE), Field::Name),
    (Source::Iptc(dataset::OBJECT_NAME), Field::Name),
    (Source::ExifWide(tag::XP_TITLE), Field::Name),
    (Source::Xmp(ns::DC, "description"), Field::Description),
    (Source::Xmp(ns::DC, "creator"), Field::Creator),
    (Source::Iptc(dataset::BYLINE), Field::Creator),
    (Source::Exif(tag::ARTIST), Field::Creator),
    (Source::Xmp(ns::XMP_RIGHTS, "WebStatement"), Field::License),
    (Source::Licensor(ns::PLUS), Field::Acquire),
    (Source::Licensor(ns::PLUS_SHORT), Field::Acquire),
    (Source::Xmp(ns::DC, "rights"), Field::Rights),
    // The reference reads neither credit nor keywords of images.
    (Source::Xmp(ns::PHOTOSHOP, "Credit"), Field::Credit),
    (Source::Iptc(dataset::CREDIT), Field::Credit),
    (Source::Xmp(ns::DC, "subject"), Field::Keywords),
    (Source::IptcList(dataset::KEYWORDS), Field::Keywords),
    (Source::Xmp(ns::DC, "identifier"), Field::Identifier),
    (Source::Xmp(ns::XMP, "Identifier"), Field::Identifier),
    (Source::Xmp(ns::DC, "language"), Field::Language),
    (Source::Iptc(dataset::LANGUAGE), Field::Language),
    (Source::Exif(tag::IMAGE_ID), Field::Identifier),
    (Source::Photo(tag::IMAGE_UNIQUE_ID), Field::Identifier),
];
