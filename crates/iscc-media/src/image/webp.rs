//! WebP: lossy, lossless and with alpha; of animations, the first frame.

use std::borrow::Cow;
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
    use super::decode;

    fn chunk(name: &[u8; 4], data: &[u8]) -> Vec<u8> {
        let size = (data.len() as u32).to_le_bytes();
        [name, &size[..], data, &vec![0; data.len() % 2]].concat()
    }

    /// An animation of one frame of one colour on a canvas of 5 x 3 pixels.
    fn animation(rgba: [u8; 4], flags: u8) -> Vec<u8> {
        let still = ::webp::Encoder::from_rgba(&rgba.repeat(4), 2, 2).encode_lossless();
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
