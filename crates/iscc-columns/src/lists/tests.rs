//! Lists compared with the reference: a walk over all rows, bit by bit.

use proptest::prelude::*;

use super::samples::{ALL, BESIDE_CROWD, bodies, crowded_rows, expected, found, frozen};
use super::*;
use crate::column::Body;
use crate::scan::Probe;

proptest! {
    #[test]
    fn lists_find_what_a_walk_finds(
        seeds in prop::collection::vec(any::<u64>(), 1..400),
        row_words in 1usize..=8,
        query_words in 1usize..=8,
        flips in prop::collection::vec(0usize..256, 0..40),
        percent in 75u32..=100,
        has_long_keys in any::<bool>(),
        is_first_only in any::<bool>(),
    ) {
        let rows = bodies(row_words * 4, &seeds);
        let long_keys_rows_min = if has_long_keys { 0 } else { usize::MAX };
        let sizes = ListSizes { rows_min: 0, long_keys_rows_min, is_first_only };
        let frozen = frozen(&rows, sizes);
        let mut query = rows[seeds.len() / 2].clone();
        query.resize(query_words * 4, 0x5a);
        for flip in flips {
            let bit = flip % (query.len() * 8);
            query[bit / 8] ^= 0x80 >> (bit % 8);
        }
        let threshold = f64::from(percent) / 100.0;
        if let Some(found) = found(&frozen, &query, threshold) {
            prop_assert_eq!(found, expected(&rows, &query, threshold));
        }
    }
}

#[test]
fn plans_exist_for_each_length_and_near_threshold() {
    let seeds: Vec<u64> = (0..500).map(|seed: u64| seed.wrapping_mul(0x9e37_79b9)).collect();
    for long_keys_rows_min in [0, usize::MAX] {
        for row_words in 1..=8 {
            let rows = bodies(row_words * 4, &seeds);
            let frozen = frozen(&rows, ListSizes { long_keys_rows_min, ..ALL });
            for query_words in 1..=8 {
                let mut query = rows[7].clone();
                query.resize(query_words * 4, 0);
                let near = found(&frozen, &query, 0.95).expect("a plan");
                assert_eq!(near, expected(&rows, &query, 0.95), "{row_words} {query_words}");
                assert!(!near.is_empty());
            }
        }
    }
}

#[test]
fn a_search_stops_when_its_budget_is_spent() {
    let frozen = frozen(&crowded_rows(20_000), ListSizes::default());
    let lists = frozen.lists().unwrap();
    let probe = |body: &[u8]| Probe { words: *Body::new(body).unwrap().words(), distance_max: 8 };
    let columns = frozen.columns(1, 0, frozen.rows());
    let probe = probe(&BESIDE_CROWD);
    let plan = lists.plan(&probe, 64).unwrap();
    let all = lists.search(&columns, &probe, 64, &plan, f64::INFINITY);
    assert!(all.is_some());
    assert_eq!(lists.search(&columns, &probe, 64, &plan, plan.cost / 2.0), None);
}

#[test]
fn rows_that_share_their_first_word_are_counted() {
    // All rows pass the comparison of the first word in each of its lists.
    let rows: Vec<Vec<u8>> = (0..30_000u32)
        .map(|number| {
            let mut row = vec![3; 8];
            for salt in 0..6u32 {
                row.extend((number ^ salt).wrapping_mul(2_654_435_761).to_be_bytes());
            }
            row
        })
        .collect();
    let frozen = frozen(&rows, ListSizes::default());
    let lists = frozen.lists().unwrap();
    let probe = Probe { words: *Body::new(&rows[9]).unwrap().words(), distance_max: 3 };
    let columns = frozen.columns(4, 0, frozen.rows());
    let planned = lists.plan(&probe, 256).unwrap();
    assert_eq!(&planned.radii[..4], &[-1; 4]);
    let mut radii = [-1; LISTS_MAX];
    radii[0] = 3;
    let forced = Plan { radii, cost: 0.0, entries: 0.0 };
    let budget = cost::scan_cost(frozen.rows(), 256);
    assert_eq!(lists.search(&columns, &probe, 256, &forced, budget), None);
    let all = lists.search(&columns, &probe, 256, &forced, f64::INFINITY).unwrap();
    assert_eq!(Some(all), lists.search(&columns, &probe, 256, &planned, f64::INFINITY));
}

#[test]
fn crowded_buckets_are_left_out() {
    let rows: Vec<Vec<u8>> = (0..40_000u32)
        .map(|number| {
            let mut row = vec![9, 9];
            row.extend(number.wrapping_mul(2_654_435_761).to_be_bytes());
            row.extend((number as u16).wrapping_mul(40_503).to_be_bytes());
            row
        })
        .collect();
    let frozen = frozen(&rows, ListSizes::default());
    let probe = Probe { words: *Body::new(&rows[5]).unwrap().words(), distance_max: 2 };
    let plan = frozen.lists().unwrap().plan(&probe, 64).unwrap();
    assert_eq!(&plan.radii[..4], &[-1, 0, 0, 0]);
}

#[test]
fn one_list_per_word_finds_rows_that_differ_in_11_bits() {
    let seeds: Vec<u64> = (0..500).map(|seed: u64| seed.wrapping_mul(0x9e37_79b9)).collect();
    let rows = bodies(32, &seeds);
    for long_keys_rows_min in [0, usize::MAX] {
        let sizes = ListSizes { long_keys_rows_min, is_first_only: true, ..ALL };
        let frozen = frozen(&rows, sizes);
        for row in rows.iter().step_by(23) {
            let mut query = row.clone();
            (0..11).for_each(|flip| query[flip * 2 + 7] ^= 1 << (flip % 8));
            let threshold = 1.0 - 11.0 / 256.0;
            let near = found(&frozen, &query, threshold).expect("a plan");
            assert_eq!(near, expected(&rows, &query, threshold));
            assert!(!near.is_empty());
        }
    }
}

#[test]
fn memory_is_as_much_as_announced() {
    let rows = bodies(32, &(0..3000).map(|seed: u64| seed * 8 + 6).collect::<Vec<_>>());
    for long_keys_rows_min in [0, usize::MAX] {
        for is_first_only in [false, true] {
            let sizes = ListSizes { long_keys_rows_min, is_first_only, ..ALL };
            let frozen = frozen(&rows, sizes);
            let bytes = frozen.lists().unwrap().memory_bytes();
            let sections = Lists::section_bytes(frozen.rows(), 256, sizes.form(frozen.rows()));
            assert_eq!(bytes as u64, sections.iter().sum::<u64>());
        }
    }
}
