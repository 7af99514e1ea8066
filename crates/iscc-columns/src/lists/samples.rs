//! Rows for tests of lists and of files with lists, and what a walk over all rows finds. Tests of `iscc-index` use them, too.

use iscc_columns::column::{Body, Column, word_count};
use iscc_columns::distance::distance_max;
use iscc_columns::frozen::FrozenColumn;
use iscc_columns::lists::{ListSizes, Lists};
use iscc_columns::scan::Probe;

/// Short keys, however few rows there are.
pub const ALL: ListSizes =
    ListSizes { rows_min: 0, long_keys_rows_min: usize::MAX, is_first_only: false };

/// Families of similar bodies, equal ones, featureless ones, and ones that share a part with a victim.
pub fn bodies(length: usize, seeds: &[u64]) -> Vec<Vec<u8>> {
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
pub fn crowded_rows(count: u32) -> Vec<Vec<u8>> {
    let row = |number: u32| {
        let mut row = number.wrapping_mul(2_654_435_761).to_be_bytes().to_vec();
        row.extend([number as u8, 7, 1, 1]);
        row
    };
    (0..count).map(row).collect()
}

/// A body whose own bucket of the last part is empty, and one next to it has all of [`crowded_rows`].
pub const BESIDE_CROWD: [u8; 8] = [1, 2, 3, 4, 5, 7, 1, 0];

/// A frozen column with lists. The slots are the rows' positions.
pub fn frozen(rows: &[Vec<u8>], sizes: ListSizes) -> FrozenColumn {
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
pub fn found(frozen: &FrozenColumn, query: &[u8], threshold: f64) -> Option<Vec<(usize, u32)>> {
    let body = Body::new(query).unwrap();
    let bits = body.bits().min(frozen.bits());
    let probe = Probe { words: *body.words(), distance_max: distance_max(bits, threshold) };
    let lists = frozen.lists().unwrap();
    let plan = lists.plan(&probe, bits)?;
    let columns = frozen.columns(word_count(bits), 0, frozen.rows());
    let hits = lists.search(&columns, &probe, bits, &plan, f64::INFINITY).unwrap();
    let slots = hits.iter().flat_map(|hit| {
        let slots = frozen.owners(hit.row as usize).iter();
        slots.map(|&slot| (slot as usize, u32::from(hit.distance)))
    });
    let mut slots: Vec<(usize, u32)> = slots.collect();
    slots.sort_unstable();
    Some(slots)
}

/// What a walk over all rows finds.
pub fn expected(rows: &[Vec<u8>], query: &[u8], threshold: f64) -> Vec<(usize, u32)> {
    let near = reference::scan::rows_within(rows, query, threshold).into_iter();
    near.map(|(row, distance, _)| (row, distance)).collect()
}
