//! Graphs of segments in files: built when a file is written, used after its check, and never from damaged bytes.

use std::collections::HashSet;
use std::fs;

use crate::common::twins::files;
use crate::common::{Random, Service, id, unit, value, wait_found};
use iscc_codec::Kind;
use iscc_search::{
    EarlyEnd, Engine, Options, Sealing, SearchParameters, SegmentSizes, SelectionParameters,
    StoreOptions,
};
use serde_json::{Value, json};

/// Assets of a full segment.
const FULL: u64 = 512;

/// Columns in files have graphs, and no lists.
fn options() -> Options {
    Options {
        sizes: SegmentSizes {
            segment_slots: FULL as u32,
            graph_rows_min: Some(100),
            ..SegmentSizes::default()
        },
        sealing: Sealing::early(),
        early_end: EarlyEnd::Never,
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
    let units = [
        unit(Kind::META, body),
        unit(Kind::DATA, &body[..8]),
        unit(Kind::INSTANCE, &Random(number + 1).bytes(8)),
    ];
    json!({ "iscc_id": id(number), "units": units })
}

fn add(service: &Service, numbers: std::ops::Range<u64>) {
    let entries: Vec<Value> = numbers.map(|number| entry(number, &body(number))).collect();
    for batch in entries.chunks(500) {
        service.add("main", &json!(batch)).unwrap();
    }
    service.engine.wait_for_maintenance();
}

/// An index with full segments in files and some more assets.
fn filled(options: Options, full: u64) -> Service {
    let service = Service::new("usearch", options);
    service.create("main");
    add(&service, 0..FULL * full + 30);
    service
}

/// Stops the service, calls `between` with the paths of the files of its segments, and starts it again.
fn restart(service: &mut Service, options: &Options, between: impl FnOnce(&[std::path::PathBuf])) {
    let folder = service.folder.as_ref().unwrap().path().to_owned();
    let memory = Engine::open("memory://", Options::default()).unwrap();
    drop(std::mem::replace(&mut service.engine, memory));
    between(&files(&folder.join("main")));
    service.engine =
        Engine::open(&format!("usearch://{}", folder.display()), options.clone()).unwrap();
    service.engine.wait_for_maintenance();
}

/// Found assets, and the number of searches in graphs.
fn search(service: &Service, body: &[u8], exact: bool) -> (HashSet<String>, u64) {
    let graph_searches = || {
        let all: Value = serde_json::from_slice(&service.engine.metrics()).unwrap();
        all["probes"]["graph"].as_u64().unwrap()
    };
    let query = json!({ "units": [unit(Kind::META, body)] }).to_string().into_bytes();
    let selection = Some(Box::new(SelectionParameters { exact, ..Default::default() }));
    let parameters = SearchParameters { limit: 1000, skip_featureless: None, selection };
    let before = graph_searches();
    let found = wait_found(|reply| service.engine.search("main", query, parameters, reply));
    let found = found.unwrap();
    let matches = found["global_matches"].as_array().unwrap().iter();
    let ids = matches.map(|one| one["iscc_id"].as_str().unwrap().to_owned());
    (ids.collect(), graph_searches() - before)
}

/// Searches near all assets, with graphs and without. Returns the share of the matches that graphs find.
fn recall(service: &Service, assets: u64, graphs: u64) -> f64 {
    let (mut expected, mut found) = (0, 0);
    for number in (0..assets).step_by(17) {
        let query = Random(number).flipped(&body(number), 12);
        let (exact, none) = search(service, &query, true);
        let (with_graphs, used) = search(service, &query, false);
        assert_eq!((none, used), (0, graphs));
        assert!(with_graphs.is_subset(&exact));
        expected += exact.len();
        found += with_graphs.len();
    }
    assert!(expected as u64 > assets / 17, "{expected} matches");
    found as f64 / expected as f64
}

/// Unit type, and whether there is a graph, of each column in a file.
fn columns(service: &Service) -> Vec<(String, bool)> {
    let info = value(service.engine.index("main")).unwrap();
    let segments = info["segments"].as_array().cloned().unwrap_or_default();
    let sealed = segments.iter().filter(|segment| segment["kind"] == "sealed");
    let columns = sealed.flat_map(|segment| segment["columns"].as_array().unwrap());
    let column = |column: &Value| {
        (column["type"].as_str().unwrap().to_owned(), column["graph"].as_bool().unwrap())
    };
    columns.map(column).collect()
}

#[test]
fn columns_of_long_units_have_graphs_that_a_restart_opens() {
    let mut service = filled(options(), 2);
    let expected = || {
        let of_one = [("DATA_NONE_V0".to_owned(), false), ("META_NONE_V0".to_owned(), true)];
        [of_one.clone(), of_one].concat()
    };
    let in_order = |mut columns: Vec<(String, bool)>| {
        columns[..2].sort();
        columns[2..].sort();
        columns
    };
    assert_eq!(in_order(columns(&service)), expected());
    assert!(recall(&service, FULL * 2, 2) >= 0.99);
    restart(&mut service, &options(), |_| {});
    assert_eq!(in_order(columns(&service)), expected());
    assert!(recall(&service, FULL * 2, 2) >= 0.99);
}

#[test]
fn merged_segments_have_a_graph_of_all_live_assets() {
    let service = filled(options(), 8);
    assert_eq!(service.engine.graphs("main"), 1);
    for number in 0..50 {
        service.delete("main", &id(number)).unwrap();
    }
    assert!(recall(&service, FULL * 8, 1) >= 0.99);
    let (found, _) = search(&service, &body(3), false);
    assert!(!found.contains(&id(3)));
}

#[test]
fn a_damaged_graph_is_not_followed() {
    let mut service = filled(options(), 1);
    let damage = |files: &[std::path::PathBuf]| {
        let segment = files.iter().find(|path| path.extension().unwrap() == "seg").unwrap();
        let mut bytes = fs::read(segment).unwrap();
        // The graph is the last section before the header.
        let header = u64::from_le_bytes(bytes[8..16].try_into().unwrap()) as usize;
        let graph = header - 8192..header - 4096;
        assert!(bytes[graph.clone()].iter().any(|byte| *byte != 0));
        bytes[graph].fill(0xff);
        fs::write(segment, bytes).unwrap();
    };
    restart(&mut service, &options(), damage);
    // All assets were loaded again. The next change lets them be written to another file.
    let decisions = String::from_utf8(service.engine.take_decisions()).unwrap();
    assert!(decisions.contains("a section has another hash"), "{decisions}");
    assert!(columns(&service).is_empty());
    add(&service, FULL + 30..FULL + 31);
    assert!(recall(&service, FULL, 1) >= 0.99);
}

#[test]
fn without_the_setting_no_column_has_a_graph() {
    let defaults = SegmentSizes { segment_slots: FULL as u32, ..SegmentSizes::default() };
    assert_eq!(defaults.graph_rows_min, None);
    let service = filled(Options { sizes: defaults, ..options() }, 1);
    assert!(columns(&service).iter().all(|(_, has_graph)| !has_graph));
    assert_eq!(columns(&service).len(), 2);
    assert_eq!(recall(&service, FULL, 0), 1.0);
}
