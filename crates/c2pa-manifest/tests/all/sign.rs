//! Signed manifests are valid.

use crate::common;
use c2pa_manifest::{
    Accepted, Binding, IndexedBinding, KeyKind, Outcome, SignRequest, TestChain, TrustList,
    Validator, sign,
};

const ISCC: &str = "io.iscc.v0";

fn bindings() -> Vec<Binding> {
    let units: Vec<u8> = [[0x00, 0x07], [0x21, 0x07], [0x30, 0x07], [0x40, 0x07]]
        .iter()
        .flat_map(|header| [&header[..], &[0x5a; 32]].concat())
        .collect();
    vec![Binding::new(ISCC, units), Binding::new("com.adobe.trustmark.P", b"mark".to_vec())]
}

fn signed(chain: &TestChain, kind: KeyKind, manifest_id: Option<&str>) -> Vec<u8> {
    let bindings = bindings();
    let request = SignRequest {
        chain: &chain.chain,
        key: &chain.key,
        kind,
        title: "Käse.png",
        format: "image/png",
        asset_hash: &[7; 32],
        bindings: &bindings,
        manifest_id,
        thumbnail: None,
        ocsp_response: None,
    };
    sign(&request).expect("signs")
}

fn accepted(validator: &Validator, bytes: &[u8]) -> Accepted {
    match validator.validate(bytes, None) {
        Outcome::Accepted(accepted) => accepted,
        refused => panic!("{refused:?}"),
    }
}

#[test]
fn a_signed_manifest_is_valid_and_trusted() {
    for kind in [KeyKind::Es256, KeyKind::Ed25519] {
        let chain = TestChain::generate(kind, "isccd demo").unwrap();
        let bytes = signed(&chain, kind, None);
        let by_root = accepted(&Validator::new(&TrustList::anchors(&chain.root)).unwrap(), &bytes);
        assert!(by_root.trust_list.is_some(), "{kind:?}");
        assert!(by_root.manifest_id.starts_with("urn:c2pa:"), "{}", by_root.manifest_id);
        let indexed = by_root.bindings.into_iter();
        let indexed: Vec<_> =
            indexed.map(|IndexedBinding { alg, value, .. }| Binding { alg, value }).collect();
        assert_eq!(indexed, bindings());
        assert_eq!(by_root.skipped, []);
        let by_others = accepted(&common::validator(), &bytes);
        assert!(by_others.trust_list.is_none(), "{kind:?}");
    }
}

#[test]
fn the_label_can_be_chosen() {
    let chain = TestChain::generate(KeyKind::Es256, "isccd demo").unwrap();
    let id = "urn:c2pa:3fad1ead-8ed5-44d0-873b-ea5f58adea82";
    let bytes = signed(&chain, KeyKind::Es256, Some(id));
    assert_eq!(accepted(&common::validator(), &bytes).manifest_id, id);
    let other = signed(&chain, KeyKind::Es256, Some(id));
    assert_ne!(bytes, other, "two manifests of one label differ");
}

#[test]
fn a_flipped_bit_is_detected() {
    let chain = TestChain::generate(KeyKind::Ed25519, "isccd demo").unwrap();
    let mut bytes = signed(&chain, KeyKind::Ed25519, None);
    let value = bytes.windows(4).position(|window| window == b"mark").unwrap();
    bytes[value] ^= 1;
    let Outcome::Refused(refusal) = common::validator().validate(&bytes, None) else {
        panic!("accepted")
    };
    assert_eq!(refusal.code, "assertion.hashedURI.mismatch");
}

#[test]
fn invalid_keys_are_errors() {
    let chain = TestChain::generate(KeyKind::Es256, "isccd demo").unwrap();
    let bindings = bindings();
    let request = SignRequest {
        chain: &chain.chain,
        key: "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n",
        kind: KeyKind::Es256,
        title: "",
        format: "",
        asset_hash: &[0; 32],
        bindings: &bindings,
        manifest_id: None,
        thumbnail: None,
        ocsp_response: None,
    };
    assert!(sign(&request).is_err());
}
