//! Early end compared with the full search, in an index: processor time of all threads per search, and every response.

use std::path::Path;
use std::sync::mpsc::channel;

use iscc_codec::{Kind, Mode, Unit};
use iscc_search::{
    EarlyEnd, Engine, Options, Reply, Sealing, SearchParameters, SegmentSizes, StoreOptions,
};

use super::data::{Random, Row, bytes};

/// Near copies of the same content.
const FAMILY: u64 = 16;
/// Largest numbers of bits of a unit by which a copy, and a query, differ from their origin.
const FLIPS: u64 = 6;
/// Assets of a batch.
const BATCH: u64 = 1000;
const KINDS: [Kind; 4] = [Kind::META, Kind::content(Mode::Image), Kind::DATA, Kind::INSTANCE];

/// Content of the queries, and limit.
const CASES: [(&str, i64); 4] = [("known", 1), ("known", 10), ("unknown", 1), ("unknown", 10)];

/// A response and whether the search ended early.
type Found = (Vec<u8>, bool);

/// Prints a line for each case and returns whether all responses are equal.
pub fn compare(assets: u64, is_quick: bool) -> bool {
    let store = StoreOptions { sync: false, ..StoreOptions::default() };
    let mut options = Options { store, search_threads: 1, ..Options::default() };
    if is_quick {
        options.sizes = SegmentSizes::early(4096);
        options.sealing = Sealing::early();
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    make(&open(folder.path(), &options), assets);
    let early_end = if is_quick { EarlyEnd::Always } else { EarlyEnd::Planned };
    let count = if is_quick { 10 } else { 200 };
    let [full, early] = [EarlyEnd::Never, early_end].map(|early_end| {
        let engine = open(folder.path(), &Options { early_end, ..options.clone() });
        engine.wait_for_maintenance();
        CASES.map(|(content, limit)| run(&engine, assets, content == "known", limit, count))
    });
    println!("\nearly end, {assets} assets of three units of 256 bits and an Instance-Code");
    let mut is_equal = true;
    for ((content, limit), (full, early)) in CASES.iter().zip(full.iter().zip(&early)) {
        let ended = early.0.iter().filter(|(_, is_early)| *is_early).count();
        let differ = full.0.iter().zip(&early.0).filter(|(a, b)| a.0 != b.0).count();
        is_equal &= differ == 0;
        println!(
            "  {content:>7}, limit {limit:>2}: full {:>9.1} us, early end {:>8.1} us, {:>6.1} times faster; \
             {ended} of {count} ended early{}",
            full.1 * 1e6,
            early.1 * 1e6,
            full.1 / early.1,
            if differ > 0 { format!(", {differ} WRONG") } else { String::new() },
        );
    }
    is_equal
}

fn open(folder: &Path, options: &Options) -> Engine {
    let location = format!("usearch://{}", folder.display());
    Engine::open(&location, options.clone()).expect("an engine")
}

fn make(engine: &Engine, assets: u64) {
    engine.create_index(br#"{"name":"main"}"#).expect("a new index");
    for first in (0..assets).step_by(BATCH as usize) {
        let numbers = first..(first + BATCH).min(assets);
        let entry = |number| {
            let id = iscc_codec::IsccId::from_body(0, (1 << 40) + number).expect("an ISCC-ID");
            format!("{{\"iscc_id\":\"{}\",{}}}", id.text(), units(&copy(number), number))
        };
        let entries: Vec<String> = numbers.map(entry).collect();
        let (sender, receiver) = channel();
        let reply = Reply::new(move |result| sender.send(result).expect("a receiver"));
        engine.add("main", format!("[{}]", entries.join(",")).into_bytes(), reply);
        receiver.recv().expect("a reply").expect("added assets");
    }
    engine.wait_for_maintenance();
}

/// The units of a copy.
fn copy(number: u64) -> [Row; 3] {
    let (mut family, mut own) = (Random(number / FAMILY), Random(!number));
    std::array::from_fn(|_| {
        let mut row = family.row(4);
        let flips = own.below(FLIPS + 1);
        own.flip(&mut row, 4, flips);
        row
    })
}

/// JSON of units, with an Instance-Code.
fn units(rows: &[Row; 3], instance: u64) -> String {
    let instance = Random(instance ^ 1 << 60).row(4);
    let bodies = rows.iter().chain([&instance]).map(bytes);
    let texts = KINDS.iter().zip(bodies).map(|(kind, body)| {
        format!("\"{}\"", Unit::new(*kind, &body, 256).expect("a unit").text())
    });
    format!("\"units\":[{}]", texts.collect::<Vec<_>>().join(","))
}

/// The responses, and the processor time of a search in seconds.
fn run(
    engine: &Engine,
    assets: u64,
    is_known: bool,
    limit: i64,
    count: usize,
) -> (Vec<Found>, f64) {
    let mut random = Random(7);
    let query = |number: usize| {
        let mut rows =
            copy(if is_known { random.below(assets) } else { assets * 2 + number as u64 });
        for row in &mut rows {
            let flips = random.below(FLIPS + 1);
            random.flip(row, 4, flips);
        }
        format!("{{{}}}", units(&rows, assets * 2 + number as u64)).into_bytes()
    };
    let queries: Vec<Vec<u8>> = (0..count).map(query).collect();
    // The first searches read the files.
    queries.iter().take(5).for_each(|query| drop(search(engine, query, limit)));
    let start = cpu_seconds();
    let found = queries.iter().map(|query| search(engine, query, limit)).collect();
    (found, (cpu_seconds() - start) / count as f64)
}

fn search(engine: &Engine, query: &[u8], limit: i64) -> Found {
    let (sender, receiver) = channel();
    let reply = Reply::new(move |found| sender.send(found).expect("a receiver"));
    let parameters = SearchParameters { limit, skip_featureless: None, selection: None };
    engine.search("main", query.to_vec(), parameters, reply);
    let found: iscc_search::Found = receiver.recv().expect("a reply").expect("a response");
    (found.json, found.report.is_early())
}

/// Processor time of all running threads in seconds. Needs Linux.
fn cpu_seconds() -> f64 {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let nanoseconds = threads.filter_map(|thread| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<f64>().ok()
    });
    nanoseconds.sum::<f64>() / 1e9
}
