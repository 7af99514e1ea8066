//! Kernels, compared with the `reference` crate.

use super::inputs::{bytes, large_data, pieces, split_into};
use iscc_units::kernels::cdc::GEAR;
use iscc_units::kernels::minhash::{MULTIPLIER, Minhash, SUMMAND};
use iscc_units::kernels::simhash::{self, Simhash};
use iscc_units::kernels::{cdc, xxh32};
use iscc_units::simd;
use proptest::collection::vec;
use proptest::prelude::*;

proptest! {
    #[test]
    fn chunk_ends_match_the_reference_crate(
        data in bytes(60_000),
        average in 2u32..3000,
        unit in prop_oneof![Just(1u32), Just(4u32)],
    ) {
        let params = cdc::Params::new(average).unwrap().with_unit(unit);
        let ends: Vec<_> = cdc::boundaries(&data, params).collect();
        let expected = reference::cdc::boundaries(&data, average as usize, unit as usize, &GEAR);
        prop_assert_eq!(ends, expected);
    }

    #[test]
    fn xxh32_matches_the_reference_crate(message in vec(any::<u8>(), 0..300)) {
        prop_assert_eq!(xxh32::hash(&message), reference::xxh32::hash(&message));
    }

    #[test]
    fn minhash_matches_the_reference_crate_for_any_pieces(
        features in vec(prop_oneof![any::<u32>(), 0u32..50], 0..1500),
        sizes in pieces(400),
    ) {
        let expected = reference::minhash::minima(&features, &MULTIPLIER, &SUMMAND);
        let digest = reference::minhash::digest(&features, &MULTIPLIER, &SUMMAND);
        for level in simd::levels() {
            let mut state = Minhash::new_at(level);
            split_into(&features, &sizes, |piece| state.update(piece));
            prop_assert_eq!(state.minima(), expected, "{:?}", level);
            prop_assert_eq!(state.digest(), digest, "{:?}", level);
        }
    }

    #[test]
    fn minhash_of_repeats_then_noise_matches_the_reference_crate(
        period in vec(any::<u32>(), 1..400),
        repeats in 500usize..3000,
        noise in vec(any::<u32>(), 0..6000),
        sizes in pieces(700),
    ) {
        let features: Vec<u32> =
            period.iter().copied().cycle().take(repeats).chain(noise).collect();
        let expected = reference::minhash::minima(&features, &MULTIPLIER, &SUMMAND);
        for level in simd::levels() {
            let mut state = Minhash::new_at(level);
            split_into(&features, &sizes, |piece| state.update(piece));
            prop_assert_eq!(state.minima(), expected, "{:?}", level);
        }
    }

    #[test]
    fn minhash_of_two_parts_merges(
        features in vec(any::<u32>(), 0..900),
        cut in 0usize..900,
    ) {
        let (left, right) = features.split_at(cut.min(features.len()));
        let expected = reference::minhash::minima(&features, &MULTIPLIER, &SUMMAND);
        for level in simd::levels() {
            let [mut one, mut other] = [Minhash::new_at(level), Minhash::new_at(level)];
            one.update(left);
            other.update(right);
            one.merge(&other);
            prop_assert_eq!(one.minima(), expected, "{:?}", level);
        }
    }

    #[test]
    fn minhash_is_exact_where_the_filter_s_bound_wraps(
        i in 0usize..64,
        near in vec(0u32..40, 1..600),
        noise in vec(any::<u32>(), 0..300),
    ) {
        // Features whose low product word is just below or above zero under permutation i.
        let inverse = inverse_of_odd(MULTIPLIER[i] as u32 | 1);
        let aim = |bound: u32| {
            let low = bound.wrapping_sub(20).wrapping_sub(SUMMAND[i] as u32);
            low.wrapping_mul(inverse)
        };
        let features: Vec<u32> = near.into_iter().map(aim).chain(noise).collect();
        let expected = reference::minhash::minima(&features, &MULTIPLIER, &SUMMAND);
        for level in simd::levels() {
            let mut state = Minhash::new_at(level);
            state.update(&features);
            prop_assert_eq!(state.minima(), expected, "{:?}", level);
        }
    }

    #[test]
    fn simhash_matches_the_reference_crate(digests in vec(any::<[u8; 32]>(), 1..700)) {
        let plain: Vec<_> = digests.iter().map(|digest| digest.to_vec()).collect();
        let expected = reference::simhash::simhash(&plain);
        prop_assert_eq!(&simhash::simhash(&digests)[..], &expected);
        for level in simd::levels() {
            let mut state = Simhash::new_at(level);
            state.update(&digests);
            prop_assert_eq!(&state.digest()[..], &expected, "{:?}", level);
        }
    }

    #[test]
    fn simhash_of_short_digests_matches_the_reference_crate(
        digests in vec(any::<[u8; 4]>(), 1..700),
        sizes in pieces(300),
    ) {
        let plain: Vec<_> = digests.iter().map(|digest| digest.to_vec()).collect();
        let expected = reference::simhash::simhash(&plain);
        for level in simd::levels() {
            let mut state = Simhash::new_at(level);
            split_into(&digests, &sizes, |piece| state.update(piece));
            prop_assert_eq!(&state.digest()[..], &expected, "{:?}", level);
        }
    }

    #[test]
    fn xxh32_of_many_chunks_matches_the_reference_crate(
        data in vec(any::<u8>(), 0..70_000),
        average in prop_oneof![Just(1024u32), 8u32..9000],
    ) {
        let params = cdc::Params::new(average).unwrap();
        let ends: Vec<u32> = cdc::boundaries(&data, params).map(|end| end as u32).collect();
        let starts = std::iter::once(&0).chain(&ends);
        let expected: Vec<u32> = starts
            .zip(&ends)
            .map(|(&start, &end)| reference::xxh32::hash(&data[start as usize..end as usize]))
            .collect();
        for level in simd::levels() {
            let mut hashes = vec![];
            xxh32::hash_chunks_at(level, &data, &ends, &mut hashes);
            prop_assert_eq!(&hashes, &expected, "{:?}", level);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn three_cursors_match_the_reference_crate(
        data in large_data(5, 150_000),
        block in 50_000usize..300_000,
    ) {
        let params = cdc::Params::DATA;
        let expected = reference::cdc::boundaries(&data, 1024, 1, &GEAR);
        let mut walker = cdc::Walker::new();
        let (mut found, mut ends, mut at) = (vec![], vec![], 0);
        while at < data.len() {
            let view = &data[at..data.len().min(at + block + params.max())];
            walker.walk(view, block.min(view.len()), &mut ends);
            found.extend(ends.iter().map(|&end| at + end as usize));
            at = *found.last().unwrap();
        }
        if !data.is_empty() {
            prop_assert_eq!(found, expected);
        }
    }
}

/// The inverse modulo 2^32 (Newton).
fn inverse_of_odd(x: u32) -> u32 {
    (0..5).fold(x, |y, _| y.wrapping_mul(2u32.wrapping_sub(x.wrapping_mul(y))))
}
