//! The `usearch` crate on the same rows.

use bench_harness::thread_seconds;
use iscc_search::scan::{Hit, WORDS_MAX};
use usearch::{Index, IndexOptions, MetricKind, ScalarKind, b1x8};

use super::data::Row;

/// More rows take minutes.
const ROWS_MAX: usize = 100_000;
const NEIGHBOURS: usize = 64;
const EXPANSION_SEARCH: usize = 128;

/// A graph over the first rows.
pub struct Graph {
    index: Index,
    pub rows: usize,
    pub build_seconds: f64,
}

impl Graph {
    pub fn build(rows: &[Row]) -> Self {
        let rows = &rows[..rows.len().min(ROWS_MAX)];
        let options = IndexOptions {
            dimensions: WORDS_MAX * 64,
            metric: MetricKind::Hamming,
            quantization: ScalarKind::B1,
            connectivity: 16,
            expansion_add: 128,
            expansion_search: EXPANSION_SEARCH,
            multi: false,
        };
        let index = Index::new(&options).expect("an index");
        index.reserve(rows.len()).expect("memory");
        let start = thread_seconds();
        for (key, row) in rows.iter().enumerate() {
            index.add(key as u64, b1x8::from_u8s(&bytes(row))).expect("a row");
        }
        Self { index, rows: rows.len(), build_seconds: thread_seconds() - start }
    }

    /// Share of the true hits that the graph finds, and seconds per query.
    pub fn search(&self, queries: &[Row], truth: &[Vec<Hit>]) -> (f64, f64) {
        let start = thread_seconds();
        let found: Vec<Vec<u64>> = queries
            .iter()
            .map(|query| {
                self.index.search(b1x8::from_u8s(&bytes(query)), NEIGHBOURS).expect("a search").keys
            })
            .collect();
        let seconds = (thread_seconds() - start) / queries.len() as f64;
        let (mut right, mut all) = (0, 0);
        for (found, truth) in found.iter().zip(truth) {
            all += truth.len();
            right += truth.iter().filter(|hit| found.contains(&u64::from(hit.row))).count();
        }
        (right as f64 / all.max(1) as f64, seconds)
    }
}

/// Big-endian bytes of a row.
pub fn bytes(row: &Row) -> [u8; WORDS_MAX * 8] {
    let mut bytes = [0; WORDS_MAX * 8];
    for (target, word) in bytes.chunks_exact_mut(8).zip(row) {
        target.copy_from_slice(&word.to_be_bytes());
    }
    bytes
}
