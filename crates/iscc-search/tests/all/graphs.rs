//! Graphs of sealed segments: saved, opened after a restart, refused, damaged, and killed while they are built.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use crate::common::twins::{copy_folder, files};
use crate::common::{Random, Service, id, unit, value, wait_found};
use iscc_codec::Kind;
use iscc_search::{
    EarlyEnd, Engine, Graphs, Options, Reply, SealHook, Sealing, SearchParameters, SegmentSizes,
    SelectionParameters, StoreOptions,
};
use serde_json::{Value, json};

/// Assets of a full segment.
const FULL: u64 = 512;

/// Full segments are sealed and get graphs, which are saved twice while they are built, and no lists.
fn options() -> Options {
    let full = FULL as u32;
    Options {
        scan_limit: 600,
        sizes: SegmentSizes {
            segment_slots: full,
            segment_slots_max: full,
            ..SegmentSizes::default()
        },
        sealing: Sealing::early(),
        graphs: Graphs { trial_rows: 200, save_rows: 200, ..Graphs::early() },
        store: StoreOptions { sync: false, ..StoreOptions::default() },
        ..Options::default()
    }
}

/// The body of an asset, near those of some others.
fn body(number: u64) -> Vec<u8> {
    let mut random = Random(number * 7919 + 3);
    random.flipped(&Random(number / 8 + 1).bytes(32), number % 8 * 5)
}

fn entry(number: u64, body: &[u8]) -> Value {
    let units = [unit(Kind::META, body), unit(Kind::INSTANCE, &Random(number + 1).bytes(8))];
    json!({ "iscc_id": id(number), "units": units })
}

fn add(service: &Service, numbers: std::ops::Range<u64>) {
    let entry = |number| entry(number, &body(number));
    let entries: Vec<Value> = numbers.map(entry).collect();
    for batch in entries.chunks(500) {
        service.add("main", &json!(batch)).unwrap();
    }
}

/// An index with two sealed segments and some more assets.
fn filled(options: Options) -> Service {
    filled_from(0, options)
}

/// Such an index, whose first asset has a number.
fn filled_from(first: u64, options: Options) -> Service {
    let service = Service::new("usearch", options);
    service.create("main");
    add(&service, first..first + FULL * 2 + 30);
    service.engine.wait_for_graphs();
    service
}

fn folder(service: &Service) -> PathBuf {
    service.folder.as_ref().unwrap().path().join("main")
}

fn graph_files(index: &Path) -> Vec<PathBuf> {
    files(index).into_iter().filter(|path| path.extension().unwrap() == "graph").collect()
}

/// Stops the service, calls `between` with the folder of its index, and starts it again.
fn restart(service: &mut Service, options: &Options, between: impl FnOnce(&Path)) {
    let index = folder(service);
    let memory = Engine::open("memory://", Options::default()).unwrap();
    drop(std::mem::replace(&mut service.engine, memory));
    between(&index);
    service.engine = open(index.parent().unwrap(), options);
    service.engine.wait_for_graphs();
}

fn open(folder: &Path, options: &Options) -> Engine {
    Engine::open(&format!("usearch://{}", folder.display()), options.clone()).unwrap()
}

/// What was decided about graphs since the last call.
fn decisions(service: &Service) -> Vec<String> {
    let all: Vec<Value> = serde_json::from_slice(&service.engine.take_decisions()).unwrap();
    let details = all.into_iter().map(|one| one["detail"].as_str().unwrap().to_owned());
    details.filter(|detail| detail.contains("recall") || detail.contains("graph")).collect()
}

fn counts(service: &Service) -> Value {
    let all: Value = serde_json::from_slice(&service.engine.metrics()).unwrap();
    all["indexes"][0].clone()
}

/// States of the graphs of all columns.
fn states(service: &Service) -> Vec<String> {
    let info = value(service.engine.index("main")).unwrap();
    let segments = info["segments"].as_array().cloned().unwrap_or_default();
    let columns = segments.iter().flat_map(|segment| segment["columns"].as_array().unwrap());
    columns.filter_map(|column| Some(column["graph_state"].as_str()?.to_owned())).collect()
}

fn search(service: &Service, body: &[u8], exact: bool) -> (HashSet<String>, u64) {
    let query = json!({ "units": [unit(Kind::META, body)] }).to_string().into_bytes();
    let selection = Some(Box::new(SelectionParameters { exact, ..Default::default() }));
    let parameters = SearchParameters { limit: 1000, skip_featureless: None, selection };
    let before = counts_of_ways(service);
    let found = wait_found(|reply| service.engine.search("main", query, parameters, reply));
    let found = found.unwrap();
    let matches = found["global_matches"].as_array().unwrap().iter();
    let ids = matches.map(|one| one["iscc_id"].as_str().unwrap().to_owned());
    (ids.collect(), counts_of_ways(service) - before)
}

/// Number of searches in graphs.
fn counts_of_ways(service: &Service) -> u64 {
    let all: Value = serde_json::from_slice(&service.engine.metrics()).unwrap();
    all["probes"]["graph"].as_u64().unwrap()
}

/// Searches with and without graphs find the same, up to the recall of the trial.
fn assert_found(service: &Service, graphs: usize, name: &str) {
    assert_eq!(service.engine.graphs("main"), graphs, "{name}");
    let mut random = Random(5);
    let (mut expected, mut right) = (0, 0);
    for number in (0..FULL * 2).step_by(23) {
        let query = random.flipped(&body(number), number % 60);
        let (exact, exact_graphs) = search(service, &query, true);
        let (found, used) = search(service, &query, false);
        assert_eq!((exact_graphs, used), (0, graphs as u64), "{name}");
        assert!(found.is_subset(&exact), "{name}");
        expected += exact.len();
        right += found.len();
    }
    assert!(expected > 100 && right as f64 >= expected as f64 * 0.99, "{name}: {right}/{expected}");
}

#[test]
fn a_restart_opens_the_graphs_without_building_them() {
    let mut service = filled(options());
    let built = decisions(&service);
    assert_eq!(built.len(), 2, "{built:?}");
    assert!(built.iter().all(|detail| detail.starts_with("built, ")), "{built:?}");
    assert_found(&service, 2, "built");
    assert_eq!(graph_files(&folder(&service)).len(), 2);
    let size = counts(&service)["sealedBytes"].as_u64().unwrap();
    let on_disk =
        files(&folder(&service)).into_iter().map(|file| fs::metadata(file).unwrap().len());
    assert_eq!(size, on_disk.sum::<u64>());
    for round in 0..2 {
        restart(&mut service, &options(), |_| {});
        let opened = decisions(&service);
        assert_eq!(opened.len(), 2, "{opened:?}");
        assert!(opened.iter().all(|detail| detail.starts_with("opened, ")), "{opened:?}");
        let counts = counts(&service);
        let of = |name: &str| counts[name].as_u64().unwrap();
        assert_eq!((of("graphs"), of("graphsOpened"), of("graphsBuilt")), (2, 2, 0));
        assert_eq!(states(&service), ["ready", "ready"]);
        assert_found(&service, 2, &format!("restart {round}"));
        // Changes do not touch graphs.
        service.delete("main", &id(round * 3)).unwrap();
        add(&service, FULL..FULL + 2);
    }
}

/// Whether the search with a limit of 1 was exact, and whether it ended early.
fn nearest(service: &Service, body: &[u8], exact: bool) -> (bool, bool) {
    let query = json!({ "units": [unit(Kind::META, body)] }).to_string().into_bytes();
    let selection = Some(Box::new(SelectionParameters { exact, ..Default::default() }));
    let parameters = SearchParameters { limit: 1, skip_featureless: None, selection };
    let (sender, receiver) = channel();
    let reply = Reply::new(move |found| sender.send(found).unwrap());
    service.engine.search("main", query, parameters, reply);
    let report = receiver.recv().unwrap().unwrap().report;
    (report.is_exact(), report.is_early())
}

#[test]
fn only_exact_searches_end_early_in_an_index_with_graphs() {
    let early = Options {
        sizes: SegmentSizes { segment_slots_max: FULL as u32, ..SegmentSizes::early(FULL as u32) },
        early_end: EarlyEnd::Always,
        ..options()
    };
    let service = filled(early);
    assert_eq!(service.engine.graphs("main"), 2);
    for number in 0..5 {
        assert_eq!(nearest(&service, &body(number), true), (true, true));
        assert_eq!(nearest(&service, &body(number), false), (false, false));
    }
}

#[test]
fn graphs_have_conditions() {
    let off = Graphs { is_enabled: false, ..options().graphs };
    let large = Graphs { slots_min: FULL as u32 + 1, ..options().graphs };
    let long = Graphs { bits_min: 512, ..options().graphs };
    for graphs in [off, large, long] {
        let name = format!("{graphs:?}");
        let service = filled(Options { graphs, ..options() });
        assert_found(&service, 0, &name);
        assert_eq!((decisions(&service).len(), states(&service).len()), (0, 0), "{name}");
    }
    let mut service = filled(options());
    // A present graph is not used either.
    let off = Options { graphs: Graphs::off(), ..options() };
    restart(&mut service, &off, |_| {});
    assert_found(&service, 0, "off");
    restart(&mut service, &options(), |_| {});
    assert_found(&service, 2, "on again");
}

/// Uniform random codes, of which a graph misses many.
fn random_codes(options: Options) -> Service {
    let service = Service::new("usearch", options);
    service.create("main");
    let mut random = Random(99);
    let entries: Vec<Value> =
        (0..4096 + 10).map(|number| entry(number, &random.bytes(32))).collect();
    for batch in entries.chunks(1000) {
        service.add("main", &json!(batch)).unwrap();
    }
    service.engine.wait_for_graphs();
    service
}

#[test]
fn a_refusal_survives_restarts() {
    let sizes =
        SegmentSizes { segment_slots: 4096, segment_slots_max: 4096, ..SegmentSizes::default() };
    let graphs = Graphs { trial_rows: 3000, ..Graphs::early() };
    let options = Options { sizes, graphs, match_threshold_units: 0.575, ..options() };
    let mut service = random_codes(options.clone());
    let refused = decisions(&service);
    assert_eq!(refused.len(), 1, "{refused:?}");
    assert!(refused[0].starts_with("graph refused: recall 0."), "{refused:?}");
    for _ in 0..2 {
        assert_eq!(states(&service), ["refused"]);
        assert_eq!((service.engine.graphs("main"), graph_files(&folder(&service)).len()), (0, 0));
        restart(&mut service, &options, |_| {});
        assert_eq!(decisions(&service), [""; 0]);
        assert_eq!(counts(&service)["graphsRefused"], 1);
    }
    // The refusal was for another threshold. Hardly any code has neighbours at this one.
    let other = Options { match_threshold_units: 0.9, ..options };
    restart(&mut service, &other, |_| {});
    let built = decisions(&service);
    assert!(built.len() == 1 && built[0].starts_with("built, "), "{built:?}");
    // The graph was not tried with this lower threshold, and does not pass.
    let lower = Options { match_threshold_units: 0.575, ..other };
    restart(&mut service, &lower, |_| {});
    let refused = decisions(&service);
    assert!(refused.len() == 1 && refused[0].starts_with("graph refused"), "{refused:?}");
    assert_eq!((service.engine.graphs("main"), graph_files(&folder(&service)).len()), (0, 0));
}

/// Damages a file. The second file is that of another index.
type Damage = fn(&Path, &Path);

#[test]
fn damaged_and_foreign_graphs_are_built_again() {
    let mut service = filled(options());
    let other = filled_from(FULL * 9, options());
    let foreign = graph_files(&folder(&other)).remove(0);
    let ways: [(&str, Damage); 7] = [
        ("first byte", |file, _| flip(file, |_| 0)),
        ("a link", |file, _| flip(file, |length| length * 3 / 4)),
        ("last byte", |file, _| flip(file, |length| length - 1)),
        ("cut", |file, _| {
            let length = fs::metadata(file).unwrap().len();
            fs::File::options().write(true).open(file).unwrap().set_len(length / 2).unwrap();
        }),
        ("empty", |file, _| fs::write(file, b"").unwrap()),
        ("missing", |file, _| fs::remove_file(file).unwrap()),
        ("foreign", |file, foreign| {
            fs::copy(foreign, file).unwrap();
        }),
    ];
    for (name, damage) in ways {
        decisions(&service);
        restart(&mut service, &options(), |index| damage(&graph_files(index)[0], &foreign));
        let all = decisions(&service);
        let starting = |text: &str| all.iter().filter(|one| one.starts_with(text)).count();
        let found = (
            starting("graph removed, to be built again: "),
            starting("built, "),
            starting("opened"),
        );
        assert_eq!((found, all.len()), ((1, 1, 1), 3), "{name}: {all:?}");
        assert_eq!(counts(&service)["graphsDamaged"], 1, "{name}");
        assert_found(&service, 2, name);
    }
    let damaged = graph_files(&folder(&service)).remove(0);
    restart(&mut service, &options(), |index| {
        let problems = || {
            let check = iscc_search::read_only::check(index).unwrap();
            check.problems.into_iter().map(|problem| problem.key).collect::<Vec<_>>()
        };
        assert_eq!(problems(), [""; 0]);
        flip(&damaged, |length| length / 2);
        assert_eq!(problems(), [damaged.file_name().unwrap().to_str().unwrap()]);
    });
}

fn flip(file: &Path, place: impl Fn(usize) -> usize) {
    let mut bytes = fs::read(file).unwrap();
    let at = place(bytes.len());
    bytes[at] ^= 4;
    fs::write(file, bytes).unwrap();
}

#[test]
fn a_kill_while_a_graph_is_built_loses_only_what_was_not_saved() {
    let (report, steps) = channel();
    let (resume, resumed) = channel();
    let ends = Mutex::new((report, resumed));
    let hook = move |step: &str| {
        let ends = ends.lock().unwrap();
        if step.starts_with("graph ") && ends.0.send(step.to_owned()).is_ok() {
            let _ = ends.1.recv();
        }
    };
    let sealing = Sealing { hook: Some(SealHook(Arc::new(hook))), ..Sealing::early() };
    let service = Service::new("usearch", Options { sealing, ..options() });
    service.create("main");
    add(&service, 0..FULL * 2 + 30);
    // Each graph is saved with 200, 400 and all nodes.
    let built = [
        "built, ",
        "built from 200 nodes on",
        "built from 200 nodes on",
        "built from 400 nodes on",
        "built from 400 nodes on",
        "opened, ",
    ];
    for (number, first) in built.into_iter().enumerate() {
        let step = steps.recv().unwrap();
        assert_eq!(step, ["graph written", "graph committed"][number % 2]);
        // The files as a killed process leaves them.
        let killed = tempfile::tempdir().unwrap();
        copy_folder(folder(&service).parent().unwrap(), killed.path());
        let mut again = Service { engine: open(killed.path(), &options()), folder: Some(killed) };
        again.engine.wait_for_graphs();
        let all = decisions(&again);
        assert!(all.len() == 2 && all[0].starts_with(first), "{number}: {all:?}");
        assert!(all[1].starts_with("built, "), "{number}: {all:?}");
        assert_found(&again, 2, &format!("killed at step {number}"));
        assert_eq!(files(&folder(&again)).len(), 4, "{number}");
        restart(&mut again, &options(), |_| {});
        assert!(decisions(&again).iter().all(|one| one.starts_with("opened, ")), "{number}");
        resume.send(()).unwrap();
    }
    drop((resume, steps));
    service.engine.wait_for_graphs();
    assert_found(&service, 2, "at last");
}

/// Changes keep coming while graphs are built, and segments are replaced.
#[test]
fn graphs_of_replaced_segments_are_removed() {
    let service = filled(options());
    for number in 0..FULL / 2 {
        service.delete("main", &id(number * 2)).unwrap();
    }
    service.engine.wait_for_graphs();
    // The segment with many dead slots was compacted, and its graph was built again.
    add(&service, FULL * 3..FULL * 4 + 20);
    service.engine.wait_for_graphs();
    let graphs = service.engine.graphs("main");
    assert!(graphs >= 2, "{graphs}");
    assert_eq!(graph_files(&folder(&service)).len(), graphs);
    for number in (0..FULL).step_by(10) {
        let (exact, _) = search(&service, &body(number), true);
        let (found, used) = search(&service, &body(number), false);
        assert!(found.is_subset(&exact) && used == graphs as u64);
        assert_eq!(exact.contains(&id(number)), number % 2 == 1);
    }
}
