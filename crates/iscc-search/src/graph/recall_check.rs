//! Checks that a graph finds the rows that a scan finds, and is faster.

use std::time::{Duration, Instant};

use super::{Build, Graph, NoGraph};
use crate::column::{BLOCK_ROWS, Body, word_count, word_mask};
use crate::distance::distance_max;
use crate::frozen::FrozenColumn;
use crate::scan::{Hit, Probe, scan};

/// Minimum share of the true matches that a graph must find. Above the 0.99 that searches promise, because the check
/// takes a sample.
pub const RECALL_MIN: f64 = 0.995;

/// Minimum number of rows for which a graph must also be faster. In smaller columns a scan always wins, and a graph
/// exists only because the operator set a low scan limit.
const SPEED_ROWS_MIN: usize = 100_000;

/// Number of sampled rows. Each is queried once per element of `NOISE`.
const SAMPLES: usize = 64;
/// Shares of flipped bits, relative to the maximum distance of a match.
const NOISE: [f64; 4] = [0.0, 0.4, 0.7, 0.95];

pub(super) fn run(graph: &Graph, column: &FrozenColumn, build: &Build<'_>) -> Result<(), NoGraph> {
    let limit = distance_max(column.bits(), build.threshold);
    let queries = queries(column, limit);
    let (mut expected, mut found) = (0usize, 0usize);
    let (mut scan_time, mut graph_time) = (Duration::ZERO, Duration::ZERO);
    for query in &queries {
        if !(build.should_continue)() {
            return Err(NoGraph::Stopped);
        }
        let start = Instant::now();
        let truth = scan_rows(column, query, limit);
        scan_time += start.elapsed();
        let start = Instant::now();
        let near = graph.near(query, f32::from(limit as u16) / f32::from(column.bits()));
        graph_time += start.elapsed();
        expected += truth.len();
        // If the graph returns `None`, a search scans the column and misses nothing.
        found += near.map_or(truth.len(), |mut rows| {
            rows.sort_unstable();
            truth.iter().filter(|row| rows.binary_search(row).is_ok()).count()
        });
    }
    let recall = if expected == 0 { 1.0 } else { found as f64 / expected as f64 };
    let speedup = scan_time.as_secs_f64() / graph_time.as_secs_f64().max(1e-9);
    if recall < RECALL_MIN || (speedup < 1.0 && column.rows() >= SPEED_ROWS_MIN) {
        return Err(NoGraph::Unfit { recall, speedup });
    }
    Ok(())
}

/// Queries made from rows spread over the column, with different shares of their bits flipped.
fn queries(column: &FrozenColumn, limit: u32) -> Vec<Body> {
    let step = (column.rows() / SAMPLES).max(1);
    let mut random = Xorshift(0x9e37_79b9_7f4a_7c15);
    let mut queries = Vec::new();
    for body in (0..column.rows()).step_by(step).take(SAMPLES).map(|row| column.body(row)) {
        for noise in NOISE {
            let flips = (noise * f64::from(limit)) as u32;
            queries.push(flipped(&body, flips, &mut random));
        }
    }
    queries
}

fn flipped(body: &Body, flips: u32, random: &mut Xorshift) -> Body {
    let mut bytes = body.to_bytes();
    let bits = u64::from(body.bits());
    let mut remaining = flips;
    let mut is_flipped = vec![false; usize::from(body.bits())];
    while remaining > 0 {
        let bit = (random.next() % bits) as usize;
        if !std::mem::replace(&mut is_flipped[bit], true) {
            bytes[bit / 8] ^= 0x80 >> (bit % 8);
            remaining -= 1;
        }
    }
    Body::new(&bytes).unwrap_or(*body)
}

/// The rows within the distance, found by a scan.
fn scan_rows(column: &FrozenColumn, query: &Body, limit: u32) -> Vec<u32> {
    let probe = Probe { words: *query.words(), distance_max: limit };
    let words = word_count(column.bits());
    let mask = word_mask(column.bits(), words - 1);
    let mut rows = Vec::new();
    let mut hits: Vec<Hit> = Vec::new();
    for start in (0..column.rows()).step_by(BLOCK_ROWS) {
        let end = (start + BLOCK_ROWS).min(column.rows());
        hits.clear();
        scan(&column.columns(words, start, end), mask, &[probe], &mut hits);
        rows.extend(hits.iter().map(|hit| start as u32 + hit.row));
    }
    rows
}

/// A pseudo-random generator. The check needs no cryptographic quality.
struct Xorshift(u64);

impl Xorshift {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}
