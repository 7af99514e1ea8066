//! Content-Code Image (ISO 24138) from 32x32 grey values.

use crate::Compat;
use crate::kernels::dct::{self, Frequencies, SIDE};
use crate::simd::{self, Level};

/// Grey values of the normalised image, row by row from the top.
pub type Pixels = [u8; SIDE * SIDE];

/// Side of the window of frequencies that yields 64 bits.
const WINDOW: usize = 8;

/// Bits of a window.
const WINDOW_BITS: usize = WINDOW * WINDOW;

/// The Image-Code digest of an image reduced to 32x32 grey values.
///
/// Each group of 64 bits states which frequencies of a window exceed the window's median. Bytes
/// after `bits` (rounded up to a multiple of 64, at most 256) are zero; 64 bits take half the time.
/// `compat` decides on the position of the second and later windows.
pub fn digest(pixels: &Pixels, bits: usize, compat: Compat) -> [u8; 32] {
    digest_at(simd::level(), pixels, bits, compat)
}

/// The digests of the picture as it looks when it is mirrored and turned: in the order of [`SYMMETRIES`].
pub fn symmetric_digests(pixels: &Pixels, bits: usize, compat: Compat) -> [[u8; 32]; 7] {
    SYMMETRIES.map(|symmetry| digest(&symmetric(pixels, symmetry), bits, compat))
}

/// The seven symmetries of a square that change it, as sets of [`MIRRORED`], [`FLIPPED`] and [`TRANSPOSED`]: mirrored,
/// flipped, turned by half, transposed, turned left, turned right, transposed along the other diagonal.
pub const SYMMETRIES: [u8; 7] = [1, 2, 3, 4, 5, 6, 7];

/// Left and right are exchanged.
const MIRRORED: u8 = 1;

/// Top and bottom are exchanged.
const FLIPPED: u8 = 2;

/// Rows and columns are exchanged; before the others.
const TRANSPOSED: u8 = 4;

fn symmetric(pixels: &Pixels, symmetry: u8) -> Pixels {
    let has = |part: u8| symmetry & part > 0;
    std::array::from_fn(|at| {
        let (x, y) = (at % SIDE, at / SIDE);
        let (x, y) = if has(TRANSPOSED) { (y, x) } else { (x, y) };
        let x = if has(MIRRORED) { SIDE - 1 - x } else { x };
        let y = if has(FLIPPED) { SIDE - 1 - y } else { y };
        pixels[y * SIDE + x]
    })
}

/// [`digest`] at a given SIMD level.
pub fn digest_at(level: Level, pixels: &Pixels, bits: usize, compat: Compat) -> [u8; 32] {
    let frequencies = dct::low_frequencies_at(level, pixels, bits <= WINDOW_BITS);
    let step = match compat {
        Compat::Sdk0_9_7 => WINDOW,
        Compat::Sdk0_9_5 => 1,
    };
    let mut digest = [0; 32];
    let windows = bits.div_ceil(WINDOW_BITS);
    for (i, eight) in digest.as_chunks_mut::<8>().0.iter_mut().enumerate().take(windows) {
        *eight = above_median(&frequencies, i % 2 * step, i / 2 * step).to_be_bytes();
    }
    digest
}

/// One bit per frequency of the window at `(x, y)`, row by row: 1 if above the median.
fn above_median(frequencies: &Frequencies, x: usize, y: usize) -> u64 {
    let mut window = [0.0; WINDOW_BITS];
    for (values, row) in window.as_chunks_mut::<WINDOW>().0.iter_mut().zip(&frequencies[y..]) {
        values.copy_from_slice(&row[x..x + WINDOW]);
    }
    let median = median(window);
    window.iter().fold(0, |bits, &value| bits << 1 | u64::from(value > median))
}

/// The mean of the two middle values.
fn median(mut values: [f64; WINDOW_BITS]) -> f64 {
    let (lower, upper, _) = values.select_nth_unstable_by(WINDOW_BITS / 2, f64::total_cmp);
    let below = lower.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (below + *upper) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symmetries_move_the_corners() {
        const LEFT_TOP: u8 = 10;
        const RIGHT_TOP: u8 = 20;
        const LEFT_BOTTOM: u8 = 30;
        const RIGHT_BOTTOM: u8 = 40;
        let mut pixels = [0; SIDE * SIDE];
        let end = SIDE - 1;
        pixels[0] = LEFT_TOP;
        pixels[end] = RIGHT_TOP;
        pixels[end * SIDE] = LEFT_BOTTOM;
        pixels[end * SIDE + end] = RIGHT_BOTTOM;
        let corners = SYMMETRIES.map(|symmetry| {
            let it = symmetric(&pixels, symmetry);
            [it[0], it[end], it[end * SIDE], it[end * SIDE + end]]
        });
        assert_eq!(
            corners,
            [
                [RIGHT_TOP, LEFT_TOP, RIGHT_BOTTOM, LEFT_BOTTOM],
                [LEFT_BOTTOM, RIGHT_BOTTOM, LEFT_TOP, RIGHT_TOP],
                [RIGHT_BOTTOM, LEFT_BOTTOM, RIGHT_TOP, LEFT_TOP],
                [LEFT_TOP, LEFT_BOTTOM, RIGHT_TOP, RIGHT_BOTTOM],
                [RIGHT_TOP, RIGHT_BOTTOM, LEFT_TOP, LEFT_BOTTOM],
                [LEFT_BOTTOM, LEFT_TOP, RIGHT_BOTTOM, RIGHT_TOP],
                [RIGHT_BOTTOM, RIGHT_TOP, LEFT_BOTTOM, LEFT_TOP],
            ]
        );
    }

    #[test]
    fn digests_of_symmetries_are_those_of_the_moved_picture() {
        let pixels: Pixels = std::array::from_fn(|at| (at * at % 251) as u8);
        let digests = symmetric_digests(&pixels, 256, Compat::Sdk0_9_7);
        let mirrored = symmetric(&pixels, MIRRORED);
        assert_eq!(digests[0], digest(&mirrored, 256, Compat::Sdk0_9_7));
        assert_eq!(symmetric(&mirrored, MIRRORED), pixels);
        assert!(!digests.contains(&digest(&pixels, 256, Compat::Sdk0_9_7)));
    }
}
