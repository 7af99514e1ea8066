//! Tries whether a graph finds the rows that a scan finds, and compares far fewer.

use serde::{Deserialize, Serialize};

use super::{Build, COMPARED, EXPANSIONS_SEARCH, Graph};
use crate::column::{BLOCK_ROWS, Body, word_count, word_mask};
use crate::distance::distance_max;
use crate::frozen::FrozenColumn;
use crate::lists::cost::scan_cost;
use crate::scan::{Hit, Probe, scan};

/// Minimum share of the true matches that a graph must find. Above the 0.99 that searches promise, because the trial
/// takes a sample.
pub const RECALL_MIN: f64 = 0.995;

/// How many times cheaper than a scan a graph must be, ...
const SPEEDUP_MIN: f64 = 3.0;

/// ... in columns of at least so many rows. In smaller ones a scan always wins, and a graph exists only because the
/// operator set a low scan limit.
const SPEEDUP_ROWS_MIN: usize = 100_000;

/// Cost of a comparison in a graph, in the unit of [`scan_cost`]. Nodes are far apart in memory.
const COMPARISON_COST: f64 = 150.0;

/// Number of sampled rows. Each is queried once per element of `NOISE`.
const SAMPLES: usize = 64;
/// Shares of flipped bits, relative to the maximum distance of a match.
const NOISE: [f64; 4] = [0.0, 0.4, 0.7, 0.95];

/// What a trial found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Share of the rows within the distance that the graph found, 0 to 1.
    pub recall: f64,
    /// Cost of a scan of the whole column divided by that of the graph.
    pub speedup: f64,
    /// Number of candidates (`ef`).
    pub expansion: usize,
}

impl std::fmt::Display for Trial {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { recall, speedup, expansion } = self;
        write!(
            formatter,
            "recall {recall:.4} with {expansion} candidates, {speedup:.2} times cheaper than a scan"
        )
    }
}

impl Trial {
    /// Whether a graph of a column of `rows` rows is to be used.
    pub fn is_passed(&self, rows: usize) -> bool {
        self.recall >= RECALL_MIN && (rows < SPEEDUP_ROWS_MIN || self.speedup >= SPEEDUP_MIN)
    }
}

/// Tries a graph of the rows in `sample`, or of all rows. The graph keeps the number of candidates of the trial. Returns
/// `None` if the trial was stopped.
pub fn run(
    graph: &mut Graph,
    column: &FrozenColumn,
    sample: Option<&Sample>,
    build: &Build<'_>,
) -> Option<Trial> {
    let limit = distance_max(column.bits(), build.threshold);
    let queries = queries(column, limit);
    let mut truths = Vec::with_capacity(queries.len());
    for query in &queries {
        if (build.is_stopping)() {
            return None;
        }
        truths.push(scan_rows(column, query, limit, sample));
    }
    graph.set_metric(true);
    let mut last = None;
    for expansion in EXPANSIONS_SEARCH {
        graph.index.change_expansion_search(expansion);
        last = with_expansion(graph, column, &queries, &truths, build, expansion);
        if last.is_none_or(|trial| trial.is_passed(column.rows())) {
            break;
        }
    }
    graph.set_metric(false);
    last
}

/// Tries a graph, which counts its comparisons, with its present number of candidates.
fn with_expansion(
    graph: &Graph,
    column: &FrozenColumn,
    queries: &[Body],
    truths: &[Vec<u32>],
    build: &Build<'_>,
    expansion: usize,
) -> Option<Trial> {
    let limit = distance_max(column.bits(), build.threshold);
    let distance = f32::from(limit as u16) / f32::from(column.bits());
    let before = COMPARED.get();
    let (mut expected, mut found) = (0usize, 0usize);
    for (query, truth) in queries.iter().zip(truths) {
        if (build.is_stopping)() {
            return None;
        }
        expected += truth.len();
        // If the graph returns `None`, a search scans the column and misses nothing.
        found += graph.near(query, distance).map_or(truth.len(), |mut rows| {
            rows.sort_unstable();
            truth.iter().filter(|row| rows.binary_search(row).is_ok()).count()
        });
    }
    let recall = if expected == 0 { 1.0 } else { found as f64 / expected as f64 };
    let compared = (COMPARED.get() - before) as f64 / queries.len().max(1) as f64;
    let speedup = speedup(column, graph.nodes(), compared);
    Some(Trial { recall, speedup, expansion })
}

/// Cost of a scan divided by that of a search in a graph of all rows, from the comparisons in one of `nodes` rows.
fn speedup(column: &FrozenColumn, nodes: usize, compared: f64) -> f64 {
    // Comparisons grow with the logarithm of the number of nodes.
    let growth = (column.rows().max(2) as f64).ln() / (nodes.max(2) as f64).ln();
    scan_cost(column.rows(), column.bits()) / (compared * growth * COMPARISON_COST).max(1.0)
}

/// The rows of a graph of a part of a column, one bit each.
pub struct Sample(Vec<u64>);

impl Sample {
    /// These rows of a column of `rows` rows.
    pub fn new(rows: usize, sampled: impl Iterator<Item = usize>) -> Self {
        let mut words = vec![0; rows.div_ceil(64)];
        sampled.for_each(|row| words[row / 64] |= 1 << (row % 64));
        Self(words)
    }

    fn contains(&self, row: u32) -> bool {
        self.0[row as usize / 64] >> (row % 64) & 1 == 1
    }
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

/// The rows within the distance, found by a scan; those of the sample, if there is one.
fn scan_rows(column: &FrozenColumn, query: &Body, limit: u32, sample: Option<&Sample>) -> Vec<u32> {
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
    rows.retain(|&row| sample.is_none_or(|sample| sample.contains(row)));
    rows
}

/// A pseudo-random generator. The trial needs no cryptographic quality.
struct Xorshift(u64);

impl Xorshift {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}
