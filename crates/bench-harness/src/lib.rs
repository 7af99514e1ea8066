//! Ratios between kernels: measures several cases of a group, interleaved in one process.
//!
//! Absolute times vary with the load of a shared machine; the ratio between two alternating cases
//! hardly does. So one round runs A, B, C and the next one C, B, A, in thread CPU time, each case
//! long enough for the clock. The report has the minimum and the median over the rounds, and two
//! ratios to the peer, which is the **last** case of the group: the ratio of the minima, and the
//! median of the ratios per round.
//!
//! Example of a bench target with `harness = false`:
//!
//! ```no_run
//! let text = "ISCC:KUABLDA46RGP3AQIGWC7QX6D7PGA2";
//! bench_harness::Group::new("hash a code")
//!     .bytes(text.len())
//!     .must(1.5)
//!     .case("ours", || text.bytes().fold(0u32, |hash, byte| hash * 31 + u32::from(byte)))
//!     .case("peer", || text.to_owned().bytes().map(u64::from).product::<u64>())
//!     .run();
//! ```
//!
//! On the command line (`cargo bench -p CRATE -- ARGS`), `--quick` runs few and short rounds. Any
//! other word selects the groups whose name contains it.

mod clock;
mod options;
mod report;

use std::hint::black_box;

use clock::Clock;
pub use clock::thread_seconds;
use options::Options;
pub use report::{Report, Row};

/// Runs a case a number of times. The loop is inside, so that the measurement of a call of a few
/// nanoseconds does not include an indirect call.
type Case<'a> = Box<dyn FnMut(u64) + 'a>;

/// Cases to compare with each other; see the crate's documentation.
pub struct Group<'a> {
    name: String,
    clock: Clock,
    work: Option<Work>,
    must: Option<f64>,
    cases: Vec<(String, Case<'a>)>,
}

/// The amount of work per call, for the rate column.
#[derive(Clone, Copy)]
struct Work {
    amount: f64,
    unit: &'static str,
}

impl<'a> Group<'a> {
    /// A group without cases, measured in thread CPU time.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), clock: Clock::Thread, work: None, must: None, cases: Vec::new() }
    }

    /// Sets the bytes that one call processes: adds a column in bytes per second.
    pub fn bytes(self, count: usize) -> Self {
        self.per_call(count, "B/s")
    }

    /// Sets the items that one call processes: adds a column in items per second, such as
    /// `"hash/s"`.
    pub fn per_call(mut self, count: usize, unit: &'static str) -> Self {
        self.work = Some(Work { amount: count as f64, unit });
        self
    }

    /// Sets the ratio to the last case that the first case must reach.
    pub fn must(mut self, ratio: f64) -> Self {
        self.must = Some(ratio);
        self
    }

    /// Measures wall time, for cases with several threads. Noisier on a busy machine.
    pub fn wall(mut self) -> Self {
        self.clock = Clock::Wall;
        self
    }

    /// Adds a case. The first one is ours; all are compared with the last one, the peer.
    pub fn case<R>(mut self, name: impl Into<String>, mut run: impl FnMut() -> R + 'a) -> Self {
        let repeat = move |times: u64| {
            for _ in 0..times {
                black_box(run());
            }
        };
        self.cases.push((name.into(), Box::new(repeat)));
        self
    }

    /// Measures and prints. Returns `None` if the command line's filter excludes this group.
    pub fn run(self) -> Option<Report> {
        let options = Options::from_command_line();
        if !options.selects(&self.name) || self.cases.is_empty() {
            return None;
        }
        let report = self.measure(&options);
        print!("{report}");
        Some(report)
    }

    fn measure(mut self, options: &Options) -> Report {
        let repeats: Vec<u64> =
            self.cases.iter_mut().map(|(_, case)| self.clock.repeats(case, options.slot)).collect();
        let mut seconds = vec![Vec::with_capacity(options.rounds); self.cases.len()];
        for round in 0..options.rounds {
            for turn in 0..self.cases.len() {
                let index = if round % 2 == 0 { turn } else { self.cases.len() - 1 - turn };
                let elapsed = self.clock.time(&mut self.cases[index].1, repeats[index]);
                seconds[index].push(elapsed / repeats[index] as f64);
            }
        }
        let names = self.cases.into_iter().map(|(name, _)| name).collect();
        Report::new(self.name, self.clock, self.work, self.must, names, &seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Work that the compiler cannot optimise away: a chain of dependent multiplications.
    fn spin(times: u64) -> u64 {
        (0..times).fold(1, |value: u64, step| black_box(value.wrapping_mul(3) ^ step))
    }

    #[test]
    fn a_case_with_ten_times_the_work_takes_several_times_longer() {
        let options = Options::parse(["--quick".to_owned()].into_iter());
        let report = Group::new("spin")
            .must(2.0)
            .case("short", || spin(1_000))
            .case("long", || spin(10_000))
            .measure(&options);
        let [short, long] = &report.rows[..] else { panic!("expected two rows") };
        assert!(short.ratio_min > 4.0 && short.ratio_min < 25.0, "{}", short.ratio_min);
        assert!((long.ratio_min - 1.0).abs() < 1e-9);
        assert!(short.seconds_min <= short.seconds_median);
        assert_eq!(report.reached(), Some(true));
    }

    #[test]
    fn a_filter_selects_groups_by_substring() {
        let options = Options::parse(["--bench", "decode"].map(str::to_owned).into_iter());
        assert!(options.selects("decode unit"));
        assert!(!options.selects("encode unit"));
        assert!(Options::parse(std::iter::empty()).selects("anything"));
    }
}
