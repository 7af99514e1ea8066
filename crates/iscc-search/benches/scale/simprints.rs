//! Simprints of 64 bits, four of ten repeated: equal ones in sorted runs and in lists, near ones in lists.

use bench_harness::thread_seconds;
use iscc_columns::column::{Body, Column};
use iscc_columns::prefix_runs::PrefixRuns;
use iscc_search::Chunk;

use super::Bench;
use super::data::{self, Random};

const QUERIES: usize = 20_000;

/// Prints all times. Returns whether all answers are equal.
pub fn compare(count: usize, queries: usize, is_large: bool) -> bool {
    let mut bodies: Vec<u64> = data::families(count, 1, 0).iter().map(|row| row[0]).collect();
    let mut random = Random(6);
    for at in 1..count {
        if random.below(10) < 4 {
            bodies[at] = bodies[random.below(at as u64) as usize];
        }
    }
    let chunk = |number: usize| Chunk { slot: number as u32 / 50, offset: number as u32, size: 9 };
    let mut column = Column::new(64);
    for (number, &word) in bodies.iter().enumerate() {
        column.push(&body(word), chunk(number));
    }
    let mut order: Vec<u32> = (0..count as u32).collect();
    order.sort_unstable_by_key(|&number| bodies[number as usize]);
    let sorted: Vec<u64> = order.iter().map(|&number| bodies[number as usize]).collect();
    let chunks: Vec<Chunk> = order.iter().map(|&number| chunk(number as usize)).collect();
    let runs = PrefixRuns::from_sorted(64, sorted.clone().into(), chunks.into());
    let rows: Vec<_> = bodies.iter().map(|&word| [word, 0, 0, 0]).collect();
    let near = data::queries(&rows, 1, queries);
    let bench = Bench::build("simprints", &column, near, false);
    drop((column, rows));
    println!(
        "  {count} simprints: {:.1} bytes each without lists, {:.1} in sorted runs",
        bench.column.memory_bytes() as f64 / count as f64,
        runs.memory_bytes() as f64 / count as f64
    );
    let probes: Vec<u64> = (0..QUERIES)
        .map(|number| match number % 2 {
            0 => bodies[random.below(count as u64) as usize],
            _ => random.next(),
        })
        .collect();
    let mut is_right = compare_equal(&bench, &runs, &sorted, &probes, is_large);
    for case in [(64, 3, None), (64, 7, None), (64, 16, Some(1.8))] {
        is_right &= bench.compare(&case, is_large);
    }
    is_right
}

fn compare_equal(
    bench: &Bench<Chunk>,
    runs: &PrefixRuns<Chunk>,
    sorted: &[u64],
    probes: &[u64],
    is_large: bool,
) -> bool {
    let (in_runs, guessed) = timed(probes, |word| {
        let mut found = 0;
        runs.starting_with(&body(word), |_| found += 1);
        found
    });
    let (bisected, bisection) = timed(probes, |word| {
        let start = sorted.partition_point(|&other| other < word);
        sorted[start..].iter().take_while(|&&other| other == word).count()
    });
    let (in_lists, lists) = timed(probes, |word| {
        let probe = iscc_columns::scan::Probe { words: [word, 0, 0, 0], distance_max: 0 };
        let (rows, _) = bench.search(&probe, 64);
        rows.iter().map(|hit| bench.column.owners(hit.row as usize).len()).sum()
    });
    let us = |seconds: f64| seconds / probes.len() as f64 * 1e6;
    let must = if !is_large {
        ""
    } else if us(guessed) <= 1.0 {
        ", must 1 us: reached"
    } else {
        ", must 1 us: MISSED"
    };
    println!(
        "  equal: sorted runs {:.2} us (bisection alone {:.2} us), lists {:.2} us{must}",
        us(guessed),
        us(bisection),
        us(lists)
    );
    in_runs == bisected && in_lists == bisected
}

/// The results and the time of all probes.
fn timed(probes: &[u64], find: impl Fn(u64) -> usize) -> (Vec<usize>, f64) {
    let start = thread_seconds();
    let found = probes.iter().map(|&word| find(word)).collect();
    (found, thread_seconds() - start)
}

fn body(word: u64) -> Body {
    Body::from_words([word, 0, 0, 0], 64)
}
