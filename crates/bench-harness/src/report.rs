//! Measurements of one group, and their printed form.

use std::fmt::{self, Display, Formatter};

use crate::Work;
use crate::clock::Clock;

/// Measurements of a group, in the order of its cases.
pub struct Report {
    /// Name of the group.
    pub name: String,
    /// One row per case.
    pub rows: Vec<Row>,
    /// The ratio that the first row must reach.
    pub must: Option<f64>,
    clock: Clock,
    work: Option<Work>,
}

/// Measurements of one case.
pub struct Row {
    /// Name of the case.
    pub name: String,
    /// Shortest time of one call, in seconds.
    pub seconds_min: f64,
    /// Median time of one call over the rounds, in seconds.
    pub seconds_median: f64,
    /// The peer's shortest time divided by this case's.
    pub ratio_min: f64,
    /// Median over the rounds of the peer's time divided by this case's.
    pub ratio_median: f64,
}

impl Report {
    pub(crate) fn new(
        name: String,
        clock: Clock,
        work: Option<Work>,
        must: Option<f64>,
        cases: Vec<String>,
        seconds: &[Vec<f64>],
    ) -> Self {
        let peer = seconds.last().map_or(&[][..], Vec::as_slice);
        let rows = cases.into_iter().zip(seconds).map(|(name, own)| Row::new(name, own, peer));
        let rows = rows.collect();
        Self { name, rows, must, clock, work }
    }

    /// Whether the first case reaches the required ratio; `None` without a requirement.
    pub fn reached(&self) -> Option<bool> {
        Some(self.rows.first()?.ratio_median >= self.must?)
    }
}

impl Row {
    fn new(name: String, own: &[f64], peer: &[f64]) -> Self {
        let ratios: Vec<f64> = peer.iter().zip(own).map(|(peer, own)| peer / own).collect();
        Self {
            name,
            seconds_min: minimum(own),
            seconds_median: median(own),
            ratio_min: minimum(peer) / minimum(own),
            ratio_median: median(&ratios),
        }
    }
}

fn minimum(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

impl Display for Report {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        let clock = if self.clock == Clock::Wall { "wall time" } else { "thread CPU time" };
        writeln!(out, "\n{} ({clock})", self.name)?;
        writeln!(
            out,
            "  {:<34} {:>11} {:>11} {:>15} {:>9} {:>9}  must",
            "case", "min", "median", "rate", "x (min)", "x (med)"
        )?;
        for (index, row) in self.rows.iter().enumerate() {
            let must = if index == 0 { self.verdict() } else { String::new() };
            let line = format!(
                "  {:<34} {:>11} {:>11} {:>15} {:>9.2} {:>9.2}  {must}",
                row.name,
                duration(row.seconds_min),
                duration(row.seconds_median),
                self.work.map_or(String::new(), |work| rate(work, row.seconds_min)),
                row.ratio_min,
                row.ratio_median,
            );
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

impl Report {
    fn verdict(&self) -> String {
        match (self.must, self.reached()) {
            (Some(must), Some(true)) => format!("{must} reached"),
            (Some(must), _) => format!("{must} MISSED"),
            (None, _) => String::new(),
        }
    }
}

fn duration(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 1e-6 => (s * 1e9, "ns"),
        s if s < 1e-3 => (s * 1e6, "us"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    format!("{value:.2} {unit}")
}

fn rate(work: Work, seconds: f64) -> String {
    let per_second = work.amount / seconds;
    let (value, prefix) = match per_second {
        r if r >= 1e9 => (r / 1e9, "G"),
        r if r >= 1e6 => (r / 1e6, "M"),
        r if r >= 1e3 => (r / 1e3, "k"),
        r => (r, ""),
    };
    format!("{value:.2} {prefix}{}", work.unit)
}
