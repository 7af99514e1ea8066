//! Data-Codes, Instance-Codes, and both in one pass.

use super::fixture::{assert_code, cases, code_bytes, conformance, hex, lcg_bytes, number, read};
use super::fixture::{stream, text};
use iscc_units::instance::multihash;
use iscc_units::{data, instance, simd, sum};
use serde_json::Value;

const DATA: u8 = 0x30;
const INSTANCE: u8 = 0x40;

#[test]
fn data_json() {
    for case in cases(&read("data.json"), "cases") {
        let (bytes, label) = (bytes(case), text(&case["label"]));
        for level in simd::levels() {
            let digest = data::digest_at(level, &bytes);
            let sum = sum::digest_at(level, &bytes);
            assert_eq!(sum.data, digest, "{label}");
            assert_eq!(sum.instance, instance::digest(&bytes), "{label}");
            assert_eq!(sum.size as usize, number(&case["filesize"]), "{label}");
            assert_eq!(multihash(&sum.instance), text(&case["datahash"]), "{label}");
            for bits in [64, 128, 256] {
                assert_code(&case[format!("data_{bits}")], DATA, &digest, label);
                assert_code(&case[format!("instance_{bits}")], INSTANCE, &sum.instance, label);
            }
            assert_sum(&case["iscc_sum"], &sum, 8);
            assert_sum(&case["iscc_sum_wide"], &sum, 16);
        }
    }
}

#[test]
fn published() {
    let file = read("conformance_iscc_core_1_5_0.json");
    for (inputs, outputs) in conformance(&file, "gen_data_code_v0") {
        for level in simd::levels() {
            let digest = data::digest_at(level, &stream(&inputs[0]));
            assert_code(&outputs["iscc"], DATA, &digest, "published");
        }
    }
    for (inputs, outputs) in conformance(&file, "gen_instance_code_v0") {
        let bytes = stream(&inputs[0]);
        let digest = instance::digest(&bytes);
        assert_code(&outputs["iscc"], INSTANCE, &digest, "published");
        assert_eq!(multihash(&digest), text(&outputs["datahash"]));
        assert_eq!(bytes.len(), number(&outputs["filesize"]));
    }
}

/// An ISCC-SUM consists of the first `part` bytes of both digests.
fn assert_sum(recorded: &Value, sum: &sum::Sum, part: usize) {
    let body = code_bytes(text(recorded)).split_off(2);
    assert_eq!(hex(&body), hex(&sum.data[..part]) + &hex(&sum.instance[..part]));
}

fn bytes(case: &Value) -> Vec<u8> {
    match (case.get("fill"), case.get("data_b64")) {
        (Some(fill), _) => vec![number(fill) as u8; number(&case["size"])],
        (_, Some(base64)) => super::fixture::unbase64(text(base64)),
        _ => lcg_bytes(case),
    }
}
