//! Data-Code and Instance-Code: streaming, levels and threads, compared with the `reference` crate.

use super::inputs::{bytes, large_data, noise, pieces, split_into};
use iscc_units::data::{self, DataHasher};
use iscc_units::instance::{self, InstanceHasher};
use iscc_units::kernels::cdc::GEAR;
use iscc_units::kernels::minhash::{MULTIPLIER, SUMMAND};
use iscc_units::simd;
use iscc_units::sum::{self, SumHasher};
use proptest::prelude::*;

fn expected(data: &[u8]) -> [u8; 32] {
    reference::data::digest(data, &GEAR, &MULTIPLIER, &SUMMAND)
}

proptest! {
    #[test]
    fn small_data_matches_the_reference_crate(data in bytes(20_000)) {
        for level in simd::levels() {
            prop_assert_eq!(data::digest_at(level, &data), expected(&data), "{:?}", level);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn results_do_not_depend_on_the_pieces(
        data in large_data(4, 600_000),
        sizes in pieces(1_300_000),
        other_sizes in pieces(60_000),
    ) {
        let expected = sum::Sum {
            data: expected(&data),
            instance: *blake3::hash(&data).as_bytes(),
            size: data.len() as u64,
        };
        for level in simd::levels() {
            prop_assert_eq!(sum::digest_at(level, &data), expected, "{:?}", level);
            for sizes in [&sizes, &other_sizes] {
                let mut sum = SumHasher::new_at(level);
                let mut data_only = DataHasher::new_at(level);
                split_into(&data, sizes, |piece| {
                    sum.update(piece);
                    data_only.update(piece);
                });
                prop_assert_eq!(sum.finish(), expected, "{:?} {:?}", level, sizes);
                prop_assert_eq!(data_only.finish(), expected.data, "{:?} {:?}", level, sizes);
            }
        }
        let mut instance = InstanceHasher::new();
        split_into(&data, &sizes, |piece| instance.update(piece));
        prop_assert_eq!(instance.len(), expected.size);
        prop_assert_eq!(instance.finish(), expected.instance);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn results_do_not_depend_on_the_threads(
        data in large_data(6, 2_500_000),
        tail in 0usize..4,
        threads in 1usize..4,
    ) {
        let mut data = data;
        data.extend(noise(tail as u64).take(4_200_000 + tail));
        let one = sum::digest(&data);
        prop_assert_eq!(sum::digest_parallel(&data[..], threads), Ok(one));
        prop_assert_eq!(data::digest_parallel(&data, threads), one.data);
        prop_assert_eq!(instance::digest_parallel(&data, threads), one.instance);
    }
}

#[test]
fn threads_on_data_that_never_matches_its_guess() {
    // The period starts after the probe, so every segment starts out of phase.
    let mut data: Vec<u8> = noise(5).take(300_001).collect();
    data.resize(9 << 20, 0);
    let one = sum::digest(&data);
    assert_eq!(one.data, expected(&data));
    assert_eq!(sum::digest_parallel(&data[..], 2), Ok(one));
    assert_eq!(data::digest_parallel(&vec![7; 6 << 20], 2), expected(&vec![7; 6 << 20]));
}

#[test]
fn threads_at_sizes_around_whole_segments() {
    let data: Vec<u8> = noise(9).take((8 << 20) + 1).collect();
    for size in [(4 << 20) - 1, 4 << 20, (4 << 20) + 1, (5 << 20) + 1023, 8 << 20, (8 << 20) + 1] {
        let one = sum::digest(&data[..size]);
        assert_eq!(one.instance, *blake3::hash(&data[..size]).as_bytes());
        assert_eq!(sum::digest_parallel(&data[..size], 2), Ok(one), "{size}");
    }
}
