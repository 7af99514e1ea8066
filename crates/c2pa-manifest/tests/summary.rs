//! Summaries of manifest stores.

mod common;

use std::io::Cursor;

use c2pa::jumbf_io::save_jumbf_to_memory;
use c2pa_manifest::{KeyKind, SignRequest, Summary, TestChain, Validator, sign};

const JPEG: &[u8] = include_bytes!("../../../test/fixtures/codes/files/photo-q85_a.jpg");

fn store() -> Vec<u8> {
    let chain = TestChain::generate(KeyKind::Es256, "isccd demo").unwrap();
    let request = SignRequest {
        chain: &chain.chain,
        key: &chain.key,
        kind: KeyKind::Es256,
        title: "photo.jpg",
        format: "image/jpeg",
        asset_hash: &[7; 32],
        bindings: &[],
        manifest_id: Some("urn:c2pa:8f4a8f3c-3b5c-4c8e-9a39-6d5f0e0e1a11"),
        thumbnail: Some(JPEG),
        ocsp_response: None,
    };
    sign(&request).unwrap()
}

fn alone(bytes: &[u8]) -> Option<Summary> {
    Validator::new("").unwrap().describe(bytes, None::<(&str, Cursor<Vec<u8>>)>, None)
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
    let summary = Validator::new("").unwrap().describe(&store, asset, None).unwrap();
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
