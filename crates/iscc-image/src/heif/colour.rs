//! Samples of brightness and colour differences to RGB, with the rounding of the reference's
//! decoders: libheif 1.23 repeats a colour sample for the pixels that share it, libavif 1.4 with
//! libyuv interpolates.

use super::planes::{Layout, Plane, Planes};
use super::{Chroma, Codec, Samples};
use iscc_media::boxes::Numbers;

/// Meaning of the samples (ISO 23091-2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colour {
    matrix: u16,
    is_full_range: bool,
}

/// Code point for coefficients that are not told.
const UNSPECIFIED: u16 = 2;

impl Colour {
    /// The meaning that the stream tells.
    pub fn of_stream(samples: &Samples) -> Self {
        Self { matrix: samples.matrix, is_full_range: samples.full_range }
    }

    /// From a box `colr`; `None` for colour profiles, and for a box that libheif takes for empty.
    pub fn of_box(content: &[u8], codec: Codec) -> Option<Self> {
        const FULL_RANGE: u64 = 0x80;
        let mut numbers = Numbers(content.strip_prefix(b"nclx")?);
        let (primaries, transfer) = (numbers.take(2)?, numbers.take(2)?);
        let matrix = numbers.take(2)?;
        let is_full_range = numbers.take(1)? & FULL_RANGE != 0;
        let is_empty = is_full_range
            && [primaries, transfer, matrix].iter().all(|it| *it == u64::from(UNSPECIFIED));
        (codec == Codec::Av1 || !is_empty).then_some(Self { matrix: matrix as u16, is_full_range })
    }
}

/// Factors of the colour differences, as libheif computes them.
struct Factors {
    red_of_red: f32,
    green_of_blue: f32,
    green_of_red: f32,
    blue_of_blue: f32,
}

impl Factors {
    /// `None` for coefficients that libheif converts in another way.
    fn of(matrix: u16) -> Option<Self> {
        let (red, blue): (f32, f32) = match matrix {
            1 => (0.2126, 0.0722),
            UNSPECIFIED => {
                return Some(Self {
                    red_of_red: 1.402,
                    green_of_blue: -0.344_136,
                    green_of_red: -0.714_136,
                    blue_of_blue: 1.772,
                });
            }
            4 => (0.30, 0.11),
            5 | 6 => (0.299, 0.114),
            7 => (0.212, 0.087),
            9 | 10 => (0.2627, 0.0593),
            _ => return None,
        };
        Some(Self {
            red_of_red: 2.0 * (-red + 1.0),
            green_of_blue: 2.0 * blue * (-blue + 1.0) / (blue + red - 1.0),
            green_of_red: 2.0 * red * (-red + 1.0) / (blue + red - 1.0),
            blue_of_blue: 2.0 * (-blue + 1.0),
        })
    }
}

/// Pixels as libheif makes them. `None` for samples that this function does not know.
pub fn as_libheif(layout: &Layout, colour: Colour) -> Option<Vec<[u8; 3]>> {
    let Samples { chroma, bits, .. } = layout.samples;
    let factors = Factors::of(colour.matrix)?;
    if colour.is_full_range && chroma == Chroma::Yuv420 {
        return Some(in_integers(&layout.planes()?, &factors));
    }
    // Larger samples become pixels before they lose bits.
    let rounded = |luma, u, v| in_floats([luma, u, v], bits, colour.is_full_range, &factors);
    Some(if bits == 8 {
        repeated(&layout.planes()?, chroma, |luma, u, v| rounded(luma.into(), u.into(), v.into()))
    } else {
        repeated(&layout.wide_planes()?, chroma, rounded)
    })
}

fn in_integers(planes: &Planes<u8>, factors: &Factors) -> Vec<[u8; 3]> {
    let fixed = |factor: f32| (256.0 * factor).round() as i32;
    let (red, blue) = (fixed(factors.red_of_red), fixed(factors.blue_of_blue));
    let (green_blue, green_red) = (fixed(factors.green_of_blue), fixed(factors.green_of_red));
    repeated(planes, Chroma::Yuv420, |luma, u, v| {
        let (luma, u, v) = (i32::from(luma), i32::from(u) - 128, i32::from(v) - 128);
        [
            clamped(luma + ((red * v + 128) >> 8)),
            clamped(luma + ((green_blue * u + green_red * v + 128) >> 8)),
            clamped(luma + ((blue * u + 128) >> 8)),
        ]
    })
}

/// The order of operations of libheif, in single precision: it decides the rounding.
fn in_floats([luma, u, v]: [u16; 3], bits: u32, is_full_range: bool, factors: &Factors) -> [u8; 3] {
    let (half, top) = (f32::from(1u16 << (bits - 1)), (1 << bits) - 1);
    let mut luma = f32::from(luma);
    let (mut u, mut v) = (f32::from(u) - half, f32::from(v) - half);
    if !is_full_range {
        luma = (luma - f32::from(16u16 << (bits - 8))) * 1.1689;
        u *= 1.1429;
        v *= 1.1429;
    }
    let rounded = |value: f32| (((value + 0.5) as i32).clamp(0, top) >> (bits - 8)) as u8;
    [
        rounded(luma + factors.red_of_red * v),
        rounded(luma + factors.green_of_blue * u + factors.green_of_red * v),
        rounded(luma + factors.blue_of_blue * u),
    ]
}

/// One pixel after the other, with the nearest colour samples.
fn repeated<T: Copy>(
    Planes { luma, blue, red }: &Planes<T>,
    chroma: Chroma,
    pixel: impl Fn(T, T, T) -> [u8; 3],
) -> Vec<[u8; 3]> {
    let mut pixels = Vec::with_capacity(luma.samples.len());
    for y in 0..luma.height() {
        let (u, v) = (blue.row(y >> chroma.shift_y()), red.row(y >> chroma.shift_y()));
        let row = luma.row(y).iter().enumerate();
        pixels.extend(row.map(|(x, luma)| {
            let x = x >> chroma.shift_x();
            pixel(*luma, u[x], v[x])
        }));
    }
    pixels
}

/// libyuv's constants of a conversion, in 64ths; `scale` and `offset` are those of the brightness.
struct Constants {
    scale: u32,
    offset: i32,
    blue: i32,
    green_of_blue: i32,
    green_of_red: i32,
    red: i32,
}

impl Constants {
    /// `None` for coefficients that libavif converts without libyuv.
    fn of(Colour { matrix, is_full_range }: Colour) -> Option<Self> {
        const FULL: (u32, i32) = (16_320, 32);
        const LIMITED: (u32, i32) = (18_997, -1160);
        let ((scale, offset), [blue, green_of_blue, green_of_red, red]) =
            match (matrix, is_full_range) {
                (1, true) => (FULL, [119, 12, 30, 101]),
                (1, false) => (LIMITED, [128, 14, 34, 115]),
                (UNSPECIFIED | 5 | 6, true) => (FULL, [113, 22, 46, 90]),
                (UNSPECIFIED | 5 | 6, false) => (LIMITED, [128, 25, 52, 102]),
                (9, true) => (FULL, [120, 11, 37, 94]),
                (9, false) => ((19_003, LIMITED.1), [128, 12, 42, 107]),
                _ => return None,
            };
        Some(Self { scale, offset, blue, green_of_blue, green_of_red, red })
    }
}

/// Pixels as libavif makes them with libyuv. `None` for samples that this function does not know.
pub fn as_libavif(layout: &Layout, colour: Colour) -> Option<Vec<[u8; 3]>> {
    let chroma = layout.samples.chroma;
    let constants = Constants::of(colour)?;
    let brightness: [i32; 256] = std::array::from_fn(|luma| {
        ((luma as u32 * 0x0101 * constants.scale) >> 16) as i32 + constants.offset
    });
    let Planes { luma, blue, red } = layout.planes()?;
    let mut pixels = Vec::with_capacity(luma.samples.len());
    let (mut u, mut v) = (Interpolated::new(luma.width), Interpolated::new(luma.width));
    for y in 0..luma.height() {
        u.read_row(&blue, chroma, y);
        v.read_row(&red, chroma, y);
        let colours = u.row.iter().zip(&v.row);
        pixels.extend(luma.row(y).iter().zip(colours).map(|(luma, (u, v))| {
            let (luma, u, v) =
                (brightness[usize::from(*luma)], i32::from(*u) - 128, i32::from(*v) - 128);
            [
                clamped((luma + constants.red * v) >> 6),
                clamped((luma - constants.green_of_blue * u - constants.green_of_red * v) >> 6),
                clamped((luma + constants.blue * u) >> 6),
            ]
        }));
    }
    Some(pixels)
}

/// A row of colour samples in the image's size.
struct Interpolated {
    row: Vec<u8>,
    /// Four times the samples of the plane at the row's height.
    sums: Vec<u16>,
}

impl Interpolated {
    fn new(width: usize) -> Self {
        Self { row: vec![0; width], sums: Vec::new() }
    }

    /// Interpolates row `y` of the image: three parts of the sample that a pixel shares, one part of
    /// the next nearest, in both directions.
    fn read_row(&mut self, plane: &Plane<u8>, chroma: Chroma, y: usize) {
        if chroma == Chroma::Yuv444 {
            self.row.copy_from_slice(plane.row(y));
            return;
        }
        let near = y >> chroma.shift_y();
        let far = match chroma {
            Chroma::Yuv420 if y.is_multiple_of(2) => near.saturating_sub(1),
            Chroma::Yuv420 => (near + 1).min(plane.height() - 1),
            Chroma::Gray | Chroma::Yuv422 | Chroma::Yuv444 => near,
        };
        let both = plane.row(near).iter().zip(plane.row(far));
        self.sums.clear();
        self.sums.extend(both.map(|(near, far)| 3 * u16::from(*near) + u16::from(*far)));
        let last = self.sums.len() - 1;
        let blend = |near: u16, far: u16| ((3 * near + far + 8) >> 4) as u8;
        let (pairs, odd) = self.row.as_chunks_mut::<2>();
        for (x, pair) in pairs.iter_mut().enumerate() {
            let near = self.sums[x];
            let (before, after) = (self.sums[x.saturating_sub(1)], self.sums[(x + 1).min(last)]);
            *pair = [blend(near, before), blend(near, after)];
        }
        // In libyuv the last column of an odd width has no neighbour.
        if let [only] = odd {
            *only = blend(self.sums[last], self.sums[last]);
        }
    }
}

fn clamped(value: i32) -> u8 {
    value.clamp(0, 255) as u8
}
