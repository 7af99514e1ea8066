//! Meta-Codes.

use iscc_units::meta::{self, Meta, MetaCode, MetaError, Metadata};
use iscc_units::simd;
use serde_json::Value;

use super::fixture::{assert_code, cases, conformance, read, text as string};

/// First byte of a Meta-Code's header.
const HEADER: u8 = 0x00;

#[test]
fn meta_json() {
    let file = read("meta.json");
    for case in cases(&file, "cases") {
        let made = of(&case["name"], &case["description"], &case["meta"]);
        if let Some(error) = case.get("error") {
            assert_refused(made, string(error), case);
            continue;
        }
        let code = made.unwrap_or_else(|error| panic!("{error}: {case}"));
        for bits in ["64", "128", "256"] {
            assert_code(&case[bits], HEADER, &code.digest, &case.to_string());
        }
        assert_eq!(code.name, string(&case["out_name"]), "{case}");
        assert_eq!(code.description.as_deref(), case["out_description"].as_str(), "{case}");
        assert_eq!(code.meta.as_deref(), case["out_meta"].as_str(), "{case}");
        assert_eq!(code.metahash, string(&case["metahash"]), "{case}");
    }
}

#[test]
fn published() {
    let file = read("conformance_iscc_core_1_5_0.json");
    for (inputs, outputs) in conformance(&file, "gen_meta_code_v0") {
        let code = of(&inputs[0], &inputs[1], &inputs[2]).expect("a code");
        assert_code(&outputs["iscc"], HEADER, &code.digest, "published");
        assert_eq!(code.name, string(&outputs["name"]));
        assert_eq!(code.description.as_deref(), outputs["description"].as_str());
        assert_eq!(code.meta.as_deref(), outputs["meta"].as_str());
        assert_eq!(code.metahash, string(&outputs["metahash"]));
    }
}

/// The code of a recorded input. Asserts that it is equal at every level.
fn of(name: &Value, description: &Value, meta: &Value) -> Result<MetaCode, MetaError> {
    let json = meta.to_string();
    let meta = match meta {
        Value::Null => Meta::None,
        Value::String(url) => Meta::DataUrl(url),
        _ => Meta::Json(&json),
    };
    let description = description.as_str().unwrap_or_default();
    let metadata = Metadata { name: string(name), description, meta };
    let code = meta::code(metadata);
    for level in simd::levels() {
        assert_eq!(meta::code_at(level, metadata), code, "{level:?}");
    }
    code
}

fn assert_refused(made: Result<MetaCode, MetaError>, recorded: &str, case: &Value) {
    match made {
        Err(MetaError::NameEmpty) => assert!(recorded.contains("non-empty name"), "{case}"),
        Err(MetaError::NotDataUrl | MetaError::NotBase64) => {
            let of_the_data_url = ["bytes-like object", "'NoneType' object"];
            assert!(of_the_data_url.iter().any(|part| recorded.contains(part)), "{case}");
        }
        other => panic!("{other:?} but {recorded} is recorded: {case}"),
    }
}
