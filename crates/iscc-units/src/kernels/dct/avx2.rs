//! The portable form compiled for registers of four values. Rust never fuses multiplications and
//! additions.

use super::{Frequencies, SIDE, portable};

/// See [`super::low_frequencies_at`].
#[target_feature(enable = "avx2")]
pub(super) fn low_frequencies(pixels: &[u8; SIDE * SIDE], eight_columns: bool) -> Frequencies {
    portable::low_frequencies(pixels, eight_columns)
}
