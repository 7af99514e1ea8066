//! Trust anchors: the certificates whose signatures count as trusted.

use c2pa::Context;
use c2pa::validation_results::StatusCodes;
use c2pa::validation_status::ValidationStatus;
use serde_json::json;
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

/// A context of the `c2pa` crate that trusts these certificates, fetches nothing and stops at the
/// thread's deadline. With `asks_responders`, it looks for OCSP responses in [`ocsp`].
pub fn context(anchors_pem: &str, asks_responders: bool) -> Result<Context, TrustError> {
    let anchor =
        |kind| json!({ "trust_anchors": anchors_pem, "trust_uri": LIST, "trust_kind": kind });
    let anchors = (check_anchors(anchors_pem)? > 0).then(|| KINDS.map(anchor));
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
