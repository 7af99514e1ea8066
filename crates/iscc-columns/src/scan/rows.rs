//! Distances of single rows, scattered over the columns.

use super::{Columns, Hit, Probe};

/// Rows that are requested from memory before they are compared.
const AHEAD: usize = 32;

pub(super) fn check(
    columns: &Columns<'_>,
    last_mask: u64,
    probe: &Probe,
    rows: &[u32],
    hits: &mut Vec<Hit>,
) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("popcnt") {
        // SAFETY: the processor has the instruction.
        return unsafe { with_popcnt(columns, last_mask, probe, rows, hits) };
    }
    portable(columns, last_mask, probe, rows, hits);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn with_popcnt(
    columns: &Columns<'_>,
    last_mask: u64,
    probe: &Probe,
    rows: &[u32],
    hits: &mut Vec<Hit>,
) {
    portable(columns, last_mask, probe, rows, hits);
}

#[inline(always)]
fn portable(
    columns: &Columns<'_>,
    last_mask: u64,
    probe: &Probe,
    rows: &[u32],
    hits: &mut Vec<Hit>,
) {
    let words = &columns.words[..columns.width];
    let request = |row: u32| {
        // Most rows are too distant after two words.
        for column in words.iter().take(2) {
            prefetch(column, row as usize);
        }
    };
    rows.iter().take(AHEAD).for_each(|&row| request(row));
    for (index, &row) in rows.iter().enumerate() {
        if let Some(&next) = rows.get(index + AHEAD) {
            request(next);
        }
        let mut distance = 0;
        let is_near = words.iter().enumerate().all(|(word, column)| {
            let mask = if word + 1 == words.len() { last_mask } else { u64::MAX };
            distance += ((column[row as usize] ^ probe.words[word]) & mask).count_ones();
            distance <= probe.distance_max
        });
        if is_near {
            hits.push(Hit { probe: 0, row, distance: distance as u16 });
        }
    }
}

/// Requests an element from memory, if the processor can. An index outside of the slice has no effect.
#[inline(always)]
pub fn prefetch<T>(slice: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the instruction does not access memory, so any address is allowed.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(slice.as_ptr().wrapping_add(index).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, index);
}
