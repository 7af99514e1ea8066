//! Costs of a search, in nanoseconds of one machine. Only their ratios matter, and those only within a factor of two.

use crate::scan::{Level, level};

/// Cost of planning a search of a column with one probe.
pub const PLANNING: f64 = 3_000.0;

/// Cost of reading the record of an asset and comparing its units.
pub const RECORD: f64 = 2_000.0;

/// Costs with one instruction set.
#[derive(Debug, Clone, Copy)]
pub struct Costs {
    /// Looking up a key.
    pub key: f64,
    /// Comparing a row whose words are in the column.
    pub fetched: f64,
    /// Comparing a first word within a list.
    pub inline: f64,
    /// Comparing a word of a row in a scan.
    pub scanned: f64,
}

/// Costs with the selected instruction set.
pub fn costs() -> Costs {
    match level() {
        Level::Avx512 => Costs { key: 15.0, fetched: 14.0, inline: 1.2, scanned: 0.27 },
        Level::Avx2 => Costs { key: 15.0, fetched: 18.0, inline: 1.6, scanned: 0.4 },
        Level::Neon => Costs { key: 15.0, fetched: 14.0, inline: 2.0, scanned: 1.0 },
        Level::Portable => Costs { key: 15.0, fetched: 16.0, inline: 4.0, scanned: 2.0 },
    }
}

/// Cost of a scan with one probe that compares `bits` bits of each row.
pub fn scan_cost(rows: usize, bits: u16) -> f64 {
    let words = f64::from(bits.div_ceil(64));
    // With three words or more, the last one is rarely read.
    let share = if bits > 128 { 0.9 } else { 1.0 };
    rows as f64 * words * share * costs().scanned
}

/// Cost of a scan with `probes` probes, of which `alone` is the cost with one. Probes read the rows together, so each
/// costs half of a scan of its own.
pub fn shared_scan_cost(alone: f64, probes: usize) -> f64 {
    match probes {
        0 => 0.0,
        1 => alone,
        probes => alone * probes as f64 / 2.0,
    }
}
