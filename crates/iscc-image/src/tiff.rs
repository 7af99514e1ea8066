//! TIFF: the first page, in the colour types of photographs and scans.

mod colours;
mod deep;
mod directory;
mod lzma;
#[cfg(feature = "jpeg")]
mod old_jpeg;
mod planes;
mod source;

use ::tiff::decoder::{Decoder, DecodingResult, Limits};
use ::tiff::tags::Tag;
use ::tiff::{ColorType, TiffError};

use self::colours::{inverted_sign, palette_to_rgb, twelve_bits, ycbcr_to_rgb};
use self::directory::{Change, Directory};
use self::source::Source;
use super::depth::{Depth, gray_levels};
use super::lab::lab_to_rgb;
use super::raster::{Channels, Loss, Raster, unpacked};
use super::transparency::{cmyk_to_rgb, divided_by_alpha, gray_on_white, rgb_on_white};
use super::{check_memory, check_size};
use iscc_media::MediaError;

const FORMAT: &str = "TIFF";

/// Maximum bytes per pixel of the supported layouts.
const TIFF_PIXEL_BYTES_MAX: u64 = 8;

/// Photometric interpretations.
mod photometric {
    pub const WHITE_IS_ZERO: u32 = 0;
    pub const BLACK_IS_ZERO: u32 = 1;
    pub const RGB: u32 = 2;
    pub const PALETTE: u32 = 3;
    pub const YCBCR: u32 = 6;
    pub const CIELAB: u32 = 8;
}

/// Fill order of bytes whose lowest bit comes first.
const LOWEST_BIT_FIRST: u32 = 2;

/// Values of `Compression` that this decoder or libvips supports. libvips turns tiles with another one
/// into a black image, without an error.
const COMPRESSIONS: [u32; 17] = [
    1, 2, 3, 4, 5, OLD_JPEG, 7, 8, 32_771, 32_773, 32_809, 32_946, 34_676, 34_677, LZMA, ZSTD, WEBP,
];
const OLD_JPEG: u32 = 6;
const LZMA: u32 = 34_925;
const ZSTD: u32 = 50_000;
const WEBP: u32 = 50_001;

/// Decodes the first page.
pub fn decode(file: &[u8], pixels_max: u64, depth: Depth) -> Result<Raster, MediaError> {
    let directory = Directory::first(file)
        .ok_or_else(|| MediaError::damaged(FORMAT, "the first directory is missing"))?;
    let compression = directory.value(Tag::Compression);
    #[cfg(feature = "jpeg")]
    if compression == Some(OLD_JPEG.into()) {
        return old_jpeg::decode(file, &directory, pixels_max);
    }
    let source = Source::new(file).with(repairs(&directory));
    let mut decoder = open(source.clone(), pixels_max)?;
    let (width, height) = decoder.dimensions().map_err(media_error)?;
    let (width, height) = (width as usize, height as usize);
    check_size(width, height, pixels_max)?;
    if compression == Some(LZMA.into()) {
        return decode(
            &lzma::unpacked_file(file, &mut decoder, bytes_max(pixels_max))?,
            pixels_max,
            depth,
        );
    }
    let page = Page::read(&mut decoder, width)?;
    check_memory(width, height, page.pixel_bytes())?;
    let changes = page.changes();
    let source = source.with(changes.iter().filter_map(|(tag, value)| directory.set(*tag, *value)));
    if !changes.is_empty() {
        decoder = open(source.clone(), pixels_max)?;
    }
    let mut colors = decoder.colortype().map_err(media_error)?;
    let decoded = if page.has_planes {
        colors = planes::colors(&page, &directory, colors);
        planes::read(&page, &directory, &source, colors, pixels_max)?
    } else {
        // From here on, only strips and tiles are read, no tags. As in libtiff, the bits of compressed
        // data are reversed too. (Those of JPEG would not be, but there is no decoder for JPEG here.)
        decoder.inner().is_mirrored = page.is_mirrored;
        decoder.read_image().map_err(media_error)?
    };
    let (channels, samples, loss) = match page.deep_gray(colors, &decoded, depth) {
        Some((levels, loss)) => (Channels::Gray, levels, loss),
        None => {
            let (channels, samples) = page.converted(colors, decoded)?;
            (channels, samples, None)
        }
    };
    let raster = Raster::new(width, height, channels, samples)
        .ok_or_else(|| MediaError::damaged(FORMAT, "pixels are missing"))?;
    Ok(raster.with_loss(loss))
}

/// Changes of what the decoder refuses and Pillow ignores: directories in a circle, and more values of
/// `BitsPerSample` than samples.
fn repairs(directory: &Directory<'_>) -> impl Iterator<Item = Change> {
    let samples = directory.value(Tag::SamplesPerPixel).unwrap_or(1);
    let bits = directory.keep(Tag::BitsPerSample, 0..samples as usize);
    [directory.without_next(), bits].into_iter().flatten()
}

fn open(source: Source<'_>, pixels_max: u64) -> Result<Decoder<Source<'_>>, MediaError> {
    let mut limits = Limits::default();
    limits.decoding_buffer_size = bytes_max(pixels_max);
    limits.intermediate_buffer_size = limits.decoding_buffer_size;
    Ok(Decoder::new(source).map_err(media_error)?.with_limits(limits))
}

fn bytes_max(pixels_max: u64) -> usize {
    usize::try_from(pixels_max.saturating_mul(TIFF_PIXEL_BYTES_MAX)).unwrap_or(usize::MAX)
}

/// The first value of a tag.
fn first(decoder: &mut Decoder<Source<'_>>, tag: Tag) -> Result<Option<u32>, MediaError> {
    let values = decoder.find_tag_unsigned_vec(tag).map_err(media_error)?;
    Ok(values.and_then(|values| values.first().copied()))
}

/// What the samples of the first page mean.
struct Page {
    width: usize,
    photometric: u32,
    bits: u32,
    samples: u32,
    has_planes: bool,
    has_associated_alpha: bool,
    is_mirrored: bool,
    /// All red levels, then all green, then all blue, of 16 bits.
    palette: Vec<u16>,
}

impl Page {
    fn read(decoder: &mut Decoder<Source<'_>>, width: usize) -> Result<Self, MediaError> {
        const SEPARATE_PLANES: u32 = 2;
        const ASSOCIATED_ALPHA: u32 = 1;
        const NO_PREDICTOR: u32 = 1;
        let mut value =
            |tag, default: u32| first(decoder, tag).map(|found| found.unwrap_or(default));
        let compression = value(Tag::Compression, 1)?;
        if !COMPRESSIONS.contains(&compression) {
            return Err(MediaError::Unsupported(format!("{FORMAT}: compression {compression}")));
        }
        let samples = value(Tag::SamplesPerPixel, 1)?;
        let page = Self {
            width,
            photometric: value(Tag::PhotometricInterpretation, photometric::BLACK_IS_ZERO)?,
            bits: value(Tag::BitsPerSample, 1)?,
            samples,
            has_planes: samples > 1 && value(Tag::PlanarConfiguration, 1)? == SEPARATE_PLANES,
            has_associated_alpha: value(Tag::ExtraSamples, 0)? == ASSOCIATED_ALPHA,
            is_mirrored: value(Tag::FillOrder, 1)? == LOWEST_BIT_FIRST,
            palette: Vec::new(),
        };
        let is_striped = value(Tag::TileWidth, 0)? == 0;
        let is_plain = is_striped && value(Tag::Predictor, NO_PREDICTOR)? == NO_PREDICTOR;
        if page.has_twelve_bits() && !is_plain {
            return Err(no_decoder("12 bits in tiles or with a predictor"));
        }
        if page.photometric == photometric::YCBCR {
            let subsampling = decoder.find_tag_unsigned_vec(Tag::ChromaSubsampling);
            if subsampling.map_err(media_error)? != Some(vec![1, 1]) {
                return Err(no_decoder("subsampled YCbCr"));
            }
        }
        if page.photometric != photometric::PALETTE {
            return Ok(page);
        }
        let palette = decoder.find_tag_unsigned_vec(Tag::ColorMap).map_err(media_error)?;
        Ok(Self { palette: palette.unwrap_or_default(), ..page })
    }

    /// Of a pixel as it is stored, and as 8-bit samples.
    fn pixel_bytes(&self) -> usize {
        let stored = (self.samples as usize).saturating_mul((self.bits as usize).div_ceil(8));
        let reduced = if self.bits > 8 { self.samples as usize } else { 0 };
        stored.saturating_add(reduced)
    }

    fn has_twelve_bits(&self) -> bool {
        self.photometric == photometric::BLACK_IS_ZERO && self.bits == 12 && self.samples == 1
    }

    fn is_lab(&self) -> bool {
        self.photometric == photometric::CIELAB && self.bits == 8 && self.samples == 3
    }

    /// Changed tags with which the decoder returns the samples as they are stored.
    fn changes(&self) -> Vec<(Tag, u32)> {
        if self.has_twelve_bits() {
            let row_bytes = (self.width * 12).div_ceil(8) as u32;
            return vec![(Tag::BitsPerSample, 8), (Tag::ImageWidth, row_bytes)];
        }
        if self.is_lab() {
            return vec![(Tag::PhotometricInterpretation, photometric::RGB)];
        }
        if self.photometric == photometric::PALETTE {
            return vec![(Tag::PhotometricInterpretation, photometric::BLACK_IS_ZERO)];
        }
        Vec::new()
    }

    /// Levels of gray with more than 8 bits, and what they lost; `None` for other layouts.
    fn deep_gray(
        &self,
        colors: ColorType,
        decoded: &DecodingResult,
        depth: Depth,
    ) -> Option<(Vec<u8>, Option<Loss>)> {
        match decoded {
            DecodingResult::U8(packed) if self.has_twelve_bits() => {
                Some(gray_levels(twelve_bits(packed, self.width).map(f64::from), depth))
            }
            _ => deep::gray(colors, decoded, self.photometric == photometric::WHITE_IS_ZERO, depth),
        }
    }

    /// Samples of 8 bits, with the conversions of Pillow.
    fn converted(
        &self,
        colors: ColorType,
        decoded: DecodingResult,
    ) -> Result<(Channels, Vec<u8>), MediaError> {
        Ok(match (colors, decoded) {
            (_, DecodingResult::U8(samples)) if self.is_lab() => {
                (Channels::Rgb, lab_to_rgb(&inverted_sign(samples))?)
            }
            (_, DecodingResult::U8(samples)) if self.photometric == photometric::PALETTE => {
                (Channels::Rgb, self.palette_colours(samples)?)
            }
            (ColorType::Gray(bits @ (1 | 2 | 4)), DecodingResult::U8(packed)) => {
                (Channels::Gray, unpacked(&packed, self.width, bits, scale(bits)))
            }
            (colors, DecodingResult::U8(samples)) => self.eight_bits(colors, samples)?,
            (colors, DecodingResult::U16(samples)) => {
                let highest = samples.iter().map(|sample| (sample >> 8) as u8).collect();
                self.eight_bits(colors, highest)?
            }
            // Pillow takes them for unsigned samples.
            (ColorType::Gray(8), DecodingResult::I8(samples)) => {
                (Channels::Gray, samples.iter().map(|sample| sample.cast_unsigned()).collect())
            }
            (colors, _) => return Err(no_decoder(format_args!("{colors:?}"))),
        })
    }

    fn eight_bits(
        &self,
        colors: ColorType,
        samples: Vec<u8>,
    ) -> Result<(Channels, Vec<u8>), MediaError> {
        Ok(match colors {
            ColorType::Gray(_) => (Channels::Gray, samples),
            ColorType::GrayA(_) => (Channels::Gray, gray_on_white(&samples)),
            ColorType::RGB(_) => (Channels::Rgb, samples),
            ColorType::RGBA(_) if self.has_associated_alpha => {
                (Channels::Rgb, rgb_on_white(&divided_by_alpha(&samples)))
            }
            ColorType::RGBA(_) => (Channels::Rgb, rgb_on_white(&samples)),
            ColorType::CMYK(_) => (Channels::Rgb, cmyk_to_rgb(&samples)),
            ColorType::YCbCr(8) => (Channels::Rgb, ycbcr_to_rgb(&samples)),
            other => return Err(no_decoder(format_args!("{other:?}"))),
        })
    }

    fn palette_colours(&self, samples: Vec<u8>) -> Result<Vec<u8>, MediaError> {
        let stored = if self.has_planes { 1 } else { self.samples };
        let indices = match (self.bits, stored) {
            (bits @ (1 | 2 | 4), 1) => unpacked(&samples, self.width, bits as u8, 1),
            (8, 1) => samples,
            // Further samples, such as transparency, are ignored, as in Pillow.
            (8, count) => samples.chunks_exact(count as usize).map(|pixel| pixel[0]).collect(),
            _ => return Err(no_decoder("palette indices")),
        };
        palette_to_rgb(&indices, &self.palette)
            .ok_or_else(|| MediaError::damaged(FORMAT, "the palette is incomplete"))
    }
}

/// Factor that maps the highest level to 255.
fn scale(bits: u8) -> u8 {
    255 / ((1 << bits) - 1)
}

fn media_error(error: TiffError) -> MediaError {
    match error {
        TiffError::UnsupportedError(what) => no_decoder(what),
        TiffError::LimitsExceeded => too_large(),
        other => MediaError::damaged(FORMAT, other),
    }
}

fn too_large() -> MediaError {
    MediaError::TooLarge { what: "decoded TIFF bytes", limit: TIFF_PIXEL_BYTES_MAX }
}

fn no_decoder(what: impl std::fmt::Display) -> MediaError {
    MediaError::NoDecoder(format!("{FORMAT}: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A little-endian file of one strip. Each tag has one value of 16 bits.
    pub fn file(width: u16, height: u16, tags: &[(Tag, u16)], strip: &[u8]) -> Vec<u8> {
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

    pub fn gray(bits: u16, format: u16, photometric: u16, fill: u16, strip: &[u8]) -> Vec<u8> {
        let tags = [
            (Tag::BitsPerSample, bits),
            (Tag::SampleFormat, format),
            (Tag::PhotometricInterpretation, photometric),
            (Tag::FillOrder, fill),
        ];
        file(4, 2, &tags, strip)
    }

    pub fn samples(file: &[u8]) -> Vec<u8> {
        decode(file, 100, Depth::Clipped).unwrap().into_samples()
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
    fn wide_gray_samples_are_scaled_on_request() {
        let scaled = |file: &[u8]| decode(file, 100, Depth::Scaled).unwrap().into_samples();
        let levels = [0, 257, 514, 25_700, 32_896, 60_000, 65_278, 65_535u16];
        let levels = levels.map(u16::to_le_bytes).concat();
        let expected = [0, 1, 2, 100, 128, 233, 254, 255u8];
        assert_eq!(scaled(&gray(16, 1, 1, 1, &levels)), expected);
        assert_eq!(scaled(&gray(16, 1, 0, 1, &levels)), expected.map(|level| 255 - level));
        let floats = [0.0, 0.25, 0.5, 0.75, 1.0, 0.1, 0.2, 0.3f32].map(f32::to_le_bytes).concat();
        let file = gray(32, 3, 1, 1, &floats);
        assert_eq!(scaled(&file), [0, 64, 128, 191, 255, 26, 51, 77]);
        let clipped = decode(&file, 100, Depth::Clipped).unwrap();
        assert_eq!(clipped.loss(), Some(Loss::Depth));
        assert_eq!(clipped.into_samples(), [0, 0, 0, 0, 1, 0, 0, 0]);
    }

    #[test]
    fn unsupported_is_not_damaged() {
        for compression in [2, 3, 6] {
            let tags = [
                (Tag::BitsPerSample, 8),
                (Tag::Compression, compression),
                (Tag::PhotometricInterpretation, 1),
            ];
            let error = decode(&file(4, 2, &tags, &[0; 8]), 100, Depth::Clipped).unwrap_err();
            assert!(matches!(error, MediaError::NoDecoder(_)), "{compression}: {error}");
        }
        // Mask, YCbCr, two kinds of Lab, LogLuv, unknown.
        for photometric in [4, 6, 9, 10, 32_845, 12_345] {
            let tags = [
                (Tag::BitsPerSample, 8),
                (Tag::SamplesPerPixel, 3),
                (Tag::PhotometricInterpretation, photometric),
            ];
            let error = decode(&file(4, 2, &tags, &[0; 24]), 100, Depth::Clipped).unwrap_err();
            assert!(matches!(error, MediaError::NoDecoder(_)), "{photometric}: {error}");
        }
    }

    #[test]
    fn a_compression_without_any_decoder_is_unsupported() {
        // JPEG 2000, PNG, LERC, JPEG XL, unknown.
        for compression in [34_712, 50_013, 34_887, 50_002, 12_345] {
            let tags = [
                (Tag::BitsPerSample, 8),
                (Tag::Compression, compression),
                (Tag::PhotometricInterpretation, 1),
            ];
            let error = decode(&file(4, 2, &tags, &[0; 8]), 100, Depth::Clipped).unwrap_err();
            assert!(matches!(error, MediaError::Unsupported(_)), "{compression}: {error}");
        }
    }

    fn colours(width: u16, photometric: u16, planes: u16, strip: &[u8]) -> Vec<u8> {
        let tags = [
            (Tag::BitsPerSample, 8),
            (Tag::PhotometricInterpretation, photometric),
            (Tag::SamplesPerPixel, 3),
            (Tag::PlanarConfiguration, planes),
        ];
        file(width, 1, &tags, strip)
    }

    #[test]
    fn lab_has_signed_colours() {
        // White, black, and red of sRGB.
        let lab = [255, 0, 0, 0, 0, 0, 138, 81, 70];
        let rgb = samples(&colours(3, 8, 1, &lab));
        // As with Pillow.
        assert_eq!(rgb[..6], [254, 255, 254, 1, 0, 1]);
        assert!(rgb[6] > 250 && rgb[7] < 10 && rgb[8] < 10, "{rgb:?}");
    }

    #[test]
    fn gray_of_twelve_bits_is_clipped() {
        // 1, 255, 256; 4095, 0, 2, in padded rows.
        let strip = [0x00, 0x10, 0xff, 0x10, 0x00, 0xff, 0xf0, 0x00, 0x00, 0x20];
        let tags = [(Tag::BitsPerSample, 12), (Tag::PhotometricInterpretation, 1)];
        assert_eq!(samples(&file(3, 2, &tags, &strip)), [1, 255, 255, 255, 0, 2]);
    }

    #[test]
    fn the_highest_byte_of_a_palette_is_the_colour() {
        // Six levels: of red, green and blue for two indices.
        let mut palette = file(
            2,
            1,
            &[(Tag::BitsPerSample, 1), (Tag::PhotometricInterpretation, 3), (Tag::ColorMap, 0)],
            &[0b0100_0000],
        );
        let at = palette.len() as u32;
        palette.extend(
            [0x0100, 0xff00, 0x0200, 0x00ff, 0x03ff, 0x8000u16].map(u16::to_le_bytes).concat(),
        );
        let entry = palette.windows(4).position(|bytes| bytes == [0x40, 1, 3, 0]).unwrap();
        palette[entry + 4..entry + 8].copy_from_slice(&6u32.to_le_bytes());
        palette[entry + 8..entry + 12].copy_from_slice(&at.to_le_bytes());
        assert_eq!(samples(&palette), [1, 2, 3, 255, 0, 128]);
        palette[entry + 4..entry + 8].copy_from_slice(&3u32.to_le_bytes());
        assert!(matches!(decode(&palette, 100, Depth::Clipped), Err(MediaError::Damaged { .. })));
    }

    #[test]
    fn separate_planes_are_joined() {
        assert_eq!(samples(&colours(2, 2, 1, &[1, 2, 3, 4, 5, 6])), [1, 2, 3, 4, 5, 6]);
    }
}
