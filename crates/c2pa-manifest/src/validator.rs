//! Validates sidecars.

use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use c2pa::validation_status::ValidationStatus;
use c2pa::{Context, Error, Reader, ValidationResults};

use crate::binding::{IndexedBinding, Skipped, index};
use crate::trust::TrustError;
use crate::{Refusal, deadline, error_code, framing, soft_binding, trust};

/// Failures that do not refuse a sidecar.
const IGNORED: [&str; 8] = [
    // Manifests of untrusted signers are stored; they only rank lower.
    UNTRUSTED,
    // The asset is not available, so its hash cannot match.
    "assertion.dataHash.mismatch",
    "assertion.bmffHash.mismatch",
    "assertion.boxesHash.mismatch",
    "assertion.boxesHash.unknownBox",
    "assertion.collectionHash.mismatch",
    "assertion.collectionHash.incorrectFileCount",
    "assertion.multiAssetHash.mismatch",
];
const UNTRUSTED: &str = "signingCredential.untrusted";
const TRUSTED: &str = "signingCredential.trusted";

/// A valid manifest store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// Label of its active manifest.
    pub manifest_id: String,
    /// Whether a trust anchor vouches for the signer.
    pub trusted: bool,
    /// The soft bindings to index, in the manifest's order, including repetitions.
    pub bindings: Vec<IndexedBinding>,
    /// The first blocks that are not indexed.
    pub skipped: Vec<Skipped>,
}

/// The result of a validation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The sidecar is valid.
    Accepted(Accepted),
    /// The sidecar is invalid.
    Refused(Refusal),
    /// The deadline passed before the end.
    Overdue,
}

/// Validates sidecars against one set of trust anchors. Threads can share it.
#[derive(Clone)]
pub struct Validator {
    context: Arc<Context>,
}

impl Validator {
    /// A validator that trusts the certificates of a PEM bundle. The bundle may be empty.
    pub fn new(anchors_pem: &str) -> Result<Self, TrustError> {
        Ok(Self { context: Arc::new(trust::context(anchors_pem)?) })
    }

    /// Validates the bytes of a sidecar. The deadline is checked between steps; the longest step is
    /// the work on one manifest of a thousand assertions.
    pub fn validate(&self, bytes: &[u8], deadline: Option<Instant>) -> Outcome {
        // The bytes are untrusted, and other crates parse most of them.
        let decide = AssertUnwindSafe(|| self.decide(bytes));
        deadline::within(deadline, || match catch_unwind(decide) {
            _ if deadline::passed() => Outcome::Overdue,
            Ok(Ok(accepted)) => Outcome::Accepted(accepted),
            Ok(Err(refusal)) => Outcome::Refused(refusal),
            Err(_) => Outcome::Refused(Refusal::unreadable("the validation failed")),
        })
    }

    fn decide(&self, bytes: &[u8]) -> Result<Accepted, Refusal> {
        let manifest = framing::read(bytes)?;
        let trusted = self.check(bytes)?;
        let (bindings, skipped) = index(soft_binding::blocks(&manifest))?;
        Ok(Accepted { manifest_id: manifest.id, trusted, bindings, skipped })
    }

    /// Runs the C2PA validation; returns whether the signer is trusted.
    fn check(&self, bytes: &[u8]) -> Result<bool, Refusal> {
        let reader = match self.read(bytes, "application/c2pa") {
            // The reader only accepts collection hashes in archive formats.
            Err(Error::UnsupportedType) => self.read(bytes, "zip"),
            read => read,
        };
        let reader = reader.map_err(|error| error_code::refusal(&error))?;
        let results = reader
            .validation_results()
            .ok_or_else(|| Refusal::unreadable("the validation has no results"))?;
        judge(results)
    }

    fn read(&self, bytes: &[u8], format: &str) -> Result<Reader, Error> {
        let no_asset = Cursor::new(&[] as &[u8]);
        Reader::from_shared_context(&self.context)
            .with_manifest_data_and_stream(bytes, format, no_asset)
    }
}

/// The first failure that is not ignored, otherwise whether the signer is trusted.
fn judge(results: &ValidationResults) -> Result<bool, Refusal> {
    let active = results
        .active_manifest()
        .ok_or_else(|| Refusal::unreadable("the validation found no active manifest"))?;
    // Only results that the ingredients' own records do not include.
    let deltas = results.ingredient_deltas().into_iter().flatten();
    let failures =
        active.failure().iter().chain(deltas.flat_map(|delta| delta.validation_deltas().failure()));
    let is = |code: &'static str| move |status: &ValidationStatus| status.code() == code;
    match { failures }.find(|failure| !IGNORED.contains(&failure.code())) {
        Some(failure) => {
            let text = failure.explanation().unwrap_or(failure.code());
            Err(Refusal::new(failure.code().to_owned(), text))
        }
        None => {
            Ok(active.success().iter().any(is(TRUSTED))
                && !active.failure().iter().any(is(UNTRUSTED)))
        }
    }
}
