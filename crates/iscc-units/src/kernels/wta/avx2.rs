//! The portable form compiled for registers of four sums.

use super::{Row, Value, portable};

/// See [`portable::sum_distinct`].
#[target_feature(enable = "avx2")]
pub(super) fn sum_distinct<T: Value>(frames: &[Row<T>]) -> Row<i64> {
    portable::sum_distinct(frames)
}
