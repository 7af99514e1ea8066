//! JavaScript face of the binding index of `iscc-search`.

use std::sync::Arc;

use iscc_search::bindings::{BindingEntry, BindingIndex as Index, BindingQuery};
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::binding_c2pa::cores;
use crate::runtime::{Gate, Pending, Pool};

/// Queries that may wait or run at once, unless it is said otherwise.
const WAITING_MAX: u32 = 256;

/// Settings of a binding index; what is absent has its default.
#[napi(object)]
#[derive(Default)]
pub struct BindingIndexOptions {
    /// Queries at once; default: one per core.
    pub threads: Option<u32>,
    /// Queries that may wait or run; one more gets `busy`. Default: 256.
    pub waiting_max: Option<u32>,
}

/// A manifest with what it is found by.
#[napi(object)]
pub struct ManifestBindings {
    /// What answers name it by: an integer from 0 to 2^53 - 1.
    pub key: f64,
    /// Whether its signer is trusted.
    pub trusted: bool,
    /// When it came, in milliseconds since 1970.
    pub uploaded_at: f64,
    /// Its indexed bindings.
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

/// What a query came to.
#[napi(discriminant = "outcome", discriminant_case = "lowercase")]
pub enum BindingAnswer {
    /// Manifests with their scores, best first; the two are of equal length.
    Matches {
        /// Their keys.
        keys: Float64Array,
        /// Their scores, 0 to 100.
        scores: Uint8Array,
    },
    /// The value is none that could be searched with.
    Refused {
        /// Why, in the words that clients get.
        detail: String,
    },
    /// Too many queries are waiting; try later.
    Busy,
}

/// The bindings of all live manifests, in memory. Changes take effect in the order of the calls.
#[napi]
pub struct BindingIndex {
    index: Arc<Index>,
    /// One thread, which keeps the order of changes.
    writer: Pool,
    readers: Pool,
    gate: Gate,
}

#[napi]
impl BindingIndex {
    /// An empty index.
    #[napi(constructor, catch_unwind)]
    pub fn new(options: Option<BindingIndexOptions>) -> Self {
        let options = options.unwrap_or_default();
        let threads = options.threads.map_or_else(cores, |count| count as usize);
        Self {
            index: Arc::new(Index::new()),
            writer: Pool::new("bindings-writer", 1),
            readers: Pool::new("bindings", threads),
            gate: Gate::new(options.waiting_max.unwrap_or(WAITING_MAX) as usize),
        }
    }

    /// Number of manifests.
    #[napi(getter, catch_unwind)]
    pub fn size(&self) -> u32 {
        self.index.len() as u32
    }

    /// Adds manifests; one whose key is there already is replaced.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn insert_batch<'env>(
        &self,
        env: &'env Env,
        manifests: Vec<ManifestBindings>,
    ) -> Result<Object<'env>> {
        let entries = manifests.into_iter().map(entry).collect::<Result<Vec<_>>>()?;
        let index = Arc::clone(&self.index);
        self.writer.run(env, move || {
            index.insert(&entries);
            Ok(())
        })
    }

    /// Takes a manifest out; whether it was there.
    #[napi(catch_unwind, ts_return_type = "Promise<boolean>")]
    pub fn remove<'env>(&self, env: &'env Env, key: f64) -> Result<Object<'env>> {
        let key = integer("key", key)?;
        let index = Arc::clone(&self.index);
        self.writer.run(env, move || Ok(index.remove(key)))
    }

    /// The best matches for a value with at least a score of `threshold`: highest score first, then
    /// trusted ones, then the earliest. At most `maxResults`, and all that tie with the last one in
    /// these three: sort those by something else, then cut.
    #[napi(catch_unwind, ts_return_type = "Promise<BindingAnswer>")]
    pub fn query<'env>(
        &self,
        env: &'env Env,
        alg: String,
        value: &[u8],
        threshold: u32,
        max_results: u32,
    ) -> Result<Object<'env>> {
        let Some(place) = self.gate.enter() else {
            let (pending, promise) = Pending::new(env)?;
            pending.resolve(BindingAnswer::Busy);
            return Ok(promise);
        };
        let value = value.to_vec();
        let index = Arc::clone(&self.index);
        self.readers.run(env, move || {
            let _place = place;
            let threshold = threshold.min(u8::MAX.into()) as u8;
            let results_max = max_results as usize;
            Ok(answer(&index, &BindingQuery { alg: &alg, value: &value, threshold, results_max }))
        })
    }
}

fn answer(index: &Index, query: &BindingQuery<'_>) -> BindingAnswer {
    match index.query(query) {
        Ok(matches) => {
            let keys: Vec<f64> = matches.iter().map(|found| found.key as f64).collect();
            let scores: Vec<u8> = matches.iter().map(|found| found.score).collect();
            BindingAnswer::Matches { keys: keys.into(), scores: scores.into() }
        }
        Err(error) => BindingAnswer::Refused { detail: error.to_string() },
    }
}

fn entry(manifest: ManifestBindings) -> Result<BindingEntry> {
    Ok(BindingEntry {
        key: integer("key", manifest.key)?,
        trusted: manifest.trusted,
        uploaded_at: integer("uploadedAt", manifest.uploaded_at)?,
        bindings: manifest
            .bindings
            .into_iter()
            .map(|binding| (binding.alg, binding.value.to_vec()))
            .collect(),
    })
}

fn integer(name: &str, number: f64) -> Result<u64> {
    const SAFE_MAX: f64 = 9_007_199_254_740_991.0;
    if number.fract() == 0.0 && (0.0..=SAFE_MAX).contains(&number) {
        return Ok(number as u64);
    }
    let rule = format!("{name} must be an integer from 0 to 2^53 - 1, not {number}");
    Err(Error::new(Status::InvalidArg, rule))
}
