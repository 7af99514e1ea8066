//! Validates sidecars.

use std::io::{Cursor, Read, Seek};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use c2pa::{Context, Error, Reader, ValidationResults};
use x509_parser::pem::Pem;

use crate::algorithm::AlgorithmList;
use crate::binding::{Indexed, IndexedBinding, Skipped, index};
use crate::details::{self, State};
use crate::ocsp::{Authorities, OcspResponse};
use crate::summary::{Summary, summary};
use crate::trust::{TrustError, TrustList};
use crate::{Refusal, deadline, error_code, framing, ocsp, soft_binding, trust};

/// The first of [`IGNORED`] are about trust, also if the asset is available.
const IGNORED_TRUST: usize = 5;

/// Failures that do not refuse a sidecar.
const IGNORED: [&str; 12] = [
    // Manifests of untrusted signers are stored; they only rank lower.
    trust::UNTRUSTED,
    // A CAWG identity that is untrusted, has expired, or whose issuer's keys would have to be
    // fetched proves nothing. The manifest stays valid.
    "cawg.x509.credential.untrusted",
    "cawg.x509.signature.outside_validity",
    "cawg.ica.did_unavailable",
    "cawg.ica.valid_until.invalid",
    // The asset is not available, so its hash cannot match.
    "assertion.dataHash.mismatch",
    "assertion.bmffHash.mismatch",
    "assertion.boxesHash.mismatch",
    "assertion.boxesHash.unknownBox",
    "assertion.collectionHash.mismatch",
    "assertion.collectionHash.incorrectFileCount",
    "assertion.multiAssetHash.mismatch",
];

/// A valid manifest store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// Label of its active manifest.
    pub manifest_id: String,
    /// Name of the trust list that vouches for the signer.
    pub trust_list: Option<String>,
    /// The soft bindings to index, in the manifest's order, including repetitions.
    pub bindings: Vec<IndexedBinding>,
    /// The first blocks that are not indexed.
    pub skipped: Vec<Skipped>,
    /// Algorithms of its soft bindings that are not on the list, each once.
    pub unlisted: Vec<String>,
    /// What its active manifest says.
    pub facts: Facts,
    /// Addresses of OCSP responses about its signers that [`Validator::validate_with`] could use.
    /// Empty unless the validator asks responders and the signer is trusted.
    pub ocsp_addresses: Vec<String>,
    /// When the first OCSP response that counted, or is stapled, gets too old, in seconds since
    /// 1970. Only of a validator that asks responders, and for a trusted signer.
    pub ocsp_expires: Option<i64>,
}

/// What a store keeps about a manifest in addition to its bindings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// JSON of the [`Summary`], without the thumbnail; empty if it cannot be read.
    pub summary: String,
    /// End of the validity of the signing certificate, in seconds since 1970.
    pub certificate_expires: Option<i64>,
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

/// Validates sidecars against some trust lists. Threads can share it.
#[derive(Clone)]
pub struct Validator {
    context: Arc<Context>,
    /// `None`: OCSP responses count only if they are stapled.
    responders: Option<Arc<Authorities>>,
    algorithms: Arc<AlgorithmList>,
}

impl Validator {
    /// A validator that judges each kind of signers by its lists alone.
    /// It indexes the bindings of the bundled list of algorithms.
    pub fn new(lists: &[TrustList]) -> Result<Self, TrustError> {
        let context = Arc::new(trust::context(lists, false)?);
        let algorithms = Arc::new(AlgorithmList::bundled());
        Ok(Self { context, responders: None, algorithms })
    }

    /// Like [`Validator::new`], and names the OCSP responses that the caller can fetch.
    pub fn asking_responders(lists: &[TrustList]) -> Result<Self, TrustError> {
        let context = Arc::new(trust::context(lists, true)?);
        let responders = trust::authorities(lists).map(Arc::new);
        Ok(Self { context, responders, ..Self::new(lists)? })
    }

    /// Indexes the bindings of another list of algorithms.
    pub fn with_algorithms(self, algorithms: AlgorithmList) -> Self {
        Self { algorithms: Arc::new(algorithms), ..self }
    }

    /// Validates the bytes of a sidecar. The deadline is checked between steps; the longest step is
    /// the work on one manifest of a thousand assertions.
    pub fn validate(&self, bytes: &[u8], deadline: Option<Instant>) -> Outcome {
        self.validate_with(bytes, Vec::new(), deadline)
    }

    /// Like [`Validator::validate`], with OCSP responses that the caller has fetched. Those by
    /// responders that no trust anchor vouches for do not count.
    pub fn validate_with(
        &self,
        bytes: &[u8],
        mut fetched: Vec<OcspResponse>,
        deadline: Option<Instant>,
    ) -> Outcome {
        let responders = self.responders.as_deref();
        fetched.retain(|response| responders.is_some_and(|it| it.vouch_for(response)));
        let expires = fetched.iter().filter_map(|response| ocsp::next_update(&response.der)).min();
        let validate = || self.within(bytes, deadline);
        let (mut outcome, missing) = ocsp::with(fetched, validate);
        if let Outcome::Accepted(accepted) = &mut outcome
            && accepted.trust_list.is_some()
        {
            accepted.ocsp_addresses = missing;
            accepted.ocsp_expires = accepted.ocsp_expires.into_iter().chain(expires).min();
        } else if let Outcome::Accepted(accepted) = &mut outcome {
            accepted.ocsp_expires = None;
        }
        outcome
    }

    fn within(&self, bytes: &[u8], deadline: Option<Instant>) -> Outcome {
        // The bytes are untrusted, and other crates parse most of them.
        let decide = AssertUnwindSafe(|| self.decide(bytes));
        deadline::within(deadline, || match catch_unwind(decide) {
            _ if deadline::passed() => Outcome::Overdue,
            Ok(Ok(accepted)) => Outcome::Accepted(accepted),
            Ok(Err(refusal)) => Outcome::Refused(refusal),
            Err(_) => Outcome::Refused(Refusal::unreadable("the validation failed")),
        })
    }

    /// Summarises the bytes of a store, whether it is valid or not. With an asset and its media
    /// type, the hashes of the asset count too. `None` if the store is unreadable or the deadline
    /// passes.
    pub fn describe<A: Read + Seek + Send>(
        &self,
        bytes: &[u8],
        asset: Option<(&str, A)>,
        deadline: Option<Instant>,
    ) -> Option<Summary> {
        let ignored = if asset.is_some() { &IGNORED[..IGNORED_TRUST] } else { &IGNORED[..] };
        let describe = AssertUnwindSafe(|| {
            framing::read(bytes).ok()?;
            let reader = match asset {
                None => self.read_sidecar(bytes).ok()?,
                Some((mediatype, asset)) => Reader::from_shared_context(&self.context)
                    .with_manifest_data_and_stream(bytes, mediatype, asset)
                    .ok()?,
            };
            summary(&reader, ignored)
        });
        deadline::within(deadline, || catch_unwind(describe).ok().flatten())
    }

    /// All that the bytes of a store contain, whether it is valid or not, as the JSON of a C2PA
    /// reader, without failures that only mean that the asset is not available. `None` if the
    /// store is unreadable, too large or nested too deeply, or if the deadline passes.
    pub fn details(&self, bytes: &[u8], deadline: Option<Instant>) -> Option<String> {
        let read = AssertUnwindSafe(|| {
            framing::read(bytes).ok().filter(|_| details::fits(bytes))?;
            let reader = self.read_sidecar(bytes).ok()?;
            let state = match judge(reader.validation_results()?) {
                Ok(Some(_list)) => State::Trusted,
                Ok(None) => State::Valid,
                Err(_) => State::Invalid,
            };
            details::details(&reader, &IGNORED[IGNORED_TRUST..], state)
        });
        deadline::within(deadline, || catch_unwind(read).ok().flatten())
    }

    fn decide(&self, bytes: &[u8]) -> Result<Accepted, Refusal> {
        let manifest = framing::read(bytes)?;
        let (trust_list, facts) = self.check(bytes)?;
        let stapled = self.responders.iter().flat_map(|_| ocsp::stapled(&manifest.signature));
        let ocsp_expires = stapled.filter_map(|der| ocsp::next_update(&der)).min();
        let blocks = soft_binding::blocks(&manifest.sources);
        let Indexed { bindings, skipped, unlisted } = index(blocks, &self.algorithms)?;
        Ok(Accepted {
            manifest_id: manifest.id,
            trust_list,
            bindings,
            skipped,
            unlisted,
            facts,
            ocsp_addresses: Vec::new(),
            ocsp_expires,
        })
    }

    /// Runs the C2PA validation; returns the list that vouches for the signer, and other facts.
    fn check(&self, bytes: &[u8]) -> Result<(Option<String>, Facts), Refusal> {
        let reader = self.read_sidecar(bytes).map_err(|error| error_code::refusal(&error))?;
        let results = reader
            .validation_results()
            .ok_or_else(|| Refusal::unreadable("the validation has no results"))?;
        let trust_list = judge(results)?.map(str::to_owned);
        Ok((trust_list, facts(&reader)))
    }

    fn read_sidecar(&self, bytes: &[u8]) -> Result<Reader, Error> {
        match self.read(bytes, "application/c2pa") {
            // The reader only accepts collection hashes in archive formats.
            Err(Error::UnsupportedType) => self.read(bytes, "zip"),
            read => read,
        }
    }

    fn read(&self, bytes: &[u8], format: &str) -> Result<Reader, Error> {
        let no_asset = Cursor::new(&[] as &[u8]);
        Reader::from_shared_context(&self.context)
            .with_manifest_data_and_stream(bytes, format, no_asset)
    }
}

fn facts(reader: &Reader) -> Facts {
    let json = summary(reader, &IGNORED).map(|mut summary| {
        summary.thumbnail = None;
        summary.json()
    });
    let signature = reader.active_manifest().and_then(|manifest| manifest.signature_info());
    Facts {
        summary: json.unwrap_or_default(),
        certificate_expires: signature.and_then(|info| expiry(info.cert_chain())),
    }
}

/// End of the validity of the first certificate of a chain.
fn expiry(chain_pem: &str) -> Option<i64> {
    let first = Pem::iter_from_buffer(chain_pem.as_bytes()).next()?.ok()?;
    let certificate = first.parse_x509().ok()?;
    Some(certificate.validity().not_after.timestamp())
}

/// The first failure that is not ignored, otherwise the name of the list that vouches for the signer.
fn judge(results: &ValidationResults) -> Result<Option<&str>, Refusal> {
    let active = results
        .active_manifest()
        .ok_or_else(|| Refusal::unreadable("the validation found no active manifest"))?;
    // Only results that the ingredients' own records do not include.
    let deltas = results.ingredient_deltas().into_iter().flatten();
    let failures =
        active.failure().iter().chain(deltas.flat_map(|delta| delta.validation_deltas().failure()));
    match { failures }.find(|failure| !IGNORED.contains(&failure.code())) {
        Some(failure) => {
            let text = failure.explanation().unwrap_or(failure.code());
            Err(Refusal::new(failure.code().to_owned(), text))
        }
        None => Ok(trust::trusting_list(active)),
    }
}
