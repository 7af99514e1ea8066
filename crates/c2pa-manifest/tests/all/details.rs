//! The detailed JSON of stores.

use crate::common;
use std::time::{Duration, Instant};

use c2pa_manifest::Validator;
use serde_json::Value;

fn store(name: &str) -> Vec<u8> {
    std::fs::read(common::path(&format!("manifests/{name}.c2pa"))).expect(name)
}

fn details(validator: &Validator, name: &str) -> Value {
    let text = validator.details(&store(name), None).expect(name);
    assert!(!text.contains('\n'), "{name}: more than one line");
    serde_json::from_str(&text).unwrap()
}

fn failures(details: &Value) -> Vec<&str> {
    let failures = &details["validation_results"]["activeManifest"]["failure"];
    failures.as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap()).collect()
}

#[test]
fn the_state_is_that_without_the_asset() {
    let trusted = details(&common::validator(), "ok-es256-iscc4");
    assert_eq!(trusted["validation_state"], "Trusted");
    // That the hash of the absent asset differs is left out.
    assert_eq!(failures(&trusted), [] as [&str; 0]);
    let untrusted = details(&Validator::new(&[]).unwrap(), "ok-es256-iscc4");
    assert_eq!(untrusted["validation_state"], "Valid");
    assert_eq!(failures(&untrusted), ["signingCredential.untrusted"]);
    let invalid = details(&common::validator(), "bad-signature");
    assert_eq!(invalid["validation_state"], "Invalid");
    assert!(failures(&invalid).contains(&"claimSignature.mismatch"), "{invalid}");
}

#[test]
fn manifests_and_assertions_are_sorted() {
    // Maps of the reader start with a random order.
    for name in ["ok-nested-3", "ok-extras"] {
        let details = details(&common::validator(), name);
        let manifests = details["manifests"].as_object().unwrap();
        assert!(manifests.contains_key(details["active_manifest"].as_str().unwrap()));
        assert!(manifests.keys().is_sorted(), "{name}: {:?}", manifests.keys());
        for manifest in manifests.values() {
            let assertions = manifest["assertion_store"].as_object().unwrap();
            assert!(
                assertions.len() > 1 && assertions.keys().is_sorted(),
                "{name}: {assertions:?}"
            );
        }
        assert_eq!(manifests.len() > 2, name == "ok-nested-3");
    }
}

#[test]
fn other_bytes_have_no_details_and_a_deadline_holds() {
    let validator = common::validator();
    assert_eq!(validator.details(b"words", None), None);
    let bytes = store("ok-nested-3");
    assert_eq!(validator.details(&bytes, Some(Instant::now())), None);
    assert!(validator.details(&bytes, Some(Instant::now() + Duration::from_secs(60))).is_some());
}
