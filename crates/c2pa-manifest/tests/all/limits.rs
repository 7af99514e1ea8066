//! Expensive sidecars run into a limit; a deadline stops the work.

use crate::common;
use std::time::{Duration, Instant};

use c2pa_manifest::Outcome;

const TAIL: [u8; 12] = [0, 0x11, 0, 0x10, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71];

fn plain(kind: &[u8; 4], contents: &[u8]) -> Vec<u8> {
    let length = (contents.len() as u32 + 8).to_be_bytes();
    [&length[..], kind, contents].concat()
}

fn superbox(kind: &[u8; 4], label: &str, contents: &[u8]) -> Vec<u8> {
    let description = [&kind[..], &TAIL, &[3], label.as_bytes(), &[0]].concat();
    plain(b"jumb", &[&plain(b"jumd", &description)[..], contents].concat())
}

fn store(manifests: &[u8]) -> Vec<u8> {
    superbox(b"c2pa", "c2pa", manifests)
}

fn manifest(assertions: usize) -> Vec<u8> {
    let assertion = superbox(b"cbor", "org.example.a", &plain(b"cbor", &[0xa0]));
    let assertions = superbox(b"c2as", "c2pa.assertions", &assertion.repeat(assertions));
    let signature = superbox(b"c2cs", "c2pa.signature", &plain(b"cbor", &[0xa0]));
    superbox(b"c2ma", "urn:c2pa:x", &[assertions, signature].concat())
}

fn refusal(bytes: &[u8]) -> (String, String) {
    match common::validator().validate(bytes, None) {
        Outcome::Refused(refusal) => (refusal.code.into_owned(), refusal.text),
        other => panic!("{other:?}"),
    }
}

#[test]
fn counts_are_limited() {
    let unreadable = |text: &str| ("manifest.unreadable".to_owned(), text.to_owned());
    let many = store(&manifest(1001));
    assert_eq!(refusal(&many), unreadable("a manifest holds more than 1000 assertions"));
    let many = store(&manifest(0).repeat(501));
    assert_eq!(refusal(&many), unreadable("the store holds more than 500 manifests"));
    let too_deep = unreadable("superboxes are nested too deeply");
    assert_eq!(refusal(&store(&nested(32))), too_deep);
    // At the limits, the next check decides.
    let incomplete = refusal(&store(&manifest(1)));
    assert_eq!(refusal(&store(&manifest(1000))), incomplete);
    assert_eq!(refusal(&store(&manifest(1).repeat(500))), incomplete);
    let missing = "the manifest store has no manifest".to_owned();
    assert_eq!(refusal(&store(&nested(31))), ("manifest.missing".to_owned(), missing));
}

/// Superboxes in each other.
fn nested(depth: usize) -> Vec<u8> {
    (0..depth).fold(Vec::new(), |inner, _| superbox(b"cbor", "x", &inner))
}

#[test]
fn the_total_unpacked_size_is_limited() {
    let bomb = std::fs::read(common::path("manifests/bad-brotli-bomb.c2pa")).unwrap();
    assert_eq!(refusal(&bomb).0, "manifest.unreadable");
    let compressed = std::fs::read(common::path("manifests/ok-compressed.c2pa")).unwrap();
    assert!(matches!(common::validator().validate(&compressed, None), Outcome::Accepted(_)));
}

#[test]
fn strings_must_end_within_their_boxes() {
    let bytes = std::fs::read(common::path("manifests/ok-64-blocks.c2pa")).unwrap();
    let value = b"evalueL";
    let at = bytes.windows(value.len()).position(|window| window == value).unwrap();
    let mut damaged = bytes.clone();
    // Replaces a byte string of 12 bytes by one that states a length of 2 GiB.
    damaged[at + 6..at + 11].copy_from_slice(&[0x5a, 0x7f, 0xff, 0xff, 0xff]);
    let text = "a CBOR string is longer than its box";
    assert_eq!(refusal(&damaged), ("assertion.cbor.invalid".to_owned(), text.to_owned()));
}

#[test]
fn a_deadline_stops_the_work() {
    let bytes = std::fs::read(common::path("manifests/ok-nested-3.c2pa")).unwrap();
    let validator = common::validator();
    let past = Some(Instant::now());
    assert_eq!(validator.validate(&bytes, past), Outcome::Overdue);
    let ahead = Some(Instant::now() + Duration::from_secs(60));
    assert!(matches!(validator.validate(&bytes, ahead), Outcome::Accepted(_)));
    // The deadline of one sidecar does not apply to the next.
    assert!(matches!(validator.validate(&bytes, None), Outcome::Accepted(_)));
}
