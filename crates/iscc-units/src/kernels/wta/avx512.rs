//! The portable form compiled for registers of eight sums.

use super::{Row, Value, portable};

/// See [`portable::sum_distinct`].
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
pub(super) fn sum_distinct<T: Value>(frames: &[Row<T>]) -> Row<i64> {
    portable::sum_distinct(frames)
}
