//! Settings of an index: sizes of segments, and when they become files.
use std::sync::Arc;
use std::time::Duration;

use iscc_columns::lists::ListSizes;

/// When segments are full and merged, and which lists and graphs their columns have.
#[derive(Debug, Clone)]
pub struct SegmentSizes {
    /// Number of assets of a full segment. A new one begins after it.
    pub segment_slots: u32,
    /// Maximum number of assets of a merged or loaded segment.
    pub segment_slots_max: u32,
    /// Number of rows of a full segment, if it has fewer assets than `segment_slots`.
    pub segment_rows: usize,
    /// Maximum number of rows of a column of a merged or loaded segment.
    pub column_rows_max: usize,
    /// Number of rows from which a column in a file has lists.
    pub rows_min: usize,
    /// From how many rows on columns have which lists.
    pub lists: ListSizes,
    /// Which lists columns of simprints have.
    pub simprint_lists: SimprintLists,
    /// Number of rows from which a column of long units in a file has a graph. `None`: none has one, and all searches are
    /// exact.
    pub graph_rows_min: Option<usize>,
}

impl Default for SegmentSizes {
    fn default() -> Self {
        Self {
            segment_slots: 1 << 17,
            segment_slots_max: 1 << 23,
            segment_rows: 1 << 20,
            column_rows_max: 1 << 24,
            rows_min: 1 << 16,
            lists: ListSizes::default(),
            simprint_lists: SimprintLists::All,
            graph_rows_min: None,
        }
    }
}

/// Which lists columns of simprints have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SimprintLists {
    /// Those that units have.
    All,
    /// One per word of 64 bits: a quarter of the memory, for higher thresholds.
    First,
    /// None.
    None,
}

impl SegmentSizes {
    /// Which lists columns of simprints have, if they have some.
    pub fn simprint_list_sizes(&self) -> Option<ListSizes> {
        let is_first_only = match self.simprint_lists {
            SimprintLists::All => false,
            SimprintLists::First => true,
            SimprintLists::None => return None,
        };
        Some(ListSizes { is_first_only, ..self.lists })
    }

    /// Full segments of `segment_slots` assets, with lists for each column. For tests and benchmarks.
    pub fn early(segment_slots: u32) -> Self {
        let lists = ListSizes { rows_min: 1, ..ListSizes::default() };
        Self { segment_slots, rows_min: 1, lists, ..Self::default() }
    }
}

/// When full segments are sealed: written to files, which searches map and a start does not load again.
#[derive(Debug, Clone)]
pub struct Sealing {
    /// Number of assets up to which no segment of an index with few rows is sealed.
    pub assets_max: u64,
    /// Number of rows up to which no segment of an index with few assets is sealed.
    pub rows_max: usize,
    /// Number of slots from which a full segment is sealed.
    pub slots_min: u32,
    /// Number of rows from which a full segment with fewer slots is sealed.
    pub rows_min: usize,
    /// Number of changes since the last file that are kept in the journal in addition to those that it needs.
    pub journal_spare: u64,
    /// How fast files are written and checked, in bytes per second. While several segments wait, four times as fast.
    pub bytes_per_second: u64,
    /// Share of the available memory that files are read into after a start, 0 to 1.
    pub warm_share: f64,
    /// Time after a failure until sealing is tried again, for example on a full disk.
    pub retry_after: Duration,
    /// Called between the steps, for tests.
    pub hook: Option<SealHook>,
}

impl Default for Sealing {
    fn default() -> Self {
        Self {
            assets_max: 1 << 17,
            rows_max: 1 << 20,
            slots_min: 1 << 14,
            rows_min: 1 << 18,
            journal_spare: 1 << 18,
            bytes_per_second: 64 << 20,
            warm_share: 0.5,
            retry_after: Duration::from_mins(1),
            hook: None,
        }
    }
}

impl Sealing {
    /// Seals each full segment, without pauses. For tests.
    pub fn early() -> Self {
        Self {
            assets_max: 0,
            rows_max: 0,
            slots_min: 1,
            rows_min: 1,
            journal_spare: 64,
            bytes_per_second: 4 << 30,
            warm_share: 0.5,
            retry_after: Duration::from_mins(1),
            hook: None,
        }
    }

    /// Seals nothing.
    pub fn never() -> Self {
        Self { assets_max: u64::MAX, rows_max: usize::MAX, ..Self::default() }
    }
}

/// Called between the steps of sealing with the name of the last one.
#[derive(Clone)]
pub struct SealHook(pub Arc<dyn Fn(&str) + Send + Sync>);

impl std::fmt::Debug for SealHook {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("SealHook")
    }
}
