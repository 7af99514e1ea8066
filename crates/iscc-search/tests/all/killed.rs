//! A process is killed repeatedly during writes: acknowledged batches are stored, and other batches are stored
//! completely or not at all.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::common::{Random, Service, id, unit};
use iscc_codec::{Kind, Mode};
use iscc_search::{Engine, Options};
use serde_json::{Value, json};

const ROUNDS: u64 = 50;
const BATCH: u64 = 40;
/// Environment variable with the folder of the child process, which is killed.
const FOLDER: &str = "ISCC_SEARCH_TEST_FOLDER";
/// Environment variable with the number of its first batch.
const FIRST: &str = "ISCC_SEARCH_TEST_FIRST";

fn units(number: u64) -> Vec<String> {
    let mut random = Random(number + 1);
    let content = unit(Kind::content(Mode::Text), &random.bytes(32));
    vec![content, unit(Kind::INSTANCE, &random.bytes(32))]
}

fn open(folder: &str) -> Service {
    let engine = Engine::open(&format!("usearch://{folder}"), Options::default()).unwrap();
    Service { engine, folder: None }
}

/// Adds batches until it is killed. Prints the number of each acknowledged batch.
#[test]
#[ignore = "runs as the child of the test below"]
fn child() {
    let folder = std::env::var(FOLDER).unwrap();
    let first: u64 = std::env::var(FIRST).unwrap().parse().unwrap();
    let service = open(&folder);
    for batch in first.. {
        let entry = |number| json!({ "iscc_id": id(number), "units": units(number) });
        let entries: Vec<Value> = (batch * BATCH..(batch + 1) * BATCH).map(entry).collect();
        service.add("main", &json!(entries)).unwrap();
        eprintln!("acknowledged {batch}");
    }
}

#[test]
fn acknowledged_batches_survive_and_others_are_whole_or_absent() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    open(path).create("main");
    let (mut next, mut random) = (0, Random(5));
    for round in 0..ROUNDS {
        let acknowledged = run_and_kill(path, next, random.below(40));
        let service = open(path);
        // One more batch may have been committed before its acknowledgement was printed.
        let stored = service.assets("main");
        assert_eq!(stored % BATCH, 0, "round {round}: half a batch");
        let batches = stored / BATCH;
        let known = acknowledged.map_or(next, |last| last + 1);
        assert!((known..=known + 1).contains(&batches), "round {round}: {known} {batches}");
        for number in (next * BATCH..stored).step_by(7) {
            let response = service.search("main", &json!({ "units": units(number) }), 5).unwrap();
            assert_eq!(response["global_matches"][0]["iscc_id"], id(number), "round {round}");
            service.get("main", &id(number)).unwrap();
        }
        next = batches;
    }
    assert!(next >= ROUNDS, "only {next} batches in all rounds");
}

/// Starts the child and kills it `millis` ms after its first acknowledged batch. Returns the last acknowledged batch.
fn run_and_kill(folder: &str, first: u64, millis: u64) -> Option<u64> {
    let mut child: Child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "killed::child", "--ignored", "--nocapture"])
        .env(FOLDER, folder)
        .env(FIRST, first.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let number = |line: String| line.strip_prefix("acknowledged ")?.parse::<u64>().ok();
    let mut last = lines.by_ref().map_while(Result::ok).find_map(number);
    std::thread::sleep(Duration::from_millis(millis));
    child.kill().unwrap();
    child.wait().unwrap();
    for line in lines.map_while(Result::ok) {
        last = number(line).or(last);
    }
    last
}
