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

/// Name of the list of anchors, which the `c2pa` crate requires.
pub const LIST: &str = "trust-anchors";

/// The C2PA's list of signers, from <https://github.com/c2pa-org/conformance-public>, folder
/// `trust-list`. As anchors, it vouches for signers only.
pub const SIGNERS: &str = include_str!("../data/trust/C2PA-TRUST-LIST.pem");
const SIGNERS_LIST: &str = "C2PA-TRUST-LIST";

/// The C2PA's list of time-stampers, from the same place.
const TIME_STAMPERS: &str = include_str!("../data/trust/C2PA-TSA-TRUST-LIST.pem");
/// Day of the last change of the two lists.
pub const LISTS_DATE: &str = "2026-08-13";
const TIME_STAMPERS_LIST: &str = "C2PA-TSA-TRUST-LIST";

/// What the anchors vouch for: signers of claims, of CAWG identity assertions and of time-stamps.
const KINDS: [&str; 3] = ["manifest", "cawg", "tsa"];

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

/// Whether a trust anchor vouches for the signer of a manifest with these results.
pub fn is_trusted(manifest: &StatusCodes) -> bool {
    let has = |list: &[ValidationStatus], code| list.iter().any(|status| status.code() == code);
    has(manifest.success(), TRUSTED) && !has(manifest.failure(), UNTRUSTED)
}

/// The lists of anchors as settings of the `c2pa` crate. The C2PA's time-stampers always count: they
/// only prove when something was signed.
fn lists(anchors_pem: &str) -> Vec<Value> {
    let list = |pem: &str, name: &str, kind: &str| json!({ "trust_anchors": pem, "trust_uri": name, "trust_kind": kind });
    let own = match anchors_pem {
        SIGNERS => vec![list(SIGNERS, SIGNERS_LIST, "manifest")],
        none if none.trim().is_empty() => Vec::new(),
        pem => KINDS.map(|kind| list(pem, LIST, kind)).into(),
    };
    own.into_iter().chain([list(TIME_STAMPERS, TIME_STAMPERS_LIST, "tsa")]).collect()
}

/// A context of the `c2pa` crate that trusts these certificates, and the C2PA's for time-stamps, fetches nothing and stops at the
/// thread's deadline. With `asks_responders`, it looks for OCSP responses in [`ocsp`].
pub fn context(anchors_pem: &str, asks_responders: bool) -> Result<Context, TrustError> {
    check_anchors(anchors_pem)?;
    let settings = json!({
        "trust": {
            "anchors": lists(anchors_pem),
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
    fn the_lists_of_the_c2pa_are_certificates_and_vouch_for_one_kind_each() {
        assert_eq!(check_anchors(TIME_STAMPERS).unwrap(), 22);
        assert_eq!(check_anchors(SIGNERS).unwrap(), 30);
        let kinds = |anchors: &str| -> Vec<(String, String)> {
            let text = |list: &Value, member: &str| list[member].as_str().unwrap().to_owned();
            let lists = lists(anchors);
            lists.iter().map(|list| (text(list, "trust_uri"), text(list, "trust_kind"))).collect()
        };
        let own = KINDS.map(|kind| (LIST.to_owned(), kind.to_owned()));
        let time_stampers = (TIME_STAMPERS_LIST.to_owned(), "tsa".to_owned());
        assert_eq!(kinds(" \n"), std::slice::from_ref(&time_stampers));
        assert_eq!(kinds("anchors"), [&own[..], std::slice::from_ref(&time_stampers)].concat());
        let signers = (SIGNERS_LIST.to_owned(), "manifest".to_owned());
        assert_eq!(kinds(SIGNERS), [signers, time_stampers]);
    }
}
