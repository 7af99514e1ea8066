//! JavaScript face of `c2pa-manifest`: the decision on a sidecar, and small things about C2PA.

use std::sync::Arc;
use std::time::Duration;

use c2pa_manifest::{Accepted, AlgorithmKind, Binding, Outcome, Skipped, Validator};
use iscc_codec::seq;
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::binding_units::bytes::POOL as HASH_POOL;
use crate::runtime::{Contested, Gate, Pending, Pool, Watchdog};

pub mod sign;

/// Validations that may wait or run at once, unless it is said otherwise.
const WAITING_MAX: u32 = 64;
/// Time for one validation. The slowest sidecar that the caps let through takes less.
const TIME_LIMIT_MS: u32 = 5000;

/// Settings of a validator; what is absent has its default.
#[napi(object)]
#[derive(Default)]
pub struct ValidatorOptions {
    /// Validations at once; default: one per core.
    pub threads: Option<u32>,
    /// Validations that may wait or run; one more gets `busy`. Default: 64.
    pub waiting_max: Option<u32>,
    /// Time for one validation from its start; a longer one gets `overdue`. Default: 5000.
    pub time_limit_ms: Option<u32>,
}

/// What became of a sidecar.
#[napi(discriminant = "outcome", discriminant_case = "lowercase")]
pub enum ManifestReport {
    /// It is valid.
    Accepted {
        /// Label of the active manifest.
        manifest_id: String,
        /// Whether a trust anchor vouches for the signer.
        trusted: bool,
        /// What it is found by, at most 64, in the manifest's order, repetitions included.
        bindings: Vec<IndexedBinding>,
        /// The first 64 blocks that it is not found by.
        skipped: Vec<SkippedBinding>,
    },
    /// It is not.
    Refused {
        /// A status code of the C2PA, or `manifest.*`.
        code: String,
        /// One line for people.
        text: String,
    },
    /// Too many sidecars are waiting; try later.
    Busy,
    /// It took too long. Its thread is held until it ends.
    Overdue,
}

/// A soft binding to index.
#[napi(object)]
pub struct IndexedBinding {
    /// A listed algorithm.
    pub alg: String,
    /// Its value.
    pub value: Buffer,
    /// Another reading of the previous binding's block, which is counted once.
    pub alternate: bool,
    /// Of an `io.iscc.v0` value, in order and each once: every searchable unit, and the first unit
    /// of version 0 and 256 bits of each MainType. Empty for other algorithms.
    pub units: Vec<IsccSeqUnit>,
}

/// A soft binding that is stored with its manifest and not indexed.
#[napi(object)]
pub struct SkippedBinding {
    /// The algorithm it names; may be empty.
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
    /// Semantic-, Content-, Data- or Instance-Code of a known SubType, version 0 and 256 bits.
    pub searchable: bool,
}

/// What a value of `io.iscc.v0` holds.
#[napi(discriminant = "outcome", discriminant_case = "lowercase")]
pub enum IsccSeqReport {
    /// It is an ISCC-SEQ.
    Units {
        /// All its units in order, repetitions included.
        units: Vec<IsccSeqUnit>,
    },
    /// It is none.
    Refused {
        /// What is wrong, and where.
        reason: String,
    },
}

/// An entry of the C2PA's list of soft-binding algorithms.
#[napi(object)]
pub struct SoftBindingAlgorithm {
    /// Its name, compared exactly.
    pub alg: String,
    /// Which of the two lists it is on.
    #[napi(ts_type = "'watermark' | 'fingerprint'")]
    pub kind: String,
}

/// Validates sidecars against one set of trust anchors, on threads of its own.
#[napi]
pub struct ManifestValidator {
    validator: Validator,
    pool: Pool,
    gate: Gate,
    watchdog: Arc<Watchdog<ManifestReport>>,
}

#[napi]
impl ManifestValidator {
    /// Trusts the certificates of a PEM bundle; an empty one trusts nobody, which refuses nobody.
    ///
    /// Throws if the text holds something else.
    #[napi(constructor, catch_unwind)]
    pub fn new(trust_anchors_pem: String, options: Option<ValidatorOptions>) -> Result<Self> {
        let options = options.unwrap_or_default();
        let limit_ms = options.time_limit_ms.unwrap_or(TIME_LIMIT_MS);
        let limit = Duration::from_millis(limit_ms.into());
        Ok(Self {
            validator: Validator::new(&trust_anchors_pem).map_err(reason)?,
            pool: Pool::new("c2pa", options.threads.map_or_else(cores, |count| count as usize)),
            gate: Gate::new(options.waiting_max.unwrap_or(WAITING_MAX) as usize),
            watchdog: Arc::new(Watchdog::new(limit, || ManifestReport::Overdue)?),
        })
    }

    /// Decides on the bytes of a sidecar. No bytes make it reject. They are not copied: they must not change until the
    /// promise settles.
    #[napi(catch_unwind, ts_return_type = "Promise<ManifestReport>")]
    pub fn validate<'env>(
        &self,
        env: &'env Env,
        #[napi(ts_arg_type = "Uint8Array")] bytes: Buffer,
    ) -> Result<Object<'env>> {
        let (pending, promise) = Pending::new(env)?;
        let Some(place) = self.gate.enter() else {
            pending.resolve(ManifestReport::Busy);
            return Ok(promise);
        };
        let validator = self.validator.clone();
        let watchdog = Arc::clone(&self.watchdog);
        let contested = Contested::new(pending);
        self.pool.spawn(move || {
            let deadline = watchdog.start(&contested);
            let outcome = validator.validate(&bytes, Some(deadline));
            contested.resolve(report(outcome));
            drop(place);
        })?;
        Ok(promise)
    }
}

/// SHA-256 of bytes in lower-case hexadecimal digits. They are not copied: they must not change until the promise settles.
#[napi(catch_unwind, ts_return_type = "Promise<string>")]
pub fn sha256<'env>(
    env: &'env Env,
    #[napi(ts_arg_type = "Uint8Array")] bytes: Buffer,
) -> Result<Object<'env>> {
    HASH_POOL.run(env, move || Ok(c2pa_manifest::sha256_hex(&bytes)))
}

/// The list of soft-binding algorithms as of 2026-04-15.
#[napi(catch_unwind)]
pub fn soft_binding_algorithms() -> Vec<SoftBindingAlgorithm> {
    let kind = |kind| match kind {
        AlgorithmKind::Watermark => "watermark",
        AlgorithmKind::Fingerprint => "fingerprint",
    };
    c2pa_manifest::algorithms()
        .iter()
        .map(|entry| SoftBindingAlgorithm {
            alg: entry.alg.clone(),
            kind: kind(entry.kind).to_owned(),
        })
        .collect()
}

/// Whether a text can be the id of a manifest: 1 to 255 code points, all of them printable.
#[napi(catch_unwind)]
pub fn is_manifest_id(text: String) -> bool {
    c2pa_manifest::is_manifest_id(&text)
}

/// The units of an ISCC-SEQ, or why the bytes are none. For values of some kilobytes: it runs at
/// once, and makes an object per unit.
#[napi(catch_unwind)]
pub fn decode_iscc_seq(bytes: &[u8]) -> IsccSeqReport {
    match seq::decode(bytes) {
        Ok(units) => IsccSeqReport::Units { units: units.iter().map(unit).collect() },
        Err(error) => IsccSeqReport::Refused { reason: error.to_string() },
    }
}

/// Threads that work at once where nothing else is said.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What a crate's error says, as a JavaScript error.
pub(crate) fn reason(error: impl std::fmt::Display) -> Error {
    Error::from_reason(error.to_string())
}

fn report(outcome: Outcome) -> ManifestReport {
    match outcome {
        Outcome::Accepted(Accepted { manifest_id, trusted, bindings, skipped }) => {
            ManifestReport::Accepted {
                manifest_id,
                trusted,
                bindings: bindings.iter().map(indexed).collect(),
                skipped: skipped.into_iter().map(left_out).collect(),
            }
        }
        Outcome::Refused(refusal) => {
            ManifestReport::Refused { code: refusal.code.into_owned(), text: refusal.text }
        }
        Outcome::Overdue => ManifestReport::Overdue,
    }
}

fn indexed(binding: &Binding) -> IndexedBinding {
    IndexedBinding {
        alg: binding.alg.clone(),
        value: binding.value.clone().into(),
        alternate: binding.alternate,
        units: binding.units().iter().map(unit).collect(),
    }
}

fn left_out(skipped: Skipped) -> SkippedBinding {
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
        searchable: unit.is_searchable(),
    }
}
