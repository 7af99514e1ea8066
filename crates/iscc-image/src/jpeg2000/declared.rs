//! What the headers of a code stream ask for, checked before the decoder allocates memory for it.

use super::super::check_size;
use super::{FORMAT, SAMPLES_MAX};
use iscc_media::MediaError;

/// Start of a code stream: the markers SOC and SIZ.
const START: [u8; 4] = [0xff, 0x4f, 0xff, 0x51];
const COD: u8 = 0x52;
const COC: u8 = 0x53;
const SOT: u8 = 0x90;
const SOD: u8 = 0x93;

/// Maximum components: colours and alpha.
const COMPONENTS_MAX: usize = 4;
/// Maximum code streams of a file.
const STREAMS_MAX: usize = 16;
/// Maximum tiles; indexes of tiles have 16 bits.
const TILES_MAX: u64 = 65_535;
/// Maximum precincts and layers of code blocks. Each takes about 24 bytes while it is decoded.
const PARTS_MAX: u64 = 16_000_000;

/// Image size in the SIZ segment.
struct Size {
    width: u64,
    height: u64,
    components: usize,
}

/// Checks each code stream of a file: at its start, or in a box.
pub fn check(file: &[u8], pixels_max: u64) -> Result<(), MediaError> {
    let starts = file.windows(4).enumerate().filter(|(_, one)| *one == START);
    let streams = starts.filter(|(at, _)| is_stream_start(&file[..*at])).map(|(at, _)| at);
    for (count, start) in streams.enumerate() {
        if count == STREAMS_MAX {
            return Err(MediaError::TooLarge { what: "number of streams", limit: count as u64 });
        }
        check_stream(&file[start + 2..], pixels_max)?;
    }
    Ok(())
}

/// Whether `before` is empty or ends with the header of a box, which may have a long length.
fn is_stream_start(before: &[u8]) -> bool {
    let ends_with_type = |bytes: &[u8]| bytes.ends_with(b"jp2c");
    let long = before.len().checked_sub(8).map(|end| &before[..end]);
    before.is_empty() || ends_with_type(before) || long.is_some_and(ends_with_type)
}

/// Checks the stream whose SIZ marker starts `bytes`. Reads the segments of the main header and of
/// all parts of tiles.
fn check_stream(mut bytes: &[u8], pixels_max: u64) -> Result<(), MediaError> {
    let (body, mut rest) = segment(bytes).ok_or_else(cut)?;
    let size = size(body, pixels_max)?;
    let mut end_of_part = None;
    let mut layers = 1;
    loop {
        bytes = rest;
        let [0xff, marker, ..] = *bytes else { return Ok(()) };
        if marker == SOD {
            let Some(next) = end_of_part.take() else { return Ok(()) };
            rest = next;
            continue;
        }
        if (0x30..=0x3f).contains(&marker) {
            rest = &bytes[2..];
            continue;
        }
        let Some((body, next)) = segment(bytes) else { return Ok(()) };
        rest = next;
        match marker {
            SOT => end_of_part = part_end(bytes, body),
            COD => {
                let style = body.get(5..).ok_or_else(cut)?;
                layers = layers.max(u64::from(u16::from_be_bytes([body[2], body[3]])));
                check_style(style, body[0] & 1 == 1, layers, &size)?;
            }
            COC => {
                let style = body.get(2..).ok_or_else(cut)?;
                check_style(style, body[1] & 1 == 1, layers, &size)?;
            }
            _ => {}
        }
    }
}

fn cut() -> MediaError {
    MediaError::damaged(FORMAT, "a header is incomplete")
}

/// The body of the segment at the start of `bytes`, and what follows.
fn segment(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = usize::from(u16::from_be_bytes([*bytes.get(2)?, *bytes.get(3)?]));
    Some((bytes.get(4..2 + length)?, &bytes[2 + length..]))
}

/// What follows the part of a tile whose SOT marker starts `bytes`.
fn part_end<'a>(bytes: &'a [u8], body: &[u8]) -> Option<&'a [u8]> {
    let length = u32::from_be_bytes(*body.get(2..6)?.first_chunk()?) as usize;
    if length == 0 { None } else { bytes.get(length..) }
}

/// Reads and checks the SIZ segment.
fn size(body: &[u8], pixels_max: u64) -> Result<Size, MediaError> {
    let [_, _, fields @ ..] = body else { return Err(cut()) };
    let (numbers, _) = fields.as_chunks::<4>();
    let [right, bottom, left, top, tile_width, tile_height, ..] =
        *numbers.iter().map(|one| u64::from(u32::from_be_bytes(*one))).collect::<Vec<_>>()
    else {
        return Err(cut());
    };
    let components = fields.get(32..34).ok_or_else(cut)?;
    let components = usize::from(u16::from_be_bytes([components[0], components[1]]));
    if fields.len() != 34 + 3 * components || tile_width == 0 || tile_height == 0 {
        return Err(cut());
    }
    if !(1..=COMPONENTS_MAX).contains(&components) {
        return Err(MediaError::NoDecoder(format!("{FORMAT} with {components} components")));
    }
    let (width, height) = (right.saturating_sub(left), bottom.saturating_sub(top));
    check_size(width as usize, height as usize, pixels_max.min(SAMPLES_MAX / components as u64))?;
    if right.div_ceil(tile_width) * bottom.div_ceil(tile_height) > TILES_MAX {
        return Err(MediaError::TooLarge { what: "number of tiles", limit: TILES_MAX });
    }
    Ok(Size { width, height, components })
}

/// Checks the number of precincts and code blocks of a coding style, as if all tiles and components
/// had it.
fn check_style(
    style: &[u8],
    has_precincts: bool,
    layers: u64,
    size: &Size,
) -> Result<(), MediaError> {
    let [levels, block_width, block_height, _, _, precincts @ ..] = style else {
        return Err(cut());
    };
    if *levels > 32 || precincts.len() != usize::from(has_precincts) * (usize::from(*levels) + 1) {
        return Err(cut());
    }
    let block = |exponent: u8| (u32::from(exponent) + 2).min(10);
    let mut parts: u64 = 0;
    for level in 0..=*levels {
        let down = u32::from(levels - level);
        let bands = if level == 0 { 1 } else { 3 };
        let exponents = precincts.get(usize::from(level)).copied().unwrap_or(0xff);
        let grid = |side: u64, precinct: u8, block: u32| {
            let side = (side >> down) + 1;
            let precinct = u32::from(precinct);
            let inner = if level == 0 { precinct } else { precinct.saturating_sub(1) };
            let half = if level == 0 { side } else { side / 2 + 1 };
            ((side >> precinct) + 1, (half >> block.min(inner)) + 1)
        };
        let (columns, blocks_x) = grid(size.width, exponents & 15, block(*block_width));
        let (rows, blocks_y) = grid(size.height, exponents >> 4, block(*block_height));
        parts += bands * (columns * rows + blocks_x * blocks_y * (layers + 4));
    }
    if parts.saturating_mul(size.components as u64) > PARTS_MAX {
        return Err(MediaError::TooCostly("the code blocks of a JPEG 2000 image"));
    }
    Ok(())
}
