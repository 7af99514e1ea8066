//! WebP: lossy, lossless and with alpha; of animations, the first frame.

use std::borrow::Cow;
use std::io::Cursor;

use image_webp::WebPDecoder;

use super::check_size;
#[cfg(feature = "native")]
use super::libwebp::Header;
use super::raster::{Channels, Raster};
use super::transparency::rgb_on_white;
use iscc_media::MediaError;

const FORMAT: &str = "WebP";

/// Maximum memory in addition to the pixels.
const WEBP_ANCILLARY_BYTES_MAX: usize = 64 << 20;

/// Decodes a still image, or the first frame of an animation on a transparent canvas, composited
/// over white.
pub fn decode(file: &[u8], pixels_max: u64) -> Result<Raster, MediaError> {
    #[cfg(feature = "native")]
    if let Some(header) = Header::read(file)
        && !header.is_animation
    {
        return decode_still(file, &header, pixels_max);
    }
    decode_first_frame(file, pixels_max)
}

#[cfg(feature = "native")]
fn decode_still(file: &[u8], header: &Header, pixels_max: u64) -> Result<Raster, MediaError> {
    let Header { width, height, has_alpha, .. } = *header;
    check_size(width, height, pixels_max)?;
    let samples = header.decode(file);
    let samples = samples.ok_or_else(|| MediaError::damaged(FORMAT, "the data is invalid"))?;
    let samples = if has_alpha { rgb_on_white(&samples) } else { samples };
    Raster::new(width, height, Channels::Rgb, samples)
        .ok_or_else(|| MediaError::damaged(FORMAT, "the image has no pixels"))
}

/// libwebp has no function for one frame of an animation. This decoder returns the same pixels.
fn decode_first_frame(file: &[u8], pixels_max: u64) -> Result<Raster, MediaError> {
    let damaged = |reason: image_webp::DecodingError| MediaError::damaged(FORMAT, reason);
    let file = without_blending(file);
    let mut decoder = WebPDecoder::new(Cursor::new(&*file)).map_err(damaged)?;
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

/// The file, with a first frame that replaces the canvas. As in the reference, a first frame is not
/// blended with the transparent canvas, which would round its colours.
fn without_blending(file: &[u8]) -> Cow<'_, [u8]> {
    const KEEPS_CANVAS: u8 = 0x02;
    match first_frame_flags(file) {
        Some(at) if file[at] & KEEPS_CANVAS == 0 => {
            let mut changed = file.to_vec();
            changed[at] |= KEEPS_CANVAS;
            changed.into()
        }
        _ => file.into(),
    }
}

/// Where the flags of the first frame of an animation are.
fn first_frame_flags(file: &[u8]) -> Option<usize> {
    const FLAGS: usize = 15;
    let mut at = 12;
    loop {
        let (header, _) = file.get(at..)?.split_first_chunk::<8>()?;
        let [_, _, _, _, size @ ..] = *header;
        at += header.len();
        if header.starts_with(b"ANMF") {
            return (file.len() > at + FLAGS).then_some(at + FLAGS);
        }
        let size = u32::from_le_bytes(size) as usize;
        at = at.checked_add(size)?.checked_add(size % 2)?;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::libwebp::encode;
    use super::{decode, decode_first_frame};

    /// Smooth areas with edges and some noise, so that each tool of the encoder is used.
    fn picture(width: u32, height: u32, channels: u32, noise: u32, seed: u32) -> Vec<u8> {
        let mut state = seed;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) % (noise + 1)
        };
        let mut sample = |at: u32| {
            let (x, y, channel) = (at / channels % width, at / channels / width, at % channels);
            let area = (x / 13 + y / 9 * (channel + 1)).wrapping_mul(seed | 1) % 5 * 50;
            (area + x * (channel + 1) + y / 2 + random()) as u8
        };
        (0..width * height * channels).map(&mut sample).collect()
    }

    proptest! {
        #[test]
        fn both_decoders_return_the_same_pixels(
            (width, height) in (1u32..90, 1u32..70),
            (has_alpha, lossless, method) in (any::<bool>(), any::<bool>(), 0i32..=6),
            (quality, noise, seed) in (0f32..=100.0, 0u32..60, any::<u32>()),
            (filter, sharpness, segments) in (0i32..=100, 0i32..=7, 1i32..=4),
        ) {
            let channels = if has_alpha { 4 } else { 3 };
            let samples = picture(width, height, channels, noise, seed);
            let size = (width as usize, height as usize);
            let file = encode(&samples, size, has_alpha, |config| {
                config.lossless = lossless.into();
                config.quality = quality;
                config.method = method;
                config.filter_strength = filter;
                config.filter_sharpness = sharpness;
                config.filter_type = (seed % 2) as i32;
                config.segments = segments;
                config.alpha_quality = 100 - (seed % 40) as i32;
            });
            let file = file.unwrap();
            let still = decode(&file, 10_000).unwrap();
            prop_assert!(still == decode_first_frame(&file, 10_000).unwrap());
            if lossless && !has_alpha {
                prop_assert_eq!(still.samples(), &samples[..]);
            }
            prop_assert!(decode(&file[..file.len() * 2 / 3], 10_000).is_err());
        }
    }

    fn chunk(name: &[u8; 4], data: &[u8]) -> Vec<u8> {
        let size = (data.len() as u32).to_le_bytes();
        [name, &size[..], data, &vec![0; data.len() % 2]].concat()
    }

    /// An animation of one frame of one colour on a canvas of 5 x 3 pixels.
    fn animation(rgba: [u8; 4], flags: u8) -> Vec<u8> {
        let still = encode(&rgba.repeat(4), (2, 2), true, |config| config.lossless = 1).unwrap();
        let still = &still[12..];
        // Without the header of the still picture.
        let start = still.windows(4).position(|name| name == b"VP8L").unwrap();
        let frame = [&[1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 9, 0, 0, flags][..], &still[start..]];
        let chunks = [
            chunk(b"VP8X", &[0x12, 0, 0, 0, 4, 0, 0, 2, 0, 0]),
            chunk(b"ANIM", &[0, 0, 255, 255, 0, 0]),
            chunk(b"ANMF", &frame.concat()),
        ]
        .concat();
        [b"RIFF", &(chunks.len() as u32 + 4).to_le_bytes()[..], b"WEBP", &chunks].concat()
    }

    #[test]
    fn the_first_frame_replaces_the_canvas() {
        let colour = [201, 77, 143, 199];
        let replaced = decode(&animation(colour, 2), 100).unwrap();
        // The colours of the reference: 255 - (255 - sample) * alpha / 255, rounded.
        assert_eq!(replaced.row(1, 1, 5)[3..], [213, 116, 168, 213, 116, 168, 255, 255, 255]);
        assert_eq!(decode(&animation(colour, 0), 100).unwrap(), replaced);
        let whole = animation(colour, 0);
        for end in 0..whole.len() - 2 {
            assert!(decode(&whole[..end], 100).is_err(), "{end}");
        }
    }
}
