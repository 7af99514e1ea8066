//! Video-Code digest of a set of frames.

use std::collections::BTreeSet;

/// One bit per pair of columns: 1 if the second column has the larger sum over the distinct frames.
pub fn digest(frames: &[Vec<i32>], pairs: &[(u16, u16)]) -> Vec<u8> {
    let distinct: BTreeSet<_> = frames.iter().collect();
    let sum = |column: u16| -> i64 {
        distinct.iter().map(|frame| i64::from(frame[usize::from(column)])).sum()
    };
    pairs
        .chunks(8)
        .map(|eight| eight.iter().fold(0, |bits, &(p, q)| bits << 1 | u8::from(sum(q) > sum(p))))
        .collect()
}
