//! Mixed-Codes from Content-Codes.

use super::fixture::{assert_code, cases, code_bytes, conformance, number, read, text};
use iscc_units::mixed::{self, MixedError};
use iscc_units::simd;
use serde_json::Value;

const HEADER: u8 = 0x24;

#[test]
fn mixed_json() {
    for case in cases(&read("mixed.json"), "cases") {
        let codes = decoded(&case["codes"]);
        let codes: Vec<_> = codes.iter().map(Vec::as_slice).collect();
        let bits = number(&case["bits"]);
        for level in simd::levels() {
            match (mixed::digest_at(level, &codes, bits), case.get("error").map(text)) {
                (Ok(digest), None) => assert_code(&case["iscc"], HEADER, &digest, "mixed"),
                (Err(MixedError::TooFew(_)), Some(error)) => assert!(error.contains("Minimum")),
                (Err(MixedError::NotContent(_)), Some(error)) => {
                    assert!(error.contains("main-type"))
                }
                (Err(MixedError::TooShort { .. }), Some(error)) => assert!(error.contains("short")),
                (made, recorded) => panic!("{made:?} but {recorded:?} is recorded"),
            }
        }
    }
}

#[test]
fn published() {
    for (inputs, outputs) in
        conformance(&read("conformance_iscc_core_1_5_0.json"), "gen_mixed_code_v0")
    {
        let codes = decoded(&inputs[0]);
        let codes: Vec<_> = codes.iter().map(Vec::as_slice).collect();
        let digest = mixed::digest(&codes, number(&inputs[1])).expect("a code");
        assert_code(&outputs["iscc"], HEADER, &digest, "published");
    }
}

fn decoded(codes: &Value) -> Vec<Vec<u8>> {
    codes.as_array().expect("codes").iter().map(|code| code_bytes(text(code))).collect()
}
