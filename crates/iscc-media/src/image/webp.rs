//! WebP: lossy, lossless and with alpha; of animations, the first frame.

use std::io::Cursor;

use image_webp::WebPDecoder;

use super::check_size;
use super::raster::{Channels, Raster};
use super::transparency::rgb_on_white;
use crate::error::MediaError;

const FORMAT: &str = "WebP";

/// Maximum memory in addition to the pixels.
const WEBP_ANCILLARY_BYTES_MAX: usize = 64 << 20;

/// Decodes the first frame on a transparent canvas, composited over white.
pub fn decode(file: &[u8], pixels_max: u64) -> Result<Raster, MediaError> {
    let damaged = |reason: image_webp::DecodingError| MediaError::damaged(FORMAT, reason);
    let mut decoder = WebPDecoder::new(Cursor::new(file)).map_err(damaged)?;
    decoder.set_memory_limit(WEBP_ANCILLARY_BYTES_MAX);
    let (width, height) = decoder.dimensions();
    let (width, height) = (width as usize, height as usize);
    check_size(width, height, pixels_max)?;
    let size = decoder.output_buffer_size();
    let size = size.ok_or_else(|| MediaError::damaged(FORMAT, "the image is too large"))?;
    let mut samples = vec![0; size];
    decoder.read_image(&mut samples).map_err(damaged)?;
    let samples = if decoder.has_alpha() { rgb_on_white(&samples) } else { samples };
    Raster::new(width, height, Channels::Rgb, samples)
        .ok_or_else(|| MediaError::damaged(FORMAT, "the image has no pixels"))
}
