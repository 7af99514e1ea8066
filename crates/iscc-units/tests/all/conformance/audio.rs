//! Audio-Codes.

use super::fixture::{assert_code, cases, conformance, hex, read, text};
use iscc_units::{audio, simd};
use serde_json::Value;

const HEADER: u8 = 0x22;

#[test]
fn audio_json() {
    for case in cases(&read("audio.json"), "cases") {
        let fingerprint = integers(&case["cv"]);
        for level in simd::levels() {
            let digest = audio::digest_at(level, &fingerprint);
            assert_eq!(hex(&digest), text(&case["digest_hex"]), "{level:?}");
            for bits in ["32", "64", "96", "128", "160", "192", "224", "256"] {
                assert_code(&case[bits], HEADER, &digest, bits);
            }
        }
    }
}

#[test]
fn published() {
    for (inputs, outputs) in
        conformance(&read("conformance_iscc_core_1_5_0.json"), "gen_audio_code_v0")
    {
        for level in simd::levels() {
            let digest = audio::digest_at(level, &integers(&inputs[0]));
            assert_code(&outputs["iscc"], HEADER, &digest, "published");
        }
    }
}

fn integers(value: &Value) -> Vec<i32> {
    let integer = |x: &Value| i32::try_from(x.as_i64().expect("an integer")).expect("32 bits");
    value.as_array().expect("an array").iter().map(integer).collect()
}
