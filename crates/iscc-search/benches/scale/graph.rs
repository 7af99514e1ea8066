//! A graph compared with lists and the scan, over codes as semantic models make them: the kind that needs it most.

use bench_harness::thread_seconds;
use iscc_columns::graph::Graph;
use iscc_columns::scan::{Hit, Probe};

use super::data::body;
use super::{Bench, KINDS};

/// Numbers of bits of 256 that may differ: similarities of 0.94, 0.88, 0.81 and 0.75.
const DISTANCES: [u32; 4] = [15, 31, 47, 64];

/// Prints times per query and the recall of the graph at each distance.
pub fn compare(count: usize, queries: usize) {
    let kind = KINDS.iter().find(|kind| kind.name == "semantic").expect("the kind");
    let bench = Bench::of_rows(kind, (kind.rows)(count, kind.words), queries);
    let rows = bench.column.rows();
    let start = thread_seconds();
    let bodies: Vec<_> = (0..rows).map(|row| bench.column.body(row)).collect();
    let graph = Graph::build(&bodies, &|| true).expect("memory").expect("a graph");
    drop(bodies);
    println!("  graph of {rows} rows: built in {:.1} s", thread_seconds() - start);
    for distance_max in DISTANCES {
        let bits = kind.words as u16 * 64;
        let probes: Vec<Probe> =
            bench.queries.iter().map(|query| Probe { words: *query, distance_max }).collect();
        let (truth, scan) = timed(&probes, |probe| bench.scan(probe, bits));
        let (_, lists) = timed(&probes, |probe| bench.search(probe, bits).0);
        let (found, near) = timed(&probes, |probe| {
            graph.near(&body(&probe.words, kind.words), distance_max as f32 / f32::from(bits))
        });
        let gave_up = found.iter().filter(|rows| rows.is_none()).count();
        let pairs = truth.iter().zip(&found);
        let answered = pairs.filter_map(|(truth, found)| Some((truth, found.as_ref()?)));
        let (mut all, mut right) = (0, 0);
        for (truth, found) in answered {
            let found: std::collections::HashSet<u32> = found.iter().copied().collect();
            all += truth.len();
            right += truth.iter().filter(|Hit { row, .. }| found.contains(row)).count();
        }
        println!(
            "  at most {distance_max:>2} of {bits} differ: scan {scan:>9.1} us, lists {lists:>9.1} us, graph {near:>9.1} us; \
             recall {:.3} of {all} hits, {gave_up} of {} left to the scan",
            right as f64 / all.max(1) as f64,
            probes.len(),
        );
    }
}

/// The answer for each probe, and microseconds per probe.
fn timed<T>(probes: &[Probe], search: impl Fn(&Probe) -> T) -> (Vec<T>, f64) {
    let start = thread_seconds();
    let answers = probes.iter().map(search).collect();
    (answers, (thread_seconds() - start) / probes.len() as f64 * 1e6)
}
