//! The portable form compiled for registers of 32 bytes.

use super::{Row, Value, portable};

/// See [`portable::sum_distinct_bytes`].
#[target_feature(enable = "avx2")]
pub(super) fn sum_distinct_bytes<T: Value>(frames: &[Row<T>]) -> Option<Row<i64>> {
    portable::sum_distinct_bytes(frames)
}
