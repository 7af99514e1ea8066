//! The scan with AVX-512 VPOPCNTDQ: eight rows per register.

#![expect(clippy::needless_range_loop, reason = "words and probes are counted in step")]

use std::arch::x86_64::*;

use super::{Columns, Group, Hit, Probe, in_groups};

/// Rows of one register.
const LANES: usize = 8;

/// `(row ^ probe) & mask` as the truth table of a ternary logic operation.
const XOR_AND: i32 = 0x28;

/// Whether this processor supports the kernel.
pub(super) fn detected() -> bool {
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vpopcntdq")
}

pub(super) fn scan(columns: &Columns<'_>, last_mask: u64, probes: &[Probe], hits: &mut Vec<Hit>) {
    assert!(detected(), "AVX-512 VPOPCNTDQ is missing");
    in_groups!(checked, columns, last_mask, probes, hits);
}

fn checked<const W: usize, const Q: usize>(
    group: &Group<'_>,
    probes: &[Probe],
    hits: &mut Vec<Hit>,
) -> usize {
    // SAFETY: `scan` checked that the processor has the instructions.
    unsafe { group_of::<W, Q>(group, probes, hits) }
}

/// Scans with the first `Q` probes; returns `Q`.
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
fn group_of<const W: usize, const Q: usize>(
    group: &Group<'_>,
    probes: &[Probe],
    hits: &mut Vec<Hit>,
) -> usize {
    let rows = group.columns.rows();
    let mut queries = [[_mm512_setzero_si512(); W]; Q];
    let mut limits = [_mm512_setzero_si512(); Q];
    for (index, probe) in probes[..Q].iter().enumerate() {
        for word in 0..W {
            queries[index][word] = _mm512_set1_epi64(probe.words[word] as i64);
        }
        limits[index] = _mm512_set1_epi64(i64::from(probe.distance_max));
    }
    let last_mask = _mm512_set1_epi64(group.last_mask as i64);
    let mut start = 0;
    while start < rows {
        let live: __mmask8 = if rows - start >= LANES { 0xff } else { (1 << (rows - start)) - 1 };
        let mut sums = [_mm512_setzero_si512(); Q];
        for word in 0..W - 1 {
            let values = load(group.columns.words[word], start, live);
            for index in 0..Q {
                let differing = _mm512_xor_si512(values, queries[index][word]);
                sums[index] = _mm512_add_epi64(sums[index], _mm512_popcnt_epi64(differing));
            }
        }
        // With three words or more, nearly all distant rows are excluded before the last word. Not reading it saves
        // more than this test costs.
        if W >= 3 && near(&sums, &limits) & live == 0 {
            start += LANES;
            continue;
        }
        let values = load(group.columns.words[W - 1], start, live);
        for index in 0..Q {
            let query = queries[index][W - 1];
            let differing = _mm512_ternarylogic_epi64::<XOR_AND>(values, query, last_mask);
            let sum = _mm512_add_epi64(sums[index], _mm512_popcnt_epi64(differing));
            let near = _mm512_cmple_epu64_mask(sum, limits[index]) & live;
            if near != 0 {
                push(near, sum, group.first + index as u32, start, hits);
            }
        }
        start += LANES;
    }
    Q
}

/// Loads the rows at `start`. Lanes without a bit in `live` are zero.
#[inline]
#[target_feature(enable = "avx512f")]
fn load(column: &[u64], start: usize, live: __mmask8) -> __m512i {
    debug_assert!(start + (live.count_ones() as usize) <= column.len());
    // SAFETY: `live` has bits only for rows of the column (`Columns::new` checked that all columns have the same
    // length). Masked lanes are not read.
    unsafe { _mm512_maskz_loadu_epi64(live, column.as_ptr().add(start).cast()) }
}

/// Lanes in which at least one sum is within its limit.
#[inline]
#[target_feature(enable = "avx512f")]
fn near<const Q: usize>(sums: &[__m512i; Q], limits: &[__m512i; Q]) -> __mmask8 {
    let mut lanes = 0;
    for index in 0..Q {
        lanes |= _mm512_cmple_epu64_mask(sums[index], limits[index]);
    }
    lanes
}

/// Appends hits. Hits are rare, so this stays out of the loop.
#[cold]
#[target_feature(enable = "avx512f")]
fn push(mut near: __mmask8, sums: __m512i, probe: u32, start: usize, hits: &mut Vec<Hit>) {
    let mut distances = [0u64; LANES];
    // SAFETY: the array is as large as the register.
    unsafe { _mm512_storeu_si512(distances.as_mut_ptr().cast(), sums) };
    while near != 0 {
        let lane = near.trailing_zeros() as usize;
        near &= near - 1;
        hits.push(Hit { probe, row: (start + lane) as u32, distance: distances[lane] as u16 });
    }
}
