//! TIFF with LZMA compression, which the decoder does not know.

use std::io::Read;

use ::tiff::decoder::Decoder;
use ::tiff::tags::Tag;
use lzma_rust2::XzReader;

use super::directory::Number;
use super::source::Source;
use super::{FORMAT, media_error, too_large};
use iscc_media::MediaError;

/// The tags that the decoder reads, without those of compression and of positions.
const TAGS: [Tag; 14] = [
    Tag::ImageWidth,
    Tag::ImageLength,
    Tag::BitsPerSample,
    Tag::PhotometricInterpretation,
    Tag::FillOrder,
    Tag::SamplesPerPixel,
    Tag::RowsPerStrip,
    Tag::PlanarConfiguration,
    Tag::Predictor,
    Tag::ColorMap,
    Tag::TileWidth,
    Tag::TileLength,
    Tag::ExtraSamples,
    Tag::SampleFormat,
];

/// A dictionary above this size is of no use to a strip or tile.
const LZMA_MEMORY_MAX_KIB: u32 = 128 << 10;

/// The first page as a file without compression, with at most `bytes_max` bytes of strips or tiles.
pub fn unpacked_file(
    file: &[u8],
    decoder: &mut Decoder<Source<'_>>,
    bytes_max: usize,
) -> Result<Vec<u8>, MediaError> {
    let mut values = |tag| decoder.find_tag_unsigned_vec::<u64>(tag).map_err(media_error);
    let tiles = values(Tag::TileOffsets)?;
    let (at_tag, count_tag) = match tiles {
        Some(_) => (Tag::TileOffsets, Tag::TileByteCounts),
        None => (Tag::StripOffsets, Tag::StripByteCounts),
    };
    let positions = values(at_tag)?.unwrap_or_default();
    let lengths = values(count_tag)?.unwrap_or_default();
    let mut fields = Vec::new();
    for tag in TAGS {
        if let Some(found) = values(tag)? {
            fields.push((tag, found));
        }
    }
    let mut data = Vec::new();
    let mut chunks = Vec::new();
    for (at, length) in positions.iter().zip(&lengths) {
        let start = data.len();
        unpack(packed(file, *at, *length)?, bytes_max, &mut data)?;
        chunks.push((start as u64, (data.len() - start) as u64));
    }
    fields.push((Tag::Compression, vec![1]));
    fields.push((count_tag, chunks.iter().map(|(_, length)| *length).collect()));
    fields.push((at_tag, chunks.iter().map(|(start, _)| *start).collect()));
    Ok(built(&Number(decoder.byte_order()), fields, at_tag, &data))
}

fn packed(file: &[u8], at: u64, length: u64) -> Result<&[u8], MediaError> {
    let range = || {
        let start = usize::try_from(at).ok()?;
        file.get(start..start.checked_add(usize::try_from(length).ok()?)?)
    };
    range().ok_or_else(|| MediaError::damaged(FORMAT, "the file is truncated"))
}

fn unpack(packed: &[u8], bytes_max: usize, data: &mut Vec<u8>) -> Result<(), MediaError> {
    let left = (bytes_max - data.len()) as u64;
    let reader = XzReader::new_mem_limit(packed, false, LZMA_MEMORY_MAX_KIB);
    let read = reader.take(left + 1).read_to_end(data);
    read.map_err(|error| MediaError::damaged(FORMAT, error))?;
    if data.len() > bytes_max { Err(too_large()) } else { Ok(()) }
}

/// A file with 64-bit values of these tags, followed by `data`, from whose start `at_tag` counts.
pub fn built(
    number: &Number,
    mut fields: Vec<(Tag, Vec<u64>)>,
    at_tag: Tag,
    data: &[u8],
) -> Vec<u8> {
    const SHORT: u16 = 3;
    const LONG8: u16 = 16;
    const ENTRY_BYTES: usize = 20;
    const INLINE_MAX: usize = 4;
    const HEADER_BYTES: usize = 16;
    fields.sort_by_key(|(tag, _)| tag.to_u16());
    let arrays_at = HEADER_BYTES + 8 + ENTRY_BYTES * fields.len() + 8;
    let array_bytes: usize = fields.iter().map(|(_, values)| values.len() * 8).sum();
    let data_at = (arrays_at + array_bytes) as u64;
    let mark = number.bytes16(43);
    let order = if mark[0] == 43 { b"II" } else { b"MM" };
    let mut file = order.to_vec();
    file.extend([mark, number.bytes16(8), [0; 2]].concat());
    file.extend(number.bytes64(HEADER_BYTES as u64));
    file.extend(number.bytes64(fields.len() as u64));
    let mut arrays = Vec::new();
    for (tag, values) in fields {
        let base = if tag == at_tag { data_at } else { 0 };
        if tag == Tag::ExtraSamples {
            // The decoder expects 16 bits here. It has at most as many as fit into the entry.
            let mut inline: Vec<u8> =
                [number.bytes16(tag.to_u16()), number.bytes16(SHORT)].concat();
            let count = values.len().min(INLINE_MAX);
            inline.extend(number.bytes64(count as u64));
            inline.extend(values[..count].iter().flat_map(|value| number.bytes16(*value as u16)));
            inline.resize(ENTRY_BYTES, 0);
            file.extend(inline);
            continue;
        }
        let bytes: Vec<u8> = values.iter().flat_map(|value| number.bytes64(base + value)).collect();
        file.extend([number.bytes16(tag.to_u16()), number.bytes16(LONG8)].concat());
        file.extend(number.bytes64(values.len() as u64));
        match values.len() {
            1 => file.extend(bytes),
            _ => {
                file.extend(number.bytes64((arrays_at + arrays.len()) as u64));
                arrays.extend(bytes);
            }
        }
    }
    file.extend([0; 8]);
    file.extend(arrays);
    // Arrays of one value are inside the directory, so these bytes are unused.
    file.resize(data_at as usize, 0);
    file.extend(data);
    file
}
