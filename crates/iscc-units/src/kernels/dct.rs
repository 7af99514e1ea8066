//! Discrete cosine transform of a 32x32 image (ISO 24138, Image-Code): DCT-II, not normalised, rows
//! first, by the recursion of Lee (1984).
//!
//! Every form makes the same operations on each value in the same order, so that all give the same
//! bits: what is compared later may be equal but for rounding.

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

/// The lowest frequencies of an image of gray values, row by row from the top.
///
/// With `eight_columns` the horizontal frequencies from 8 on are left zero, for half the work.
pub fn low_frequencies_at(
    level: Level,
    pixels: &[u8; SIDE * SIDE],
    eight_columns: bool,
) -> Frequencies {
    match level.set() {
        // Division is what takes the time, and wider registers do not divide faster.
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 | InstructionSet::Avx512 => {
            // SAFETY: the level proves that the machine has the instructions.
            unsafe { avx2::low_frequencies(pixels, eight_columns) }
        }
        _ => portable::low_frequencies(pixels, eight_columns),
    }
}
