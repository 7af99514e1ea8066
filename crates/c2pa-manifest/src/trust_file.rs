//! Trust lists as their publishers distribute them: PEM, or JSON of ETSI TS 119 602.

use chrono::Utc;
use data_encoding::BASE64;
use serde::Deserialize;
use thiserror::Error;
use x509_parser::pem::Pem;
use x509_parser::prelude::{FromDer as _, X509Certificate};

use crate::certificate::pem as to_pem;
use crate::trust::{TrustError, TrustKind};

/// Maximum size of a list in bytes. The C2PA's lists have 30 certificates in 67 KiB.
const BYTES_MAX: usize = 2 << 20;
/// Maximum number of certificates. Each signature is compared with all of them.
const CERTIFICATES_MAX: usize = 1000;
/// Certificates with another status are on the list only as former ones.
const TRUSTED_STATUS: &str = "http://c2pa.org/conformance/trust-list/trusted";

/// The certificates of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustListFile {
    /// The certificates, without repetitions and other texts.
    pub pem: String,
    /// How many they are.
    pub certificates: usize,
    /// How many of them have expired.
    pub expired: usize,
    /// Day on which the list was issued, as `2026-08-13`. PEM files have none.
    pub date: Option<String>,
}

/// A text is not a trust list, or not one of this kind.
#[derive(Debug, Error)]
pub enum TrustFileError {
    /// It is too large.
    #[error("the list has more than {} MiB", BYTES_MAX >> 20)]
    TooLarge,
    /// It has too many certificates.
    #[error("the list has more than {CERTIFICATES_MAX} certificates")]
    TooMany,
    /// It has no certificate.
    #[error(
        "the list contains no certificate: it must be PEM, or a trust list in JSON (ETSI TS 119 602)"
    )]
    Empty,
    /// It is JSON of another form.
    #[error("the list is not JSON of ETSI TS 119 602: {0}")]
    NotAList(String),
    /// A block of it is not a certificate.
    #[error(transparent)]
    NotACertificate(#[from] TrustError),
    /// A certificate that must not issue others vouches for no signer.
    #[error("certificate {number} ({subject}) is not that of an authority (CA)")]
    NotAnAuthority {
        /// Position, starting at 1.
        number: usize,
        /// Whom it names.
        subject: String,
    },
    /// A certificate is restricted to signers of another kind.
    #[error("certificate {number} ({subject}) is {restriction}")]
    OtherKind {
        /// Position, starting at 1.
        number: usize,
        /// Whom it names.
        subject: String,
        /// What it is for.
        restriction: &'static str,
    },
    /// It vouches for no signer any more.
    #[error("all {0} certificates of the list have expired")]
    AllExpired(usize),
}

/// Reads and checks a list for signers of one kind.
pub fn read_trust_list(text: &str, kind: TrustKind) -> Result<TrustListFile, TrustFileError> {
    if text.len() > BYTES_MAX {
        return Err(TrustFileError::TooLarge);
    }
    let is_json = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']).starts_with('{');
    let (ders, date) = if is_json { in_json(text)? } else { (in_pem(text)?, None) };
    let mut seen: Vec<&[u8]> = Vec::new();
    let (mut pem, mut expired) = (String::new(), 0);
    for (at, der) in ders.iter().enumerate() {
        let certificate = checked(der, at + 1, kind)?;
        if seen.contains(&der.as_slice()) {
            continue;
        }
        if seen.len() == CERTIFICATES_MAX {
            return Err(TrustFileError::TooMany);
        }
        seen.push(der);
        pem.push_str(&to_pem(der));
        expired +=
            usize::from(certificate.validity().not_after.timestamp() < Utc::now().timestamp());
    }
    match seen.len() {
        0 => Err(TrustFileError::Empty),
        all if all == expired => Err(TrustFileError::AllExpired(all)),
        certificates => Ok(TrustListFile { pem, certificates, expired, date }),
    }
}

fn checked(
    der: &[u8],
    number: usize,
    kind: TrustKind,
) -> Result<X509Certificate<'_>, TrustFileError> {
    let malformed = |reason| TrustError::NotACertificate { number, reason };
    let (rest, certificate) =
        X509Certificate::from_der(der).map_err(|error| malformed(error.to_string()))?;
    if !rest.is_empty() {
        return Err(malformed("bytes follow it".to_owned()).into());
    }
    let subject = certificate.subject().to_string();
    if !certificate.is_ca() {
        return Err(TrustFileError::NotAnAuthority { number, subject });
    }
    match restriction(&certificate, kind) {
        Some(restriction) => Err(TrustFileError::OtherKind { number, subject, restriction }),
        None => Ok(certificate),
    }
}

/// Why the usages that an authority may certify exclude signers of this kind.
fn restriction(certificate: &X509Certificate<'_>, kind: TrustKind) -> Option<&'static str> {
    let usage = certificate.extended_key_usage().ok().flatten()?.value;
    let stamps = usage.time_stamping || usage.any;
    let others = usage.any
        || usage.email_protection
        || usage.client_auth
        || usage.server_auth
        || usage.code_signing
        || !usage.other.is_empty();
    match kind {
        TrustKind::TimeStampers if !stamps => Some("for signers of content, not for time-stampers"),
        TrustKind::Signers | TrustKind::Identities if !others => {
            Some("for time-stampers, not for signers of content")
        }
        _ => None,
    }
}

fn in_pem(text: &str) -> Result<Vec<Vec<u8>>, TrustFileError> {
    let mut ders = Vec::new();
    for block in Pem::iter_from_buffer(text.as_bytes()) {
        let number = ders.len() + 1;
        let malformed = |reason| TrustError::NotACertificate { number, reason };
        let block = block.map_err(|error| malformed(error.to_string()))?;
        if block.label != "CERTIFICATE" {
            return Err(malformed(format!("it is a block of the type {}", block.label)).into());
        }
        ders.push(block.contents);
    }
    Ok(ders)
}

fn in_json(text: &str) -> Result<(Vec<Vec<u8>>, Option<String>), TrustFileError> {
    let text = text.trim_start_matches('\u{feff}');
    let Document { list } =
        serde_json::from_str(text).map_err(|error| TrustFileError::NotAList(error.to_string()))?;
    let services = list.entities.into_iter().flat_map(|entity| entity.services);
    let services = services.map(|service| service.information).filter(Service::is_trusted);
    let encoded = services.flat_map(|service| service.identity.certificates);
    let ders = encoded.enumerate().map(|(at, Encoded { val })| {
        let bare: String = val.split_ascii_whitespace().collect();
        let decoded = BASE64.decode(bare.as_bytes());
        decoded.map_err(|error| {
            TrustError::NotACertificate { number: at + 1, reason: error.to_string() }.into()
        })
    });
    let ders: Result<_, TrustFileError> = ders.collect();
    let date = list.scheme.and_then(|scheme| scheme.issued).and_then(|time| day(&time));
    Ok((ders?, date))
}

/// The day of an RFC 3339 time.
fn day(time: &str) -> Option<String> {
    let time = chrono::DateTime::parse_from_rfc3339(time).ok()?;
    Some(time.with_timezone(&Utc).format("%Y-%m-%d").to_string())
}

#[derive(Deserialize)]
struct Document {
    #[serde(rename = "LoTE")]
    list: List,
}

#[derive(Deserialize)]
struct List {
    #[serde(rename = "ListAndSchemeInformation")]
    scheme: Option<Scheme>,
    #[serde(rename = "TrustedEntitiesList")]
    entities: Vec<Entity>,
}

#[derive(Deserialize)]
struct Scheme {
    #[serde(rename = "ListIssueDateTime")]
    issued: Option<String>,
}

#[derive(Deserialize)]
struct Entity {
    #[serde(rename = "TrustedEntityServices")]
    services: Vec<EntityService>,
}

#[derive(Deserialize)]
struct EntityService {
    #[serde(rename = "ServiceInformation")]
    information: Service,
}

#[derive(Deserialize)]
struct Service {
    #[serde(rename = "ServiceDigitalIdentity")]
    identity: Identity,
    #[serde(rename = "ServiceStatus")]
    status: Option<String>,
}

impl Service {
    fn is_trusted(&self) -> bool {
        self.status.as_deref().is_none_or(|status| status == TRUSTED_STATUS)
    }
}

#[derive(Deserialize)]
struct Identity {
    #[serde(rename = "X509Certificates", default)]
    certificates: Vec<Encoded>,
}

#[derive(Deserialize)]
struct Encoded {
    val: String,
}
