//! The portable form compiled for registers of eight values.

use super::{Frequencies, SIDE, portable};

/// See [`super::low_frequencies_at`].
#[target_feature(enable = "avx512f,avx512vl,avx512dq")]
pub(super) fn low_frequencies(pixels: &[u8; SIDE * SIDE], eight_columns: bool) -> Frequencies {
    portable::low_frequencies(pixels, eight_columns)
}
