//! Audio-Code digest, by sorting and counting.

use crate::simhash::simhash;

/// Digests of the whole fingerprint, its quarters, and the thirds of the sorted fingerprint.
pub fn digest(fingerprint: &[i32]) -> Vec<u8> {
    let mut sorted = fingerprint.to_vec();
    sorted.sort_unstable();
    let mut parts = vec![fingerprint.to_vec()];
    parts.extend(split(fingerprint, 4));
    parts.extend(split(&sorted, 3));
    parts.iter().flat_map(|part| part_digest(part)).collect()
}

/// Consecutive parts. The first parts get one more value if the length does not divide evenly.
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
