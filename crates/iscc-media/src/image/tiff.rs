//! TIFF: the first page, in the colour types of photographs and scans.

use std::io::{self, Cursor, Read, Seek, SeekFrom};

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

/// Photometric interpretation of inverted gray levels.
const WHITE_IS_ZERO: u32 = 0;

/// Fill order of bytes whose lowest bit comes first.
const LOWEST_BIT_FIRST: u32 = 2;

/// Decodes the first page.
pub fn decode(file: &[u8], pixels_max: u64) -> Result<Raster, MediaError> {
    let mut limits = Limits::default();
    let bytes_max = pixels_max.saturating_mul(TIFF_PIXEL_BYTES_MAX);
    limits.decoding_buffer_size = usize::try_from(bytes_max).unwrap_or(usize::MAX);
    limits.intermediate_buffer_size = limits.decoding_buffer_size;
    let source = Source { file: Cursor::new(file), is_mirrored: false };
    let mut decoder = Decoder::new(source).map_err(media_error)?.with_limits(limits);
    let (width, height) = decoder.dimensions().map_err(media_error)?;
    let (width, height) = (width as usize, height as usize);
    check_size(width, height, pixels_max)?;
    let colors = decoder.colortype().map_err(media_error)?;
    check_layout(&mut decoder, colors)?;
    let is_white_zero = first(&mut decoder, Tag::PhotometricInterpretation)? == Some(WHITE_IS_ZERO);
    let is_mirrored = first(&mut decoder, Tag::FillOrder)? == Some(LOWEST_BIT_FIRST);
    // From here on, only strips and tiles are read, no tags. As in libtiff, the bits of compressed
    // data are reversed too. (Those of JPEG would not be, but there is no decoder for JPEG here.)
    decoder.inner().is_mirrored = is_mirrored;
    let decoded = decoder.read_image().map_err(media_error)?;
    let (channels, samples) = converted(colors, decoded, width, is_white_zero)?;
    Raster::new(width, height, channels, samples)
        .ok_or_else(|| MediaError::damaged(FORMAT, "pixels are missing"))
}

/// The file. The decoder does not know files in which the lowest bit of a byte comes first.
struct Source<'a> {
    file: Cursor<&'a [u8]>,
    /// Whether to reverse the bits of each byte.
    is_mirrored: bool,
}

impl Read for Source<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(bytes)?;
        if self.is_mirrored {
            bytes[..count].iter_mut().for_each(|byte| *byte = byte.reverse_bits());
        }
        Ok(count)
    }
}

impl Seek for Source<'_> {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.file.seek(position)
    }
}

/// The first value of a tag.
fn first(decoder: &mut Decoder<Source<'_>>, tag: Tag) -> Result<Option<u32>, MediaError> {
    let values = decoder.find_tag_unsigned_vec(tag).map_err(media_error)?;
    Ok(values.and_then(|values| values.first().copied()))
}

/// Rejects layouts that would decode wrongly here: separate planes and premultiplied alpha.
fn check_layout(decoder: &mut Decoder<Source<'_>>, colors: ColorType) -> Result<(), MediaError> {
    const SEPARATE_PLANES: u32 = 2;
    const ASSOCIATED_ALPHA: u32 = 1;
    let planes = first(decoder, Tag::PlanarConfiguration)?;
    if colors.num_samples() > 1 && planes == Some(SEPARATE_PLANES) {
        return Err(no_decoder("separate planes"));
    }
    if first(decoder, Tag::ExtraSamples)? == Some(ASSOCIATED_ALPHA) {
        return Err(no_decoder("associated alpha"));
    }
    Ok(())
}

/// Samples of 8 bits, with the conversions of Pillow.
fn converted(
    colors: ColorType,
    decoded: DecodingResult,
    width: usize,
    is_white_zero: bool,
) -> Result<(Channels, Vec<u8>), MediaError> {
    // Samples of 16 bits are clipped instead of scaled, as with PNG.
    const MAX: u16 = 255;
    Ok(match (colors, decoded) {
        (ColorType::Gray(bits @ (1 | 2 | 4)), DecodingResult::U8(packed)) => {
            (Channels::Gray, unpacked(&packed, width, bits))
        }
        (colors, DecodingResult::U8(samples)) => eight_bits(colors, samples)?,
        (ColorType::Gray(16), DecodingResult::U16(samples)) => {
            // The decoder has inverted them; Pillow does so only with fewer bits.
            let stored = |sample: &u16| if is_white_zero { !sample } else { *sample };
            (Channels::Gray, samples.iter().map(|sample| stored(sample).min(MAX) as u8).collect())
        }
        (colors, DecodingResult::U16(samples)) => {
            eight_bits(colors, samples.iter().map(|sample| (sample >> 8) as u8).collect())?
        }
        // Pillow takes them for unsigned samples.
        (ColorType::Gray(8), DecodingResult::I8(samples)) => {
            (Channels::Gray, samples.iter().map(|sample| sample.cast_unsigned()).collect())
        }
        (ColorType::Gray(16), DecodingResult::I16(samples)) => {
            let clipped = |sample: &i16| sample.max(&0).cast_unsigned().min(MAX) as u8;
            (Channels::Gray, samples.iter().map(clipped).collect())
        }
        (colors, _) => return Err(no_decoder(format_args!("{colors:?}"))),
    })
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
    use super::*;

    /// A little-endian file of one strip. Each tag has one value of 16 bits.
    fn file(width: u16, height: u16, tags: &[(Tag, u16)], strip: &[u8]) -> Vec<u8> {
        let at = (8 + 2 + 12 * (tags.len() + 5) + 4) as u16;
        let sizes = [
            (Tag::ImageWidth, width),
            (Tag::ImageLength, height),
            (Tag::StripOffsets, at),
            (Tag::RowsPerStrip, height),
            (Tag::StripByteCounts, strip.len() as u16),
        ];
        let mut tags: Vec<(u16, u16)> =
            sizes.iter().chain(tags).map(|(tag, value)| (tag.to_u16(), *value)).collect();
        tags.sort();
        let mut file = b"II*\0\x08\0\0\0".to_vec();
        file.extend((tags.len() as u16).to_le_bytes());
        for (tag, value) in tags {
            file.extend([tag, 3, 1, 0, value, 0].map(u16::to_le_bytes).concat());
        }
        file.extend([0; 4]);
        file.extend(strip);
        file
    }

    fn gray(bits: u16, format: u16, photometric: u16, fill: u16, strip: &[u8]) -> Vec<u8> {
        let tags = [
            (Tag::BitsPerSample, bits),
            (Tag::SampleFormat, format),
            (Tag::PhotometricInterpretation, photometric),
            (Tag::FillOrder, fill),
        ];
        file(4, 2, &tags, strip)
    }

    fn samples(file: &[u8]) -> Vec<u8> {
        decode(file, 100).unwrap().into_samples()
    }

    #[test]
    fn the_lowest_bit_may_come_first() {
        let expected = [255, 0, 0, 0, 255, 255, 0, 0];
        assert_eq!(samples(&gray(1, 1, 1, 1, &[0b1000_0000, 0b1100_0000])), expected);
        assert_eq!(samples(&gray(1, 1, 1, 2, &[0b0000_0001, 0b0000_0011])), expected);
        let bytes = [1, 2, 4, 8, 16, 32, 64, 128];
        assert_eq!(samples(&gray(8, 1, 1, 2, &bytes)), [128, 64, 32, 16, 8, 4, 2, 1]);
    }

    #[test]
    fn the_lowest_bit_may_come_first_in_compressed_data() {
        const GROUP_4: u16 = 4;
        // All white: one code of one bit per row, then the end of the block.
        let strip = [0b1100_0000, 0b0000_0100, 0b0000_0000, 0b0100_0000];
        for (fill, strip) in [(1, strip), (2, strip.map(u8::reverse_bits))] {
            let tags = [
                (Tag::BitsPerSample, 1),
                (Tag::Compression, GROUP_4),
                (Tag::PhotometricInterpretation, 0),
                (Tag::FillOrder, fill),
            ];
            assert_eq!(samples(&file(4, 2, &tags, &strip)), [255; 8]);
        }
    }

    #[test]
    fn wide_gray_samples_are_not_inverted() {
        let levels = [0, 1, 200, 255, 256, 1000, 65_535, 3u16].map(u16::to_le_bytes).concat();
        for photometric in [0, 1] {
            let clipped = samples(&gray(16, 1, photometric, 1, &levels));
            assert_eq!(clipped, [0, 1, 200, 255, 255, 255, 255, 3]);
        }
    }

    #[test]
    fn signed_samples_are_taken_for_unsigned_or_clipped() {
        let bytes = [0, 1, 127, 128, 200, 255, 7, 8];
        assert_eq!(samples(&gray(8, 2, 1, 1, &bytes)), bytes);
        let wide = [0, 1, 200, 255, 256, i16::MAX, i16::MIN, -1].map(i16::to_le_bytes).concat();
        assert_eq!(samples(&gray(16, 2, 1, 1, &wide)), [0, 1, 200, 255, 255, 255, 0, 0]);
    }

    #[test]
    fn unsupported_is_not_damaged() {
        const LZMA: u16 = 34_925;
        const ZSTD: u16 = 50_000;
        const UNKNOWN: u16 = 12_345;
        for compression in [2, 3, 6, LZMA, ZSTD, UNKNOWN] {
            let tags = [
                (Tag::BitsPerSample, 8),
                (Tag::Compression, compression),
                (Tag::PhotometricInterpretation, 1),
            ];
            let error = decode(&file(4, 2, &tags, &[0; 8]), 100).unwrap_err();
            assert!(matches!(error, MediaError::NoDecoder(_)), "{compression}: {error}");
        }
        // Palette, mask, YCbCr, three kinds of Lab, LogLuv, unknown.
        for photometric in [3, 4, 6, 8, 9, 10, 32_845, 12_345] {
            let tags = [
                (Tag::BitsPerSample, 8),
                (Tag::SamplesPerPixel, 3),
                (Tag::PhotometricInterpretation, photometric),
            ];
            let error = decode(&file(4, 2, &tags, &[0; 24]), 100).unwrap_err();
            assert!(matches!(error, MediaError::NoDecoder(_)), "{photometric}: {error}");
        }
    }

    #[test]
    fn small_samples_are_unpacked_and_scaled() {
        assert_eq!(unpacked(&[0b1010_0000, 0b0110_0000], 3, 1), [255, 0, 255, 0, 255, 255]);
        assert_eq!(unpacked(&[0b0001_1011], 4, 2), [0, 85, 170, 255]);
        assert_eq!(unpacked(&[0x0f, 0x80], 3, 4), [0, 255, 136]);
    }
}
