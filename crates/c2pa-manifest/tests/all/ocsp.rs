//! Revocation: OCSP responses that a caller has fetched, and stapled ones.

use crate::common;
use c2pa_manifest::{
    Accepted, KeyKind, OcspResponse, Outcome, SignRequest, TrustList, Validator, sign,
};

/// 2125-12-08, the end of most of the recorded responses.
const FAR: i64 = 4_920_825_600;
/// 2028-09-27, the end of the response `short`.
const NEAR: i64 = 1_853_625_600;

fn response(name: &str) -> Vec<u8> {
    let path = common::path(&format!("ocsp/{name}.der"));
    std::fs::read(path).expect(name)
}

fn signed(stapled: Option<&str>) -> Vec<u8> {
    let stapled = stapled.map(response);
    let request = SignRequest {
        chain: &common::text("ocsp/chain.pem"),
        key: &common::text("ocsp/key.pem"),
        kind: KeyKind::Es256,
        title: "revocation",
        format: "image/png",
        asset_hash: &[7; 32],
        bindings: &[],
        manifest_id: None,
        thumbnail: None,
        ocsp_response: stapled.as_deref(),
    };
    sign(&request).expect("signs")
}

fn asking() -> Validator {
    Validator::asking_responders(&TrustList::anchors(&common::text("ocsp/root.pem"))).unwrap()
}

fn accepted(outcome: Outcome) -> Accepted {
    match outcome {
        Outcome::Accepted(accepted) => accepted,
        other => panic!("{other:?}"),
    }
}

/// Trust, the addresses that a response is missing of, and when the first response gets too old.
fn facts(outcome: Outcome) -> (bool, Vec<String>, Option<i64>) {
    let Accepted { trust_list, ocsp_addresses, ocsp_expires, .. } = accepted(outcome);
    (trust_list.is_some(), ocsp_addresses, ocsp_expires)
}

/// The address that the signer's certificate names, with the request.
fn address(bytes: &[u8]) -> String {
    let (trusted, addresses, expires) = facts(asking().validate(bytes, None));
    assert_eq!((trusted, expires), (true, None));
    let [address] = &addresses[..] else { panic!("{addresses:?}") };
    assert!(address.starts_with("http://ocsp.example/"), "{address}");
    address.clone()
}

fn with(bytes: &[u8], responses: &[(&str, &str)]) -> Outcome {
    let fetched = responses
        .iter()
        .map(|&(address, name)| OcspResponse { address: address.to_owned(), der: response(name) });
    asking().validate_with(bytes, fetched.collect(), None)
}

#[test]
fn only_a_validator_that_asks_names_addresses() {
    let bytes = signed(None);
    address(&bytes);
    let plain = Validator::new(&TrustList::anchors(&common::text("ocsp/root.pem"))).unwrap();
    assert_eq!(facts(plain.validate(&bytes, None)), (true, vec![], None));
    // The status of an untrusted signer changes nothing.
    let other =
        Validator::asking_responders(&TrustList::anchors(&common::text("certs/trust-anchors.pem")))
            .unwrap();
    assert_eq!(facts(other.validate(&bytes, None)), (false, vec![], None));
    assert_eq!(facts(other.validate(&signed(Some("good")), None)), (false, vec![], None));
}

#[test]
fn a_fetched_response_counts_until_its_next_update() {
    let bytes = signed(None);
    let address = address(&bytes);
    assert_eq!(facts(with(&bytes, &[(&address, "good")])), (true, vec![], Some(FAR)));
    assert_eq!(facts(with(&bytes, &[(&address, "short")])), (true, vec![], Some(NEAR)));
    let both = [(&*address, "good"), ("http://ocsp.example/other", "short")];
    assert_eq!(facts(with(&bytes, &both)), (true, vec![], Some(NEAR)));
    match with(&bytes, &[(&address, "revoked")]) {
        Outcome::Refused(refusal) => assert_eq!(refusal.code, "signingCredential.ocsp.revoked"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_response_of_anyone_else_does_not_count() {
    let bytes = signed(None);
    let address = address(&bytes);
    let missing = (true, vec![address.clone()], None);
    // By a root of its own, by a certificate that may not sign responses, and another address.
    assert_eq!(facts(with(&bytes, &[(&address, "foreign")])), missing);
    assert_eq!(facts(with(&bytes, &[(&address, "leaf")])), missing);
    let elsewhere = facts(with(&bytes, &[("http://ocsp.example/other", "revoked")]));
    assert_eq!(elsewhere, (true, vec![address.clone()], Some(FAR)));
    let garbage = OcspResponse { address: address.clone(), der: b"words".to_vec() };
    assert_eq!(facts(asking().validate_with(&bytes, vec![garbage], None)), missing);
    // A validator that does not ask has no use for one.
    let plain = Validator::new(&TrustList::anchors(&common::text("ocsp/root.pem"))).unwrap();
    let revoked = OcspResponse { address, der: response("revoked") };
    assert_eq!(facts(plain.validate_with(&bytes, vec![revoked], None)), (true, vec![], None));
}

#[test]
fn a_stapled_response_counts_without_a_request() {
    let plain = Validator::new(&TrustList::anchors(&common::text("ocsp/root.pem"))).unwrap();
    let good = signed(Some("good"));
    assert_eq!(facts(asking().validate(&good, None)), (true, vec![], Some(FAR)));
    assert_eq!(facts(plain.validate(&good, None)), (true, vec![], None));
    // The earlier of the stapled and the fetched one.
    let other = [("http://ocsp.example/other", "short")];
    assert_eq!(facts(with(&good, &other)), (true, vec![], Some(NEAR)));
    for validator in [asking(), plain] {
        match validator.validate(&signed(Some("revoked")), None) {
            Outcome::Refused(refusal) => {
                assert_eq!(refusal.code, "signingCredential.ocsp.revoked");
                assert!(refusal.text.starts_with("signing cert revoked"), "{}", refusal.text);
            }
            other => panic!("{other:?}"),
        }
    }
}
