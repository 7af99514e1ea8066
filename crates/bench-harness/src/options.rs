//! What the command line of a benchmark can say.

use std::time::Duration;

/// Rounds and their length, and which groups to run.
pub(crate) struct Options {
    /// Rounds of all cases; odd, so that the median is a measured value.
    pub(crate) rounds: usize,
    /// Least time that a case runs in one round.
    pub(crate) slot: Duration,
    filters: Vec<String>,
}

impl Options {
    pub(crate) fn from_command_line() -> Self {
        Self::parse(std::env::args().skip(1))
    }

    /// Words are filters. Unknown options are left alone: cargo adds `--bench`.
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
