//! Settings of an engine, and the location of its indexes.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::lists::ListSizes;
use crate::store::StoreOptions;

/// Location of the indexes, and how they match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Backend {
    /// In memory and in files without a name, which end with the process. Similar units match.
    Memory,
    /// In a folder. Equal prefixes of units match.
    Exact(PathBuf),
    /// In a folder. Similar units match.
    Approximate(PathBuf),
}

/// An invalid location.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "index location '{0}' must be memory://, lmdb:///absolute/path or usearch:///absolute/path"
)]
pub struct BadLocation(pub String);

impl Backend {
    /// Parses `memory://`, `lmdb:///path` or `usearch:///path`.
    pub fn parse(location: &str) -> Result<Self, BadLocation> {
        if location == "memory://" {
            return Ok(Self::Memory);
        }
        let bad = || BadLocation(location.to_owned());
        let (scheme, path) = location.split_once("://").ok_or_else(bad)?;
        let path = PathBuf::from(path);
        match scheme {
            _ if !path.is_absolute() => Err(bad()),
            "lmdb" => Ok(Self::Exact(path)),
            "usearch" => Ok(Self::Approximate(path)),
            _ => Err(bad()),
        }
    }
}

/// Settings of an engine.
#[derive(Debug, Clone)]
pub struct Options {
    /// Minimum similarity of a matching unit, 0 to 1.
    pub match_threshold_units: f64,
    /// Minimum similarity of a matching simprint, 0 to 1.
    pub match_threshold_simprints: f64,
    /// Lowest threshold that a search may ask for, if it is below the two above. `None`: searches may only ask for higher
    /// thresholds.
    pub threshold_floor: Option<f64>,
    /// Exponent of the score: the higher it is, the less weakly matching units count.
    pub confidence_exponent: u32,
    /// Whether searches leave out featureless Image-Codes, unless a request says otherwise.
    pub skip_featureless: bool,
    /// Processor time in seconds, as planned, from which a search is refused. 0: none is.
    pub search_seconds_max: f64,
    /// Maximum length of the response to a query in bytes.
    pub search_bytes_max: usize,
    /// When segments are full and merged, and which lists their columns have.
    pub sizes: SegmentSizes,
    /// When segments are written to files.
    pub sealing: Sealing,
    /// Restricts how units are searched, for tests.
    pub method: Method,
    /// When exact searches with a small limit end before all columns are searched. Responses do not depend on it.
    pub early_end: EarlyEnd,
    /// Number of search threads.
    pub search_threads: usize,
    /// Number of threads that parse and commit batches.
    pub ingest_threads: usize,
    /// Whether indexes are loaded in the background, after opening. Requests to an index fail until it is loaded.
    pub loads_in_background: bool,
    /// Settings of each index's store.
    pub store: StoreOptions,
}

impl Default for Options {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self {
            match_threshold_units: 0.75,
            match_threshold_simprints: 0.75,
            threshold_floor: None,
            confidence_exponent: 4,
            skip_featureless: false,
            search_seconds_max: 30.0,
            search_bytes_max: 32 << 20,
            sizes: SegmentSizes::default(),
            sealing: Sealing::default(),
            method: Method::Planned,
            early_end: EarlyEnd::Planned,
            search_threads: cores,
            ingest_threads: 2,
            loads_in_background: false,
            store: StoreOptions::default(),
        }
    }
}

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

/// How units are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// The cheapest method.
    Planned,
    /// Always with a scan.
    Scan,
    /// With lists if they can find all matches, even if a scan is cheaper.
    Lists,
}

/// When exact searches with a small limit end early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EarlyEnd {
    /// If the best matches are near, and looking for them costs little.
    Planned,
    /// Never, for tests.
    Never,
    /// If the best matches are near, at any cost, for tests.
    Always,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_locations_and_rejects_others() {
        assert_eq!(Backend::parse("memory://"), Ok(Backend::Memory));
        assert_eq!(Backend::parse("lmdb:///a/b"), Ok(Backend::Exact("/a/b".into())));
        assert_eq!(Backend::parse("usearch:///a"), Ok(Backend::Approximate("/a".into())));
        for bad in ["", "/a", "memory", "lmdb://a", "file:///a", "usearch://"] {
            assert_eq!(Backend::parse(bad), Err(BadLocation(bad.to_owned())), "{bad}");
        }
    }
}
