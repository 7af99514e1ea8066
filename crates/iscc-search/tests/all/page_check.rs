//! The check of an index's pages: before it is used after a kill, and in the background after a stop.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::common::{Service, id, unit, value};
use iscc_codec::Kind;
use iscc_search::{Engine, Options, StoreOptions};
use serde_json::{Value, json};

const PAGE: usize = 4096;
/// Flag of a page that a large value starts with.
const OVERFLOW: u8 = 4;

/// An index with an asset whose record takes pages of its own.
fn filled() -> Service {
    let service = Service::new("lmdb", Options::default());
    service.create("main");
    let metadata = json!({ "text": "a".repeat(4 * PAGE) });
    let entry = json!({ "iscc_id": id(1), "units": [unit(Kind::META, &[7; 8]), unit(Kind::INSTANCE, &[1; 8])], "metadata": metadata });
    service.add("main", &json!([entry])).unwrap();
    service
}

fn folder(service: &Service) -> PathBuf {
    service.folder.as_ref().unwrap().path().join("main")
}

/// Stops the engine, calls `between` with the folder of the index, and starts it again.
fn restart(service: &mut Service, between: impl FnOnce(&Path)) {
    let index = folder(service);
    let memory = Engine::open("memory://", Options::default()).unwrap();
    drop(std::mem::replace(&mut service.engine, memory));
    between(&index);
    let location = format!("lmdb://{}", index.parent().unwrap().display());
    service.engine = Engine::open(&location, Options::default()).unwrap();
    service.engine.wait_for_maintenance();
}

/// Damages the header of a large value, which LMDB does not read, and keeps the time of the file.
fn damage(index: &Path) {
    let path = index.join("data.mdb");
    let changed = fs::metadata(&path).unwrap().modified().unwrap();
    let mut bytes = fs::read(&path).unwrap();
    let is_large = |page: &[u8]| page[10] == OVERFLOW && page[11] == 0;
    let page = bytes.chunks_exact(PAGE).skip(2).position(is_large).expect("a large value") + 2;
    bytes[page * PAGE] ^= 1;
    fs::write(&path, bytes).unwrap();
    File::options().write(true).open(path).unwrap().set_modified(changed).unwrap();
}

fn decisions(service: &Service) -> Vec<(String, String)> {
    let all: Vec<Value> = serde_json::from_slice(&service.engine.take_decisions()).unwrap();
    let text = |one: &Value, name: &str| one[name].as_str().unwrap().to_owned();
    all.iter().map(|one| (text(one, "outcome"), text(one, "detail"))).collect()
}

fn listed(service: &Service) -> String {
    String::from_utf8(service.engine.list_indexes().unwrap()).unwrap()
}

#[test]
fn after_a_stop_the_pages_are_checked_in_the_background() {
    let mut service = filled();
    let mark = folder(&service).join("stopped");
    assert!(!mark.exists());
    restart(&mut service, |_| assert!(mark.exists()));
    assert!(!mark.exists());
    let checked = decisions(&service);
    assert_eq!(checked.len(), 1, "{checked:?}");
    assert!(checked[0].0 == "checked" && checked[0].1.ends_with("are sound"), "{checked:?}");
    assert_eq!(service.assets("main"), 1);
}

#[test]
fn after_a_kill_or_a_change_the_pages_are_checked_first() {
    let mut service = filled();
    // A killed process leaves no mark.
    restart(&mut service, |index| fs::remove_file(index.join("stopped")).unwrap());
    assert_eq!(decisions(&service), []);
    assert_eq!(service.assets("main"), 1);
    // A copy of the data file has another time.
    restart(&mut service, |index| {
        let bytes = fs::read(index.join("data.mdb")).unwrap();
        fs::write(index.join("data.mdb"), bytes).unwrap();
    });
    assert_eq!(decisions(&service), []);
    assert_eq!(service.assets("main"), 1);
}

/// The damage is older than the start, but nothing shows it before the check.
#[test]
fn a_damaged_page_ends_the_use_of_the_index() {
    let mut service = filled();
    restart(&mut service, damage);
    let failure = value(service.engine.index("main")).unwrap_err();
    let detail = failure.1.to_string();
    assert!(detail.contains("damaged") && detail.contains("a page header"), "{detail}");
    assert!(listed(&service).contains(r#""state":"damaged""#), "{}", listed(&service));
    // The next start finds it before it uses the index.
    restart(&mut service, |index| assert!(!index.join("stopped").exists()));
    assert!(listed(&service).contains(r#""state":"damaged""#), "{}", listed(&service));
}

/// Its data may not be on disk.
#[test]
fn an_index_whose_writes_are_not_synced_leaves_no_mark() {
    let store = StoreOptions { sync: false, ..StoreOptions::default() };
    let mut service = Service::new("lmdb", Options { store, ..Options::default() });
    service.create("main");
    restart(&mut service, |index| assert!(!index.join("stopped").exists()));
    assert_eq!(decisions(&service), []);
}
