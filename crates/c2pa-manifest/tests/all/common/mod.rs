//! Fixtures of the repository.
#![allow(dead_code, reason = "no test file uses all of it")]

use std::path::PathBuf;

use c2pa_manifest::{TrustList, Validator};
use serde_json::Value;

pub fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../test/fixtures/c2pa").join(name)
}

pub fn text(name: &str) -> String {
    std::fs::read_to_string(path(name)).expect(name)
}

pub fn json(name: &str) -> Value {
    serde_json::from_str(&text(name)).expect(name)
}

/// A validator that trusts the fixtures' anchors.
pub fn validator() -> Validator {
    Validator::new(&TrustList::anchors(&text("certs/trust-anchors.pem")))
        .expect("the anchors are valid")
}
