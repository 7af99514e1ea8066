//! Lists compared with the reference: a walk over all rows, bit by bit.

use proptest::prelude::*;

use super::*;
use crate::column::{Body, Column, word_count};
use crate::distance::distance_max;
use crate::frozen::FrozenColumn;
use crate::scan::Probe;

const BUDGET: f64 = f64::INFINITY;

/// Short keys, however few rows there are.
pub(crate) const ALL: ListSizes =
    ListSizes { rows_min: 0, long_keys_rows_min: usize::MAX, is_first_only: false };

/// Families of similar bodies, equal ones, featureless ones, and ones that share a part with a victim.
pub(crate) fn bodies(length: usize, seeds: &[u64]) -> Vec<Vec<u8>> {
    let mut rows: Vec<Vec<u8>> = Vec::new();
    for (number, &seed) in seeds.iter().enumerate() {
        let random = |salt: u64| {
            let mut state = seed ^ salt.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (0..length)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (state >> 56) as u8
                })
                .collect::<Vec<u8>>()
        };
        let mut row = match (seed % 8, rows.get(number / 2).cloned()) {
            (0, _) => vec![0; length],
            (1, Some(equal)) => equal,
            (2..=4, Some(near)) => near,
            (5, Some(victim)) => {
                let shared = number % length;
                let mut row = random(1);
                row[shared & !1] = victim[shared & !1];
                row[shared | 1] = victim[shared | 1];
                row
            }
            _ => random(2),
        };
        if matches!(seed % 8, 0 | 2..=4) {
            for flip in 0..seed / 8 % 24 {
                let bit = (seed >> (flip % 40)) as usize % (length * 8);
                row[bit / 8] ^= 0x80 >> (bit % 8);
            }
        }
        rows.push(row);
    }
    rows
}

/// Rows that share the last part, which an even distribution would not have.
pub(crate) fn crowded_rows(count: u32) -> Vec<Vec<u8>> {
    let row = |number: u32| {
        let mut row = number.wrapping_mul(2_654_435_761).to_be_bytes().to_vec();
        row.extend([number as u8, 7, 1, 1]);
        row
    };
    (0..count).map(row).collect()
}

/// A body whose own bucket of the last part is empty, and one next to it has all of [`crowded_rows`].
pub(crate) const BESIDE_CROWD: [u8; 8] = [1, 2, 3, 4, 5, 7, 1, 0];

/// A frozen column with lists. The slots are the rows' positions.
pub(crate) fn frozen(rows: &[Vec<u8>], sizes: ListSizes) -> FrozenColumn {
    let bits = rows[0].len() as u16 * 8;
    let mut column = Column::new(bits);
    for (slot, row) in rows.iter().enumerate() {
        column.push(&Body::new(row).unwrap(), slot as u32);
    }
    let frozen = FrozenColumn::new(&column, |_| true);
    let all = frozen.columns(word_count(bits), 0, frozen.rows());
    let lists = Lists::build(&all, bits, sizes, &|| true).unwrap();
    frozen.with_lists(lists)
}

/// The slots within the distance and their distances, or `None` if the lists are not used.
pub(crate) fn found(
    frozen: &FrozenColumn,
    query: &[u8],
    threshold: f64,
) -> Option<Vec<(usize, u32)>> {
    let body = Body::new(query).unwrap();
    let bits = body.bits().min(frozen.bits());
    let probe = Probe { words: *body.words(), distance_max: distance_max(bits, threshold) };
    let lists = frozen.lists().unwrap();
    let plan = lists.plan(&probe, bits)?;
    let columns = frozen.columns(word_count(bits), 0, frozen.rows());
    let hits = lists.search(&columns, &probe, bits, &plan, BUDGET).unwrap();
    let slots = hits.iter().flat_map(|hit| {
        let slots = frozen.owners(hit.row as usize).iter();
        slots.map(|&slot| (slot as usize, u32::from(hit.distance)))
    });
    let mut slots: Vec<(usize, u32)> = slots.collect();
    slots.sort_unstable();
    Some(slots)
}

/// What a walk over all rows finds.
pub(crate) fn expected(rows: &[Vec<u8>], query: &[u8], threshold: f64) -> Vec<(usize, u32)> {
    let near = reference::scan::rows_within(rows, query, threshold).into_iter();
    near.map(|(row, distance, _)| (row, distance)).collect()
}

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
