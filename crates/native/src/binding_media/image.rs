//! JavaScript face of `iscc-media`'s images: an Image-Code, metadata and a thumbnail from one decoding.
//! Errors begin with the codes that [`crate::binding_media`] names.

use iscc_codec::Mode;
use iscc_media::image::{self, Options, Orientation, Raster, Trim};
use iscc_media::mediatype::Sniffed;
use iscc_media::metadata;
use iscc_media::metadata::image::Blocks;
use iscc_units::Compat;
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::binding_media::{FileMetadata, POOL, UNIT_BITS, parse, read, refused, unit};

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
    /// A WebP image
    pub thumbnail: Option<Buffer>,
}

/// Pixels that another decoder made of an image file, or that were drawn. They must not change until the promise of the
/// call is settled.
#[napi(object)]
pub struct RawPixels {
    /// 8 bits per sample, rows from the top as stored, without gaps and without the file's orientation applied
    pub bytes: Uint8Array,
    /// Width in pixels
    pub width: u32,
    /// Height in pixels
    pub height: u32,
    /// 1 gray, 2 gray and alpha, 3 RGB or 4 RGBA
    pub channels: u32,
}

/// Image-Code, size, metadata and a thumbnail of at most `thumbnailSide` pixels a side of an image file. `compat` is
/// `0.9.7` or `0.9.5`. Rejects with `NO_DECODER` for formats that another decoder has to take: see
/// `imageContentOfPixels`.
#[napi(catch_unwind, ts_return_type = "Promise<ImageContent>")]
pub fn image_content<'env>(
    env: &'env Env,
    path: String,
    compat: String,
    thumbnail_side: u32,
) -> Result<Object<'env>> {
    let compat = parse(&compat)?;
    POOL.run(env, move || {
        let file = read(&path)?;
        let file = Sniffed::new(&file);
        let raster = image::decode(&file, image::IMAGE_PIXELS_MAX).map_err(refused)?;
        content(&raster, &file, compat, thumbnail_side)
    })
}

/// Like `imageContent`, with pixels that another decoder made of the file.
#[napi(catch_unwind, ts_return_type = "Promise<ImageContent>")]
pub fn image_content_of_pixels<'env>(
    env: &'env Env,
    path: String,
    pixels: RawPixels,
    compat: String,
    thumbnail_side: u32,
) -> Result<Object<'env>> {
    let compat = parse(&compat)?;
    POOL.run(env, move || {
        let raster = raster_of(&pixels)?;
        content(&raster, &Sniffed::new(&read(&path)?), compat, thumbnail_side)
    })
}

/// What an image says about itself.
#[napi(catch_unwind, ts_return_type = "Promise<FileMetadata>")]
pub fn image_metadata<'env>(env: &'env Env, path: String) -> Result<Object<'env>> {
    POOL.run(env, move || {
        let file = read(&path)?;
        let file = Sniffed::new(&file);
        Ok(FileMetadata::from(metadata::image::of_file(&file, &Blocks::read(&file))))
    })
}

/// A thumbnail (WebP) of an encoded image, of at most `side` pixels a side. Rejects with `NO_DECODER` for formats that
/// another decoder has to take: see `thumbnailOfPixels`. The image must not change until the promise is settled.
#[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
pub fn thumbnail<'env>(env: &'env Env, image: Uint8Array, side: u32) -> Result<Object<'env>> {
    POOL.run(env, move || {
        let raster =
            image::decode(&Sniffed::new(&image), image::IMAGE_PIXELS_MAX).map_err(refused)?;
        thumbnail_of(&raster, side)
    })
}

/// Like `thumbnail`, of pixels.
#[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
pub fn thumbnail_of_pixels<'env>(
    env: &'env Env,
    pixels: RawPixels,
    side: u32,
) -> Result<Object<'env>> {
    POOL.run(env, move || thumbnail_of(&raster_of(&pixels)?, side))
}

pub(crate) fn raster_of(pixels: &RawPixels) -> Result<Raster> {
    let RawPixels { bytes, width, height, channels } = pixels;
    let (width, height, channels) = (*width as usize, *height as usize, *channels as usize);
    image::raster_of(bytes, width, height, channels, image::IMAGE_PIXELS_MAX).map_err(refused)
}

pub(crate) fn trim(compat: Compat) -> Trim {
    match compat {
        Compat::Sdk0_9_5 => Trim::Exact,
        Compat::Sdk0_9_7 => Trim::Tolerant,
    }
}

fn content(
    raster: &Raster,
    file: &Sniffed<'_>,
    compat: Compat,
    thumbnail_side: u32,
) -> Result<ImageContent> {
    let options = Options { trim: trim(compat), ..Options::default() };
    let blocks = Blocks::read(file);
    let orientation = Orientation::from_blocks(&blocks);
    let prepared = image::prepare_raster(raster, orientation, &options);
    let digest = iscc_units::image::digest(&prepared.pixels, UNIT_BITS, compat);
    Ok(ImageContent {
        unit: unit(Mode::Image, &digest)?,
        pixels: prepared.pixels.to_vec().into(),
        width: prepared.width,
        height: prepared.height,
        metadata: metadata::image::of_file(file, &blocks).into(),
        // An image that can't be drawn small is an image all the same.
        thumbnail: thumbnail_of(raster, thumbnail_side).ok(),
    })
}

fn thumbnail_of(raster: &Raster, side: u32) -> Result<Buffer> {
    let webp = image::thumbnail(raster, side as usize);
    webp.map(Buffer::from).ok_or_else(|| Error::from_reason("the thumbnail can't be encoded"))
}
