//! Video-Code digest from a set of frames.

use std::collections::BTreeSet;

/// A bit for each pair of columns: 1 where the second column's sum over the distinct frames is larger.
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
