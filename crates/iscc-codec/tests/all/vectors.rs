//! Recorded results of the reference, one module per part of the codec.

mod composites;
mod conformance;
mod explain;
mod featureless;
mod headers;
mod ids;
mod known_answers;
mod seq;
mod units;

use std::sync::LazyLock;

use serde_json::Value;

/// `codec.json`, read once.
static CODEC: LazyLock<Value> = LazyLock::new(|| fixture("codec.json"));

/// A file of recorded results.
fn fixture(name: &str) -> Value {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../test/fixtures/codes/");
    let text = std::fs::read_to_string(format!("{folder}{name}")).expect("the fixture exists");
    serde_json::from_str(&text).expect("the fixture is JSON")
}

/// The cases of one part of `codec.json`, at least one.
fn cases(part: &str) -> &'static [Value] {
    let cases = CODEC[part].as_array().map(Vec::as_slice).unwrap_or_default();
    assert!(!cases.is_empty(), "{part} has no cases");
    cases
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is not a string"))
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is not an unsigned number"))
}

fn flag(value: &Value) -> bool {
    value.as_bool().unwrap_or_else(|| panic!("{value} is not a boolean"))
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().unwrap_or_else(|| panic!("{value} is not a list")).iter().map(text).collect()
}

fn hex(value: &Value) -> Vec<u8> {
    iscc_codec::base::base16::decode(text(value).as_bytes()).expect("hexadecimal")
}
