//! Shared test support: a synchronous interface to an engine, and recorded data.

#![allow(dead_code, reason = "each test file uses a part of it")]

#[cfg(target_os = "linux")]
pub mod busy;
pub mod twins;

use std::path::PathBuf;
use std::sync::mpsc::channel;

use iscc_search::{Engine, FailureKind, Fields, Found, Options, Reply, Response};
use serde_json::Value;

pub const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../test/fixtures/search");

/// Rows of a recorded file.
pub fn rows(file: &str) -> Vec<Value> {
    let path = PathBuf::from(FIXTURES).join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path:?}: {e}"));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// An engine in its own temporary folder, or in memory.
pub struct Service {
    pub engine: Engine,
    pub folder: Option<tempfile::TempDir>,
}

impl Service {
    /// `scheme` is `memory`, `lmdb` or `usearch`.
    pub fn new(scheme: &str, options: Options) -> Self {
        let folder = (scheme != "memory").then(|| tempfile::tempdir().unwrap());
        let path = folder.as_ref().map_or("", |folder| folder.path().to_str().unwrap());
        let engine = Engine::open(&format!("{scheme}://{path}"), options).unwrap();
        Self { engine, folder }
    }

    /// Opens the folder again.
    pub fn restart(&mut self, scheme: &str, options: Options) {
        let path = self.folder.as_ref().unwrap().path().to_str().unwrap().to_owned();
        // The folder is locked while an engine uses it.
        let memory = Engine::open("memory://", Options::default()).unwrap();
        drop(std::mem::replace(&mut self.engine, memory));
        self.engine = Engine::open(&format!("{scheme}://{path}"), options).unwrap();
    }

    pub fn create(&self, name: &str) {
        let body = serde_json::json!({ "name": name }).to_string();
        self.engine.create_index(body.as_bytes()).unwrap();
    }

    pub fn add(&self, index: &str, entries: &Value) -> Result<Value, (u16, Value)> {
        wait(|reply| self.engine.add(index, entries.to_string().into_bytes(), reply))
    }

    pub fn search(&self, index: &str, query: &Value, limit: i64) -> Result<Value, (u16, Value)> {
        let body = query.to_string().into_bytes();
        wait_found(|reply| self.engine.search(index, body, limit, reply))
    }

    pub fn search_code(&self, index: &str, code: &str, limit: i64) -> Result<Value, (u16, Value)> {
        wait_found(|reply| self.engine.search_code(index, code.to_owned(), limit, reply))
    }

    pub fn get(&self, index: &str, id: &str) -> Result<Value, (u16, Value)> {
        value(self.engine.asset(index, id, &Fields::default()))
    }

    pub fn delete(&self, index: &str, id: &str) -> Result<(), (u16, Value)> {
        let (sender, receiver) = channel();
        self.engine.delete_asset(index, id, Reply::new(move |a| sender.send(a).unwrap()));
        receiver.recv().unwrap().map(|_| ()).map_err(failure)
    }

    pub fn assets(&self, index: &str) -> u64 {
        value(self.engine.index(index)).unwrap()["assets"].as_u64().unwrap()
    }
}

/// Sends a request and waits for its result.
pub fn wait(send: impl FnOnce(Reply)) -> Result<Value, (u16, Value)> {
    let (sender, receiver) = channel();
    send(Reply::new(move |result| sender.send(result).unwrap()));
    value(receiver.recv().unwrap())
}

/// Sends a search and waits for its result.
pub fn wait_found(send: impl FnOnce(Reply<Found>)) -> Result<Value, (u16, Value)> {
    let (sender, receiver) = channel();
    send(Reply::new(move |result| sender.send(result).unwrap()));
    value(receiver.recv().unwrap().map(|found| found.json))
}

pub fn value(result: Response) -> Result<Value, (u16, Value)> {
    result.map(|json| serde_json::from_slice(&json).unwrap()).map_err(failure)
}

/// The status in the recorded exchanges.
fn status(kind: FailureKind) -> u16 {
    match kind {
        FailureKind::Rejected => 400,
        FailureKind::NotFound => 404,
        FailureKind::Conflict => 409,
        FailureKind::Invalid => 422,
        FailureKind::Broken => 500,
        FailureKind::Busy | FailureKind::Loading => 503,
        FailureKind::Damaged | FailureKind::Unreadable => 503,
        FailureKind::Full => 507,
        FailureKind::ReadOnly => 403,
    }
}

fn failure(failure: iscc_search::Failure) -> (u16, Value) {
    (status(failure.kind), serde_json::from_slice(&failure.detail).unwrap())
}

/// Adds the recorded assets to index `ds`, in batches of 100.
pub fn with_recorded_assets(scheme: &str, options: Options) -> Service {
    let service = Service::new(scheme, options);
    service.create("ds");
    for batch in rows("assets.jsonl").chunks(100) {
        service.add("ds", &Value::from(batch.to_vec())).unwrap();
    }
    service
}

/// Runs a recorded query.
pub fn run_query(service: &Service, query: &Value) -> Result<Value, (u16, Value)> {
    let limit = query["limit"].as_i64().unwrap_or(100);
    if query["method"] == "GET" {
        return service.search_code("ds", query["body"]["iscc_code"].as_str().unwrap(), limit);
    }
    service.search("ds", &query["body"], limit)
}

/// A deterministic generator of test data.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.next() as u8).collect()
    }

    /// The bytes with at most `flips` bits flipped.
    pub fn flipped(&mut self, bytes: &[u8], flips: u64) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        for _ in 0..flips {
            let bit = self.below(bytes.len() as u64 * 8) as usize;
            bytes[bit / 8] ^= 0x80 >> (bit % 8);
        }
        bytes
    }
}

/// Text of an ISCC-ID of realm 0.
pub fn id(number: u64) -> String {
    iscc_codec::IsccId::from_body(0, (1 << 40) + number).unwrap().text().to_string()
}

/// Text of a unit of version 0.
pub fn unit(kind: iscc_codec::Kind, body: &[u8]) -> String {
    iscc_codec::Unit::new(kind, body, body.len() * 8).unwrap().text().to_string()
}
