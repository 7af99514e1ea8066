//! HEIF and AVIF (ISO 23008-12). A decoder outside of this crate decodes the coded pictures of the
//! primary image; this module finds them and turns the decoded samples into the pixels of the
//! reference's decoders: libheif for HEVC, libavif for AV1.
//!
//! Only what both sides agree on to the bit is read. Overlays, images without colour and other rare
//! features are left to decoders that make pixels themselves.

mod colour;
mod items;
mod planes;

use self::colour::Colour;
use self::items::{Item, Items, Property};
use self::planes::Layout;
use super::{Orientation, check_size};

pub use self::planes::Chroma;

/// Video coding format of the pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Codec {
    /// H.265, in HEIC files
    Hevc,
    /// AV1, in AVIF files
    Av1,
}

/// The primary image of a file: one coded picture, or a grid of them.
#[derive(Debug)]
pub struct CodedImage<'a> {
    codec: Codec,
    tiles: Vec<Item<'a>>,
    columns: usize,
    /// Size of each tile, in pixels
    tile: (usize, usize),
    /// Size of the image before it is cropped and turned, in pixels
    size: (usize, usize),
    /// What the container says of the colours. It outweighs the stream.
    colour: Option<Colour>,
    placement: Placement,
    /// The transparency: an image of the same size, of which only the brightness counts
    alpha: Option<Box<Self>>,
}

/// What a decoder tells of the samples in its frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Samples {
    /// Width of a frame, in pixels
    pub width: usize,
    /// Height of a frame, in pixels
    pub height: usize,
    /// Size of the colour planes
    pub chroma: Chroma,
    /// Bits per sample; samples of more than 8 bits are little-endian numbers of two bytes
    pub bits: u32,
    /// Matrix coefficients of the stream (ISO 23091-2)
    pub matrix: u16,
    /// Whether the stream uses all values of a sample
    pub full_range: bool,
}

/// The frames of a decoded stream, each of planes without gaps.
#[derive(Debug, Clone, Copy)]
pub struct Frames<'a> {
    /// The planes of all frames
    pub bytes: &'a [u8],
    /// What the decoder tells of them
    pub samples: Samples,
}

/// Pixels of 8 bits per sample, top row first, without gaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pixels {
    /// Width in pixels
    pub width: usize,
    /// Height in pixels
    pub height: usize,
    /// 3 RGB, 4 RGBA
    pub channels: usize,
    /// `width` x `height` x `channels` samples
    pub samples: Vec<u8>,
}

impl<'a> CodedImage<'a> {
    /// Finds the primary image; `None` if it has none that this module reads, or more than
    /// `pixels_max` pixels.
    pub fn read(file: &'a [u8], pixels_max: u64) -> Option<Self> {
        let items = Items::read(file)?;
        let primary = items.primary()?;
        let image = Self::of_item(&items, &primary, pixels_max)?;
        let alpha = match items.alpha(primary.id)? {
            Some(item) => {
                let alpha = Self::of_item(&items, &item, pixels_max)?;
                let is_alike = alpha.codec == image.codec
                    && alpha.size == image.size
                    && (image.codec == Codec::Av1 || alpha.placement == image.placement);
                Some(is_alike.then(|| Box::new(alpha))?)
            }
            None => None,
        };
        Some(Self { alpha, ..image })
    }

    fn of_item(items: &Items<'a>, item: &Item<'a>, pixels_max: u64) -> Option<Self> {
        let grid = items.grid(item);
        let tiles = if grid.is_some() { items.tiles(item)? } else { vec![item.clone()] };
        let first = tiles.first()?;
        let codec = codec_of(first)?;
        let tile = first.size()?;
        let is_alike = |item: &Item| codec_of(item) == Some(codec) && item.size() == Some(tile);
        let (columns, rows, size) = match grid {
            Some(grid) => (grid.columns, grid.rows, (grid.width, grid.height)),
            None => (1, 1, tile),
        };
        check_size(size.0, size.1, pixels_max).ok()?;
        let covers = |tile: usize, count: usize, all: usize| {
            tile * count >= all
                && tile * (count - 1) < all
                && (count == 1 || tile.is_multiple_of(2))
        };
        let is_covered = covers(tile.0, columns, size.0) && covers(tile.1, rows, size.1);
        if tiles.len() != columns * rows || !is_covered || !tiles.iter().all(is_alike) {
            return None;
        }
        let placement = Placement::of(item, codec, size)?;
        let colour = colour_of(item, codec).or_else(|| colour_of(first, codec));
        Some(Self { codec, tiles, columns, tile, size, colour, placement, alpha: None })
    }

    /// The coding format.
    pub fn codec(&self) -> Codec {
        self.codec
    }

    /// The transparency, if the image has one: its stream is decoded like that of the image.
    pub fn alpha(&self) -> Option<&Self> {
        self.alpha.as_deref()
    }

    /// The most bytes that the frames of the stream can have: without subsampling, 16 bits per sample.
    pub fn frames_max_bytes(&self) -> u64 {
        const PIXEL_MAX_BYTES: usize = 3 * 2;
        (self.tiles.len() * self.tile.0).saturating_mul(self.tile.1 * PIXEL_MAX_BYTES) as u64
    }

    /// The pictures as an elementary stream, one frame each: with start codes (ITU-T H.265, annex B),
    /// or as temporal units of the low-overhead format of AV1. `None` if they are damaged.
    pub fn stream(&self) -> Option<Vec<u8>> {
        let mut stream = Vec::new();
        for tile in &self.tiles {
            match self.codec {
                Codec::Hevc => append_hevc(&mut stream, tile)?,
                Codec::Av1 => append_av1(&mut stream, tile),
            }
        }
        Some(stream)
    }

    /// The image as displayed, from the frames of its stream and of the transparency's. `None` for
    /// samples that this module does not convert, or if they do not match the image.
    pub fn pixels(&self, frames: Frames<'_>, alpha: Option<Frames<'_>>) -> Option<Pixels> {
        let colour = self.colour.unwrap_or_else(|| Colour::of_stream(&frames.samples));
        let layout = self.layout(frames)?;
        let pixels = match self.codec {
            Codec::Hevc => colour::as_libheif(&layout, colour)?,
            Codec::Av1 => colour::as_libavif(&layout, colour)?,
        };
        match (&self.alpha, alpha) {
            (None, None) => Some(self.placed(pixels)),
            (Some(image), Some(alpha)) if frames.samples.bits == 8 && alpha.samples.bits == 8 => {
                let is_converted = self.codec == Codec::Av1 && !alpha.samples.full_range;
                let opacity = image.layout(alpha)?.luma().filter(|_| !is_converted)?;
                let pixels = pixels.iter().zip(opacity.iter());
                let pixels =
                    pixels.map(|(&[red, green, blue], opacity)| [red, green, blue, *opacity]);
                Some(self.placed(pixels.collect()))
            }
            _ => None,
        }
    }

    fn layout<'b>(&self, Frames { bytes, samples }: Frames<'b>) -> Option<Layout<'b>> {
        let is_alike = (samples.width, samples.height) == self.tile;
        is_alike.then(|| Layout::new(bytes, samples, self.tiles.len(), self.columns, self.size))?
    }

    /// Crops and turns `pixels`.
    fn placed<const CHANNELS: usize>(&self, pixels: Vec<[u8; CHANNELS]>) -> Pixels
    where
        [u8; CHANNELS]: Default,
    {
        let Placement { left, top, width, height, orientation } = self.placement;
        let pixels = if (width, height) == self.size {
            pixels
        } else {
            let rows = pixels.chunks_exact(self.size.0).skip(top).take(height);
            rows.flat_map(|row| &row[left..left + width]).copied().collect()
        };
        let (width, height, pixels) = orientation.apply(width, height, pixels);
        Pixels { width, height, channels: CHANNELS, samples: pixels.into_flattened() }
    }
}

/// Width and height of the primary image before it is cropped and turned, in pixels: what the
/// reference answers for HEIC and AVIF.
pub fn stored_size(file: &[u8]) -> Option<(usize, usize)> {
    Items::read(file)?.primary()?.size()
}

/// Whether the container says how to turn the primary image.
pub fn is_turned(file: &[u8]) -> bool {
    let primary = Items::read(file).and_then(|items| items.primary());
    primary.is_some_and(|it| it.properties.iter().any(|it| matches!(&it.kind, b"irot" | b"imir")))
}

fn codec_of(item: &Item) -> Option<Codec> {
    match &item.kind {
        b"hvc1" => Some(Codec::Hevc),
        b"av01" => Some(Codec::Av1),
        _ => None,
    }
}

/// The part of an image that is shown, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Placement {
    left: usize,
    top: usize,
    width: usize,
    height: usize,
    /// Applied last
    orientation: Orientation,
}

impl Placement {
    /// `None` if libheif moves colours against the brightness, which it crops and turns one plane at a
    /// time. Pillow leaves AVIF uncropped.
    fn of(item: &Item, codec: Codec, (width, height): (usize, usize)) -> Option<Self> {
        let mut shown = Self { left: 0, top: 0, width, height, orientation: Orientation::UPRIGHT };
        for Property { kind, content, .. } in &item.properties {
            let value = content.first().copied().unwrap_or_default();
            match kind {
                b"irot" => {
                    for _ in 0..value & 3 {
                        shown.orientation = shown.orientation.then_turned_left();
                    }
                }
                b"imir" if value & 1 == 1 => shown.orientation = shown.orientation.then_mirrored(),
                b"imir" => shown.orientation = shown.orientation.then_turned_over(),
                b"clap" if codec == Codec::Hevc => {
                    let is_first = shown.orientation == Orientation::UPRIGHT;
                    shown = is_first.then(|| shown.cropped(content))??;
                }
                _ => {}
            }
        }
        let is_odd = (shown.width | shown.height) % 2 == 1;
        let moves_colours =
            codec == Codec::Hevc && is_odd && shown.orientation != Orientation::UPRIGHT;
        (!moves_colours).then_some(shown)
    }

    /// Crops to a clean aperture: width, height and the distances of its centre from the image's, as
    /// fractions.
    fn cropped(self, aperture: &[u8]) -> Option<Self> {
        let (numbers, _) = aperture.as_chunks::<4>();
        let fraction = |at: usize, is_signed: bool| {
            let [above, below] = [*numbers.get(2 * at)?, *numbers.get(2 * at + 1)?];
            let above = if is_signed {
                f64::from(i32::from_be_bytes(above))
            } else {
                f64::from(u32::from_be_bytes(above))
            };
            let below = u32::from_be_bytes(below);
            (below > 0).then(|| above / f64::from(below))
        };
        let (width, height) = (fraction(0, false)?, fraction(1, false)?);
        let start = |offset: f64, all: usize, shown: f64| offset + (all as f64 - shown) / 2.0;
        let left = start(fraction(2, true)?, self.width, width);
        let top = start(fraction(3, true)?, self.height, height);
        let is_even = |start: f64| start >= 0.0 && start % 2.0 == 0.0;
        let is_inside = left + width <= self.width as f64 && top + height <= self.height as f64;
        let is_whole =
            width >= 1.0 && height >= 1.0 && width.fract() == 0.0 && height.fract() == 0.0;
        (is_even(left) && is_even(top) && is_inside && is_whole).then_some(Self {
            left: left as usize,
            top: top as usize,
            width: width as usize,
            height: height as usize,
            ..self
        })
    }
}

fn colour_of(item: &Item, codec: Codec) -> Option<Colour> {
    let mut boxes = item.properties.iter().filter(|property| property.kind == *b"colr");
    boxes.find_map(|property| Colour::of_box(property.content, codec))
}

/// Appends the picture with its parameter sets.
fn append_hevc(stream: &mut Vec<u8>, tile: &Item) -> Option<()> {
    const FIXED_BYTES: usize = 22;
    const START_CODE: [u8; 4] = [0, 0, 0, 1];
    let config = tile.property(*b"hvcC")?;
    let length_bytes = usize::from(config.get(FIXED_BYTES - 1)? & 3) + 1;
    let mut append = |unit: &[u8]| {
        stream.extend_from_slice(&START_CODE);
        stream.extend_from_slice(unit);
    };
    let mut rest = config.get(FIXED_BYTES..)?;
    let mut take = |count: usize| -> Option<&[u8]> {
        let (taken, after) = rest.split_at_checked(count)?;
        rest = after;
        Some(taken)
    };
    for _ in 0..take(1)?[0] {
        let [_, high, low] = take(3)? else { return None };
        for _ in 0..u16::from_be_bytes([*high, *low]) {
            let length = u16::from_be_bytes(take(2)?.try_into().ok()?);
            append(take(usize::from(length))?);
        }
    }
    let mut rest = tile.data.as_ref();
    while !rest.is_empty() {
        let (length, after) = rest.split_at_checked(length_bytes)?;
        let length = length.iter().fold(0, |all, byte| all << 8 | usize::from(*byte));
        let (unit, after) = after.split_at_checked(length)?;
        append(unit);
        rest = after;
    }
    Some(())
}

/// Appends the picture as a temporal unit of its own.
fn append_av1(stream: &mut Vec<u8>, tile: &Item) {
    const TEMPORAL_DELIMITER: [u8; 2] = [0x12, 0];
    stream.extend_from_slice(&TEMPORAL_DELIMITER);
    stream.extend_from_slice(tile.data.strip_prefix(&TEMPORAL_DELIMITER).unwrap_or(&tile.data));
}

#[cfg(test)]
mod tests;
