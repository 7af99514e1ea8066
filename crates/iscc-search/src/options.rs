//! How an engine runs, and where its indexes are.

use std::path::PathBuf;

use crate::store::StoreOptions;

/// Where the indexes are, and how they search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Backend {
    /// In memory only; equal ISCC-CODEs match.
    Memory,
    /// In a folder; equal prefixes of units match.
    Exact(PathBuf),
    /// In a folder; similar units match.
    Approximate(PathBuf),
}

/// A location that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "index location '{0}' must be memory://, lmdb:///absolute/path or usearch:///absolute/path"
)]
pub struct BadLocation(pub String);

impl Backend {
    /// Reads `memory://`, `lmdb:///path` or `usearch:///path`.
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
    /// Similarity from which on a unit matches, 0 to 1.
    pub match_threshold_units: f64,
    /// Similarity from which on a simprint matches, 0 to 1.
    pub match_threshold_simprints: f64,
    /// How much a weak unit counts less than a strong one.
    pub confidence_exponent: u32,
    /// Rows of a unit type up to which all are scanned; beyond, full segments get graphs.
    pub scan_limit: usize,
    /// Threads that search.
    pub search_threads: usize,
    /// Threads that read and commit batches.
    pub ingest_threads: usize,
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
            scan_limit: 1_000_000,
            search_threads: cores,
            ingest_threads: 2,
            store: StoreOptions::default(),
        }
    }
}

impl Options {
    /// Assets of a full segment. A graph over fewer rows than the scan limit would not pay.
    pub fn segment_slots(&self) -> u32 {
        const SLOTS_MIN: usize = 1024;
        u32::try_from(self.scan_limit.max(SLOTS_MIN)).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_read_or_refused() {
        assert_eq!(Backend::parse("memory://"), Ok(Backend::Memory));
        assert_eq!(Backend::parse("lmdb:///a/b"), Ok(Backend::Exact("/a/b".into())));
        assert_eq!(Backend::parse("usearch:///a"), Ok(Backend::Approximate("/a".into())));
        for bad in ["", "/a", "memory", "lmdb://a", "file:///a", "usearch://"] {
            assert_eq!(Backend::parse(bad), Err(BadLocation(bad.to_owned())), "{bad}");
        }
    }
}
