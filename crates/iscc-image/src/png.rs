//! PNG, with 16-bit samples and transparency converted as in the reference.

use std::io::Cursor;

use ::png::{BitDepth, ColorType, DecodeOptions, Decoder, Limits, Transformations};

use super::depth::{Depth, gray_levels};
use super::raster::{Channels, Raster};
use super::transparency::{gray_on_white, rgb_on_white};
use super::{check_memory, check_size};
use iscc_media::MediaError;

/// Maximum memory for ancillary chunks and rows, in addition to the pixels.
const PNG_ANCILLARY_BYTES_MAX: usize = 64 << 20;

/// Decodes the default image.
pub fn decode(file: &[u8], pixels_max: u64, gray: Depth) -> Result<Raster, MediaError> {
    let damaged = |reason: ::png::DecodingError| MediaError::damaged("PNG", reason);
    let limits = Limits { bytes: PNG_ANCILLARY_BYTES_MAX };
    // As in the reference and browsers, pixels count although a checksum is wrong.
    let mut options = DecodeOptions::default();
    options.set_ignore_crc(true);
    let mut decoder = Decoder::new_with_options(Cursor::new(file), options);
    decoder.set_limits(limits);
    decoder.set_transformations(Transformations::EXPAND);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let header = decoder.read_header_info().map_err(damaged)?;
    let (width, height) = (header.width as usize, header.height as usize);
    check_size(width, height, pixels_max)?;
    let mut reader = decoder.read_info().map_err(damaged)?;
    let stored = reader.info().color_type;
    let (expanded, depth) = reader.output_color_type();
    let sample_bytes = if depth == BitDepth::Sixteen { 3 } else { 1 };
    check_memory(width, height, expanded.samples() * sample_bytes)?;
    let size = reader.output_buffer_size();
    let size = size.ok_or_else(|| MediaError::damaged("PNG", "the image is too large"))?;
    let mut samples = vec![0; size];
    reader.next_frame(&mut samples).map_err(damaged)?;
    let (channels, samples, loss) = if (stored, depth) == (ColorType::Grayscale, BitDepth::Sixteen)
    {
        let pixels = samples.chunks_exact(2 * expanded.samples());
        let levels = pixels.map(|pixel| f64::from(u16::from_be_bytes([pixel[0], pixel[1]])));
        let (samples, loss) = gray_levels(levels, gray);
        (Channels::Gray, samples, loss)
    } else {
        let (channels, samples) = opaque(stored, expanded, depth, samples);
        (channels, samples, None)
    };
    let raster = Raster::new(width, height, channels, samples)
        .ok_or_else(|| MediaError::damaged("PNG", "the image has no pixels"))?;
    Ok(raster.with_loss(loss))
}

/// Opaque 8-bit samples. A transparent colour (tRNS) counts only in palette images; elsewhere the
/// alpha channel that the decoder derives from it is dropped.
fn opaque(
    stored: ColorType,
    expanded: ColorType,
    depth: BitDepth,
    samples: Vec<u8>,
) -> (Channels, Vec<u8>) {
    let samples = match depth {
        BitDepth::Sixteen => samples.chunks_exact(2).map(|sample| sample[0]).collect(),
        _ => samples,
    };
    match (stored, expanded) {
        (_, ColorType::Grayscale) => (Channels::Gray, samples),
        (ColorType::Grayscale, _) => {
            (Channels::Gray, samples.chunks_exact(2).map(|pixel| pixel[0]).collect())
        }
        (_, ColorType::GrayscaleAlpha) => (Channels::Gray, gray_on_white(&samples)),
        (ColorType::Rgb, ColorType::Rgba) => (
            Channels::Rgb,
            samples.as_chunks().0.iter().flat_map(|[r, g, b, _]| [*r, *g, *b]).collect(),
        ),
        (_, ColorType::Rgba) => (Channels::Rgb, rgb_on_white(&samples)),
        (_, ColorType::Rgb | ColorType::Indexed) => (Channels::Rgb, samples),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_count_although_a_checksum_is_wrong() {
        let mut file = Vec::new();
        let mut encoder = ::png::Encoder::new(&mut file, 2, 2);
        encoder.set_color(ColorType::Grayscale);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(&[1, 2, 3, 4]).unwrap();
        writer.finish().unwrap();
        let whole = decode(&file, 100, Depth::Clipped).unwrap();
        let end = file.windows(4).position(|it| it == b"IEND").unwrap();
        // The checksum of the chunk with the pixels is before the length and the type of the last one.
        file[end - 5] ^= 1;
        assert_eq!(decode(&file, 100, Depth::Clipped).unwrap(), whole);
        file.truncate(end - 12);
        assert!(decode(&file, 100, Depth::Clipped).is_err());
    }
}
