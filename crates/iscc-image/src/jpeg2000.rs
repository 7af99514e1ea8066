//! JPEG 2000 (ISO/IEC 15444-1): files in boxes and bare code streams, with the sample conversions of
//! Pillow.

mod declared;

use hayro_jpeg2000::{DecodeSettings, DecodedImage, DecoderContext, Image};

use super::depth::{Depth, gray_levels};
use super::raster::{Channels, Loss, Raster};
use super::transparency::{cmyk_to_rgb, gray_on_white, rgb_on_white};
use iscc_media::MediaError;

const FORMAT: &str = "JPEG 2000";

/// Maximum samples of all components. Each takes eight bytes while it is decoded.
const SAMPLES_MAX: u64 = 200_000_000;

/// Decodes an image. Rejects truncated files, as the reference does.
pub fn decode(file: &[u8], pixels_max: u64, depth: Depth) -> Result<Raster, MediaError> {
    let damaged = |reason| MediaError::damaged(FORMAT, reason);
    declared::check(file, pixels_max)?;
    let settings = DecodeSettings { strict: true, ..DecodeSettings::default() };
    let image = Image::new(file, &settings).map_err(damaged)?;
    let (width, height) = (image.width() as usize, image.height() as usize);
    let mut context = DecoderContext::default();
    let decoded = image.decode(&mut context).map_err(damaged)?;
    let (channels, samples, loss) = match deep_gray(&decoded, depth) {
        Some((levels, loss)) => (Channels::Gray, levels, loss),
        None => {
            let (channels, samples) = opaque(&decoded, is_cmyk(file))?;
            (channels, samples, None)
        }
    };
    let raster = Raster::new(width, height, channels, samples)
        .ok_or_else(|| MediaError::damaged(FORMAT, "the components differ in size"))?;
    Ok(raster.with_loss(loss))
}

/// Opaque 8-bit samples.
fn opaque(image: &DecodedImage<'_>, is_cmyk: bool) -> Result<(Channels, Vec<u8>), MediaError> {
    match image.components() {
        [_] => Ok((Channels::Gray, interleaved::<1>(image))),
        [_, _] => Ok((Channels::Gray, gray_on_white(&interleaved::<2>(image)))),
        [_, _, _] => Ok((Channels::Rgb, interleaved::<3>(image))),
        [_, _, _, _] if is_cmyk => Ok((Channels::Rgb, cmyk_to_rgb(&interleaved::<4>(image)))),
        [_, _, _, _] => Ok((Channels::Rgb, rgb_on_white(&interleaved::<4>(image)))),
        other => Err(MediaError::NoDecoder(format!("{FORMAT} with {} components", other.len()))),
    }
}

/// Samples of `N` components, pixel by pixel. Deeper samples lose their low bits, others are shifted
/// up.
fn interleaved<const N: usize>(image: &DecodedImage<'_>) -> Vec<u8> {
    let components = image.components();
    let count = components.iter().map(|one| one.samples().len()).min().unwrap_or(0);
    let mut pixels = vec![0; count * N];
    for (channel, component) in components.iter().take(N).enumerate() {
        let depth = component.bit_depth();
        for (pixel, sample) in pixels.as_chunks_mut::<N>().0.iter_mut().zip(component.samples()) {
            let level = whole(*sample, depth);
            let level = if depth > 8 { level >> (depth - 8) } else { level << (8 - depth) };
            pixel[channel] = level as u8;
        }
    }
    pixels
}

/// Levels of gray with more than 8 bits, which Pillow shifts up to 16 bits first.
fn deep_gray(image: &DecodedImage<'_>, depth: Depth) -> Option<(Vec<u8>, Option<Loss>)> {
    let [gray] = image.components() else { return None };
    let bits = gray.bit_depth();
    let (up, down) = (16u8.saturating_sub(bits), bits.saturating_sub(16));
    let shifted = |sample: &f32| f64::from((whole(*sample, bits) << up) >> down);
    (bits > 8).then(|| gray_levels(gray.samples().iter().map(shifted), depth))
}

/// A sample as an integer of `depth` bits.
fn whole(sample: f32, depth: u8) -> u32 {
    let max = ((1u64 << depth.min(31)) - 1) as f32;
    sample.round_ties_even().clamp(0.0, max) as u32
}

/// Whether a colour specification box names CMYK (enumerated colour space 12).
fn is_cmyk(file: &[u8]) -> bool {
    const BOX: &[u8] = b"colr\x01";
    const HEADER_BYTES_MAX: usize = 1 << 16;
    let head = &file[..file.len().min(HEADER_BYTES_MAX)];
    head.windows(11).any(|one| one.starts_with(BOX) && one[7..] == [0, 0, 0, 12])
}
