//! Discrete cosine transform of a 32x32 image (ISO 24138, Image-Code): DCT-II, not normalised, rows
//! first, by the recursion of Lee (1984).
//!
//! All forms perform the same operations on each value in the same order, so the results are equal
//! to the bit. Later comparisons may be between values that differ only by rounding.

#[cfg(target_arch = "x86_64")]
mod avx2;
pub mod divisors;
mod portable;

use crate::simd::{InstructionSet, Level};

/// Side of the image in pixels.
pub const SIDE: usize = 32;

/// Rows and columns of the result, lowest frequencies first.
pub const KEPT: usize = 16;

/// `frequencies[v][u]`: vertical frequency v, horizontal frequency u.
pub type Frequencies = [[f64; KEPT]; KEPT];

/// The lowest frequencies of an image of grey values, row by row from the top.
///
/// With `eight_columns`, horizontal frequencies from 8 on are zero, which takes half the time.
pub fn low_frequencies_at(
    level: Level,
    pixels: &[u8; SIDE * SIDE],
    eight_columns: bool,
) -> Frequencies {
    match level.set() {
        // Most time goes into divisions, and wider registers do not divide faster.
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 | InstructionSet::Avx512 => {
            // SAFETY: a level proves that this machine has its instructions.
            unsafe { avx2::low_frequencies(pixels, eight_columns) }
        }
        _ => portable::low_frequencies(pixels, eight_columns),
    }
}
