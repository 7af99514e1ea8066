//! The published conformance vectors of iscc-core, as far as they concern the codec.

use iscc_codec::{IsccCode, base::base16, seq};
use serde_json::Value;

use super::{fixture, flag, text, texts};

fn tests(function: &str) -> Vec<(String, Value)> {
    let file = fixture("conformance_iscc_core_1_5_0.json");
    let tests = file[function].as_object().expect("a function's tests");
    assert!(!tests.is_empty());
    tests.iter().map(|(name, test)| (name.clone(), test.clone())).collect()
}

/// Bytes in the vectors are `bytes:` and hexadecimal.
fn bytes(value: &Value) -> Vec<u8> {
    let digits = text(value).strip_prefix("bytes:").expect("bytes");
    base16::decode(digits.as_bytes()).expect("hexadecimal")
}

#[test]
fn gen_iscc_code_v0() {
    for (name, test) in tests("gen_iscc_code_v0") {
        let wide = test["inputs"].get(1).is_some_and(flag);
        let code = IsccCode::compose_text(&texts(&test["inputs"][0]), wide).expect("a code");
        assert_eq!(code.to_string(), text(&test["outputs"]["iscc"]), "{name}");
    }
}

#[test]
fn encode_seq() {
    for (name, test) in tests("encode_seq") {
        let encoded = seq::encode(&texts(&test["inputs"][0]));
        assert_eq!(encoded, Ok(bytes(&test["outputs"])), "{name}");
    }
}

#[test]
fn decode_seq() {
    for (name, test) in tests("decode_seq") {
        let bytes = bytes(&test["inputs"][0]);
        let decoded = seq::decode(&bytes).expect("a sequence");
        let decoded: Vec<String> = decoded.iter().map(ToString::to_string).collect();
        assert_eq!(decoded, texts(&test["outputs"]), "{name}");
    }
}
