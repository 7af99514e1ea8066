//! A process that reads an index and is killed does not keep the pages that are freed later.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::common::{Random, Service, id, unit};
use iscc_codec::Kind;
use iscc_search::{Engine, Options, StoreOptions};
use serde_json::{Value, json};

const ASSETS: u64 = 50;
/// Environment variable with the folder of the index that the child reads.
const FOLDER: &str = "ISCC_SEARCH_TEST_FOLDER";

/// Reads until it is killed.
#[test]
#[ignore = "runs as the child of the test below"]
fn child() {
    let mut options = heed::EnvOpenOptions::new();
    // SAFETY: the parent changes the file only through LMDB.
    let env = unsafe { options.max_dbs(16).open(std::env::var(FOLDER).unwrap()) }.unwrap();
    let _reading = env.read_txn().unwrap();
    eprintln!("reading");
    std::thread::park();
}

fn update(service: &Service, rounds: u64) {
    let body = Random(7).bytes(32);
    let units = [unit(Kind::DATA, &body), unit(Kind::INSTANCE, &body)];
    for round in 0..rounds {
        let entry = |number| {
            let metadata = json!({ "text": format!("{round} ").repeat(1000) });
            json!({ "iscc_id": id(number), "units": units, "metadata": metadata })
        };
        let entries: Vec<Value> = (0..ASSETS).map(entry).collect();
        service.add("main", &json!(entries)).unwrap();
    }
}

#[test]
fn a_killed_reader_does_not_keep_freed_pages() {
    let folder = tempfile::tempdir().unwrap();
    let store = StoreOptions { sync: false, ..StoreOptions::default() };
    let options = Options { store, ..Options::default() };
    let engine = Engine::open(&format!("usearch://{}", folder.path().display()), options).unwrap();
    let service = Service { engine, folder: None };
    service.create("main");
    update(&service, 5);
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "stale_readers::child", "--ignored", "--nocapture"])
        .env(FOLDER, folder.path().join("main"))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("reading")));
    let bytes = || std::fs::metadata(folder.path().join("main/data.mdb")).unwrap().len();
    let before = bytes();
    update(&service, 20);
    assert!(bytes() > before + 20 * ASSETS * 1000, "the child keeps what it reads");
    child.kill().unwrap();
    child.wait().unwrap();
    update(&service, 40);
    let after = bytes();
    update(&service, 60);
    assert!(bytes() <= after + 2 * ASSETS * 4096, "{after} {}", bytes());
}
