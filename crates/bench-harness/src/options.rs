//! Command-line options of a benchmark.

use std::time::Duration;

/// Number and length of the rounds, and the groups to run.
pub(crate) struct Options {
    /// Number of rounds; odd, so that the median is a measured value.
    pub(crate) rounds: usize,
    /// Minimum time of a case per round.
    pub(crate) slot: Duration,
    filters: Vec<String>,
}

impl Options {
    pub(crate) fn from_command_line() -> Self {
        Self::parse(std::env::args().skip(1))
    }

    /// Words are filters. Ignores unknown options, because cargo adds `--bench`.
    pub(crate) fn parse(arguments: impl Iterator<Item = String>) -> Self {
        let (switches, filters): (Vec<_>, Vec<_>) =
            arguments.partition(|argument| argument.starts_with('-'));
        let quick = switches.iter().any(|switch| switch == "--quick");
        let (rounds, slot) = if quick { (5, 2) } else { (21, 10) };
        Self { rounds, slot: Duration::from_millis(slot), filters }
    }

    pub(crate) fn selects(&self, group: &str) -> bool {
        self.filters.is_empty() || self.filters.iter().any(|part| group.contains(part.as_str()))
    }
}
