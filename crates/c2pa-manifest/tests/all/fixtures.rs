//! Every recorded sidecar gets its recorded result.

use crate::common::{json, path, text, validator};
use c2pa_manifest::{
    Accepted, Outcome, Refusal, TrustList, Validator, active_label, is_manifest_id,
};
use data_encoding::BASE64;
use serde_json::{Value, json};

#[test]
fn sidecars_validate_as_recorded() {
    let validator = validator();
    let index = json("manifests/index.json");
    let items = index["items"].as_array().unwrap();
    assert!(items.len() > 90);
    for item in items {
        let name = item["name"].as_str().unwrap();
        let bytes = std::fs::read(path(item["file"].as_str().unwrap())).unwrap();
        let expect = &item["expect"];
        let outcome = validator.validate(&bytes, None);
        match outcome {
            Outcome::Accepted(accepted) => check_accepted(name, expect, &accepted),
            Outcome::Refused(refusal) => check_refused(name, expect, &refusal),
            Outcome::Overdue => panic!("{name}: there was no deadline"),
        }
    }
}

fn check_accepted(name: &str, expect: &Value, accepted: &Accepted) {
    assert!(allows(expect, 200), "{name}: accepted");
    let same = |member: &str, value: Value| {
        if !expect[member].is_null() {
            assert_eq!(value, expect[member], "{name}: {member}");
        }
    };
    same("manifestId", json!(accepted.manifest_id));
    same("trusted", json!(accepted.trust_list.is_some()));
    same("indexed", Value::Array(accepted.bindings.iter().map(indexed).collect()));
    let Some(skipped) = expect["skipped"].as_array() else { return };
    assert_eq!(accepted.skipped.len(), skipped.len().min(64), "{name}: skipped");
    for (ours, theirs) in accepted.skipped.iter().zip(skipped) {
        assert_eq!(
            json!([ours.alg, ours.reason]),
            json!([theirs["alg"], theirs["reason"]]),
            "{name}"
        );
        if let Some(value) = theirs["value"].as_str() {
            assert_eq!(BASE64.encode(&ours.value), value, "{name}");
        }
    }
}

fn indexed(binding: &c2pa_manifest::IndexedBinding) -> Value {
    let mut entry = json!({ "alg": binding.alg, "value": BASE64.encode(&binding.value) });
    let searchable = binding.units.iter().filter(|unit| unit.is_searchable);
    let units: Vec<&str> = searchable.map(|unit| unit.iscc.as_str()).collect();
    if binding.alg == c2pa_manifest::ISCC {
        entry["units"] = json!(units);
    }
    if binding.alternate {
        entry["alternate"] = json!(true);
    }
    entry
}

fn check_refused(name: &str, expect: &Value, refusal: &Refusal) {
    assert!(allows(expect, 400), "{name}: refused, {refusal:?}");
    let codes = expect["acceptableCodes"].as_array().unwrap();
    assert!(codes.contains(&json!(refusal.code)), "{name}: {refusal:?}, not one of {codes:?}");
    assert!(!refusal.text.is_empty(), "{name}: no text");
}

fn allows(expect: &Value, status: u16) -> bool {
    expect["status"] == json!(status)
        || expect["status"].as_array().is_some_and(|both| both.contains(&json!(status)))
}

/// Results of c2pa-python, and of a newer `c2pa` where a note says so.
#[test]
fn odd_manifests_are_judged_as_by_c2pa_clients() {
    let validator = Validator::new(&TrustList::anchors(&text("cases/anchors.pem"))).unwrap();
    let index = json("cases/index.json");
    let items = index["items"].as_array().unwrap();
    assert!(items.len() > 60);
    for item in items {
        let name = item["name"].as_str().unwrap();
        let expect = &item["expect"];
        let bytes = std::fs::read(path(&format!("cases/{name}.c2pa"))).unwrap();
        match validator.validate(&bytes, None) {
            Outcome::Accepted(accepted) => {
                assert_eq!(expect["status"], 200, "{name}: accepted");
                assert_eq!(expect["trusted"], accepted.trust_list.is_some(), "{name}");
                assert!(accepted.ocsp_addresses.is_empty(), "{name}: {accepted:?}");
            }
            Outcome::Refused(refusal) => {
                assert_eq!(expect["status"], 400, "{name}: {refusal:?}");
                // Without codes, c2pa-python raised an exception.
                let codes = expect["codes"].as_array();
                let named = codes.is_none_or(|codes| codes.contains(&json!(refusal.code)));
                assert!(named, "{name}: {refusal:?}");
            }
            Outcome::Overdue => panic!("{name}: there was no deadline"),
        }
    }
}

#[test]
fn no_signer_is_trusted_without_anchors() {
    let strict = c2pa_manifest::Validator::new(&[]).unwrap();
    let bytes = std::fs::read(path("manifests/ok-es256-iscc4.c2pa")).unwrap();
    let Outcome::Accepted(accepted) = strict.validate(&bytes, None) else { panic!("refused") };
    assert!(accepted.trust_list.is_none());
}

#[test]
fn an_accepted_sidecar_has_facts() {
    let bytes = std::fs::read(path("manifests/ok-es256-iscc4.c2pa")).unwrap();
    let Outcome::Accepted(accepted) = validator().validate(&bytes, None) else { panic!("refused") };
    assert_eq!(active_label(&bytes), Some(accepted.manifest_id.clone()));
    assert_eq!(active_label(b"words"), None);
    let summary: Value = serde_json::from_str(&accepted.facts.summary).unwrap();
    assert_eq!(summary["manifestId"], json!(accepted.manifest_id));
    // 2049-12-31.
    assert_eq!(accepted.facts.certificate_expires, Some(2_524_521_600));
}

#[test]
fn faults_of_the_claim_are_named() {
    for (name, code) in
        [("bad-two-claims", "claim.multiple"), ("bad-no-claim-box", "claim.missing")]
    {
        let bytes = std::fs::read(path(&format!("manifests/{name}.c2pa"))).unwrap();
        match validator().validate(&bytes, None) {
            Outcome::Refused(refusal) => assert_eq!(refusal.code, code),
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn ids_are_printable() {
    let vectors = json("vectors/manifest-id.json");
    for case in vectors["cases"].as_array().unwrap() {
        let id = case["id"].as_str().unwrap();
        assert_eq!(is_manifest_id(id), case["valid"].as_bool().unwrap(), "{id:?}");
    }
}
