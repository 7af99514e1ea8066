//! Start of a large index: mapped files compared with loading all assets from LMDB. Processor time of all threads, and
//! time to the first response.
//!
//! `rows=COUNT` sets the number of assets, by default 1,000,000. Each has three units of 256 bits and an Instance-Code.
//! Needs Linux, which counts processor time in steps of 10 ms.

use std::path::Path;
use std::sync::mpsc::channel;
use std::time::Instant;

use iscc_codec::{Kind, Mode, Unit};
use iscc_search::{Engine, Options, Reply, Sealing, SegmentSizes, StoreOptions};

const ASSETS: u64 = 1_000_000;
const ASSETS_QUICK: u64 = 20_000;
/// Assets of a batch.
const BATCH: u64 = 1000;
/// Starts of each kind.
const ROUNDS: usize = 3;

/// What a start took.
struct Start {
    /// Seconds until the first response.
    first_response: f64,
    /// Processor time until then, in seconds.
    cpu: f64,
    /// Processor time until all background work was done, too.
    cpu_all: f64,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_quick = arguments.iter().any(|one| one == "--quick");
    let given = arguments.iter().find_map(|one| one.strip_prefix("rows=")?.parse().ok());
    let assets = given.unwrap_or(if is_quick { ASSETS_QUICK } else { ASSETS });
    let store = StoreOptions { sync: false, ..StoreOptions::default() };
    let mut options = Options { store, ..Options::default() };
    if is_quick {
        options.sizes = SegmentSizes::early(4096);
        options.sealing = Sealing::early();
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    make(folder, &options, assets);
    let segments = folder.join("main").join("segments");
    println!(
        "{assets} assets, LMDB {} MiB, files {} MiB",
        std::fs::metadata(folder.join("main").join("data.mdb")).map_or(0, |data| data.len()) >> 20,
        bytes_in(&segments) >> 20,
    );
    let mapped: Vec<Start> = (0..ROUNDS).map(|_| start(folder, &options)).collect();
    let unsealed = Options { sealing: Sealing::never(), ..options };
    let loaded: Vec<Start> = (0..ROUNDS)
        .map(|_| {
            std::fs::remove_dir_all(&segments).ok();
            start(folder, &unsealed)
        })
        .collect();
    report("mapped", &mapped);
    report("loaded", &loaded);
    let best =
        |all: &[Start], value: fn(&Start) -> f64| all.iter().map(value).fold(f64::MAX, f64::min);
    let times = |value| best(&loaded, value) / best(&mapped, value).max(0.01);
    println!(
        "loading takes {:.1} times the processor time until the first response, {:.1} times with background work",
        times(|one| one.cpu),
        times(|one| one.cpu_all),
    );
}

fn report(name: &str, all: &[Start]) {
    for Start { first_response, cpu, cpu_all } in all {
        println!(
            "{name}: first response after {first_response:.3} s and {cpu:.2} CPU-s, {cpu_all:.2} CPU-s with background work"
        );
    }
}

fn engine(folder: &Path, options: &Options) -> Engine {
    let location = format!("usearch://{}", folder.display());
    Engine::open(&location, options.clone()).expect("an engine")
}

fn make(folder: &Path, options: &Options, assets: u64) {
    let engine = engine(folder, options);
    engine.create_index(br#"{"name":"main"}"#).expect("a new index");
    for first in (0..assets).step_by(BATCH as usize) {
        let numbers = first..(first + BATCH).min(assets);
        let entries: Vec<String> = numbers.map(|number| entry(number, true)).collect();
        let (sender, receiver) = channel();
        let reply = Reply::new(move |result| sender.send(result).expect("a receiver"));
        engine.add("main", format!("[{}]", entries.join(",")).into_bytes(), reply);
        receiver.recv().expect("a reply").expect("added assets");
    }
    engine.wait_for_maintenance();
}

fn start(folder: &Path, options: &Options) -> Start {
    let (start, cpu_before) = (Instant::now(), cpu_seconds());
    let engine = engine(folder, options);
    let (sender, receiver) = channel();
    let reply = Reply::new(move |found| sender.send(found).expect("a receiver"));
    engine.search("main", entry(77, false).into_bytes(), 10, reply);
    let found = receiver.recv().expect("a reply").expect("a response");
    let (first_response, cpu) = (start.elapsed().as_secs_f64(), cpu_seconds() - cpu_before);
    assert!(String::from_utf8_lossy(&found.json).contains(&id(77)), "the asset is not found");
    engine.wait_for_maintenance();
    Start { first_response, cpu, cpu_all: cpu_seconds() - cpu_before }
}

fn id(number: u64) -> String {
    iscc_codec::IsccId::from_body(0, (1 << 40) + number).expect("an ISCC-ID").text().to_string()
}

/// JSON of an asset, or of a query with its units.
fn entry(number: u64, with_id: bool) -> String {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1;
    let mut body = || {
        let mut bytes = [0; 32];
        for byte in &mut bytes {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            *byte = (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 56) as u8;
        }
        bytes
    };
    let kinds = [Kind::META, Kind::content(Mode::Text), Kind::DATA, Kind::INSTANCE];
    let units = kinds.map(|kind| {
        let unit = Unit::new(kind, &body(), 256).expect("a unit");
        format!("\"{}\"", unit.text())
    });
    let id = if with_id { format!("\"iscc_id\":\"{}\",", id(number)) } else { String::new() };
    format!("{{{id}\"units\":[{}]}}", units.join(","))
}

/// Processor time of this process so far.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
    // User and system time are fields 14 and 15; the state, which follows the name, is field 3.
    let times = after_name.split(' ').skip(11).take(2);
    times.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn bytes_in(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|file| file.metadata().ok()).map(|data| data.len()).sum()
}
