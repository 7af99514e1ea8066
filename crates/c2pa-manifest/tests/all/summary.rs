//! Summaries of manifest stores.

use crate::common;
use std::io::Cursor;

use c2pa::jumbf_io::save_jumbf_to_memory;
use c2pa_manifest::{KeyKind, SignRequest, Summary, TestChain, Validator, sign};

const JPEG: &[u8] = include_bytes!("../../../../test/fixtures/codes/files/photo-q85_a.jpg");

fn store() -> Vec<u8> {
    signed("photo.jpg", JPEG)
}

fn signed(title: &str, thumbnail: &[u8]) -> Vec<u8> {
    let chain = TestChain::generate(KeyKind::Es256, "isccd demo").unwrap();
    let request = SignRequest {
        chain: &chain.chain,
        key: &chain.key,
        kind: KeyKind::Es256,
        title,
        format: "image/jpeg",
        asset_hash: &[7; 32],
        bindings: &[],
        manifest_id: Some("urn:c2pa:8f4a8f3c-3b5c-4c8e-9a39-6d5f0e0e1a11"),
        thumbnail: Some(thumbnail),
        ocsp_response: None,
    };
    sign(&request).unwrap()
}

fn alone(bytes: &[u8]) -> Option<Summary> {
    by(&Validator::new(&[]).unwrap(), bytes)
}

fn by(validator: &Validator, bytes: &[u8]) -> Option<Summary> {
    validator.describe(bytes, None::<(&str, Cursor<Vec<u8>>)>, None)
}

/// The summary of a fixture, by a validator that trusts the fixtures' anchors.
fn recorded(file: &str) -> Summary {
    by(&common::validator(), &std::fs::read(common::path(file)).unwrap()).unwrap()
}

#[test]
fn a_store_alone_is_summarised() {
    let summary = alone(&store()).unwrap();
    assert_eq!(summary.manifest_id, "urn:c2pa:8f4a8f3c-3b5c-4c8e-9a39-6d5f0e0e1a11");
    assert_eq!((summary.state, summary.failures), ("valid", vec![]));
    assert_eq!(summary.title.as_deref(), Some("photo.jpg"));
    // Claims of version 2 have no format.
    assert_eq!(summary.format, None);
    assert!(summary.signer.unwrap().contains("isccd demo"));
    assert!(summary.claim_generator.unwrap().starts_with("isccd "));
    assert_eq!(summary.actions[0].action, "c2pa.created");
    assert!(summary.thumbnail.unwrap().starts_with("data:image/jpeg;base64,"));
}

#[test]
fn in_an_asset_the_hash_counts() {
    let store = store();
    let signed = save_jumbf_to_memory("image/jpeg", JPEG, &store).unwrap();
    let asset = Some(("image/jpeg", Cursor::new(signed)));
    let summary = Validator::new(&[]).unwrap().describe(&store, asset, None).unwrap();
    assert_eq!(summary.state, "invalid");
    assert_eq!(summary.failures, ["assertion.dataHash.mismatch"]);
}

#[test]
fn a_broken_signature_is_reported_and_other_bytes_have_no_summary() {
    let mut store = store();
    let title = store.windows(9).position(|window| window == b"photo.jpg").unwrap();
    store[title] = b'q';
    assert_eq!(alone(&store).unwrap().state, "invalid");
    assert_eq!(alone(b"words"), None);
}

#[test]
fn long_texts_are_cut_and_large_thumbnails_left_out() {
    let limit = 512 << 10;
    let summary = alone(&signed(&"\u{e9}".repeat(501), &vec![0; limit])).unwrap();
    assert_eq!(summary.title.unwrap(), "\u{e9}".repeat(500));
    assert!(summary.thumbnail.unwrap().len() > limit);
    assert_eq!(alone(&signed("", &vec![0; limit + 1])).unwrap().thumbnail, None);
}

#[test]
fn a_trusted_signer_is_named() {
    let summary = recorded("manifests/ok-es256-iscc4.c2pa");
    assert_eq!((summary.state, summary.failures), ("trusted", vec![]));
    assert_eq!(summary.signer.as_deref(), Some("Trusted ES256 signer"));
    assert_eq!(summary.issuer.as_deref(), Some("ISCC Public Test Signer"));
    assert_eq!(summary.claim_generator.as_deref(), Some("iscc study fixture maker 1.0"));
    assert_eq!((summary.time, summary.thumbnail), (None, None));
    let kind = summary.actions[0].digital_source_type.as_deref();
    assert_eq!(kind, Some("http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture"));
    let stamped = recorded("manifests/third-party-c2pa-rs-jpeg.c2pa");
    assert_eq!(stamped.time.as_deref(), Some("2024-08-06T21:53:37+00:00"));
}

#[test]
fn ingredients_have_a_relationship_and_a_manifest() {
    let summary = recorded("manifests/crate-png-edit.c2pa");
    assert_eq!(summary.actions[0].action, "c2pa.opened");
    let [ingredient] = &summary.ingredients[..] else { panic!("{:?}", summary.ingredients) };
    assert_eq!(ingredient.title.as_deref(), Some("parent"));
    assert_eq!(ingredient.format.as_deref(), Some("image/png"));
    assert_eq!(ingredient.relationship.as_deref(), Some("parentOf"));
    let id = ingredient.manifest_id.as_deref().unwrap();
    assert!(id.starts_with("urn:c2pa:") && id != summary.manifest_id, "{id}");
}

#[test]
fn uses_for_training_are_listed() {
    let uses = |file: &str| recorded(&format!("rights/{file}.c2pa")).training;
    let denied = uses("301-denies-trusted");
    assert_eq!(denied["cawg.data_mining"], "notAllowed");
    assert_eq!(denied["cawg.ai_inference"], "constrained");
    let allowed = uses("302-allows-untrusted");
    assert_eq!(allowed.len(), 4);
    assert!(allowed.iter().all(|(name, value)| name.starts_with("c2pa.") && value == "allowed"));
    assert!(recorded("manifests/ok-es256-iscc4.c2pa").training.is_empty());
}

#[test]
fn json_leaves_out_what_is_absent() {
    let json = recorded("manifests/ok-es256-iscc4.c2pa").json();
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(
        value["manifestId"].is_string() && value["actions"][0]["digitalSourceType"].is_string()
    );
    assert!(value.get("time").is_none() && value.get("training").is_none());
}
