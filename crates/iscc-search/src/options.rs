//! Settings of an engine, and the location of its indexes.

use std::path::PathBuf;

use crate::store::StoreOptions;

/// Location of the indexes, and how they match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Backend {
    /// In memory only. Equal ISCC-CODEs match.
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
    /// Exponent of the score: the higher it is, the less weakly matching units count.
    pub confidence_exponent: u32,
    /// Whether searches leave out featureless Image-Codes, unless a request says otherwise.
    pub skip_featureless: bool,
    /// Number of rows up to which a unit type is always scanned. With more rows, full segments get graphs.
    pub scan_limit: usize,
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
            confidence_exponent: 4,
            skip_featureless: false,
            scan_limit: 1_000_000,
            search_threads: cores,
            ingest_threads: 2,
            loads_in_background: false,
            store: StoreOptions::default(),
        }
    }
}

impl Options {
    /// Number of assets in a full segment. A graph over fewer rows than the scan limit would not be faster.
    pub fn segment_slots(&self) -> u32 {
        const SLOTS_MIN: usize = 1024;
        u32::try_from(self.scan_limit.max(SLOTS_MIN)).unwrap_or(u32::MAX)
    }
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
