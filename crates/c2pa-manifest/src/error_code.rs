//! Codes for faults that the `c2pa` crate reports as errors rather than validation results.

use c2pa::Error;

use crate::Refusal;

/// The refusal for an error of the reader.
pub fn refusal(error: &Error) -> Refusal {
    let text = error.to_string();
    match error {
        Error::ProvenanceMissing => Refusal::missing(),
        Error::InvalidClaim(_) => Refusal::new(invalid_claim(&format!("{error:?}")), &text),
        Error::ClaimMissingHardBinding => Refusal::new("claim.hardBindings.missing", &text),
        Error::ClaimMultipleHardBinding => Refusal::new("assertion.multipleHardBindings", &text),
        // The store has an assertion that the claim does not list.
        Error::AssertionMissing { .. } => Refusal::new("assertion.undeclared", &text),
        Error::CoseX5ChainMissing | Error::CertificateTrustError(_) => {
            Refusal::new("signingCredential.invalid", &text)
        }
        Error::UnknownAlgorithm => Refusal::new("algorithm.unsupported", &text),
        Error::AssertionDecoding(_) => Refusal::new("assertion.cbor.invalid", &text),
        Error::ClaimDecoding(_) => Refusal::new("claim.malformed", &text),
        Error::C2PAValidation(code) => Refusal::new(code.clone(), code),
        _ => Refusal::unreadable(&text),
    }
}

/// Detects the inner error by its debug name, because the crate does not export its type.
fn invalid_claim(debug: &str) -> &'static str {
    const CODES: [(&str, &str); 4] = [
        ("ClaimSignatureBoxNotFound", "claimSignature.missing"),
        ("ClaimSignatureDescriptionBoxNotFound", "claimSignature.missing"),
        ("C2paMultipleClaimBoxes", "claim.multiple"),
        ("ClaimSuperboxNotFound", "claim.missing"),
    ];
    let code = CODES.iter().find(|(name, _)| debug.contains(name));
    code.map_or("manifest.unreadable", |&(_, code)| code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_passed_on_and_the_rest_is_unreadable() {
        let named = refusal(&Error::C2PAValidation("claim.cbor.invalid".to_owned()));
        assert_eq!(named.code, "claim.cbor.invalid");
        assert_eq!(refusal(&Error::JumbfNotFound).code, "manifest.unreadable");
        assert_eq!(refusal(&Error::ProvenanceMissing).code, "manifest.missing");
        assert_eq!(invalid_claim("InvalidClaim(C2paMultipleClaimBoxes)"), "claim.multiple");
        assert_eq!(invalid_claim("InvalidClaim(ClaimSuperboxNotFound)"), "claim.missing");
        assert_eq!(invalid_claim("InvalidClaim(ClaimBoxVersion)"), "manifest.unreadable");
    }

    #[test]
    fn errors_without_a_code_get_that_of_the_c2pa() {
        let trust = c2pa::crypto::cose::CertificateTrustError::CertificateNotTrusted;
        for (error, code) in [
            (Error::ClaimMissingHardBinding, "claim.hardBindings.missing"),
            (Error::ClaimMultipleHardBinding, "assertion.multipleHardBindings"),
            (Error::AssertionMissing { url: "a".to_owned() }, "assertion.undeclared"),
            (Error::CoseX5ChainMissing, "signingCredential.invalid"),
            (Error::CertificateTrustError(trust), "signingCredential.invalid"),
            (Error::UnknownAlgorithm, "algorithm.unsupported"),
            (Error::ClaimDecoding("a".to_owned()), "claim.malformed"),
        ] {
            assert_eq!(refusal(&error).code, code, "{error:?}");
        }
    }
}
