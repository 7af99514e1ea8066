//! Binding of `c2pa-manifest`: validation of manifest stores, the list of soft-binding algorithms
//! and ISCC-SEQ.

pub mod embedded;
pub mod sign;
pub mod trust;

use std::sync::Arc;
use std::time::{Duration, Instant};

use c2pa_manifest::{
    Accepted, AlgorithmKind, AlgorithmList, BindingUnit, Outcome, Skipped, Validator,
};
use iscc_codec::seq;
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::error::{ErrorCode, NativeError, Result};
use crate::runtime::{C2PA, CPU, Gate, Watchdog, rejected};

use self::trust::{TrustList, list};

/// Default for the validations that may wait or run.
const WAITING_MAX: u32 = 64;
/// Default time limit of a validation, above what the slowest permitted manifest store takes.
const TIME_LIMIT_MS: u32 = 5000;

/// Settings of a validator. Absent ones have their default.
#[napi(object)]
#[derive(Default)]
pub struct ValidatorOptions {
    /// Validations that may wait or run; further ones fail with `BUSY`. Default: 64.
    pub waiting_max: Option<u32>,
    /// Time limit of a validation from its start, above which it fails with `TIMEOUT`. Default:
    /// 5000.
    pub time_limit_ms: Option<u32>,
    /// List of the algorithms to index, as the C2PA publishes it. Default: the bundled list.
    pub algorithm_list: Option<String>,
    /// Whether reports name the OCSP responses that the caller can fetch. Default: `false`.
    pub asks_responders: Option<bool>,
}

/// A response of an OCSP responder.
#[napi(object)]
pub struct OcspResponse {
    /// Address that it was fetched from, as the report names it.
    pub address: String,
    /// DER.
    pub der: Buffer,
}

/// The verdict on a manifest store.
#[napi(discriminant = "outcome", discriminant_case = "lowercase")]
pub enum ManifestReport {
    /// It is valid.
    Accepted {
        /// Label of the active manifest.
        manifest_id: String,
        /// Whether a trust list vouches for the signer.
        trusted: bool,
        /// Name of that list.
        trust_list: Option<String>,
        /// The bindings to index, at most 64, in the manifest's order, with repetitions.
        bindings: Vec<IndexedBinding>,
        /// The first 64 bindings that are not indexed.
        skipped: Vec<SkippedBinding>,
        /// Algorithms of its bindings that are not on the list, at most 64.
        unlisted: Vec<String>,
        /// JSON of what its active manifest says, without the thumbnail; may be empty.
        summary: String,
        /// End of the validity of the signing certificate, in seconds since 1970.
        certificate_expires: Option<i64>,
        /// Addresses of OCSP responses about its signers, to fetch and to validate again with.
        /// Empty unless the validator asks responders and the signer is trusted.
        ocsp_addresses: Vec<String>,
        /// When the first OCSP response that counted, or is stapled, gets too old, in seconds since
        /// 1970. Only if the validator asks responders, and of a trusted signer.
        ocsp_expires: Option<i64>,
    },
    /// It is invalid.
    Refused {
        /// A status code of the C2PA specification, or `manifest.*`.
        code: String,
        /// The reason in one line.
        text: String,
    },
}

/// A soft binding to index.
#[napi(object)]
pub struct IndexedBinding {
    /// An algorithm, which may be missing on the list. Such a binding is found by its exact value.
    pub alg: String,
    /// Its value.
    pub value: Buffer,
    /// Whether this is another reading of the previous binding's block. Both count as one binding.
    pub alternate: bool,
    /// For an `io.iscc.v0` value, in its order and without repetitions: every searchable unit, and
    /// the first declarable Meta-Code. Empty for other algorithms.
    pub units: Vec<IsccSeqUnit>,
}

/// A soft binding that is stored with its manifest but not indexed.
#[napi(object)]
pub struct SkippedBinding {
    /// Name of its algorithm; may be empty.
    pub alg: String,
    /// Its value.
    pub value: Buffer,
    /// Why it is not indexed.
    pub reason: String,
}

/// A unit of an ISCC-SEQ.
#[napi(object)]
pub struct IsccSeqUnit {
    /// Canonical text with `ISCC:`.
    pub iscc: String,
    /// First field of the header, 0 (Meta) to 4 (Instance).
    pub main_type: u32,
    /// Second field of the header.
    pub sub_type: u32,
    /// Third field of the header.
    pub version: u32,
    /// Bits of the body.
    pub bits: u32,
    /// The body.
    pub body: Buffer,
    /// Whether a declaration may name it: known SubType, version 0 and 256 bits.
    pub declarable: bool,
    /// Whether a query may match by it: declarable and not a Meta-Code.
    pub searchable: bool,
}

/// An entry of the C2PA's list of soft-binding algorithms.
#[napi(object)]
pub struct SoftBindingAlgorithm {
    /// Its name, compared exactly.
    pub alg: String,
    /// The list that contains it.
    #[napi(ts_type = "'watermark' | 'fingerprint'")]
    pub kind: String,
}

/// Validates manifest stores against some trust lists.
#[napi]
pub struct ManifestValidator {
    validator: Validator,
    gate: Gate,
    time_limit: Duration,
    watchdog: Arc<Watchdog<ManifestReport>>,
}

#[napi]
impl ManifestValidator {
    /// Judges signers, CAWG identities and time-stampers each by their own lists. Without a list of
    /// signers, none is trusted; untrusted manifests are accepted all the same.
    ///
    /// Throws `INVALID_ARGUMENT` if a list is not PEM.
    #[napi(constructor, catch_unwind)]
    pub fn new(trust_lists: Vec<TrustList>, options: Option<ValidatorOptions>) -> Result<Self> {
        let options = options.unwrap_or_default();
        let limit_ms = options.time_limit_ms.unwrap_or(TIME_LIMIT_MS);
        let time_limit = Duration::from_millis(limit_ms.into());
        let create = match options.asks_responders {
            Some(true) => Validator::asking_responders,
            _ => Validator::new,
        };
        let lists = trust_lists.into_iter().map(list).collect::<Result<Vec<_>>>()?;
        let mut validator = create(&lists).map_err(NativeError::invalid)?;
        if let Some(json) = options.algorithm_list {
            let list = AlgorithmList::parse(&json).map_err(NativeError::invalid)?;
            validator = validator.with_algorithms(list);
        }
        Ok(Self {
            validator,
            gate: Gate::new(options.waiting_max.unwrap_or(WAITING_MAX) as usize),
            time_limit,
            watchdog: Arc::new(Watchdog::new(time_limit)?),
        })
    }

    /// Validates the bytes of a manifest store, which must not change until the promise settles. Invalid
    /// bytes resolve to `refused`; rejects only with `BUSY`, `TIMEOUT` or `INTERNAL`. `fetched`: the
    /// OCSP responses that an earlier report named.
    #[napi(catch_unwind, ts_return_type = "Promise<ManifestReport>")]
    pub fn validate<'env>(
        &self,
        env: &'env Env,
        bytes: Uint8Array,
        fetched: Option<Vec<OcspResponse>>,
    ) -> Result<Object<'env>> {
        let place = match self.gate.enter() {
            Ok(place) => place,
            Err(error) => return rejected(env, error),
        };
        let validator = self.validator.clone();
        let fetched = fetched.unwrap_or_default().into_iter().map(|response| {
            let OcspResponse { address, der } = response;
            c2pa_manifest::OcspResponse { address, der: der.to_vec() }
        });
        let fetched: Vec<_> = fetched.collect();
        C2PA.run_watched(env, &self.watchdog, move |deadline| {
            let _place = place;
            report(validator.validate_with(&bytes, fetched, Some(deadline)))
        })
    }

    /// All that a manifest store contains, as the detailed JSON of a C2PA reader. Resolves to
    /// `null` for bytes that are not a readable store, for a store above 10 MiB or nested too
    /// deeply, and after the time limit. Rejects with `BUSY` like `validate`. The bytes must not
    /// change until the promise settles.
    #[napi(catch_unwind, ts_return_type = "Promise<string | null>")]
    pub fn details<'env>(&self, env: &'env Env, bytes: Uint8Array) -> Result<Object<'env>> {
        let place = match self.gate.enter() {
            Ok(place) => place,
            Err(error) => return rejected(env, error),
        };
        let (validator, limit) = (self.validator.clone(), self.time_limit);
        C2PA.run(env, move || {
            let _place = place;
            Ok(validator.details(&bytes, Some(Instant::now() + limit)))
        })
    }
}

/// SHA-256 of bytes in lower-case hexadecimal. The bytes must not change until the promise settles.
#[napi(catch_unwind, ts_return_type = "Promise<string>")]
pub fn sha256(env: &Env, bytes: Uint8Array) -> Result<Object<'_>> {
    CPU.run(env, move || Ok(c2pa_manifest::sha256_hex(&bytes)))
}

/// The entries of a list of soft-binding algorithms, as the C2PA publishes it; without one, those
/// of the bundled list. Throws `INVALID_ARGUMENT` if the text is not such a list.
#[napi(catch_unwind)]
pub fn soft_binding_algorithms(list: Option<String>) -> Result<Vec<SoftBindingAlgorithm>> {
    let kind = |kind| match kind {
        AlgorithmKind::Watermark => "watermark",
        AlgorithmKind::Fingerprint => "fingerprint",
    };
    let list = algorithm_list(list)?;
    let named = list.entries().iter().map(|entry| SoftBindingAlgorithm {
        alg: entry.alg.clone(),
        kind: kind(entry.kind).to_owned(),
    });
    Ok(named.collect())
}

/// The date of such a list, as `2026-08-20`; `null` for lists of the C2PA, which have none. Throws
/// like `softBindingAlgorithms`.
#[napi(catch_unwind)]
pub fn soft_binding_list_date(list: Option<String>) -> Result<Option<String>> {
    Ok(algorithm_list(list)?.date().map(str::to_owned))
}

fn algorithm_list(json: Option<String>) -> Result<AlgorithmList> {
    match json {
        Some(json) => Ok(AlgorithmList::parse(&json).map_err(NativeError::invalid)?),
        None => Ok(AlgorithmList::bundled()),
    }
}

/// Label of the active manifest of a manifest store, by its structure alone; `null` if the bytes are
/// not exactly one store whose active manifest has a claim signature. They must not change until the
/// promise settles.
#[napi(catch_unwind, ts_return_type = "Promise<string | null>")]
pub fn active_manifest_id(env: &Env, bytes: Uint8Array) -> Result<Object<'_>> {
    CPU.run(env, move || Ok(c2pa_manifest::active_label(&bytes)))
}

/// Whether a text is a valid manifest id: 1 to 255 code points, all of them printable.
#[napi(catch_unwind)]
pub fn is_manifest_id(text: String) -> bool {
    c2pa_manifest::is_manifest_id(&text)
}

/// All units of an ISCC-SEQ in order, with repetitions. Throws `INVALID_ARGUMENT` with the defect
/// and its position. For values of some kilobytes: it runs on the calling thread.
#[napi(catch_unwind)]
pub fn decode_iscc_seq(bytes: &[u8]) -> Result<Vec<IsccSeqUnit>> {
    Ok(seq::decode(bytes)?.iter().map(unit).collect())
}

fn report(outcome: Outcome) -> Result<ManifestReport> {
    match outcome {
        Outcome::Accepted(accepted) => {
            let Accepted { manifest_id, trust_list, bindings, skipped, unlisted, facts, .. } =
                accepted;
            Ok(ManifestReport::Accepted {
                manifest_id,
                trusted: trust_list.is_some(),
                trust_list,
                bindings: bindings.iter().map(indexed).collect(),
                skipped: skipped.into_iter().map(skipped_binding).collect(),
                unlisted,
                summary: facts.summary,
                certificate_expires: facts.certificate_expires,
                ocsp_addresses: accepted.ocsp_addresses,
                ocsp_expires: accepted.ocsp_expires,
            })
        }
        Outcome::Refused(refusal) => {
            Ok(ManifestReport::Refused { code: refusal.code.into_owned(), text: refusal.text })
        }
        Outcome::Overdue => {
            let late = "the validation reached its time limit";
            Err(NativeError::new(ErrorCode::Timeout, late))
        }
    }
}

fn indexed(binding: &c2pa_manifest::IndexedBinding) -> IndexedBinding {
    IndexedBinding {
        alg: binding.alg.clone(),
        value: binding.value.clone().into(),
        alternate: binding.alternate,
        units: binding.units.iter().map(reported_unit).collect(),
    }
}

fn reported_unit(unit: &BindingUnit) -> IsccSeqUnit {
    IsccSeqUnit {
        iscc: unit.iscc.clone(),
        main_type: unit.header.main.into(),
        sub_type: unit.header.sub.into(),
        version: unit.header.version.into(),
        bits: unit.body.len() as u32 * 8,
        body: unit.body.clone().into(),
        declarable: true,
        searchable: unit.is_searchable,
    }
}

fn skipped_binding(skipped: Skipped) -> SkippedBinding {
    SkippedBinding {
        alg: skipped.alg,
        value: skipped.value.into(),
        reason: skipped.reason.to_owned(),
    }
}

fn unit(unit: &seq::SeqUnit<'_>) -> IsccSeqUnit {
    IsccSeqUnit {
        iscc: unit.to_string(),
        main_type: unit.header.main.into(),
        sub_type: unit.header.sub.into(),
        version: unit.header.version.into(),
        bits: unit.body.len() as u32 * 8,
        body: unit.body.to_vec().into(),
        declarable: unit.is_declarable(),
        searchable: unit.is_searchable(),
    }
}
