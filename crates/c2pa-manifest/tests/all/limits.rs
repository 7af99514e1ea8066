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

/// The boxes in `contents`, with `cbor` instead of the first CBOR of each superbox of type `kind`.
fn with_cbor(contents: &[u8], kind: &[u8; 4], cbor: &[u8]) -> Vec<u8> {
    let mut rebuilt = Vec::new();
    let (mut rest, mut is_kind) = (contents, false);
    while let Some(length) = rest.first_chunk() {
        let (first, after) = rest.split_at(u32::from_be_bytes(*length) as usize);
        let (name, inner) = (first[4..8].try_into().unwrap(), &first[8..]);
        rebuilt.extend(match &name {
            b"jumb" => plain(&name, &with_cbor(inner, kind, cbor)),
            b"cbor" if std::mem::take(&mut is_kind) => plain(&name, cbor),
            _ => first.to_vec(),
        });
        is_kind |= name == *b"jumd" && inner.starts_with(kind);
        rest = after;
    }
    rebuilt
}

#[test]
fn cbor_that_is_nested_too_deeply_never_reaches_a_decoder() {
    let bytes = std::fs::read(common::path("manifests/ok-es256-iscc4.c2pa")).unwrap();
    let validator = common::validator();
    let nested = |head: &[u8], depth: usize| [head.repeat(depth), vec![0]].concat();
    let parts = [
        (b"c2cl", "claim.malformed"),
        (b"c2cs", "claimSignature.mismatch"),
        (b"cbor", "assertion.cbor.invalid"),
    ];
    for (kind, code) in parts {
        for (head, rule) in [
            (&b"\xc1"[..], "a CBOR item has more than 16 tags"),
            (b"\x81", "CBOR is nested more than 64 deep"),
        ] {
            // 200,000 would overflow the stack of any thread.
            for depth in [if head == b"\xc1" { 17 } else { 65 }, 200_000] {
                let bad = with_cbor(&bytes, kind, &nested(head, depth));
                assert_eq!(refusal(&bad), (code.to_owned(), rule.to_owned()), "{kind:?} {depth}");
                assert_eq!(validator.describe(&bad, None::<(&str, std::io::Empty)>, None), None);
                assert_eq!(validator.details(&bad, None), None);
            }
            // At the limit, the decoder decides. It finds other faults.
            let most =
                with_cbor(&bytes, kind, &nested(head, if head == b"\xc1" { 16 } else { 64 }));
            assert_ne!(refusal(&most).1, rule);
        }
    }
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
