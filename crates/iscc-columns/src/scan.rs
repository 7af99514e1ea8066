//! Distance scan: finds every row within a Hamming distance of a few queries by reading all rows.
//!
//! Rows are stored in columns, one array per 64-bit word. A short query reads only the columns it needs, a register
//! holds one word of up to eight rows, and the last word of a long row is not read if the words before it differ too
//! much. Several queries share a pass, because reading the rows dominates the cost.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
mod rows;

use std::sync::OnceLock;

pub use rows::prefetch;

/// Maximum length of a unit body in 64-bit words (256 bits).
pub const WORDS_MAX: usize = 4;

/// One query of a pass.
#[derive(Debug, Clone, Copy)]
pub struct Probe {
    /// The query's bits. The first bit is the most significant bit of the first word; unused bits are zero.
    pub words: [u64; WORDS_MAX],
    /// Maximum number of differing bits of a hit.
    pub distance_max: u32,
}

/// A row within its probe's distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hit {
    /// Position in the list of probes.
    pub probe: u32,
    /// Position in the columns.
    pub row: u32,
    /// Number of differing bits.
    pub distance: u16,
}

/// Rows of equal length: `columns[w][r]` is word `w` of row `r`.
#[derive(Debug, Clone, Copy)]
pub struct Columns<'a> {
    words: [&'a [u64]; WORDS_MAX],
    width: usize,
}

impl<'a> Columns<'a> {
    /// Takes one slice per word. All must have the same length.
    ///
    /// # Panics
    /// If there are no slices, more than [`WORDS_MAX`], or their lengths differ.
    pub fn new(columns: &[&'a [u64]]) -> Self {
        let width = columns.len();
        assert!((1..=WORDS_MAX).contains(&width), "{width} columns");
        // The kernels read all columns up to the first one's length.
        assert!(columns.iter().all(|column| column.len() == columns[0].len()), "uneven columns");
        let mut words: [&[u64]; WORDS_MAX] = [&[]; WORDS_MAX];
        words[..width].copy_from_slice(columns);
        Self { words, width }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.words[0].len()
    }

    /// Word `index` of all rows; empty after the last word.
    pub fn word(&self, index: usize) -> &'a [u64] {
        self.words[index]
    }
}

/// Instruction set of a scan.
///
/// Not shared with `iscc_units::simd::Level`: the levels of the two crates require different processor features
/// (VPOPCNTDQ here, VBMI2 there), only the scan has a NEON kernel, and the index does not depend on the computation of
/// units. Both follow `ISCCD_SIMD`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Plain Rust.
    Portable,
    /// x86-64 AVX2: population count by nibble table.
    Avx2,
    /// x86-64 AVX-512 with VPOPCNTDQ.
    Avx512,
    /// AArch64 NEON.
    Neon,
}

/// Appends every row that differs from a probe in at most `distance_max` bits.
///
/// `last_mask` selects the compared bits of the last column: all ones, unless the prefix ends inside a word. Hits of
/// one probe are in row order.
pub fn scan(columns: &Columns<'_>, last_mask: u64, probes: &[Probe], hits: &mut Vec<Hit>) {
    scan_at(level(), columns, last_mask, probes, hits);
}

/// [`scan`] with a given instruction set, which must be one of [`levels`].
pub fn scan_at(
    level: Level,
    columns: &Columns<'_>,
    last_mask: u64,
    probes: &[Probe],
    hits: &mut Vec<Hit>,
) {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => avx512::scan(columns, last_mask, probes, hits),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => avx2::scan(columns, last_mask, probes, hits),
        #[cfg(target_arch = "aarch64")]
        Level::Neon => neon::scan(columns, last_mask, probes, hits),
        _ => portable::scan(columns, last_mask, probes, hits),
    }
}

/// Appends those of `rows` that differ from the probe in at most `distance_max` bits, with their distances. `last_mask`
/// is that of [`scan`].
///
/// # Panics
/// If a row is not in the columns.
pub fn check_rows(
    columns: &Columns<'_>,
    last_mask: u64,
    probe: &Probe,
    rows: &[u32],
    hits: &mut Vec<Hit>,
) {
    rows::check(columns, last_mask, probe, rows, hits);
}

/// Levels that this machine supports, slowest first.
pub fn levels() -> Vec<Level> {
    let mut found = vec![Level::Portable];
    #[cfg(target_arch = "x86_64")]
    {
        if avx2::detected() {
            found.push(Level::Avx2);
        }
        if avx512::detected() {
            found.push(Level::Avx512);
        }
    }
    #[cfg(target_arch = "aarch64")]
    found.push(Level::Neon);
    found
}

/// The selected level: the one named by `ISCCD_SIMD` if the machine supports it, otherwise the best.
pub fn level() -> Level {
    static LEVEL: OnceLock<Level> = OnceLock::new();
    *LEVEL.get_or_init(|| {
        let found = levels();
        let wanted = match std::env::var("ISCCD_SIMD").as_deref() {
            Ok("portable") => Some(Level::Portable),
            Ok("avx2") => Some(Level::Avx2),
            Ok("avx512") => Some(Level::Avx512),
            Ok("neon") => Some(Level::Neon),
            _ => None,
        };
        let best = found.last().copied().unwrap_or(Level::Portable);
        wanted.filter(|level| found.contains(level)).unwrap_or(best)
    })
}

/// Calls `$group::<W, Q>` for the columns' width with the probes in groups of four, two and one.
macro_rules! in_groups {
    ($group:ident, $columns:expr, $mask:expr, $probes:expr, $hits:expr) => {{
        let mut first = 0;
        while first < $probes.len() {
            let rest = &$probes[first..];
            let call =
                crate::scan::Group { columns: $columns, last_mask: $mask, first: first as u32 };
            first += match ($columns.width, rest.len()) {
                (1, 4..) => $group::<1, 4>(&call, rest, $hits),
                (1, 2..) => $group::<1, 2>(&call, rest, $hits),
                (1, _) => $group::<1, 1>(&call, rest, $hits),
                (2, 4..) => $group::<2, 4>(&call, rest, $hits),
                (2, 2..) => $group::<2, 2>(&call, rest, $hits),
                (2, _) => $group::<2, 1>(&call, rest, $hits),
                (3, 4..) => $group::<3, 4>(&call, rest, $hits),
                (3, 2..) => $group::<3, 2>(&call, rest, $hits),
                (3, _) => $group::<3, 1>(&call, rest, $hits),
                (_, 4..) => $group::<4, 4>(&call, rest, $hits),
                (_, 2..) => $group::<4, 2>(&call, rest, $hits),
                (_, _) => $group::<4, 1>(&call, rest, $hits),
            };
        }
    }};
}
use in_groups;

/// Arguments of a kernel call, without the probes of its group.
struct Group<'a> {
    columns: &'a Columns<'a>,
    last_mask: u64,
    /// Position of the group's first probe in the whole list.
    first: u32,
}
