//! Reading the recorded vectors.

use serde_json::Value;

/// A file of `test/fixtures/codes`.
pub fn read(name: &str) -> Value {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../test/fixtures/codes/");
    let text = std::fs::read_to_string(format!("{folder}{name}")).expect(name);
    serde_json::from_str(&text).expect(name)
}

/// The array under `key`, not empty.
pub fn cases<'a>(file: &'a Value, key: &str) -> &'a [Value] {
    let cases = file[key].as_array().expect(key);
    assert!(!cases.is_empty(), "{key} has no case");
    cases
}

pub fn number(value: &Value) -> usize {
    value.as_u64().expect("a number") as usize
}

pub fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn unhex(text: &str) -> Vec<u8> {
    let byte = |i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).expect("hex digits");
    (0..text.len() / 2).map(byte).collect()
}

/// The bytes a case names by seed and size.
pub fn lcg_bytes(case: &Value) -> Vec<u8> {
    let mut x = number(&case["lcg_seed"]) as u32;
    let mut next = || {
        x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (x >> 24) as u8
    };
    (0..number(&case["size"])).map(|_| next()).collect()
}
