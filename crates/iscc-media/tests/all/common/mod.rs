//! The reference files and the reference's recorded results.

use std::path::PathBuf;

use base64::Engine;
use serde_json::Value;

/// Folder of the fixtures for codes.
pub fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../test/fixtures/codes"))
}

/// A JSON fixture.
pub fn json(name: &str) -> Value {
    let text = std::fs::read_to_string(folder().join(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// A file and its record.
pub struct Case {
    pub name: String,
    pub bytes: Vec<u8>,
    pub record: Value,
}

impl Case {
    /// A text member of the reference's result, e.g. `mediatype`.
    pub fn result(&self, key: &str) -> Option<&str> {
        self.record["result"][key].as_str()
    }

    /// The 32 x 32 gray levels of an image.
    #[allow(dead_code, reason = "not every test reads images")]
    pub fn pixels(&self) -> Option<Vec<u8>> {
        let text = self.record["pixels_1024_b64"].as_str()?;
        Some(base64::prelude::BASE64_STANDARD.decode(text).unwrap())
    }
}

/// All reference files.
pub fn cases() -> Vec<Case> {
    let recorded = json("files_sdk_0_9_7.json");
    let records = recorded["files"].as_array().unwrap();
    assert_eq!(records.len(), 105);
    let case = |record: &Value| {
        let name = record["file"].as_str().unwrap().to_owned();
        let bytes = std::fs::read(folder().join("files").join(&name)).unwrap();
        Case { name, bytes, record: record.clone() }
    };
    records.iter().map(case).collect()
}
