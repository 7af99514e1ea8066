//! The scan in plain Rust. Compilers vectorise its inner loops.

use super::{Columns, Group, Hit, Probe, in_groups};

/// Rows that are counted together.
const LANES: usize = 8;

pub(super) fn scan(columns: &Columns<'_>, last_mask: u64, probes: &[Probe], hits: &mut Vec<Hit>) {
    in_groups!(group, columns, last_mask, probes, hits);
}

/// Scans with the first `Q` probes; returns `Q`.
fn group<const W: usize, const Q: usize>(
    group: &Group<'_>,
    probes: &[Probe],
    hits: &mut Vec<Hit>,
) -> usize {
    let rows = group.columns.rows();
    let mut start = 0;
    while start < rows {
        let lanes = LANES.min(rows - start);
        for (index, probe) in probes[..Q].iter().enumerate() {
            let mut distances = [0u32; LANES];
            for word in 0..W {
                let mask = if word == W - 1 { group.last_mask } else { u64::MAX };
                let values = &group.columns.words[word][start..start + lanes];
                for (distance, value) in distances.iter_mut().zip(values) {
                    *distance += ((value ^ probe.words[word]) & mask).count_ones();
                }
            }
            for (lane, &distance) in distances[..lanes].iter().enumerate() {
                if distance <= probe.distance_max {
                    let probe = group.first + index as u32;
                    let row = (start + lane) as u32;
                    hits.push(Hit { probe, row, distance: distance as u16 });
                }
            }
        }
        start += LANES;
    }
    Q
}
