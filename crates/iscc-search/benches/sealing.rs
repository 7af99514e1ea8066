//! Searches and commits while segments are written to files, compared with the same ones in between, in one run.
//!
//! One thread adds assets in durable batches, another one searches. Small segments make files and merges frequent, at the
//! default rate. `seconds=COUNT` sets the duration, by default 60.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use iscc_codec::{Kind, Mode, Unit};
use iscc_search::{
    Engine, ListSizes, Options, Reply, SealHook, Sealing, SearchParameters, SegmentSizes,
    SelectionParameters,
};

const SECONDS: u64 = 60;
const SECONDS_QUICK: u64 = 3;
/// Assets of a full segment.
const SEGMENT: u32 = 1 << 15;
/// Assets of a batch.
const BATCH: u64 = 100;
/// Pauses between requests, so that the machine is not saturated.
const SEARCH_PAUSE: Duration = Duration::from_millis(3);
const COMMIT_PAUSE: Duration = Duration::from_millis(8);
/// Largest times of p99 while sealing, relative to that without.
const MUST: [(&str, f64); 2] = [("searches", 1.3), ("commits", 2.0)];

/// What both threads see.
struct Shared {
    engine: Engine,
    is_sealing: Arc<AtomicBool>,
    stopping: AtomicBool,
    assets: AtomicU64,
}

/// Times of requests in milliseconds: without and with sealing.
#[derive(Default)]
struct Times([Vec<f64>; 2]);

impl Times {
    /// Runs a request and notes its time. One that begins or ends while a file is written counts as such.
    fn measure(&mut self, shared: &Shared, request: impl FnOnce()) {
        let sealing = || shared.is_sealing.load(Ordering::Acquire);
        let (before, since) = (sealing(), Instant::now());
        request();
        self.0[usize::from(before || sealing())].push(since.elapsed().as_secs_f64() * 1000.0);
    }

    /// A share of the times is at most so long.
    fn quantile(&mut self, sealing: bool, share: f64) -> f64 {
        let times = &mut self.0[usize::from(sealing)];
        times.sort_unstable_by(f64::total_cmp);
        let at = (times.len() as f64 * share) as usize;
        times.get(at.min(times.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_quick = arguments.iter().any(|one| one == "--quick");
    let given = arguments.iter().find_map(|one| one.strip_prefix("seconds=")?.parse().ok());
    let seconds = given.unwrap_or(if is_quick { SECONDS_QUICK } else { SECONDS });
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (is_sealing, files) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let engine = open(folder.path(), &is_sealing, &files);
    let (stopping, assets) = (AtomicBool::new(false), AtomicU64::new(0));
    let shared = Shared { engine, is_sealing, stopping, assets };
    shared.engine.create_index(br#"{"name":"main"}"#).expect("a new index");
    for _ in 0..SEGMENT / BATCH as u32 {
        add(&shared);
    }
    let (commits, searches) = std::thread::scope(|scope| {
        let commits = scope.spawn(|| run(&shared, COMMIT_PAUSE, add));
        let searches = scope.spawn(|| run(&shared, SEARCH_PAUSE, search));
        std::thread::sleep(Duration::from_secs(seconds));
        shared.stopping.store(true, Ordering::Release);
        (commits.join().expect("commits"), searches.join().expect("searches"))
    });
    println!(
        "{} assets, {} files written",
        shared.assets.load(Ordering::Relaxed),
        files.load(Ordering::Relaxed)
    );
    for ((name, must), mut times) in MUST.into_iter().zip([searches, commits]) {
        let mut of = |share| [false, true].map(|sealing| times.quantile(sealing, share));
        let (median, p99) = (of(0.5), of(0.99));
        let ratio = p99[1] / p99[0];
        let judged = if ratio <= must { "reached" } else { "MISSED" };
        let counts = times.0.each_ref().map(Vec::len);
        println!(
            "{name}: {} without and {} while writing; median {:.2} and {:.2} ms, p99 {:.2} and {:.2} ms, {ratio:.2} times, \
             must {must}: {judged}",
            counts[0], counts[1], median[0], median[1], p99[0], p99[1],
        );
    }
}

fn run(shared: &Shared, pause: Duration, request: fn(&Shared)) -> Times {
    let mut times = Times::default();
    while !shared.stopping.load(Ordering::Acquire) {
        times.measure(shared, || request(shared));
        std::thread::sleep(pause);
    }
    times
}

fn open(folder: &Path, is_sealing: &Arc<AtomicBool>, files: &Arc<AtomicU64>) -> Engine {
    let (is_sealing, files) = (Arc::clone(is_sealing), Arc::clone(files));
    let hook = SealHook(Arc::new(move |step| {
        is_sealing.store(step != "removed", Ordering::Release);
        files.fetch_add(u64::from(step == "removed"), Ordering::Relaxed);
    }));
    let rows_min = SEGMENT as usize / 2;
    let sizes = SegmentSizes {
        segment_slots: SEGMENT,
        rows_min,
        lists: ListSizes { rows_min, ..ListSizes::default() },
        ..SegmentSizes::default()
    };
    let sealing = Sealing { assets_max: 0, hook: Some(hook), ..Sealing::default() };
    let options = Options { sizes, sealing, ..Options::default() };
    Engine::open(&format!("usearch://{}", folder.display()), options).expect("an engine")
}

fn add(shared: &Shared) {
    let first = shared.assets.fetch_add(BATCH, Ordering::Relaxed);
    let entries: Vec<String> = (first..first + BATCH).map(|number| entry(number, true)).collect();
    let (sender, receiver) = channel();
    let reply = Reply::new(move |result| sender.send(result).expect("a receiver"));
    shared.engine.add("main", format!("[{}]", entries.join(",")).into_bytes(), reply);
    receiver.recv().expect("a reply").expect("added assets");
}

fn search(shared: &Shared) {
    let number = shared.assets.load(Ordering::Relaxed) / 2;
    let (sender, receiver) = channel();
    let reply = Reply::new(move |found| sender.send(found).expect("a receiver"));
    let selection = SelectionParameters { threshold: Some(0.9), ..SelectionParameters::default() };
    let selection = Some(Box::new(selection));
    let parameters = SearchParameters { limit: 10, skip_featureless: None, selection };
    shared.engine.search("main", entry(number, false).into_bytes(), parameters, reply);
    receiver.recv().expect("a reply").expect("a response");
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
    let id = iscc_codec::IsccId::from_body(0, (1 << 40) + number).expect("an ISCC-ID");
    let id = if with_id { format!("\"iscc_id\":\"{}\",", id.text()) } else { String::new() };
    format!("{{{id}\"units\":[{}]}}", units.join(","))
}
