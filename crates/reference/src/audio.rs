//! Audio-Code digest, sorted and counted.

use crate::simhash::simhash;

/// The parts of a fingerprint one after another: all, four quarters, three thirds in ascending order.
pub fn digest(fingerprint: &[i32]) -> Vec<u8> {
    let mut sorted = fingerprint.to_vec();
    sorted.sort_unstable();
    let mut parts = vec![fingerprint.to_vec()];
    parts.extend(split(fingerprint, 4));
    parts.extend(split(&sorted, 3));
    parts.iter().flat_map(|part| part_digest(part)).collect()
}

/// Consecutive parts; the first ones get what does not divide.
fn split(values: &[i32], parts: usize) -> Vec<Vec<i32>> {
    let mut rest = values;
    (0..parts)
        .map(|i| {
            let (part, later) = rest.split_at(rest.len().div_ceil(parts - i));
            rest = later;
            part.to_vec()
        })
        .collect()
}

fn part_digest(part: &[i32]) -> Vec<u8> {
    let digests: Vec<_> = part.iter().map(|value| value.to_be_bytes().to_vec()).collect();
    if digests.is_empty() { vec![0; 4] } else { simhash(&digests) }
}
