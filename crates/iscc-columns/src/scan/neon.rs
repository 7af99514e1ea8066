//! The scan with AArch64 NEON: two rows per register, bits counted per byte.

use std::arch::aarch64::*;

use super::{Columns, Group, Hit, Probe, in_groups};

/// Rows of one register.
const LANES: usize = 2;

pub(super) fn scan(columns: &Columns<'_>, last_mask: u64, probes: &[Probe], hits: &mut Vec<Hit>) {
    in_groups!(checked, columns, last_mask, probes, hits);
}

fn checked<const W: usize, const Q: usize>(
    group: &Group<'_>,
    probes: &[Probe],
    hits: &mut Vec<Hit>,
) -> usize {
    // SAFETY: every AArch64 processor that the standard library supports has NEON.
    unsafe { group_of::<W, Q>(group, probes, hits) }
}

/// Scans with the first `Q` probes; returns `Q`.
#[target_feature(enable = "neon")]
fn group_of<const W: usize, const Q: usize>(
    group: &Group<'_>,
    probes: &[Probe],
    hits: &mut Vec<Hit>,
) -> usize {
    let rows = group.columns.rows();
    for start in (0..rows).step_by(LANES) {
        for (index, probe) in probes[..Q].iter().enumerate() {
            let distances = distances::<W>(group, probe, start);
            for lane in 0..LANES.min(rows - start) {
                if distances[lane] <= u64::from(probe.distance_max) {
                    let probe = group.first + index as u32;
                    let row = (start + lane) as u32;
                    hits.push(Hit { probe, row, distance: distances[lane] as u16 });
                }
            }
        }
    }
    Q
}

/// Number of differing bits of the rows at `start`. Missing words after the last row count as zero.
#[inline]
#[target_feature(enable = "neon")]
fn distances<const W: usize>(group: &Group<'_>, probe: &Probe, start: usize) -> [u64; LANES] {
    let mut counts = vdupq_n_u8(0);
    for word in 0..W {
        let mask = if word == W - 1 { group.last_mask } else { u64::MAX };
        let column = group.columns.words[word];
        let pair = [column[start], column.get(start + 1).copied().unwrap_or(0)];
        // SAFETY: the array is as large as the register.
        let values = unsafe { vld1q_u64(pair.as_ptr()) };
        let differing = veorq_u64(values, vdupq_n_u64(probe.words[word]));
        let differing = vandq_u64(differing, vdupq_n_u64(mask));
        // A byte counts at most 8 bits per word, so four words do not overflow it.
        counts = vaddq_u8(counts, vcntq_u8(vreinterpretq_u8_u64(differing)));
    }
    let sums = vpaddlq_u32(vpaddlq_u16(vpaddlq_u8(counts)));
    [vgetq_lane_u64::<0>(sums), vgetq_lane_u64::<1>(sums)]
}
