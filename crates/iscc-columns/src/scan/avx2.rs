//! The scan with AVX2: four rows per register, bits counted with a nibble table.

#![expect(clippy::needless_range_loop, reason = "words and probes are counted in step")]

use std::arch::x86_64::*;

use super::{Columns, Group, Hit, Probe, in_groups};

/// Rows of one register.
const LANES: usize = 4;

/// Whether this processor supports the kernel.
pub(super) fn detected() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt")
}

pub(super) fn scan(columns: &Columns<'_>, last_mask: u64, probes: &[Probe], hits: &mut Vec<Hit>) {
    assert!(detected(), "AVX2 is missing");
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
#[target_feature(enable = "avx2,popcnt")]
fn group_of<const W: usize, const Q: usize>(
    group: &Group<'_>,
    probes: &[Probe],
    hits: &mut Vec<Hit>,
) -> usize {
    let rows = group.columns.rows();
    let mut queries = [[_mm256_setzero_si256(); W]; Q];
    let mut limits = [_mm256_setzero_si256(); Q];
    for (index, probe) in probes[..Q].iter().enumerate() {
        for word in 0..W {
            queries[index][word] = _mm256_set1_epi64x(probe.words[word] as i64);
        }
        limits[index] = _mm256_set1_epi64x(i64::from(probe.distance_max));
    }
    let last_mask = _mm256_set1_epi64x(group.last_mask as i64);
    let whole = rows / LANES * LANES;
    for start in (0..whole).step_by(LANES) {
        // A byte counts at most 8 bits per word, so four words do not overflow it.
        let mut counts = [_mm256_setzero_si256(); Q];
        for word in 0..W {
            let values = load(group.columns.words[word], start);
            for index in 0..Q {
                let mut differing = _mm256_xor_si256(values, queries[index][word]);
                if word == W - 1 {
                    differing = _mm256_and_si256(differing, last_mask);
                }
                counts[index] = _mm256_add_epi8(counts[index], bytewise(differing));
            }
        }
        for index in 0..Q {
            let sums = _mm256_sad_epu8(counts[index], _mm256_setzero_si256());
            let far = _mm256_cmpgt_epi64(sums, limits[index]);
            let near = !_mm256_movemask_pd(_mm256_castsi256_pd(far)) as u32 & 0xf;
            if near != 0 {
                push(near, sums, group.first + index as u32, start, hits);
            }
        }
    }
    tail::<W, Q>(group, probes, whole, hits);
    Q
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(column: &[u64], start: usize) -> __m256i {
    let values = &column[start..start + LANES];
    // SAFETY: the slice is as large as the register.
    unsafe { _mm256_loadu_si256(values.as_ptr().cast()) }
}

/// Population count of each byte.
#[inline]
#[target_feature(enable = "avx2")]
fn bytewise(value: __m256i) -> __m256i {
    let table = _mm256_setr_epi8(
        0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, //
        0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
    );
    let nibble = _mm256_set1_epi8(15);
    let low = _mm256_and_si256(value, nibble);
    let high = _mm256_and_si256(_mm256_srli_epi16::<4>(value), nibble);
    _mm256_add_epi8(_mm256_shuffle_epi8(table, low), _mm256_shuffle_epi8(table, high))
}

/// Appends hits. Hits are rare, so this stays out of the loop.
#[cold]
#[target_feature(enable = "avx2")]
fn push(mut near: u32, sums: __m256i, probe: u32, start: usize, hits: &mut Vec<Hit>) {
    let mut distances = [0u64; LANES];
    // SAFETY: the array is as large as the register.
    unsafe { _mm256_storeu_si256(distances.as_mut_ptr().cast(), sums) };
    while near != 0 {
        let lane = near.trailing_zeros() as usize;
        near &= near - 1;
        hits.push(Hit { probe, row: (start + lane) as u32, distance: distances[lane] as u16 });
    }
}

/// Scans the last rows, which do not fill a register.
#[target_feature(enable = "popcnt")]
fn tail<const W: usize, const Q: usize>(
    group: &Group<'_>,
    probes: &[Probe],
    whole: usize,
    hits: &mut Vec<Hit>,
) {
    for row in whole..group.columns.rows() {
        for (index, probe) in probes[..Q].iter().enumerate() {
            let mut distance = 0;
            for word in 0..W {
                let mask = if word == W - 1 { group.last_mask } else { u64::MAX };
                let differing = (group.columns.words[word][row] ^ probe.words[word]) & mask;
                distance += differing.count_ones();
            }
            if distance <= probe.distance_max {
                let probe = group.first + index as u32;
                hits.push(Hit { probe, row: row as u32, distance: distance as u16 });
            }
        }
    }
}
