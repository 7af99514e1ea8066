//! Separate planes, each read as a file of gray levels. The decoder reads no planes in tiles, and would
//! read those that are not used.

use ::tiff::ColorType;
use ::tiff::decoder::DecodingResult;
use ::tiff::tags::Tag;

use super::directory::{Change, Directory};
use super::source::Source;
use super::{FORMAT, Page, media_error, no_decoder, open, photometric};
use iscc_media::MediaError;

/// Tags with a value per strip or tile; those of a plane follow each other.
const POSITIONS: [Tag; 4] =
    [Tag::StripOffsets, Tag::StripByteCounts, Tag::TileOffsets, Tag::TileByteCounts];

/// Value of `ExtraSamples`.
const UNASSOCIATED_ALPHA: u64 = 2;

/// The layout of the planes that are used. As in Pillow, gray and palette indices ignore further planes
/// but alpha.
pub fn colors(page: &Page, directory: &Directory<'_>, stored: ColorType) -> ColorType {
    let ColorType::Multiband { bit_depth, .. } = stored else { return stored };
    match directory.value(Tag::ExtraSamples) {
        Some(UNASSOCIATED_ALPHA) if is_gray(page) => ColorType::GrayA(bit_depth),
        _ => ColorType::Gray(bit_depth),
    }
}

/// All samples of the used planes, pixel by pixel. `source` has the changes that all planes need.
pub fn read(
    page: &Page,
    directory: &Directory<'_>,
    source: &Source<'_>,
    colors: ColorType,
    pixels_max: u64,
) -> Result<DecodingResult, MediaError> {
    let mut bytes = Vec::new();
    let mut words = Vec::new();
    for plane in 0..usize::from(colors.num_samples()) {
        let mut decoder = open(source.clone().with(changes(page, directory, plane)), pixels_max)?;
        decoder.inner().is_mirrored = page.is_mirrored;
        match decoder.read_image().map_err(media_error)? {
            DecodingResult::U8(levels) => bytes.push(levels),
            // Pillow takes them for unsigned samples.
            DecodingResult::I8(levels) => {
                bytes.push(levels.into_iter().map(i8::cast_unsigned).collect());
            }
            DecodingResult::U16(levels) => words.push(levels),
            _ => return Err(no_decoder("separate planes")),
        }
    }
    let joined = if words.is_empty() {
        interleaved(&bytes).map(DecodingResult::U8)
    } else {
        interleaved(&words).map(DecodingResult::U16).filter(|_| bytes.is_empty())
    };
    joined.ok_or_else(|| MediaError::damaged(FORMAT, "the planes differ in size"))
}

fn is_gray(page: &Page) -> bool {
    matches!(page.photometric, photometric::WHITE_IS_ZERO | photometric::BLACK_IS_ZERO)
}

/// Makes a plane the only one.
fn changes(page: &Page, directory: &Directory<'_>, plane: usize) -> Vec<Change> {
    const CONTIGUOUS: u32 = 1;
    let planes = page.samples as usize;
    let of_plane = |tag| {
        let chunks = directory.count(tag) / planes;
        directory.keep(tag, plane * chunks..(plane + 1) * chunks)
    };
    let photometric = if is_gray(page) { page.photometric } else { photometric::BLACK_IS_ZERO };
    let single = [
        directory.set(Tag::SamplesPerPixel, 1),
        directory.set(Tag::PlanarConfiguration, CONTIGUOUS),
        directory.set(Tag::PhotometricInterpretation, photometric),
        directory.keep(Tag::ExtraSamples, 0..0),
        directory.keep(Tag::BitsPerSample, plane..plane + 1),
        directory.keep(Tag::SampleFormat, plane..plane + 1),
    ];
    single.into_iter().chain(POSITIONS.map(of_plane)).flatten().collect()
}

/// Pixels of one sample of each plane. `None` if the planes differ in size.
fn interleaved<T: Copy>(planes: &[Vec<T>]) -> Option<Vec<T>> {
    let size = planes.first().map_or(0, Vec::len);
    if planes.iter().any(|plane| plane.len() != size) {
        return None;
    }
    Some((0..size).flat_map(|pixel| planes.iter().map(move |plane| plane[pixel])).collect())
}

#[cfg(test)]
mod tests {
    use ::tiff::tags::ByteOrder;

    use super::super::directory::Number;
    use super::super::lzma::built;
    use super::*;
    use crate::depth::Depth;

    const SIDE: usize = 16;

    /// Pixels of three samples, in tiles of 16 x 16 whose other pixels are 99.
    fn tiles(order: ByteOrder, bytes: usize, extra: Option<u64>, levels: &[[u16; 6]]) -> Vec<u8> {
        let number = Number(order);
        let tile = |levels: &[u16; 6]| -> Vec<u8> {
            let level = |at: usize| {
                let (x, y) = (at % SIDE, at / SIDE);
                if x < 3 && y < 2 { levels[y * 3 + x] } else { 99 }
            };
            (0..SIDE * SIDE)
                .flat_map(|at| match bytes {
                    1 => vec![level(at) as u8],
                    _ => number.bytes16(level(at)).to_vec(),
                })
                .collect()
        };
        let data: Vec<u8> = levels.iter().flat_map(tile).collect();
        let length = (SIDE * SIDE * bytes) as u64;
        let planes = levels.len() as u64;
        let colours = if levels.len() >= 3 { 2 } else { 1 };
        let mut fields = vec![
            (Tag::ImageWidth, vec![3]),
            (Tag::ImageLength, vec![2]),
            (Tag::BitsPerSample, vec![8 * bytes as u64; levels.len()]),
            (Tag::Compression, vec![1]),
            (Tag::PhotometricInterpretation, vec![colours]),
            (Tag::SamplesPerPixel, vec![planes]),
            (Tag::PlanarConfiguration, vec![2]),
            (Tag::TileWidth, vec![SIDE as u64]),
            (Tag::TileLength, vec![SIDE as u64]),
            (Tag::TileOffsets, (0..planes).map(|plane| plane * length).collect()),
            (Tag::TileByteCounts, vec![length; levels.len()]),
            (Tag::SampleFormat, vec![1; levels.len()]),
        ];
        fields.extend(extra.map(|extra| (Tag::ExtraSamples, vec![extra])));
        built(&number, fields, Tag::TileOffsets, &data)
    }

    fn samples(file: &[u8]) -> Vec<u8> {
        super::super::decode(file, 100, Depth::Clipped).unwrap().into_samples()
    }

    #[test]
    fn samples_of_planes_alternate() {
        let planes = [vec![1, 4], vec![2, 5], vec![3, 6]];
        assert_eq!(interleaved(&planes), Some(vec![1, 2, 3, 4, 5, 6]));
        assert_eq!(interleaved(&[vec![1, 4], vec![2]]), None);
    }

    #[test]
    fn planes_may_be_in_tiles() {
        let planes = [[1, 2, 3, 4, 5, 6], [11, 12, 13, 14, 15, 16], [21, 22, 23, 24, 25, 26]];
        let expected = [1, 11, 21, 2, 12, 22, 3, 13, 23, 4, 14, 24, 5, 15, 25, 6, 16, 26];
        for order in [ByteOrder::LittleEndian, ByteOrder::BigEndian] {
            assert_eq!(samples(&tiles(order, 1, None, &planes)), expected);
            let wide = planes.map(|plane| plane.map(|level| level << 8 | 7));
            assert_eq!(samples(&tiles(order, 2, None, &wide)), expected);
        }
    }

    #[test]
    fn other_planes_than_colours_and_alpha_are_ignored() {
        let order = ByteOrder::LittleEndian;
        let gray = [[1, 2, 3, 4, 5, 6], [0, 0, 0, 0, 255, 255]];
        assert_eq!(samples(&tiles(order, 1, Some(0), &gray)), [1, 2, 3, 4, 5, 6]);
        let rgb = [gray[0], gray[0], gray[0], gray[1]];
        let expected: Vec<u8> = (1..=6).flat_map(|level| [level; 3]).collect();
        assert_eq!(samples(&tiles(order, 1, Some(0), &rgb)), expected);
    }

    #[test]
    fn alpha_shows_white() {
        let order = ByteOrder::LittleEndian;
        let gray = [[1, 2, 3, 4, 5, 6], [0, 0, 0, 0, 255, 255]];
        assert_eq!(samples(&tiles(order, 1, Some(2), &gray)), [255, 255, 255, 255, 5, 6]);
    }

    #[test]
    fn missing_planes_are_damage() {
        let planes = [[1; 6], [2; 6], [3; 6]];
        let mut file = tiles(ByteOrder::LittleEndian, 1, None, &planes);
        file.truncate(file.len() - SIDE * SIDE - 1);
        let error = super::super::decode(&file, 100, Depth::Clipped).unwrap_err();
        assert!(matches!(error, MediaError::Damaged { .. }), "{error}");
    }
}
