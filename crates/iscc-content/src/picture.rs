//! Pictures: digest, size and metadata.

use iscc_image::{self as image, Loss, Options, Orientation, Raster, Trim};
use iscc_media::mediatype::Sniffed;
use iscc_media::metadata::Metadata;
use iscc_media::metadata::image::{Blocks, content_identifier};
use iscc_units::Compat;
use iscc_units::image::{Pixels, digest};

use crate::UNIT_BITS;

/// What a picture holds.
#[derive(Debug, Clone)]
pub struct PictureContent {
    /// Digest of the Image-Code
    pub digest: [u8; 32],
    /// The input of the digest
    pub pixels: Pixels,
    /// Width in pixels, before rotation
    pub width: u32,
    /// Height in pixels, before rotation
    pub height: u32,
    /// Embedded metadata
    pub metadata: Metadata,
    /// Identifier that a picture of Apple's cameras shares with the film of its Live Photo
    pub content_identifier: Option<String>,
    /// What the pixels lack
    pub loss: Option<Loss>,
}

/// Codes the pixels that a decoder has read from `file`.
pub fn content(raster: &Raster, file: &Sniffed<'_>, compat: Compat) -> PictureContent {
    let blocks = Blocks::read(file);
    let orientation = Orientation::of_file(file, &blocks);
    let options = Options { trim: trim(compat), ..Options::default() };
    let prepared = image::prepare_raster(raster, orientation, &options);
    let (width, height) = image::stored_size(file, prepared.width, prepared.height);
    PictureContent {
        digest: digest(&prepared.pixels, UNIT_BITS as usize, compat),
        pixels: prepared.pixels,
        width,
        height,
        metadata: image::metadata(file, &blocks),
        content_identifier: content_identifier(&blocks),
        loss: raster.loss(),
    }
}

/// How a release of iscc-sdk removes borders.
pub fn trim(compat: Compat) -> Trim {
    match compat {
        Compat::Sdk0_9_5 => Trim::Exact,
        Compat::Sdk0_9_7 => Trim::Tolerant,
    }
}
