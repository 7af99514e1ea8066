//! Brightness and colour samples of an image.

use std::borrow::Cow;

use super::Samples;

/// Size of the colour planes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chroma {
    /// No colour planes
    Gray,
    /// Half the width and half the height
    Yuv420,
    /// Half the width
    Yuv422,
    /// The image's size
    Yuv444,
}

impl Chroma {
    /// By how many bits columns are shifted.
    pub fn shift_x(self) -> u32 {
        u32::from(self != Self::Yuv444)
    }

    /// By how many bits rows are shifted.
    pub fn shift_y(self) -> u32 {
        u32::from(self == Self::Yuv420)
    }

    /// Size of a colour plane.
    fn size(self, (width, height): (usize, usize)) -> (usize, usize) {
        let halved = |length: usize, shift: u32| (length + shift as usize) >> shift;
        match self {
            Self::Gray => (0, 0),
            _ => (halved(width, self.shift_x()), halved(height, self.shift_y())),
        }
    }
}

/// One plane, without gaps between the rows.
pub struct Plane<'a, T: Clone> {
    pub width: usize,
    pub samples: Cow<'a, [T]>,
}

impl<T: Clone> Plane<'_, T> {
    pub fn row(&self, y: usize) -> &[T] {
        &self.samples[y * self.width..(y + 1) * self.width]
    }

    pub fn height(&self) -> usize {
        self.samples.len() / self.width
    }
}

/// The planes of an image: brightness, difference of blue, difference of red.
pub struct Planes<'a, T: Clone> {
    pub luma: Plane<'a, T>,
    pub blue: Plane<'a, T>,
    pub red: Plane<'a, T>,
}

/// Where the planes of an image lie in the frames of its tiles.
pub struct Layout<'a> {
    frames: &'a [u8],
    pub samples: Samples,
    columns: usize,
    /// Size of the image; tiles may exceed it
    size: (usize, usize),
    /// Bytes of a frame
    frame_bytes: usize,
}

impl<'a> Layout<'a> {
    /// `None` if `frames` is not as long as `count` frames.
    pub fn new(
        frames: &'a [u8],
        samples: Samples,
        count: usize,
        columns: usize,
        size: (usize, usize),
    ) -> Option<Self> {
        let Samples { width, height, chroma, bits, .. } = samples;
        let colour = chroma.size((width, height));
        let area = |(width, height): (usize, usize)| width.checked_mul(height);
        let all = area((width, height))?.checked_add(area(colour)?.checked_mul(2)?)?;
        let frame_bytes = all.checked_mul(bytes_of(bits))?;
        let is_whole = (8..=12).contains(&bits) && frame_bytes.checked_mul(count)? == frames.len();
        is_whole.then_some(Self { frames, samples, columns, size, frame_bytes })
    }

    /// The planes with samples of 8 bits: the highest ones of larger samples. `None` without colours.
    pub fn planes(&self) -> Option<Planes<'a, u8>> {
        let bits = self.samples.bits;
        self.all(move |stored| match bits {
            8 => stored.into(),
            _ => pairs(stored).map(|value| (value >> (bits - 8)).min(255) as u8).collect(),
        })
    }

    /// The planes with samples of more than 8 bits. `None` without colours.
    pub fn wide_planes(&self) -> Option<Planes<'a, u16>> {
        self.all(|stored| pairs(stored).collect())
    }

    /// The brightness; `None` if its samples have more than 8 bits.
    pub fn luma(&self) -> Option<Cow<'a, [u8]>> {
        let Samples { width, height, bits, .. } = self.samples;
        let plane = || self.plane(0, (width, height), self.size, &|stored: &'a [u8]| stored.into());
        (bits == 8).then(|| plane().samples)
    }

    fn all<T: Copy>(&self, read: impl Fn(&'a [u8]) -> Cow<'a, [T]>) -> Option<Planes<'a, T>> {
        let Samples { width, height, chroma, .. } = self.samples;
        let (tile, colour_tile) = ((width, height), chroma.size((width, height)));
        let colour_size = chroma.size(self.size);
        let blue = tile.0 * tile.1;
        let red = blue + colour_tile.0 * colour_tile.1;
        (chroma != Chroma::Gray).then(|| Planes {
            luma: self.plane(0, tile, self.size, &read),
            blue: self.plane(blue, colour_tile, colour_size, &read),
            red: self.plane(red, colour_tile, colour_size, &read),
        })
    }

    /// The plane that begins after `start` samples of each frame.
    fn plane<T: Copy>(
        &self,
        start: usize,
        tile: (usize, usize),
        size: (usize, usize),
        read: &impl Fn(&'a [u8]) -> Cow<'a, [T]>,
    ) -> Plane<'a, T> {
        let bytes = bytes_of(self.samples.bits);
        let range = start * bytes..(start + tile.0 * tile.1) * bytes;
        let frames = self.frames.chunks_exact(self.frame_bytes);
        let tiles = frames.map(|frame| read(&frame[range.clone()])).collect();
        Plane { width: size.0, samples: joined(tiles, tile, self.columns, size) }
    }
}

fn bytes_of(bits: u32) -> usize {
    if bits > 8 { 2 } else { 1 }
}

fn pairs(stored: &[u8]) -> impl Iterator<Item = u16> {
    stored.as_chunks::<2>().0.iter().map(|pair| u16::from_le_bytes(*pair))
}

/// One plane of the image from those of its tiles.
fn joined<'a, T: Copy>(
    mut tiles: Vec<Cow<'a, [T]>>,
    (tile_width, tile_height): (usize, usize),
    columns: usize,
    (width, height): (usize, usize),
) -> Cow<'a, [T]> {
    if (tile_width, tile_height) == (width, height)
        && let Some(only) = tiles.pop()
    {
        return only;
    }
    let mut plane = Vec::with_capacity(width * height);
    for y in 0..height {
        let row = tiles.chunks_exact(columns).nth(y / tile_height).unwrap_or_default();
        let start = y % tile_height * tile_width;
        let mut left = width;
        for tile in row {
            let part = left.min(tile_width);
            plane.extend_from_slice(&tile[start..start + part]);
            left -= part;
        }
    }
    plane.into()
}
