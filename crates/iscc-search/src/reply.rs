//! The callback that receives a request's result.
use std::ops::AddAssign;

use iscc_columns::methods::{MethodCounts, Times};

use crate::asset_match::AssetMatch;
use crate::failure::Failure;

/// Delivers one result, by default the JSON of a response. If it is dropped without a result, for example after a
/// panic, it delivers a failure, so that the caller is not left waiting.
pub struct Reply<T = Vec<u8>>(Option<Deliver<T>>);

type Deliver<T> = Box<dyn FnOnce(Result<T, Failure>) + Send>;

impl<T> Reply<T> {
    /// Calls `deliver` with the result, on the thread that produces it.
    pub fn new(deliver: impl FnOnce(Result<T, Failure>) + Send + 'static) -> Self {
        Self(Some(Box::new(deliver)))
    }

    /// Delivers the result.
    pub fn send(mut self, result: Result<T, Failure>) {
        if let Some(deliver) = self.0.take() {
            deliver(result);
        }
    }
}

impl<T> Drop for Reply<T> {
    fn drop(&mut self) {
        if let Some(deliver) = self.0.take() {
            deliver(Err(Failure::broken("the request was dropped without a result")));
        }
    }
}

/// The result of a search.
#[derive(Debug, Clone)]
pub struct Found {
    /// JSON of the response.
    pub json: Vec<u8>,
    /// How units and simprints were searched.
    pub report: SearchReport,
    /// If the request asks for them: the stored units by which its first matches match.
    pub units: Vec<String>,
}

/// How the units and simprints of a query were searched. Those that must be equal do not count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SearchReport {
    pub(crate) methods: MethodCounts,
    pub(crate) times: Times,
    /// Whether the best matches were known before all columns were searched.
    pub(crate) is_early: bool,
}

impl AddAssign for SearchReport {
    fn add_assign(&mut self, other: Self) {
        self.methods += other.methods;
        self.times += other.times;
        self.is_early |= other.is_early;
    }
}

impl SearchReport {
    /// Whether all matches were found for certain: no graph was used.
    pub fn is_exact(&self) -> bool {
        self.methods.graphs == 0
    }

    /// Whether the search ended early: the best matches were known before all columns were searched.
    pub fn is_early(&self) -> bool {
        self.is_early
    }

    /// The methods as the value of a `Server-Timing` header (W3C): times in ms, shared by the queries of a pass, and the
    /// number of searched columns; `early` if the search ended early. Empty if no column was searched.
    pub fn server_timing(&self) -> String {
        let Self { methods, times, is_early } = self;
        let all = [
            ("lists", methods.lists + methods.gave_up, times.lists),
            ("graph", methods.graphs, times.graphs),
            ("scan", methods.scans, times.scans),
        ];
        let used = all.into_iter().filter(|(_, count, _)| *count > 0);
        let metric = |(name, count, time): (&str, u64, std::time::Duration)| {
            format!("{name};dur={:.3};desc=\"{count}\"", time.as_secs_f64() * 1000.0)
        };
        let early = is_early.then(|| "early".to_owned());
        used.map(metric).chain(early).collect::<Vec<_>>().join(", ")
    }
}

/// The form in which the caller of a search wants its matches.
pub enum SearchReply {
    /// The JSON of a response.
    Json(Reply<Found>),
    /// Matches by unit. Simprints are not searched.
    Matches(Reply<Vec<AssetMatch>>),
}

impl SearchReply {
    /// Delivers a failure.
    pub fn fail(self, failure: Failure) {
        match self {
            Self::Json(reply) => reply.send(Err(failure)),
            Self::Matches(reply) => reply.send(Err(failure)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_report_names_the_ways_that_were_used() {
        let times = Times { scans: Duration::from_micros(1500), ..Times::default() };
        let methods = MethodCounts { scans: 2, ..MethodCounts::default() };
        let report = SearchReport { methods, times, is_early: false };
        assert_eq!(report.server_timing(), "scan;dur=1.500;desc=\"2\"");
        assert!(report.is_exact() && SearchReport::default().server_timing().is_empty());
        let methods = MethodCounts { graphs: 1, lists: 3, gave_up: 1, scans: 0 };
        let report = SearchReport { methods, times, is_early: true };
        let expected = "lists;dur=0.000;desc=\"4\", graph;dur=0.000;desc=\"1\", early";
        assert_eq!(report.server_timing(), expected);
        assert!(!report.is_exact());
    }
}
