//! The kernels against the `reference` crate.

use iscc_units::kernels::cdc::GEAR;
use iscc_units::kernels::minhash::{MULTIPLIER, Minhash, SUMMAND};
use iscc_units::kernels::{cdc, simhash, xxh32};
use iscc_units::simd;
use proptest::collection::vec;
use proptest::prelude::*;

/// Bytes that chunk in different ways: random, of few values, and periodic.
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

proptest! {
    #[test]
    fn chunks_end_where_the_twin_says(
        data in bytes(60_000),
        average in 2u32..3000,
        unit in prop_oneof![Just(1u32), Just(4u32)],
    ) {
        let params = cdc::Params::new(average).unwrap().with_unit(unit);
        let ends: Vec<_> = cdc::boundaries(&data, params).collect();
        let twin = reference::cdc::boundaries(&data, average as usize, unit as usize, &GEAR);
        prop_assert_eq!(ends, twin);
    }

    #[test]
    fn xxh32_equals_the_twin(message in vec(any::<u8>(), 0..300)) {
        prop_assert_eq!(xxh32::hash(&message), reference::xxh32::hash(&message));
    }

    #[test]
    fn minhash_equals_the_twin_in_any_pieces(
        features in vec(prop_oneof![any::<u32>(), 0u32..50], 0..1500),
        pieces in vec(1usize..400, 1..20),
    ) {
        let twin = reference::minhash::digest(&features, &MULTIPLIER, &SUMMAND);
        for level in simd::levels() {
            let mut state = Minhash::new_at(level);
            let mut rest = &features[..];
            for piece in pieces.iter().cycle() {
                let (now, later) = rest.split_at(rest.len().min(*piece));
                state.update(now);
                rest = later;
                if rest.is_empty() {
                    break;
                }
            }
            prop_assert_eq!(state.digest(), twin, "{:?}", level);
        }
    }

    #[test]
    fn simhash_equals_the_twin(digests in vec(any::<[u8; 32]>(), 1..700)) {
        let plain: Vec<_> = digests.iter().map(|digest| digest.to_vec()).collect();
        prop_assert_eq!(&simhash::simhash(&digests)[..], reference::simhash::simhash(&plain));
    }
}
