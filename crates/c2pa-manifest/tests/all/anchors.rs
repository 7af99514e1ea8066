//! Validation of trust anchors.

use crate::common;
use c2pa_manifest::{TrustError, Validator, check_anchors};

#[test]
fn certificates_are_counted() {
    assert!(check_anchors(&common::text("certs/trust-anchors.pem")).unwrap() > 0);
    assert_eq!(check_anchors(" \n").unwrap(), 0);
}

#[test]
fn anything_else_is_rejected() {
    assert!(matches!(Validator::new("no certificates"), Err(TrustError::Empty)));
    let key = common::text("certs/es256.key.pem");
    assert!(matches!(Validator::new(&key), Err(TrustError::NotACertificate { number: 1, .. })));
    let cut = common::text("certs/trust-anchors.pem").replace("-----END", "!");
    assert!(check_anchors(&cut).is_err());
}
