//! Content-Code Audio (ISO 24138) from a Chromaprint fingerprint.

use crate::kernels::simhash::Simhash;
use crate::simd::{self, Level};

/// Values converted to bytes per batch.
const BATCH: usize = 510;

/// The Audio-Code digest of a raw Chromaprint fingerprint (algorithm 2, signed 32-bit values of the
/// whole track). It has eight parts of four bytes: the simhash of all values, of each consecutive
/// quarter, and of each third of the sorted values. The simhash of an empty part is zero.
pub fn digest(fingerprint: &[i32]) -> [u8; 32] {
    digest_at(simd::level(), fingerprint)
}

/// [`digest`] at a given SIMD level.
pub fn digest_at(level: Level, fingerprint: &[i32]) -> [u8; 32] {
    let mut parts = [[0; 4]; 8];
    let mut all = Simhash::new_at(level);
    for i in 0..4 {
        let (start, end) = part(fingerprint.len(), 4, i);
        let quarter = simhash(level, &fingerprint[start..end]);
        all.merge(&quarter);
        parts[1 + i] = digest_or_zero(&quarter, start == end);
    }
    parts[0] = digest_or_zero(&all, fingerprint.is_empty());
    let ascending = split_into_ascending_thirds(fingerprint);
    for i in 0..3 {
        let (start, end) = part(ascending.len(), 3, i);
        parts[5 + i] = digest_or_zero(&simhash(level, &ascending[start..end]), start == end);
    }
    let mut digest = [0; 32];
    digest.copy_from_slice(parts.as_flattened());
    digest
}

/// Bounds of part `i` of `n` items in `parts` parts: the first `n mod parts` parts get one more
/// item.
fn part(n: usize, parts: usize, i: usize) -> (usize, usize) {
    let bound = |i: usize| n / parts * i + i.min(n % parts);
    (bound(i), bound(i + 1))
}

fn simhash(level: Level, values: &[i32]) -> Simhash<4> {
    let mut state = Simhash::new_at(level);
    let mut bytes = [[0; 4]; BATCH];
    for batch in values.chunks(BATCH) {
        for (bytes, value) in bytes.iter_mut().zip(batch) {
            *bytes = value.to_be_bytes();
        }
        state.update(&bytes[..batch.len()]);
    }
    state
}

fn digest_or_zero(state: &Simhash<4>, is_empty: bool) -> [u8; 4] {
    if is_empty { [0; 4] } else { state.digest() }
}

/// Reorders the values so that each third has the members that it has after sorting. Simhash
/// ignores the order within a third, so a full sort is unnecessary.
fn split_into_ascending_thirds(values: &[i32]) -> Vec<i32> {
    let mut values = values.to_vec();
    let (second, third) = (part(values.len(), 3, 1).0, part(values.len(), 3, 2).0);
    if third < values.len() {
        values.select_nth_unstable(third);
    }
    if second < third {
        values[..third].select_nth_unstable(second);
    }
    values
}
