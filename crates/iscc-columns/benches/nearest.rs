//! Finds all rows within the threshold of a query: the scan at each level, compared with the HNSW graph of the
//! `usearch` crate, which finds only a share of them. Vectors have 256 bits and form clusters of ten.
//!
//! With `ISCC_BENCH_VECTORS=FOLDER`, also writes the rows and queries to that folder, for peers in other languages
//! (`bench/nearest.ts`).

use std::path::Path;

use bench_harness::Group;
use iscc_columns::scan::{Columns, Hit, Level, Probe, WORDS_MAX, levels, scan_at};
use usearch::{Index, IndexOptions, MetricKind, ScalarKind, b1x8};

const QUERIES: usize = 256;
const CLUSTER_ROWS: usize = 10;
const ROW_FLIPS_MAX: u64 = 64;
const QUERY_FLIPS_MAX: u64 = 32;
/// 25 % of 256 bits.
const DISTANCE_MAX: u32 = 64;
/// Rows per scan call, as in the engine.
const BLOCK_ROWS: usize = 4096;
const NEIGHBOURS: usize = 10;
const EXPANSION_SEARCH: usize = 64;

type Row = [u64; WORDS_MAX];

fn main() {
    for count in [10_000, 100_000] {
        let mut random = Random(count as u64);
        let rows = clustered(&mut random, count);
        let queries: Vec<Row> = (0..QUERIES)
            .map(|_| {
                let row = rows[random.below(count as u64) as usize];
                flipped(&mut random, row, QUERY_FLIPS_MAX)
            })
            .collect();
        if let Ok(folder) = std::env::var("ISCC_BENCH_VECTORS") {
            write(Path::new(&folder), &format!("rows-{count}"), &rows);
            write(Path::new(&folder), &format!("queries-{count}"), &queries);
        }
        compare(&rows, &queries);
    }
}

fn compare(rows: &[Row], queries: &[Row]) {
    let columns: Vec<Vec<u64>> =
        (0..WORDS_MAX).map(|word| rows.iter().map(|row| row[word]).collect()).collect();
    let graph = graph(rows);
    let mut group = Group::new(format!("nearest of {} rows", rows.len())).per_call(4, "query/s");
    for level in levels().into_iter().rev() {
        for together in [4, 1] {
            let mut next = Cycle::new(queries);
            let columns = &columns;
            let name = format!("scan, {level:?}, {together} per pass, recall 1");
            group = group.case(name, move || {
                let found = (0..4 / together).map(|_| scan(level, columns, &next.take(together)));
                found.sum::<usize>()
            });
        }
    }
    let recall = recall(&graph, rows, queries);
    let mut next = Cycle::new(queries);
    group
        .case(format!("usearch, {NEIGHBOURS} neighbours, recall {recall:.3}"), move || {
            for query in next.take(4) {
                let found = graph.search(b1x8::from_u8s(&bytes(&query)), NEIGHBOURS);
                std::hint::black_box(found.expect("a search"));
            }
        })
        .run();
}

/// Number of rows within the distance of the queries.
fn scan(level: Level, columns: &[Vec<u64>], queries: &[Row]) -> usize {
    let probe = |&words: &Row| Probe { words, distance_max: DISTANCE_MAX };
    let probes: Vec<Probe> = queries.iter().map(probe).collect();
    let mut hits: Vec<Hit> = Vec::new();
    let mut found = 0;
    for start in (0..columns[0].len()).step_by(BLOCK_ROWS) {
        let end = (start + BLOCK_ROWS).min(columns[0].len());
        let block: Vec<&[u64]> = columns.iter().map(|column| &column[start..end]).collect();
        hits.clear();
        scan_at(level, &Columns::new(&block), u64::MAX, &probes, &mut hits);
        found += hits.len();
    }
    found
}

fn graph(rows: &[Row]) -> Index {
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
    for (key, row) in rows.iter().enumerate() {
        index.add(key as u64, b1x8::from_u8s(&bytes(row))).expect("a row");
    }
    index
}

/// Share of the nearest neighbours that the graph finds. A row as near as the last one counts.
fn recall(graph: &Index, rows: &[Row], queries: &[Row]) -> f64 {
    let mut found = 0;
    for query in queries {
        let mut distances: Vec<u32> = rows.iter().map(|row| distance(row, query)).collect();
        let (_, &mut last, _) = distances.select_nth_unstable(NEIGHBOURS - 1);
        let keys = graph.search(b1x8::from_u8s(&bytes(query)), NEIGHBOURS).expect("a search").keys;
        found += keys.iter().filter(|&&key| distance(&rows[key as usize], query) <= last).count();
    }
    found as f64 / (queries.len() * NEIGHBOURS) as f64
}

fn distance(a: &Row, b: &Row) -> u32 {
    a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum()
}

fn bytes(row: &Row) -> [u8; WORDS_MAX * 8] {
    let mut bytes = [0; WORDS_MAX * 8];
    for (target, word) in bytes.chunks_exact_mut(8).zip(row) {
        target.copy_from_slice(&word.to_be_bytes());
    }
    bytes
}

fn write(folder: &Path, name: &str, rows: &[Row]) {
    let all: Vec<u8> = rows.iter().flat_map(bytes).collect();
    std::fs::write(folder.join(name), all).expect("a file that can be written");
}

fn clustered(random: &mut Random, count: usize) -> Vec<Row> {
    let mut centre = Row::default();
    (0..count)
        .map(|number| {
            if number.is_multiple_of(CLUSTER_ROWS) {
                centre = std::array::from_fn(|_| random.next());
            }
            flipped(random, centre, ROW_FLIPS_MAX)
        })
        .collect()
}

fn flipped(random: &mut Random, mut row: Row, flips_max: u64) -> Row {
    for _ in 0..random.below(flips_max + 1) {
        let bit = random.below(256) as usize;
        row[bit / 64] ^= 1 << (bit % 64);
    }
    row
}

/// Cycles through the queries, so that branch predictors cannot learn them.
struct Cycle<'a> {
    queries: &'a [Row],
    next: usize,
}

impl<'a> Cycle<'a> {
    fn new(queries: &'a [Row]) -> Self {
        Self { queries, next: 0 }
    }

    fn take(&mut self, count: usize) -> Vec<Row> {
        self.next += count;
        (self.next - count..self.next).map(|at| self.queries[at % self.queries.len()]).collect()
    }
}

/// A deterministic generator (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}
