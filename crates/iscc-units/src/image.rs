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
