//! Images to 32 x 32 gray pixels, the input of an Image-Code. The pixels equal those of Pillow 12.3
//! and the reference exactly, because rounding decides bits of the code.
//!
//! One file per format and one per step. The order of steps differs from the reference where the
//! result is provably the same: transparency is filled while decoding, and rotation is applied
//! last, to the single gray channel after trimming.
//!
//! Without the feature `native`, JPEG 2000, SVG, CIE L*a*b* and TIFF with Zstandard have no decoder here; without `jpeg`, which
//! is a part of it, JPEG has none.

mod bmp;
mod depth;
mod drawing;
mod gif;
mod gray;
pub mod heif;
#[cfg(feature = "jpeg")]
mod jpeg;
#[cfg(feature = "native")]
mod jpeg2000;
mod lab;
#[cfg(feature = "jpeg")]
mod libjpeg;
#[cfg(feature = "native")]
mod libwebp;
mod orientation;
mod png;
mod psd;
mod raster;
mod resample;
mod semantic;
pub mod svg;
#[cfg(feature = "native")]
mod thumbnail;
mod tiff;
mod transparency;
mod trim;
mod webp;

pub use depth::Depth;
pub use orientation::Orientation;
pub use raster::{Channels, Loss, Raster};
pub use semantic::{SEMANTIC_SIDE, semantic_input};
#[cfg(feature = "native")]
pub use thumbnail::thumbnail;
pub use transparency::cmyk_to_rgb;
pub use trim::Trim;

use self::resample::Filter;
use iscc_media::MediaError;
use iscc_media::mediatype::Sniffed;
use iscc_media::metadata::image::Blocks;
use iscc_media::metadata::{self, Metadata};

/// Side of an Image-Code's input, in pixels.
pub const SIDE: usize = 32;

/// Maximum pixels of an image. The reference warns at 128,000,000 and rejects more than twice that.
pub const IMAGE_PIXELS_MAX: u64 = 256_000_000;

/// Most memory of an image's pixels: what 8-bit RGBA of the most pixels takes together with its opaque
/// copy. A worker that needs more than 2 GiB is ended, with a reason that does not name the picture.
pub const IMAGE_BYTES_MAX: u64 = 7 * IMAGE_PIXELS_MAX;

/// How images are prepared.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Which borders are removed.
    pub trim: Trim,
    /// Maximum pixels; larger images are rejected.
    pub pixels_max: u64,
    /// What happens to gray levels of more than 8 bits.
    pub depth: Depth,
}

impl Default for Options {
    fn default() -> Self {
        Self { trim: Trim::Tolerant, pixels_max: IMAGE_PIXELS_MAX, depth: Depth::default() }
    }
}

/// Input of an Image-Code, and the image's size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    /// 32 x 32 gray levels, row by row.
    pub pixels: [u8; SIDE * SIDE],
    /// Width in the file, before rotation.
    pub width: u32,
    /// Height in the file, before rotation.
    pub height: u32,
}

/// Metadata of an image file, SVG included. `blocks` are those of the same file.
pub fn metadata(file: &Sniffed<'_>, blocks: &Blocks<'_>) -> Metadata {
    match svg::is_markup(file.bytes) {
        true => drawing::metadata(file.bytes),
        false => metadata::image::metadata(blocks),
    }
}

/// Prepares the first frame of an image file.
///
/// # Errors
/// [`MediaError::NoDecoder`] for formats that need another decoder (pass its pixels to
/// [`prepare_samples`]), `Damaged` for truncated or invalid files, `TooLarge` for more than
/// [`Options::pixels_max`].
pub fn prepare(file: &Sniffed<'_>, options: &Options) -> Result<Prepared, MediaError> {
    let raster = decode(file, options)?;
    let orientation = Orientation::of_file(file, &Blocks::read(file));
    Ok(prepare_raster(&raster, orientation, options))
}

/// Prepares pixels from another decoder: `channels` samples of 8 bits per pixel, top row first, no
/// padding. 1 channel is gray, 2 gray and alpha, 3 RGB, 4 RGBA.
///
/// # Errors
/// [`MediaError::RawPixels`] if the number of samples does not match.
pub fn prepare_samples(
    samples: &[u8],
    width: usize,
    height: usize,
    channels: usize,
    orientation: Orientation,
    options: &Options,
) -> Result<Prepared, MediaError> {
    let raster = raster_of(samples, width, height, channels, options.pixels_max)?;
    Ok(prepare_raster(&raster, orientation, options))
}

/// A raster of pixels from another decoder, composited over white; see [`prepare_samples`].
///
/// # Errors
/// [`MediaError::RawPixels`] if the number of samples does not match.
pub fn raster_of(
    samples: &[u8],
    width: usize,
    height: usize,
    channels: usize,
    pixels_max: u64,
) -> Result<Raster, MediaError> {
    check_size(width, height, pixels_max)?;
    let raster = match channels {
        1 => Raster::new(width, height, Channels::Gray, samples.to_vec()),
        2 => Raster::new(width, height, Channels::Gray, transparency::gray_on_white(samples)),
        3 => Raster::new(width, height, Channels::Rgb, samples.to_vec()),
        4 => Raster::new(width, height, Channels::Rgb, transparency::rgb_on_white(samples)),
        _ => return Err(MediaError::RawPixels("channels must be 1, 2, 3 or 4")),
    };
    raster.ok_or(MediaError::RawPixels("the number of samples must be width x height x channels"))
}

/// Trims, converts to gray, rotates and scales.
pub fn prepare_raster(raster: &Raster, orientation: Orientation, options: &Options) -> Prepared {
    let window = trim::window(raster, orientation, options.trim);
    let gray = gray::window_to_gray(raster, window).oriented(orientation);
    let mut pixels = [0; SIDE * SIDE];
    pixels.copy_from_slice(&resample::to_square::<SIDE>(&gray, Filter::Bicubic));
    Prepared { pixels, width: raster.width() as u32, height: raster.height() as u32 }
}

/// Width and height that the file gives, for a raster of the given size. They differ if the decoder
/// has cropped or turned the image.
pub fn stored_size(file: &Sniffed<'_>, width: u32, height: u32) -> (u32, u32) {
    match file.mediatype {
        Some("image/heic" | "image/avif") => heif::stored_size(file.bytes)
            .map_or((width, height), |(width, height)| (width as u32, height as u32)),
        _ => (width, height),
    }
}

/// Decodes the first frame, composited over white.
///
/// # Errors
/// Those of [`prepare`].
pub fn decode(file: &Sniffed<'_>, options: &Options) -> Result<Raster, MediaError> {
    let Sniffed { bytes, mediatype } = *file;
    let Options { pixels_max, depth, .. } = *options;
    match mediatype {
        #[cfg(feature = "jpeg")]
        Some("image/jpeg") => jpeg::decode(bytes, pixels_max),
        Some("image/png") => png::decode(bytes, pixels_max, depth),
        Some("image/webp") => webp::decode(bytes, pixels_max),
        Some("image/gif") => gif::decode(bytes, pixels_max),
        Some("image/bmp") => bmp::decode(bytes, pixels_max),
        Some("image/tiff") => tiff::decode(bytes, pixels_max, depth),
        #[cfg(feature = "native")]
        Some("image/jp2") => jpeg2000::decode(bytes, pixels_max, depth),
        Some("image/vnd.adobe.photoshop") => psd::decode(bytes, pixels_max),
        #[cfg(feature = "native")]
        Some("image/svg+xml") => drawing::decode(bytes),
        // The root of an SVG may follow a comment longer than the sniffed head. Only this decoder
        // limits what it may do.
        #[cfg(feature = "native")]
        _ if svg::is_markup(bytes) => drawing::decode(bytes),
        Some(other) => Err(MediaError::NoDecoder(other.to_owned())),
        None => Err(MediaError::NoDecoder("content of unknown type".to_owned())),
    }
}

/// Rejects empty images and decompression bombs before allocating memory for them.
fn check_size(width: usize, height: usize, pixels_max: u64) -> Result<(), MediaError> {
    if width == 0 || height == 0 {
        return Err(MediaError::damaged("image", "the image has no pixels"));
    }
    match (width as u64).checked_mul(height as u64) {
        Some(pixels) if pixels <= pixels_max => Ok(()),
        _ => Err(MediaError::TooLarge { what: "number of pixels", limit: pixels_max }),
    }
}

/// Rejects images that need too much memory, before it is allocated. `pixel_bytes` are those of a pixel
/// in all copies that exist next to the opaque one.
fn check_memory(width: usize, height: usize, pixel_bytes: usize) -> Result<(), MediaError> {
    const OPAQUE_BYTES: usize = 3;
    let bytes = [height, pixel_bytes.saturating_add(OPAQUE_BYTES)]
        .iter()
        .try_fold(width as u64, |bytes, factor| bytes.checked_mul(*factor as u64));
    match bytes {
        Some(bytes) if bytes <= IMAGE_BYTES_MAX => Ok(()),
        _ => {
            let what = "memory of the decoded pixels in bytes";
            Err(MediaError::TooLarge { what, limit: IMAGE_BYTES_MAX })
        }
    }
}
