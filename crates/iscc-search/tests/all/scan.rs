//! Every instruction set finds exactly the rows that the reference implementation finds.

use iscc_columns::scan::{Columns, Hit, Probe, WORDS_MAX, levels, scan_at};
use proptest::prelude::*;
use reference::scan::prefix_distance;

/// Bytes as big-endian words, padded with zeros.
fn words(bytes: &[u8]) -> [u64; WORDS_MAX] {
    let mut padded = [0u8; WORDS_MAX * 8];
    padded[..bytes.len()].copy_from_slice(bytes);
    std::array::from_fn(|w| u64::from_be_bytes(padded[w * 8..w * 8 + 8].try_into().unwrap()))
}

/// Rows; queries with their maximum distances; length of all in bytes.
type Case = (Vec<Vec<u8>>, Vec<(Vec<u8>, u32)>, usize);

/// Rows near the queries and far from them, so that both hits and misses occur.
fn case() -> impl Strategy<Value = Case> {
    (1usize..=32).prop_flat_map(|length| {
        let query = (prop::collection::vec(any::<u8>(), length), 0u32..=length as u32 * 8);
        let queries = prop::collection::vec(query, 1..8);
        let row = prop::collection::vec(prop_oneof![Just(0u8), Just(255), any::<u8>()], length);
        (prop::collection::vec(row, 0..70), queries, Just(length))
    })
}

proptest! {
    #[test]
    fn every_level_equals_the_reference((mut rows, queries, length) in case()) {
        for (index, (query, _)) in queries.iter().enumerate() {
            let mut near = query.clone();
            near[index % length] ^= 1;
            rows.push(near);
        }
        let width = length.div_ceil(8);
        let columns: Vec<Vec<u64>> =
            (0..width).map(|w| rows.iter().map(|row| words(row)[w]).collect()).collect();
        let slices: Vec<&[u64]> = columns.iter().map(Vec::as_slice).collect();
        let last_bits = length * 8 - (width - 1) * 64;
        let last_mask = u64::MAX << (64 - last_bits);
        let probes: Vec<Probe> = queries
            .iter()
            .map(|(query, max)| Probe { words: words(query), distance_max: *max })
            .collect();

        let mut expected = Vec::new();
        for (probe, (query, max)) in queries.iter().enumerate() {
            for (row, body) in rows.iter().enumerate() {
                let (distance, _) = prefix_distance(body, query);
                if distance <= *max {
                    let (probe, row) = (probe as u32, row as u32);
                    expected.push(Hit { probe, row, distance: distance as u16 });
                }
            }
        }
        for level in levels() {
            let mut hits = Vec::new();
            scan_at(level, &Columns::new(&slices), last_mask, &probes, &mut hits);
            hits.sort();
            prop_assert_eq!(&hits, &expected, "{:?}", level);
        }
    }
}

#[test]
fn ignores_bits_outside_the_mask() {
    let column = [0x0000_0000_ffff_ffffu64; 11];
    let probe = Probe { words: [0; WORDS_MAX], distance_max: 0 };
    for level in levels() {
        let mut hits = Vec::new();
        scan_at(level, &Columns::new(&[&column]), u64::MAX << 32, &[probe], &mut hits);
        assert_eq!(hits.len(), column.len(), "{level:?}");
    }
}
