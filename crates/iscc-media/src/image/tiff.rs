//! TIFF: the first page, in the colour types of photographs and scans.

use std::io::Cursor;

use ::tiff::decoder::{Decoder, DecodingResult, Limits};
use ::tiff::tags::Tag;
use ::tiff::{ColorType, TiffError};

use super::check_size;
use super::raster::{Channels, Raster};
use super::transparency::{cmyk_to_rgb, gray_on_white, rgb_on_white};
use crate::error::MediaError;

const FORMAT: &str = "TIFF";

/// Maximum bytes per pixel of the supported layouts.
const TIFF_PIXEL_BYTES_MAX: u64 = 8;

/// Decodes the first page.
pub fn decode(file: &[u8], pixels_max: u64) -> Result<Raster, MediaError> {
    let mut limits = Limits::default();
    let bytes_max = pixels_max.saturating_mul(TIFF_PIXEL_BYTES_MAX);
    limits.decoding_buffer_size = usize::try_from(bytes_max).unwrap_or(usize::MAX);
    limits.intermediate_buffer_size = limits.decoding_buffer_size;
    let mut decoder = Decoder::new(Cursor::new(file)).map_err(media_error)?.with_limits(limits);
    let (width, height) = decoder.dimensions().map_err(media_error)?;
    let (width, height) = (width as usize, height as usize);
    check_size(width, height, pixels_max)?;
    let colors = decoder.colortype().map_err(media_error)?;
    check_layout(&mut decoder, colors)?;
    let (channels, samples) = match (colors, decoder.read_image().map_err(media_error)?) {
        (ColorType::Gray(bits @ (1 | 2 | 4)), DecodingResult::U8(packed)) => {
            (Channels::Gray, unpacked(&packed, width, bits))
        }
        (colors, DecodingResult::U8(samples)) => eight_bits(colors, samples)?,
        (ColorType::Gray(16), DecodingResult::U16(samples)) => {
            // Clipped at 255 instead of scaled, as with PNG.
            (Channels::Gray, samples.iter().map(|sample| (*sample).min(255) as u8).collect())
        }
        (colors, DecodingResult::U16(samples)) => {
            eight_bits(colors, samples.iter().map(|sample| (sample >> 8) as u8).collect())?
        }
        (colors, _) => return Err(no_decoder(format_args!("{colors:?}"))),
    };
    Raster::new(width, height, channels, samples)
        .ok_or_else(|| MediaError::damaged(FORMAT, "pixels are missing"))
}

/// Rejects layouts that would decode wrongly here: separate planes and premultiplied alpha.
fn check_layout(decoder: &mut Decoder<Cursor<&[u8]>>, colors: ColorType) -> Result<(), MediaError> {
    const SEPARATE_PLANES: u32 = 2;
    const ASSOCIATED_ALPHA: u32 = 1;
    let mut tag = |tag| decoder.find_tag_unsigned_vec::<u32>(tag).map_err(media_error);
    let first = |values: Option<Vec<u32>>| values.and_then(|values| values.first().copied());
    if colors.num_samples() > 1 && first(tag(Tag::PlanarConfiguration)?) == Some(SEPARATE_PLANES) {
        return Err(no_decoder("separate planes"));
    }
    if first(tag(Tag::ExtraSamples)?) == Some(ASSOCIATED_ALPHA) {
        return Err(no_decoder("associated alpha"));
    }
    Ok(())
}

fn eight_bits(colors: ColorType, samples: Vec<u8>) -> Result<(Channels, Vec<u8>), MediaError> {
    Ok(match colors {
        ColorType::Gray(_) => (Channels::Gray, samples),
        ColorType::GrayA(_) => (Channels::Gray, gray_on_white(&samples)),
        ColorType::RGB(_) => (Channels::Rgb, samples),
        ColorType::RGBA(_) => (Channels::Rgb, rgb_on_white(&samples)),
        ColorType::CMYK(_) => (Channels::Rgb, cmyk_to_rgb(&samples)),
        other => return Err(no_decoder(format_args!("{other:?}"))),
    })
}

/// Unpacks samples of 1, 2 or 4 bits, highest bits first in padded rows, and scales them to
/// 0..=255.
fn unpacked(packed: &[u8], width: usize, bits: u8) -> Vec<u8> {
    let per_byte = usize::from(8 / bits);
    let highest = (1u8 << bits) - 1;
    let scale = 255 / highest;
    let sample = |row: &[u8], x: usize| {
        let shift = 8 - bits * ((x % per_byte) as u8 + 1);
        (row[x / per_byte] >> shift & highest) * scale
    };
    let rows = packed.chunks_exact(width.div_ceil(per_byte));
    rows.flat_map(|row| (0..width).map(move |x| sample(row, x))).collect()
}

fn media_error(error: TiffError) -> MediaError {
    match error {
        TiffError::UnsupportedError(what) => no_decoder(what),
        TiffError::LimitsExceeded => {
            MediaError::TooLarge { what: "decoded TIFF bytes", limit: TIFF_PIXEL_BYTES_MAX }
        }
        other => MediaError::damaged(FORMAT, other),
    }
}

fn no_decoder(what: impl std::fmt::Display) -> MediaError {
    MediaError::NoDecoder(format!("{FORMAT}: {what}"))
}

#[cfg(test)]
mod tests {
    use super::unpacked;

    #[test]
    fn small_samples_are_unpacked_and_scaled() {
        assert_eq!(unpacked(&[0b1010_0000, 0b0110_0000], 3, 1), [255, 0, 255, 0, 255, 255]);
        assert_eq!(unpacked(&[0b0001_1011], 4, 2), [0, 85, 170, 255]);
        assert_eq!(unpacked(&[0x0f, 0x80], 3, 4), [0, 255, 136]);
    }
}
