//! Settings of an engine, and the location of its indexes.
use std::path::PathBuf;

use iscc_columns::probes::Method;
use iscc_index::options::{Sealing, SegmentSizes};
use iscc_index::store::StoreOptions;

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
