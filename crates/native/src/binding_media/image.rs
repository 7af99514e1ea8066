//! Images: Image-Code, metadata and thumbnail from one decoding.

use iscc_codec::Mode;
use iscc_content::picture;
use iscc_image::{self as image, Depth, Loss, Options, Raster};
use iscc_media::mediatype::Sniffed;
use iscc_media::metadata;
use iscc_media::metadata::image::Blocks;
use iscc_units::Compat;
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::binding_media::{FileMetadata, UNIT_BITS, content_code, read, release};
use crate::error::{NativeError, Result};
use crate::runtime::CPU;

/// The most pixels of an image, for decoders outside the addon
#[napi]
pub const IMAGE_PIXELS_MAX: i64 = image::IMAGE_PIXELS_MAX as i64;

/// Code, size, metadata and thumbnail of an image.
#[napi(object)]
pub struct ImageContent {
    /// Image-Code of 256 bits, with prefix
    pub unit: String,
    /// Image-Codes of the mirrored and turned image: mirrored, flipped, turned by half, transposed, turned left, turned
    /// right, transposed along the other diagonal
    pub symmetries: Vec<String>,
    /// Width in pixels, before rotation
    pub width: u32,
    /// Height in pixels, before rotation
    pub height: u32,
    /// Embedded metadata
    pub metadata: FileMetadata,
    /// Identifier that a picture of Apple's cameras shares with the film of its Live Photo
    pub content_identifier: Option<String>,
    /// A WebP image; absent if the image cannot be drawn
    pub thumbnail: Option<Buffer>,
    /// `depth` if gray levels of more than 8 bits were clipped, `end` if the end of the file is missing
    #[napi(ts_type = "'depth' | 'end'")]
    pub loss: Option<String>,
}

/// Decoded pixels: from another decoder, or rendered. They must not change until the promise of the
/// call is settled.
#[napi(object)]
pub struct RawPixels {
    /// 8 bits per sample, rows from the top, without gaps, before an orientation in EXIF or XMP is
    /// applied
    pub bytes: Uint8Array,
    /// Width in pixels
    pub width: u32,
    /// Height in pixels
    pub height: u32,
    /// 1 grey, 2 grey and alpha, 3 RGB or 4 RGBA
    pub channels: u32,
}

/// Image-Code, size, metadata and a thumbnail of at most `thumbnailSide` pixels per side. `compat`
/// is `0.9.7` or `0.9.5`. `scaled` keeps gray levels of more than 8 bits, which the reference clips.
/// Rejects with `NO_DECODER` for formats that need another decoder: see `imageContentOfPixels`.
#[napi(catch_unwind, ts_return_type = "Promise<ImageContent>")]
pub fn image_content<'env>(
    env: &'env Env,
    path: String,
    compat: String,
    thumbnail_side: u32,
    scaled: bool,
) -> Result<Object<'env>> {
    let compat = release(&compat)?;
    CPU.run(env, move || {
        let file = read(&path)?;
        let file = Sniffed::new(&file);
        let raster = image::decode(&file, &depth(scaled))?;
        content(&raster, &file, compat, thumbnail_side)
    })
}

/// Like `imageContent`, with pixels that another decoder read from the file.
#[napi(catch_unwind, ts_return_type = "Promise<ImageContent>")]
pub fn image_content_of_pixels<'env>(
    env: &'env Env,
    path: String,
    pixels: RawPixels,
    compat: String,
    thumbnail_side: u32,
) -> Result<Object<'env>> {
    let compat = release(&compat)?;
    CPU.run(env, move || {
        let raster = raster_of(&pixels)?;
        content(&raster, &Sniffed::new(&read(&path)?), compat, thumbnail_side)
    })
}

/// Metadata embedded in an image.
#[napi(catch_unwind, ts_return_type = "Promise<FileMetadata>")]
pub fn image_metadata<'env>(env: &'env Env, path: String) -> Result<Object<'env>> {
    CPU.run(env, move || {
        let file = read(&path)?;
        let file = Sniffed::new(&file);
        Ok(FileMetadata::from(image::metadata(&file, &Blocks::read(&file))))
    })
}

/// Metadata in an XMP packet.
#[napi(catch_unwind)]
pub fn xmp_metadata(packet: &[u8]) -> FileMetadata {
    let blocks = Blocks { xmp: Some(packet.into()), ..Blocks::default() };
    metadata::image::metadata(&blocks).into()
}

/// A WebP thumbnail of an encoded image, of at most `side` pixels per side. Rejects with
/// `NO_DECODER` for formats that need another decoder: see `thumbnailOfPixels`. The image must not
/// change until the promise is settled.
#[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
pub fn thumbnail<'env>(env: &'env Env, image: Uint8Array, side: u32) -> Result<Object<'env>> {
    CPU.run(env, move || {
        let raster = image::decode(&Sniffed::new(&image), &depth(true))?;
        thumbnail_of(&raster, side)
    })
}

/// RGB samples of CMYK samples of 8 bits, of which 255 is full ink, without colour profile. The
/// samples must not change until the promise is settled.
#[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
pub fn cmyk_to_rgb<'env>(env: &'env Env, cmyk: Uint8Array) -> Result<Object<'env>> {
    CPU.run(env, move || Ok(Buffer::from(image::cmyk_to_rgb(&cmyk))))
}

/// Like `thumbnail`, from pixels.
#[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
pub fn thumbnail_of_pixels<'env>(
    env: &'env Env,
    pixels: RawPixels,
    side: u32,
) -> Result<Object<'env>> {
    CPU.run(env, move || thumbnail_of(&raster_of(&pixels)?, side))
}

pub(crate) fn raster_of(pixels: &RawPixels) -> Result<Raster> {
    let RawPixels { bytes, width, height, channels } = pixels;
    let (width, height, channels) = (*width as usize, *height as usize, *channels as usize);
    Ok(image::raster_of(bytes, width, height, channels, image::IMAGE_PIXELS_MAX)?)
}

/// Options of the decoder.
pub(crate) fn depth(scaled: bool) -> Options {
    let depth = if scaled { Depth::Scaled } else { Depth::Clipped };
    Options { depth, ..Options::default() }
}

fn content(
    raster: &Raster,
    file: &Sniffed<'_>,
    compat: Compat,
    thumbnail_side: u32,
) -> Result<ImageContent> {
    let picture = picture::content(raster, file, compat);
    let symmetries =
        iscc_units::image::symmetric_digests(&picture.pixels, UNIT_BITS as usize, compat);
    Ok(ImageContent {
        unit: content_code(Mode::Image, &picture.digest)?,
        symmetries: symmetries
            .iter()
            .map(|digest| content_code(Mode::Image, digest))
            .collect::<Result<_>>()?,
        width: picture.width,
        height: picture.height,
        metadata: picture.metadata.into(),
        content_identifier: picture.content_identifier,
        // A failing thumbnail does not fail the image.
        thumbnail: thumbnail_of(raster, thumbnail_side).ok(),
        loss: picture.loss.map(|loss| {
            let name = match loss {
                Loss::Depth => "depth",
                Loss::End => "end",
            };
            name.to_owned()
        }),
    })
}

fn thumbnail_of(raster: &Raster, side: u32) -> Result<Buffer> {
    let webp = image::thumbnail(raster, side as usize);
    webp.map(Buffer::from).ok_or_else(|| NativeError::internal("cannot encode the thumbnail"))
}
