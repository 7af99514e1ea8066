//! Generated inputs.

use proptest::collection::vec;
use proptest::prelude::*;

/// Bytes with different chunk patterns: random, of few values, and periodic.
pub fn bytes(max: usize) -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        vec(any::<u8>(), 0..max),
        vec(prop_oneof![Just(0u8), Just(255u8), Just(7u8)], 0..max),
        (vec(any::<u8>(), 1..600), 0..max).prop_map(|(period, n)| period
            .into_iter()
            .cycle()
            .take(n)
            .collect()),
    ]
}

/// Larger data, concatenated from runs of different kinds.
pub fn large_data(runs: usize, run_max: usize) -> impl Strategy<Value = Vec<u8>> {
    vec((any::<u64>(), 0..run_max, 0u8..4), 1..=runs).prop_map(|runs| {
        let mut data = vec![];
        for (seed, length, nature) in runs {
            let mut noise = noise(seed);
            match nature {
                0 => data.extend(noise.take(length)),
                1 => data.resize(data.len() + length, seed as u8),
                2 => {
                    let period: Vec<u8> = noise.by_ref().take(1 + seed as usize % 700).collect();
                    data.extend(period.into_iter().cycle().take(length));
                }
                _ => data.extend(
                    noise.map(|byte| b"GET /index 200\n"[usize::from(byte) % 15]).take(length),
                ),
            }
        }
        data
    })
}

/// An infinite sequence of random bytes (xorshift64*).
pub fn noise(seed: u64) -> impl Iterator<Item = u8> {
    let mut state = seed | 1;
    std::iter::repeat_with(move || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 56) as u8
    })
}

/// Sizes of the pieces of an input.
pub fn pieces(max: usize) -> impl Strategy<Value = Vec<usize>> {
    vec(prop_oneof![1..max, 1..max / 30 + 2, Just(max), 1usize..3], 1..12)
}

/// Splits `whole` into pieces, with repeated `sizes`, and calls `take` with each.
pub fn split_into<T>(whole: &[T], sizes: &[usize], mut take: impl FnMut(&[T])) {
    let mut rest = whole;
    for size in sizes.iter().cycle() {
        let (now, later) = rest.split_at(rest.len().min(*size));
        take(now);
        rest = later;
        if rest.is_empty() {
            return;
        }
    }
}
