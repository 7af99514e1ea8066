//! Lists compared with the scan on the same rows: time of one thread per query, and every answer. Exits with 1 if an
//! answer differs.
//!
//! `rows=COUNT` sets the number of rows, by default 1,000,000; `kind=NAME` compares only rows of a kind, such as
//! `simprints`; `kind=early` compares searches that end early with full ones, and `kind=graph` a graph with both. With `ISCC_BENCH_VECTORS=FOLDER`, also
//! writes rows, queries, hits and times to that folder, for peers in other languages (`bench/scale.ts`).

#[path = "scale/data.rs"]
mod data;
#[path = "scale/early.rs"]
mod early;
#[path = "scale/graph.rs"]
mod graph;
#[path = "scale/simprints.rs"]
mod simprints;

use std::path::Path;

use bench_harness::thread_seconds;
use data::{Row, body, bytes};
use iscc_columns::column::{BLOCK_ROWS, Column, word_count, word_mask};
use iscc_columns::frozen::{FrozenColumn, Owner};
use iscc_columns::lists::Lists;
use iscc_columns::lists::cost::scan_cost;
use iscc_columns::scan::{Hit, Probe, level, scan};
use iscc_search::ListSizes;

const ROWS: usize = 1_000_000;
const ROWS_QUICK: usize = 20_000;
const ADVERSARY_QUERIES: usize = 40;
/// The worst query counts, so that one interrupted measurement must not decide.
const ADVERSARY_REPEATS: usize = 5;
/// Distances of the comparison with peers.
const PEER_DISTANCES: [u32; 3] = [15, 31, 64];

/// A comparison: bits of the query, maximum distance, and how many times faster than the scan the lists must be, in
/// 10 million rows and in the number of rows of the other kinds.
type Case = (u16, u32, Option<f64>);

struct Kind {
    name: &'static str,
    words: usize,
    /// Share of the rows.
    share: f64,
    rows: fn(usize, usize) -> Vec<Row>,
    cases: &'static [Case],
}

const KINDS: [Kind; 6] = [
    Kind {
        name: "families",
        words: 4,
        share: 1.0,
        rows: |count, words| data::families(count, words, 0),
        cases: &[
            (256, 0, None),
            (256, 15, Some(200.0)),
            (256, 31, Some(30.0)),
            (256, 47, Some(3.0)),
            (256, 64, None),
            (64, 7, None),
            (64, 16, Some(2.0)),
        ],
    },
    Kind {
        name: "families",
        words: 2,
        share: 1.0,
        rows: |count, words| data::families(count, words, 0),
        cases: &[(128, 7, None), (128, 15, None), (128, 32, None)],
    },
    Kind {
        name: "families",
        words: 1,
        share: 1.0,
        rows: |count, words| data::families(count, words, 0),
        cases: &[(64, 0, None), (64, 7, Some(80.0)), (64, 16, Some(1.8))],
    },
    Kind {
        name: "featureless",
        words: 4,
        share: 0.4,
        rows: |count, words| data::families(count, words, 50),
        cases: &[(256, 15, None), (256, 31, None)],
    },
    Kind {
        name: "semantic",
        words: 4,
        share: 0.2,
        rows: data::semantic,
        cases: &[(256, 15, Some(40.0)), (256, 31, Some(3.0))],
    },
    Kind {
        name: "adversary",
        words: 4,
        share: 0.2,
        rows: data::adversary,
        cases: &[(256, 7, None), (256, 31, None), (64, 16, None)],
    },
];

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let is_quick = arguments.iter().any(|argument| argument == "--quick");
    let wanted = arguments.iter().find_map(|argument| argument.strip_prefix("rows=")?.parse().ok());
    let count = wanted.unwrap_or(if is_quick { ROWS_QUICK } else { ROWS });
    let only = arguments.iter().find_map(|argument| argument.strip_prefix("kind="));
    let is_wanted = |name: &str| only.is_none_or(|only| only == name);
    println!("scan: {:?}; times of one thread, per query", level());
    let mut is_wrong = false;
    for kind in KINDS.iter().filter(|kind| is_wanted(kind.name)) {
        let bench = Bench::new(kind, count, if is_quick { 20 } else { 200 });
        for case in kind.cases {
            is_wrong |= !bench.compare(case, count >= 10_000_000);
        }
        if kind.name == "families"
            && kind.words == 4
            && let Some(folder) = std::env::var_os("ISCC_BENCH_VECTORS")
        {
            bench.write_for_peers(Path::new(&folder));
        }
    }
    let queries = if is_quick { 20 } else { 200 };
    if is_wanted("simprints") {
        is_wrong |= !simprints::compare(count, queries, count >= 10_000_000);
    }
    // Only if asked for: a graph of a million rows takes minutes.
    if only == Some("graph") || is_quick {
        graph::compare(count, queries);
    }
    if is_wanted("early") {
        is_wrong |= !early::compare(count as u64, is_quick);
    }
    if is_wrong {
        eprintln!("lists and scan differ, or an early end changed a response");
        std::process::exit(1);
    }
}

struct Bench<O: Owner = u32> {
    column: FrozenColumn<O>,
    queries: Vec<Row>,
    words: usize,
    is_adversary: bool,
}

impl Bench {
    fn new(kind: &Kind, count: usize, queries: usize) -> Self {
        Self::of_rows(kind, (kind.rows)((count as f64 * kind.share) as usize, kind.words), queries)
    }

    fn of_rows(kind: &Kind, rows: Vec<Row>, queries: usize) -> Self {
        let words = kind.words;
        let is_adversary = kind.name == "adversary";
        let queries = if is_adversary {
            data::near(&rows[0], words, ADVERSARY_QUERIES)
        } else {
            data::queries(&rows, words, queries)
        };
        let mut column = Column::new(words as u16 * 64);
        for (slot, row) in rows.iter().enumerate() {
            column.push(&body(row, words), slot as u32);
        }
        drop(rows);
        Self::build(kind.name, &column, queries, is_adversary)
    }

    /// Writes what peers need.
    fn write_for_peers(&self, folder: &Path) {
        let rows: Vec<Row> =
            (0..self.column.rows()).map(|row| *self.column.body(row).words()).collect();
        let all = |rows: &[Row]| rows.iter().flat_map(bytes).collect::<Vec<u8>>();
        std::fs::write(folder.join("rows"), all(&rows)).expect("a writable folder");
        std::fs::write(folder.join("queries"), all(&self.queries)).expect("a writable folder");
        let bits = self.words as u16 * 64;
        let mut results = Vec::new();
        for distance_max in PEER_DISTANCES {
            let probe = |query: &Row| Probe { words: *query, distance_max };
            let start = thread_seconds();
            let truth: Vec<Vec<Hit>> =
                self.queries.iter().map(|query| self.search(&probe(query), bits).0).collect();
            let seconds = (thread_seconds() - start) / self.queries.len() as f64;
            let hits = truth.iter().map(|hits| {
                let rows: Vec<String> = hits.iter().map(|hit| hit.row.to_string()).collect();
                format!("[{}]", rows.join(","))
            });
            let hits = hits.collect::<Vec<String>>().join(",");
            let us = seconds * 1e6;
            results.push(format!("\"{distance_max}\":{{\"us\":{us},\"hits\":[{hits}]}}"));
        }
        let json = format!("{{{}}}", results.join(","));
        std::fs::write(folder.join("ours.json"), json).expect("a writable folder");
    }
}

/// The answer of a function, and the fewest seconds of this thread that one of `repeats` calls took.
fn fastest<T>(repeats: usize, call: impl Fn() -> T) -> (T, f64) {
    let timed = || {
        let start = thread_seconds();
        (call(), thread_seconds() - start)
    };
    let first = timed();
    (1..repeats)
        .map(|_| timed())
        .fold(first, |best, next| if next.1 < best.1 { next } else { best })
}

impl<O: Owner> Bench<O> {
    /// Freezes a column and builds its lists.
    fn build(name: &str, column: &Column<O>, queries: Vec<Row>, is_adversary: bool) -> Self {
        let start = thread_seconds();
        let frozen = FrozenColumn::new(column, |_| true);
        let sorted = thread_seconds();
        let (bits, words) = (frozen.bits(), word_count(frozen.bits()));
        let all = frozen.columns(words, 0, frozen.rows());
        let sizes = ListSizes { rows_min: 1, ..ListSizes::default() };
        let lists = Lists::build(&all, bits, sizes, &|| true).expect("lists");
        let built = thread_seconds();
        println!(
            "\n{name}, {} distinct rows of {bits} bits: sorted in {:.2} s, lists in {:.2} s, {:.1} bytes per row",
            frozen.rows(),
            sorted - start,
            built - sorted,
            (frozen.memory_bytes() + lists.memory_bytes()) as f64 / frozen.rows() as f64,
        );
        Self { column: frozen.with_lists(lists), queries, words, is_adversary }
    }

    /// Prints a line and returns whether all answers are equal.
    fn compare(&self, &(bits, distance_max, must): &Case, is_large: bool) -> bool {
        let (mut scans, mut lists, mut worst) = (0.0, 0.0, 0.0_f64);
        let (mut scanned, mut hits, mut wrong) = (0, 0, 0);
        let probes = self.queries.iter().map(|query| Probe { words: *query, distance_max });
        let probes: Vec<Probe> = probes.collect();
        let repeats = if self.is_adversary { ADVERSARY_REPEATS } else { 1 };
        let timed = |probe| fastest(repeats, || self.search(probe, bits)).1;
        // All lists before all scans: a scan replaces what lists would find in the cache.
        let mut list_seconds: Vec<f64> = probes.iter().map(timed).collect();
        for (probe, seconds) in probes.iter().zip(&mut list_seconds) {
            let (expected, scan_seconds) = fastest(repeats, || self.scan(probe, bits));
            let (found, is_scanned) = self.search(probe, bits);
            if self.is_adversary {
                // The ratio of one probe: both under the same load of the machine.
                *seconds = timed(probe);
            }
            scans += scan_seconds;
            lists += *seconds;
            worst = worst.max(*seconds / scan_seconds.max(1e-9));
            scanned += usize::from(is_scanned);
            hits += found.len();
            wrong += usize::from(found != expected);
        }
        let count = self.queries.len() as f64;
        let ratio = scans / lists;
        let must = must.filter(|_| is_large).map_or(String::new(), |must| {
            format!(", must {must}: {}", if ratio >= must { "reached" } else { "MISSED" })
        });
        let worst =
            if self.is_adversary { format!(", worst {worst:.2} scans") } else { String::new() };
        println!(
            "  {bits:>3} bits, at most {distance_max:>2} differ: scan {:>9.1} us, lists {:>8.1} us, {ratio:>6.1} times \
             faster{must}{worst}; {:.1} hits, {scanned} of {count} scanned{}",
            scans / count * 1e6,
            lists / count * 1e6,
            hits as f64 / count,
            if wrong > 0 { format!(", {wrong} WRONG") } else { String::new() },
        );
        wrong == 0
    }

    fn scan(&self, probe: &Probe, bits: u16) -> Vec<Hit> {
        let words = word_count(bits);
        let mask = word_mask(bits, words - 1);
        let (mut found, mut hits) = (Vec::new(), Vec::new());
        for start in (0..self.column.rows()).step_by(BLOCK_ROWS) {
            let end = (start + BLOCK_ROWS).min(self.column.rows());
            scan(&self.column.columns(words, start, end), mask, &[*probe], &mut hits);
            let hit = |hit: Hit| Hit { row: hit.row + start as u32, ..hit };
            found.extend(hits.drain(..).map(hit));
        }
        found
    }

    /// The hits as the engine finds them, and whether that took a scan.
    fn search(&self, probe: &Probe, bits: u16) -> (Vec<Hit>, bool) {
        let lists = self.column.lists().expect("lists");
        let budget = scan_cost(self.column.rows(), bits);
        let plan = lists.plan(probe, bits).filter(|plan| plan.cost <= budget);
        let columns = self.column.columns(word_count(bits), 0, self.column.rows());
        match plan.and_then(|plan| lists.search(&columns, probe, bits, &plan, budget)) {
            Some(found) => (found, false),
            None => (self.scan(probe, bits), true),
        }
    }
}
