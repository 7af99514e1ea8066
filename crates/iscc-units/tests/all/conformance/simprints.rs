//! Content text simprints and feature sets.

use iscc_units::simprint::{self, Unit};
use iscc_units::{Compat, simd, text};
use serde_json::Value;

use super::fixture::{cases, hex, number, read, text as string};

#[test]
fn simprints_json() {
    let file = read("simprints.json");
    for case in cases(&file, "cases") {
        let cleaned = text::clean(string(&case["text"]));
        let sha256 = string(&case["clean_sha256"]);
        assert_eq!(cleaned.chars().count(), number(&case["clean_chars"]), "{sha256}");
        assert_eq!(cleaned.len(), number(&case["clean_utf8_bytes"]), "{sha256}");

        let recorded = strings(&case["CONTENT_TEXT_V0"]);
        for level in simd::levels() {
            let simprints = simprint::simprints_at(level, &cleaned);
            assert_eq!(encoded(&simprints), recorded, "{level:?} {sha256}");
        }

        let recorded = &case["features"];
        for (unit, name) in [(Unit::CodePoints, "char"), (Unit::Utf8Bytes, "byte")] {
            let all = simprint::features(&cleaned, unit, Compat::Sdk0_9_5);
            assert_eq!(encoded(&all.simprints), strings(&recorded["simprints"]), "{sha256}");
            assert_eq!(all.offsets, numbers(&recorded[format!("{name}_offsets")]), "{sha256}");
            assert_eq!(all.sizes, numbers(&recorded[format!("{name}_sizes")]), "{sha256}");

            let newer = simprint::features(&cleaned, unit, Compat::Sdk0_9_7);
            let kept = number(&case["sdk_0_9_7_kept_chunks"]);
            assert_eq!(newer.simprints, all.simprints[..kept], "{sha256}");
            assert_eq!(newer.offsets, all.offsets[..kept], "{sha256}");
            assert_eq!(newer.sizes, all.sizes[..kept], "{sha256}");
        }
    }
}

/// One text has a different last chunk in iscc-lib's variant of `text_clean`; ours is the
/// standard's.
#[test]
fn some_case_distinguishes_the_two_variants_of_clean() {
    let file = read("simprints.json");
    let different = cases(&file, "cases").iter().any(|case| {
        let variant = &case["iscc_lib_variant"];
        variant.is_object() && variant["simprints"] != case["CONTENT_TEXT_V0"]
    });
    assert!(different);
}

fn encoded(simprints: &[simprint::Simprint]) -> Vec<String> {
    for simprint in simprints {
        assert_eq!(hex(simprint).len(), 64);
    }
    simprints.iter().map(simprint::encode).collect()
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().expect("an array").iter().map(|value| string(value).to_owned()).collect()
}

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().expect("an array").iter().map(|value| number(value) as u64).collect()
}
