//! A disposable certificate chain for demonstrations and tests: a root, and a leaf for claims.

mod key;

use chrono::{DateTime, TimeDelta, Utc};
use data_encoding::BASE64;
use thiserror::Error;

use crate::der::{
    BOOLEAN, INTEGER, OCTET_STRING, SET, UTC_TIME, UTF8_STRING, bit_string, element, explicit,
    object_id, sequence,
};
use key::{Key, random};

pub use key::KeyKind;

/// Validity of the certificates. Limited because their keys are stored without protection.
const VALID_DAYS: i64 = 365;
/// Tolerance for clocks that are slow.
const VALID_BEFORE_DAYS: i64 = 1;

const BASIC_CONSTRAINTS: &[u32] = &[2, 5, 29, 19];
const KEY_USAGE: &[u32] = &[2, 5, 29, 15];
const EXTENDED_KEY_USAGE: &[u32] = &[2, 5, 29, 37];
const SUBJECT_KEY_ID: &[u32] = &[2, 5, 29, 14];
const AUTHORITY_KEY_ID: &[u32] = &[2, 5, 29, 35];
const CLAIM_SIGNING: &[u32] = &[1, 3, 6, 1, 4, 1, 62558, 2, 1];
const COMMON_NAME: &[u32] = &[2, 5, 4, 3];
const ORGANIZATION: &[u32] = &[2, 5, 4, 10];

/// The certificates could not be created.
#[derive(Debug, Error)]
#[error("the certificate cannot be created: {0}")]
pub struct CertificateError(String);

impl CertificateError {
    pub(crate) fn encoding(error: impl std::fmt::Display) -> Self {
        Self(error.to_string())
    }
}

/// Keys and certificates in PEM.
pub struct TestChain {
    /// The root: a trust anchor.
    pub root: String,
    /// The leaf that the root signed.
    pub chain: String,
    /// Private key of the leaf, PKCS#8.
    pub key: String,
}

impl TestChain {
    /// Creates a chain whose certificates are named after `name`. The root's private key is
    /// discarded.
    pub fn generate(kind: KeyKind, name: &str) -> Result<Self, CertificateError> {
        let now = Utc::now();
        let (root_key, leaf_key) = (Key::generate(kind)?, Key::generate(kind)?);
        let root_name = holder(&format!("{name} root"));
        let (root_id, leaf_id) = (random()?, random()?);
        let root_extensions = [
            extension(BASIC_CONSTRAINTS, true, &sequence(&[&element(BOOLEAN, &[0xff])])),
            // May sign certificates and revocation lists.
            extension(KEY_USAGE, true, &bit_string(1, &[0b0000_0110])),
            subject_key_id(&root_id),
        ];
        let leaf_extensions = [
            extension(BASIC_CONSTRAINTS, true, &sequence(&[])),
            // May sign data.
            extension(KEY_USAGE, true, &bit_string(7, &[0b1000_0000])),
            extension(EXTENDED_KEY_USAGE, false, &sequence(&[&object_id(CLAIM_SIGNING)])),
            subject_key_id(&leaf_id),
            authority_key_id(&root_id),
        ];
        let issuer = Issuer { key: &root_key, name: &root_name };
        let root = issuer.certify(&root_name, &root_key, &root_extensions.concat(), now)?;
        let leaf_name = holder(name);
        let leaf = issuer.certify(&leaf_name, &leaf_key, &leaf_extensions.concat(), now)?;
        Ok(Self { root: pem(&root), chain: pem(&leaf), key: leaf_key.to_pem()? })
    }
}

/// The issuer of a certificate.
struct Issuer<'a> {
    key: &'a Key,
    /// DER of the issuer's name.
    name: &'a [u8],
}

impl Issuer<'_> {
    /// DER of a certificate that gives `key` a name (RFC 5280, 4.1).
    fn certify(
        &self,
        name: &[u8],
        key: &Key,
        extensions: &[u8],
        now: DateTime<Utc>,
    ) -> Result<Vec<u8>, CertificateError> {
        const VERSION_3: u8 = 2;
        // A serial number must be positive.
        let mut serial = random::<16>()?;
        serial[0] = serial[0] & 0x7f | 0x40;
        let extensions = element(explicit(3), &sequence(&[extensions]));
        let to_sign = sequence(&[
            &element(explicit(0), &element(INTEGER, &[VERSION_3])),
            &element(INTEGER, &serial),
            &self.key.algorithm(),
            self.name,
            &validity(now),
            name,
            &key.public_key_info()?,
            &extensions,
        ]);
        let signature = bit_string(0, &self.key.sign(&to_sign));
        Ok(sequence(&[&to_sign, &self.key.algorithm(), &signature]))
    }
}

/// The name of a certificate's subject. The c2pa crate requires an organisation.
fn holder(common_name: &str) -> Vec<u8> {
    let part = |id: &[u32], text: &str| {
        element(SET, &sequence(&[&object_id(id), &element(UTF8_STRING, text.as_bytes())]))
    };
    sequence(&[&part(ORGANIZATION, "isccd test certificates"), &part(COMMON_NAME, common_name)])
}

fn validity(now: DateTime<Utc>) -> Vec<u8> {
    let time = |days: i64| {
        let time = (now + TimeDelta::days(days)).format("%y%m%d%H%M%SZ").to_string();
        element(UTC_TIME, time.as_bytes())
    };
    sequence(&[&time(-VALID_BEFORE_DAYS), &time(VALID_DAYS)])
}

fn extension(id: &[u32], critical: bool, value: &[u8]) -> Vec<u8> {
    let critical = if critical { element(BOOLEAN, &[0xff]) } else { Vec::new() };
    sequence(&[&object_id(id), &critical, &element(OCTET_STRING, value)])
}

fn subject_key_id(id: &[u8; 20]) -> Vec<u8> {
    extension(SUBJECT_KEY_ID, false, &element(OCTET_STRING, id))
}

fn authority_key_id(id: &[u8; 20]) -> Vec<u8> {
    const KEY_IDENTIFIER: u8 = 0x80;
    extension(AUTHORITY_KEY_ID, false, &sequence(&[&element(KEY_IDENTIFIER, id)]))
}

/// A certificate as a PEM block.
pub(crate) fn pem(der: &[u8]) -> String {
    const LINE_CHARS: usize = 64;
    let text = BASE64.encode(der);
    let mut pem = String::from("-----BEGIN CERTIFICATE-----\n");
    for start in (0..text.len()).step_by(LINE_CHARS) {
        pem.push_str(&text[start..text.len().min(start + LINE_CHARS)]);
        pem.push('\n');
    }
    pem + "-----END CERTIFICATE-----\n"
}
