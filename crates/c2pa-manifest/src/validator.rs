//! The decision on a sidecar.

use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use c2pa::validation_status::ValidationStatus;
use c2pa::{Context, Error, Reader, ValidationResults};

use crate::binding::{IndexedBinding, Skipped, index};
use crate::trust::TrustError;
use crate::{Refusal, deadline, error_code, framing, soft_binding, trust};

/// Failures that don't speak against a sidecar.
const IGNORED: [&str; 8] = [
    // Manifests of signers whom nobody vouches for are stored; they only rank lower.
    UNTRUSTED,
    // The asset is not there to be hashed.
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

/// A manifest store to keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// Label of its active manifest.
    pub manifest_id: String,
    /// Whether a trust anchor vouches for the signer.
    pub trusted: bool,
    /// What it is found by, in the manifest's order, repetitions included.
    pub bindings: Vec<IndexedBinding>,
    /// The first of its blocks that it is not found by.
    pub skipped: Vec<Skipped>,
}

/// What became of a sidecar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It is valid.
    Accepted(Accepted),
    /// It is not.
    Refused(Refusal),
    /// The deadline came first.
    Overdue,
}

/// Validates sidecars against one set of trust anchors; shared between threads.
#[derive(Clone)]
pub struct Validator {
    context: Arc<Context>,
}

impl Validator {
    /// A validator that trusts the certificates of a PEM bundle; an empty one trusts nobody.
    pub fn new(anchors_pem: &str) -> Result<Self, TrustError> {
        Ok(Self { context: Arc::new(trust::context(anchors_pem)?) })
    }

    /// Decides on the bytes of a sidecar. With a deadline, it is looked at between steps: between
    /// two of them at most the work on one manifest of a thousand assertions lies.
    pub fn validate(&self, bytes: &[u8], deadline: Option<Instant>) -> Outcome {
        // The bytes are a stranger's and most of the code that reads them is not ours.
        let decide = AssertUnwindSafe(|| self.decide(bytes));
        deadline::within(deadline, || match catch_unwind(decide) {
            _ if deadline::passed() => Outcome::Overdue,
            Ok(Ok(accepted)) => Outcome::Accepted(accepted),
            Ok(Err(refusal)) => Outcome::Refused(refusal),
            Err(_) => Outcome::Refused(Refusal::unreadable("the validation broke off")),
        })
    }

    fn decide(&self, bytes: &[u8]) -> Result<Accepted, Refusal> {
        let manifest = framing::read(bytes)?;
        let trusted = self.check(bytes)?;
        let (bindings, skipped) = index(soft_binding::blocks(&manifest))?;
        Ok(Accepted { manifest_id: manifest.id, trusted, bindings, skipped })
    }

    /// Runs the validation of the C2PA; returns whether the signer is trusted.
    fn check(&self, bytes: &[u8]) -> Result<bool, Refusal> {
        let reader = match self.read(bytes, "application/c2pa") {
            // Collection hashes are only looked at for archives.
            Err(Error::UnsupportedType) => self.read(bytes, "zip"),
            read => read,
        };
        let reader = reader.map_err(|error| error_code::refusal(&error))?;
        let results = reader
            .validation_results()
            .ok_or_else(|| Refusal::unreadable("the validation gave no results"))?;
        judge(results)
    }

    fn read(&self, bytes: &[u8], format: &str) -> Result<Reader, Error> {
        let no_asset = Cursor::new(&[] as &[u8]);
        Reader::from_shared_context(&self.context)
            .with_manifest_data_and_stream(bytes, format, no_asset)
    }
}

/// The first failure that counts refuses; else: whether the signer is trusted.
fn judge(results: &ValidationResults) -> Result<bool, Refusal> {
    let active = results
        .active_manifest()
        .ok_or_else(|| Refusal::unreadable("the validation saw no active manifest"))?;
    // Only what the ingredients' own records don't already tell.
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
