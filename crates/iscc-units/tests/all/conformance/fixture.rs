//! Reads recorded vectors.

use serde_json::Value;

/// A file of `test/fixtures/codes`.
pub fn read(name: &str) -> Value {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../test/fixtures/codes/");
    let text = std::fs::read_to_string(format!("{folder}{name}")).expect(name);
    serde_json::from_str(&text).expect(name)
}

/// A file of `test/fixtures/codes/files`.
pub fn file(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../test/fixtures/codes/files/");
    std::fs::read(format!("{folder}{name}")).expect(name)
}

/// The array under `key`, which must not be empty.
pub fn cases<'a>(file: &'a Value, key: &str) -> &'a [Value] {
    let cases = file[key].as_array().expect(key);
    assert!(!cases.is_empty(), "{key} has no cases");
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

/// The bytes of a case, generated from its seed and size.
pub fn lcg_bytes(case: &Value) -> Vec<u8> {
    let mut x = number(&case["lcg_seed"]) as u32;
    let mut next = || {
        x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (x >> 24) as u8
    };
    (0..number(&case["size"])).map(|_| next()).collect()
}

/// Header and body of a unit or code, from its text.
pub fn code_bytes(code: &str) -> Vec<u8> {
    const ALPHABET: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    unpack(code.trim_start_matches("ISCC:"), ALPHABET, 5)
}

/// Asserts that the recorded code has this header byte and a prefix of the digest.
pub fn assert_code(recorded: &Value, header: u8, digest: &[u8; 32], what: &str) {
    let bytes = code_bytes(text(recorded));
    assert_eq!(bytes[0], header, "{what}: {recorded}");
    assert!(bytes.len() > 2 && bytes.len() <= 34, "{what}: {recorded}");
    assert_eq!(hex(&bytes[2..]), hex(&digest[..bytes.len() - 2]), "{what}: {recorded}");
}

/// The cases of a function in the published conformance vectors: inputs and outputs.
pub fn conformance<'a>(file: &'a Value, function: &str) -> Vec<(&'a [Value], &'a Value)> {
    let cases = file[function].as_object().expect(function);
    assert!(!cases.is_empty(), "{function} has no cases");
    cases.values().map(|case| (cases_of(&case["inputs"]), &case["outputs"])).collect()
}

fn cases_of(value: &Value) -> &[Value] {
    value.as_array().expect("an array")
}

/// The bytes of a `stream:` input of the published vectors.
pub fn stream(value: &Value) -> Vec<u8> {
    unhex(text(value).strip_prefix("stream:").expect("a stream"))
}

/// Base64 with padding.
pub fn unbase64(text: &str) -> Vec<u8> {
    const ALPHABET: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unpack(text.trim_end_matches('='), ALPHABET, 6)
}

fn unpack(text: &str, alphabet: &str, bits_per_letter: u32) -> Vec<u8> {
    let (mut bytes, mut bits, mut have) = (vec![], 0u32, 0);
    for letter in text.chars() {
        bits = bits << bits_per_letter | alphabet.find(letter).expect("a letter") as u32;
        have += bits_per_letter;
        if have >= 8 {
            have -= 8;
            bytes.push((bits >> have) as u8);
            bits &= (1 << have) - 1;
        }
    }
    bytes
}
