//! Trust anchors: the certificates whose signatures count as trusted.

use c2pa::Context;
use c2pa::validation_results::StatusCodes;
use c2pa::validation_status::ValidationStatus;
use serde_json::{Value, json};
use thiserror::Error;
use x509_parser::pem::Pem;

use crate::{deadline, ocsp};

/// Key usages that a signing certificate may have: e-mail, document signing (RFC 9336 and
/// Microsoft's) and C2PA claim signing. Without this list, only e-mail would be allowed.
const KEY_USAGES: &str =
    "1.3.6.1.5.5.7.3.4\n1.3.6.1.5.5.7.3.36\n1.3.6.1.4.1.311.76.59.1.9\n1.3.6.1.4.1.62558.2.1\n";

/// Status of a signer that no trust anchor vouches for.
pub const UNTRUSTED: &str = "signingCredential.untrusted";
const TRUSTED: &str = "signingCredential.trusted";
/// Statuses of time-stampers and of identities that a list vouches for.
const TIME_STAMP_TRUSTED: &str = "timeStamp.trusted";
const IDENTITY_TRUSTED: &str = "cawg.x509.credential.trusted";

/// Name of the lists that [`TrustList::anchors`] makes.
pub const ANCHORS: &str = "trust-anchors";

/// Day of the last change of the bundled lists.
pub const LISTS_DATE: &str = "2026-08-13";

/// What the certificates of a list vouch for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustKind {
    /// Signers of claims.
    Signers,
    /// Signers of CAWG identity assertions.
    Identities,
    /// Signers of time-stamps.
    TimeStampers,
}

impl TrustKind {
    const ALL: [Self; 3] = [Self::Signers, Self::Identities, Self::TimeStampers];

    /// Its name in the settings of the `c2pa` crate.
    fn setting(self) -> &'static str {
        match self {
            Self::Signers => "manifest",
            Self::Identities => "cawg",
            Self::TimeStampers => "tsa",
        }
    }
}

/// Certificates that vouch for one kind of signers only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustList {
    /// Named in the verdict on a manifest whose signer it vouches for.
    pub name: String,
    /// Whom it vouches for.
    pub kind: TrustKind,
    /// The certificates; may be empty.
    pub pem: String,
}

impl TrustList {
    /// The C2PA's lists of signers and of time-stampers, from
    /// <https://github.com/c2pa-org/conformance-public>, folder `trust-list`.
    pub fn bundled() -> [Self; 2] {
        let list = |name: &str, kind, pem: &str| Self { name: name.into(), kind, pem: pem.into() };
        let signers = include_str!("../data/trust/C2PA-TRUST-LIST.pem");
        let time_stampers = include_str!("../data/trust/C2PA-TSA-TRUST-LIST.pem");
        [
            list("C2PA-TRUST-LIST", TrustKind::Signers, signers),
            list("C2PA-TSA-TRUST-LIST", TrustKind::TimeStampers, time_stampers),
        ]
    }

    /// The C2PA's list of time-stampers: time-stamps only prove when something was signed.
    pub fn bundled_time_stampers() -> Self {
        let [_, time_stampers] = Self::bundled();
        time_stampers
    }

    /// Lists for certificates that vouch for all kinds of signers.
    pub fn anchors(pem: &str) -> [Self; 3] {
        TrustKind::ALL.map(|kind| Self { name: ANCHORS.into(), kind, pem: pem.into() })
    }
}

/// Maximum unpacked size of compressed manifests, in MiB.
const UNPACKED_MIB_MAX: usize = crate::brob::UNPACKED_BYTES_MAX >> 20;

/// The trust anchors are invalid.
#[derive(Debug, Error)]
pub enum TrustError {
    /// A PEM block is malformed or not a certificate.
    #[error("trust anchor {number} is not a certificate: {reason}")]
    NotACertificate {
        /// Position of the PEM block, starting at 1.
        number: usize,
        /// Reason.
        reason: String,
    },
    /// The text has no PEM block.
    #[error("the trust anchors contain no certificate")]
    Empty,
    /// The `c2pa` crate rejects them.
    #[error("the trust anchors cannot be used: {0}")]
    Unusable(String),
}

/// Validates a PEM bundle and returns the number of certificates: 0 if it is only white space.
pub fn check_anchors(pem: &str) -> Result<usize, TrustError> {
    let mut count = 0;
    for block in Pem::iter_from_buffer(pem.as_bytes()) {
        count += 1;
        let refused = |reason: String| TrustError::NotACertificate { number: count, reason };
        let block = block.map_err(|error| refused(error.to_string()))?;
        block.parse_x509().map_err(|error| refused(error.to_string()))?;
    }
    if count == 0 && !pem.trim().is_empty() { Err(TrustError::Empty) } else { Ok(count) }
}

/// The name of the list that vouches for the signer of a manifest with these results.
pub fn trusting_list(manifest: &StatusCodes) -> Option<&str> {
    let find = |list: &'_ [ValidationStatus], code| list.iter().position(|it| it.code() == code);
    if find(manifest.failure(), UNTRUSTED).is_some() {
        return None;
    }
    let trusted = &manifest.success()[find(manifest.success(), TRUSTED)?];
    Some(trusted.trust_list_uri().unwrap_or_default())
}

/// The name of the list that vouches for the time-stamper of a manifest with these results. A
/// time-stamp without one does not count.
pub fn time_stamping_list(manifest: &StatusCodes) -> Option<&str> {
    vouching_list(manifest, TIME_STAMP_TRUSTED)
}

/// The name of the list that vouches for the first trusted CAWG identity in a manifest with these
/// results.
pub fn identifying_list(manifest: &StatusCodes) -> Option<&str> {
    vouching_list(manifest, IDENTITY_TRUSTED)
}

/// Whether the time-stamp of a manifest with these results counts. In claims of version 1, the
/// C2PA lets those of any time-stamper count.
pub fn has_time_stamp(manifest: &StatusCodes) -> bool {
    manifest.success().iter().any(|it| it.code() == TIME_STAMP_TRUSTED)
}

fn vouching_list<'a>(manifest: &'a StatusCodes, code: &str) -> Option<&'a str> {
    let trusted = manifest.success().iter().filter(|it| it.code() == code);
    { trusted }.find_map(|it| it.trust_list_uri())
}

fn setting(TrustList { name, kind, pem }: &TrustList) -> Value {
    json!({ "trust_anchors": pem, "trust_uri": name, "trust_kind": kind.setting() })
}

/// The authorities that may vouch for responders: those of the signers' lists.
pub fn authorities(lists: &[TrustList]) -> Option<ocsp::Authorities> {
    let signers = lists.iter().filter(|list| list.kind == TrustKind::Signers);
    ocsp::Authorities::new(signers.map(|list| (list.name.as_str(), list.pem.as_str())))
}

/// A context of the `c2pa` crate that judges each kind of signers by its lists alone, fetches
/// nothing and stops at the thread's deadline. With `asks_responders`, it looks for OCSP responses
/// in [`ocsp`].
pub fn context(lists: &[TrustList], asks_responders: bool) -> Result<Context, TrustError> {
    for list in lists {
        check_anchors(&list.pem)?;
    }
    let filled = lists.iter().filter(|list| !list.pem.trim().is_empty());
    let anchors: Vec<Value> = filled.map(setting).collect();
    let settings = json!({
        "trust": {
            "anchors": anchors,
            "trust_config": KEY_USAGES,
        },
        "verify": { "remote_manifest_fetch": false, "ocsp_fetch": asks_responders },
        "core": {
            "decode_identity_assertions": true,
            "allowed_network_hosts": [],
            "max_decompressed_manifest_size_in_mb": UNPACKED_MIB_MAX,
        },
    });
    let context = Context::new()
        .with_settings(settings)
        .map_err(|error| TrustError::Unusable(error.to_string()))?;
    let context = context.with_resolver(ocsp::Fetched);
    Ok(context.with_progress_callback(|_, _, _| !deadline::passed()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bundled_lists_are_certificates_and_vouch_for_one_kind_each() {
        let [signers, time_stampers] = TrustList::bundled();
        assert_eq!(check_anchors(&signers.pem).unwrap(), 30);
        assert_eq!(check_anchors(&time_stampers.pem).unwrap(), 22);
        assert_eq!(setting(&signers)["trust_kind"], "manifest");
        assert_eq!(setting(&time_stampers)["trust_kind"], "tsa");
        assert_eq!(setting(&time_stampers)["trust_uri"], "C2PA-TSA-TRUST-LIST");
        assert_eq!(TrustList::bundled_time_stampers(), time_stampers);
    }

    #[test]
    fn anchors_vouch_for_every_kind() {
        let kinds = TrustList::anchors("pem").map(|list| setting(&list)["trust_kind"].clone());
        assert_eq!(kinds, ["manifest", "cawg", "tsa"]);
    }
}
