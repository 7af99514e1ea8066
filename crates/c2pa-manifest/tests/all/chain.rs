//! Certificates for demonstrations and tests.

use std::time::{SystemTime, UNIX_EPOCH};

use c2pa_manifest::{KeyKind, TestChain};
use x509_parser::pem::Pem;

const DAY_SECONDS: i64 = 86_400;

fn pem(text: &str) -> Pem {
    let mut all = Pem::iter_from_buffer(text.as_bytes());
    let first = all.next().unwrap().unwrap();
    assert!(all.next().is_none());
    first
}

#[test]
fn certificates_are_valid_from_yesterday_for_a_year() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() as i64;
    let chain = TestChain::generate(KeyKind::Es256, "isccd demo").unwrap();
    for text in [&chain.root, &chain.chain] {
        let pem = pem(text);
        let certificate = pem.parse_x509().unwrap();
        let validity = certificate.validity();
        let days = |time: i64| (time - now) as f64 / DAY_SECONDS as f64;
        assert!((days(validity.not_before.timestamp()) + 1.0).abs() < 0.01);
        assert!((days(validity.not_after.timestamp()) - 365.0).abs() < 0.01);
    }
}

#[test]
fn serial_numbers_are_positive_and_have_16_bytes() {
    for _ in 0..20 {
        let chain = TestChain::generate(KeyKind::Ed25519, "isccd demo").unwrap();
        let pem = pem(&chain.chain);
        let certificate = pem.parse_x509().unwrap();
        let serial = certificate.raw_serial();
        assert_eq!(serial.len(), 16);
        assert!((0x40..0x80).contains(&serial[0]), "{serial:?}");
    }
}

#[test]
fn the_root_certifies_the_leaf() {
    for kind in [KeyKind::Es256, KeyKind::Ed25519] {
        let chain = TestChain::generate(kind, "isccd demo").unwrap();
        let (root, leaf) = (pem(&chain.root), pem(&chain.chain));
        let (root, leaf) = (root.parse_x509().unwrap(), leaf.parse_x509().unwrap());
        assert_eq!(leaf.issuer(), root.subject());
        assert!(root.is_ca() && !leaf.is_ca());
        let usage = |certificate: &x509_parser::certificate::X509Certificate<'_>| {
            certificate.key_usage().unwrap().unwrap().value.flags
        };
        // digitalSignature; keyCertSign and cRLSign.
        assert_eq!((usage(&leaf), usage(&root)), (0b1, 0b110_0000));
        assert_ne!(leaf.public_key().raw, root.public_key().raw);
    }
}

#[test]
fn lines_have_64_characters() {
    let chain = TestChain::generate(KeyKind::Es256, "isccd demo").unwrap();
    let mut lines: Vec<&str> = chain.chain.lines().collect();
    assert_eq!(lines.remove(0), "-----BEGIN CERTIFICATE-----");
    assert_eq!(lines.pop(), Some("-----END CERTIFICATE-----"));
    let last = lines.pop().unwrap();
    assert!(lines.len() > 5 && lines.iter().all(|line| line.len() == 64));
    assert!(!last.is_empty() && last.len() <= 64);
}
