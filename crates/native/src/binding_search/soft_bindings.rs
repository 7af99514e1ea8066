//! The index of soft bindings in `iscc-search`.

use std::sync::Arc;

use iscc_search::bindings::{BindingEntry, BindingIndex as Index, BindingQuery};
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::binding_codec::whole;
use crate::error::{NativeError, Result};
use crate::runtime::{CPU, Gate, Serial, rejected};

/// Default for the queries that may wait or run.
const WAITING_MAX: u32 = 256;

/// Settings of a binding index. Absent ones have their default.
#[napi(object)]
#[derive(Default)]
pub struct BindingIndexOptions {
    /// Queries that may wait or run; further ones fail with `BUSY`. Default: 256.
    pub waiting_max: Option<u32>,
}

/// A manifest with its indexed bindings.
#[napi(object)]
pub struct ManifestBindings {
    /// Identifies the manifest in results: an integer from 0 to 2^53 - 1.
    pub key: f64,
    /// Whether its signer is trusted.
    pub trusted: bool,
    /// Time of upload, in milliseconds since 1970.
    pub uploaded_at: f64,
    /// Its bindings.
    pub bindings: Vec<SoftBinding>,
}

/// A soft binding.
#[napi(object)]
pub struct SoftBinding {
    /// Its algorithm.
    pub alg: String,
    /// Its value.
    pub value: Uint8Array,
}

/// Manifests that match a query, best first. Both arrays have the same length.
#[napi(object)]
pub struct BindingMatches {
    /// Keys of the manifests.
    pub keys: Float64Array,
    /// Their scores, 0 to 100.
    pub scores: Uint8Array,
}

/// The bindings of all live manifests, in memory. Changes take effect in the order of the calls.
#[napi]
pub struct BindingIndex {
    index: Arc<Index>,
    changes: Serial,
    gate: Gate,
}

#[napi]
impl BindingIndex {
    /// An empty index.
    #[napi(constructor, catch_unwind)]
    pub fn new(options: Option<BindingIndexOptions>) -> Self {
        let options = options.unwrap_or_default();
        Self {
            index: Arc::new(Index::new()),
            changes: Serial::new(&CPU),
            gate: Gate::new(options.waiting_max.unwrap_or(WAITING_MAX) as usize),
        }
    }

    /// Number of manifests.
    #[napi(getter, catch_unwind)]
    pub fn size(&self) -> u32 {
        self.index.len() as u32
    }

    /// Adds manifests. Replaces those whose key exists.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn insert_batch<'env>(
        &self,
        env: &'env Env,
        manifests: Vec<ManifestBindings>,
    ) -> Result<Object<'env>> {
        let entries = manifests.into_iter().map(entry).collect::<Result<Vec<_>>>()?;
        let index = Arc::clone(&self.index);
        self.changes.run(env, move || {
            index.insert(&entries);
            Ok(())
        })
    }

    /// Removes a manifest. Resolves to whether it existed.
    #[napi(catch_unwind, ts_return_type = "Promise<boolean>")]
    pub fn remove<'env>(&self, env: &'env Env, key: f64) -> Result<Object<'env>> {
        let key = whole("key", key)?;
        let index = Arc::clone(&self.index);
        self.changes.run(env, move || Ok(index.remove(key)))
    }

    /// The best matches for a value with a score of at least `threshold`, sorted by score, then
    /// trusted before untrusted, then by time of upload.
    ///
    /// Returns at most `maxResults`, plus all that equal the last one in these three: sort those by
    /// another criterion, then cut. Rejects with `INVALID_ARGUMENT` for a value without searchable
    /// units, and with `BUSY`.
    #[napi(catch_unwind, ts_return_type = "Promise<BindingMatches>")]
    pub fn query<'env>(
        &self,
        env: &'env Env,
        alg: String,
        value: &[u8],
        threshold: u32,
        max_results: u32,
    ) -> Result<Object<'env>> {
        let place = match self.gate.enter() {
            Ok(place) => place,
            Err(error) => return rejected(env, error),
        };
        let value = value.to_vec();
        let index = Arc::clone(&self.index);
        CPU.run(env, move || {
            let _place = place;
            let threshold = threshold.min(u8::MAX.into()) as u8;
            let results_max = max_results as usize;
            matches(&index, &BindingQuery { alg: &alg, value: &value, threshold, results_max })
        })
    }
}

fn matches(index: &Index, query: &BindingQuery<'_>) -> Result<BindingMatches> {
    let found = index.query(query).map_err(NativeError::invalid)?;
    let keys: Vec<f64> = found.iter().map(|one| one.key as f64).collect();
    let scores: Vec<u8> = found.iter().map(|one| one.score).collect();
    Ok(BindingMatches { keys: keys.into(), scores: scores.into() })
}

fn entry(manifest: ManifestBindings) -> Result<BindingEntry> {
    Ok(BindingEntry {
        key: whole("key", manifest.key)?,
        trusted: manifest.trusted,
        uploaded_at: whole("uploadedAt", manifest.uploaded_at)?,
        bindings: manifest
            .bindings
            .into_iter()
            .map(|binding| (binding.alg, binding.value.to_vec()))
            .collect(),
    })
}
