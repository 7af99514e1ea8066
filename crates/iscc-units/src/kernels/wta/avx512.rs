//! The portable form compiled for registers of 64 bytes.

use super::{Row, Value, portable};

/// See [`portable::sum_distinct_bytes`].
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
pub(super) fn sum_distinct_bytes<T: Value>(frames: &[Row<T>]) -> Option<Row<i64>> {
    portable::sum_distinct_bytes(frames)
}
