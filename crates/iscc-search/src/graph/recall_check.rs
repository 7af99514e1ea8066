//! Whether a graph finds what a scan finds, and faster.

use std::time::{Duration, Instant};

use super::{Build, Graph, NoGraph};
use crate::column::{Body, Column, word_count, word_mask};
use crate::distance::distance_max;
use crate::scan::{Hit, Probe, scan};

/// Share of the true matches that a graph has to find in its trial. Above the 0.99 that searches
/// promise, as a trial is a sample.
pub const RECALL_MIN: f64 = 0.995;

/// Rows from which on a graph must also be faster: below, a scan always wins, and a graph is there
/// only because the operator set the scan limit that low.
const SPEED_ROWS_MIN: usize = 100_000;

/// Rows that the trial asks for, for each share of flipped bits.
const SAMPLES: usize = 64;
/// Shares of flipped bits, relative to the greatest distance of a match.
const NOISE: [f64; 4] = [0.0, 0.4, 0.7, 0.95];

pub(super) fn run(graph: &Graph, column: &Column<u32>, build: &Build<'_>) -> Result<(), NoGraph> {
    let limit = distance_max(column.bits(), build.threshold);
    let queries = queries(column, limit, build);
    let (mut wanted, mut found) = (0usize, 0usize);
    let (mut scan_time, mut graph_time) = (Duration::ZERO, Duration::ZERO);
    for query in &queries {
        if !(build.go_on)() {
            return Err(NoGraph::Stopped);
        }
        let start = Instant::now();
        let truth = scan_rows(column, query, limit, build);
        scan_time += start.elapsed();
        let start = Instant::now();
        let near = graph.near(query, f32::from(limit as u16) / f32::from(column.bits()));
        graph_time += start.elapsed();
        wanted += truth.len();
        // Without an answer the search scans, so nothing is missed.
        found += near.map_or(truth.len(), |mut rows| {
            rows.sort_unstable();
            truth.iter().filter(|row| rows.binary_search(row).is_ok()).count()
        });
    }
    let recall = if wanted == 0 { 1.0 } else { found as f64 / wanted as f64 };
    let speedup = scan_time.as_secs_f64() / graph_time.as_secs_f64().max(1e-9);
    if recall < RECALL_MIN || (speedup < 1.0 && column.rows() >= SPEED_ROWS_MIN) {
        return Err(NoGraph::Unfit { recall, speedup });
    }
    Ok(())
}

/// Rows spread over the column, with different shares of their bits flipped.
fn queries(column: &Column<u32>, limit: u32, build: &Build<'_>) -> Vec<Body> {
    let live = column.iter().filter(|&(_, slot)| (build.is_live)(slot)).count();
    let step = (live / SAMPLES).max(1);
    let rows = column.iter().filter(|&(_, slot)| (build.is_live)(slot)).step_by(step);
    let mut random = Xorshift(0x9e37_79b9_7f4a_7c15);
    let mut queries = Vec::new();
    for (body, _) in rows.take(SAMPLES) {
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
    let mut left = flips;
    let mut done = vec![false; usize::from(body.bits())];
    while left > 0 {
        let bit = (random.next() % bits) as usize;
        if !std::mem::replace(&mut done[bit], true) {
            bytes[bit / 8] ^= 0x80 >> (bit % 8);
            left -= 1;
        }
    }
    Body::new(&bytes).unwrap_or(*body)
}

/// The live rows within the distance, by scanning.
fn scan_rows(column: &Column<u32>, query: &Body, limit: u32, build: &Build<'_>) -> Vec<u32> {
    let probe = Probe { words: *query.words(), distance_max: limit };
    let words = word_count(column.bits());
    let mask = word_mask(column.bits(), words - 1);
    let mut rows = Vec::new();
    let mut hits: Vec<Hit> = Vec::new();
    let mut first = 0;
    for block in column.blocks() {
        hits.clear();
        scan(&block.columns(words), mask, &[probe], &mut hits);
        let live = hits.iter().filter(|hit| (build.is_live)(block.payload(hit.row as usize)));
        rows.extend(live.map(|hit| first + hit.row));
        first += block.rows() as u32;
    }
    rows
}

/// A small generator: the trial needs variety, not secrecy.
struct Xorshift(u64);

impl Xorshift {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}
