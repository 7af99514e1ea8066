//! JavaScript face of `iscc-search`: JSON bytes in, JSON bytes out.

use std::sync::{Arc, OnceLock};

use iscc_search::{Answer, Engine, Options, Reply, StoreOptions};
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::runtime::{self, Pending, Pool};

pub mod offline;
pub mod soft_bindings;

/// What a request came to.
#[napi(object)]
pub struct SearchAnswer {
    /// 200, or the HTTP status of the failure.
    pub status: u16,
    /// JSON of the answer, or of the failure: `{"detail": ...}`. Empty after a deletion.
    pub body: Buffer,
}

/// Settings of an engine; what is absent has its default.
#[napi(object)]
#[derive(Default)]
pub struct SearchOptions {
    /// Similarity from which on a unit matches, 0 to 1.
    pub match_threshold_units: Option<f64>,
    /// Similarity from which on a simprint matches, 0 to 1.
    pub match_threshold_simprints: Option<f64>,
    /// How much a weak unit counts less than a strong one.
    pub confidence_exponent: Option<u32>,
    /// Rows of a unit type up to which all are scanned.
    pub scan_limit: Option<u32>,
    /// Threads that search.
    pub search_threads: Option<u32>,
    /// Whether a write waits until the disk has it.
    pub sync: Option<bool>,
}

/// Opens a location, `memory://`, `lmdb:///path` or `usearch:///path`, and reads its indexes.
///
/// Rejects if another process works on the folder; with the code `InvalidArg` if the location is
/// none, or an index has a format that comes after the one known here.
#[napi(catch_unwind, ts_return_type = "Promise<SearchEngine>")]
pub fn open_search_engine<'env>(
    env: &'env Env,
    location: String,
    options: Option<SearchOptions>,
) -> Result<Object<'env>> {
    let options = settings(options.unwrap_or_default());
    pool().run(env, move || {
        let engine = Engine::open(&location, options).map_err(|error| {
            let status =
                if error.is_refusal() { Status::InvalidArg } else { Status::GenericFailure };
            Error::new(status, error.to_string())
        })?;
        Ok(SearchEngine { engine: Some(Arc::new(engine)) })
    })
}

/// All indexes of one location. No method blocks; every promise settles with an answer.
#[napi]
pub struct SearchEngine {
    engine: Option<Arc<Engine>>,
}

#[napi]
impl SearchEngine {
    /// Creates an index from `{"name": ...}`.
    #[napi(catch_unwind, ts_return_type = "Promise<SearchAnswer>")]
    pub fn create_index<'env>(&self, env: &'env Env, body: &[u8]) -> Result<Object<'env>> {
        let body = body.to_vec();
        self.on_pool(env, move |engine| engine.create_index(&body))
    }

    /// All indexes.
    #[napi(catch_unwind, ts_return_type = "Promise<SearchAnswer>")]
    pub fn list_indexes<'env>(&self, env: &'env Env) -> Result<Object<'env>> {
        self.on_pool(env, Engine::list_indexes)
    }

    /// One index.
    #[napi(catch_unwind, ts_return_type = "Promise<SearchAnswer>")]
    pub fn get_index<'env>(&self, env: &'env Env, name: String) -> Result<Object<'env>> {
        self.on_pool(env, move |engine| engine.index(&name))
    }

    /// Deletes an index and all that is in it, durably.
    #[napi(catch_unwind, ts_return_type = "Promise<SearchAnswer>")]
    pub fn delete_index<'env>(&self, env: &'env Env, name: String) -> Result<Object<'env>> {
        self.on_pool(env, move |engine| engine.delete_index(&name).map(|()| Vec::new()))
    }

    /// One asset as it was sent.
    #[napi(catch_unwind, ts_return_type = "Promise<SearchAnswer>")]
    pub fn get_asset<'env>(
        &self,
        env: &'env Env,
        index: String,
        id: String,
    ) -> Result<Object<'env>> {
        self.on_pool(env, move |engine| engine.asset(&index, &id))
    }

    /// Deletes an asset, durably.
    #[napi(catch_unwind, ts_return_type = "Promise<SearchAnswer>")]
    pub fn delete_asset<'env>(
        &self,
        env: &'env Env,
        index: String,
        id: String,
    ) -> Result<Object<'env>> {
        let engine = Arc::clone(self.engine()?);
        let (reply, promise) = reply(env)?;
        pool().spawn(move || engine.delete_asset(&index, &id, reply))?;
        Ok(promise)
    }

    /// Adds a batch, the JSON of a list of entries: all or none, durably.
    ///
    /// The body must not be changed until the promise settles: a batch is too large to be copied
    /// on the event loop.
    #[napi(catch_unwind, ts_return_type = "Promise<SearchAnswer>")]
    pub fn add_assets<'env>(
        &self,
        env: &'env Env,
        index: String,
        body: Uint8Array,
    ) -> Result<Object<'env>> {
        let engine = self.engine()?;
        let (reply, promise) = reply(env)?;
        engine.add(&index, body, reply);
        Ok(promise)
    }

    /// Searches with the JSON of a query for at most `limit` assets. With `mayBlock`, a search that takes less time than
    /// leaving the thread for it (some 100 microseconds) is over when the call returns.
    #[napi(catch_unwind, ts_return_type = "Promise<SearchAnswer>")]
    pub fn search<'env>(
        &self,
        env: &'env Env,
        index: String,
        body: &[u8],
        limit: i64,
        may_block: Option<bool>,
    ) -> Result<Object<'env>> {
        let engine = self.engine()?;
        if may_block == Some(true)
            && let Some(answer) = engine.search_at_once(&index, body, limit)
        {
            return runtime::settled(env, Ok(settled(answer)));
        }
        let (reply, promise) = reply(env)?;
        engine.search(&index, body.to_vec(), limit, reply);
        Ok(promise)
    }

    /// Searches with an ISCC-CODE for at most `limit` assets.
    #[napi(catch_unwind, ts_return_type = "Promise<SearchAnswer>")]
    pub fn search_code<'env>(
        &self,
        env: &'env Env,
        index: String,
        code: String,
        limit: i64,
    ) -> Result<Object<'env>> {
        let engine = self.engine()?;
        let (reply, promise) = reply(env)?;
        engine.search_code(&index, code, limit, reply);
        Ok(promise)
    }

    /// Finishes what waits, closes all files and lets other processes have the folder.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn close<'env>(&mut self, env: &'env Env) -> Result<Object<'env>> {
        let engine = self.engine.take();
        pool().run(env, move || {
            drop(engine);
            Ok(())
        })
    }

    fn engine(&self) -> Result<&Arc<Engine>> {
        self.engine.as_ref().ok_or_else(|| Error::from_reason("the search engine is closed"))
    }

    fn on_pool<'env>(
        &self,
        env: &'env Env,
        work: impl FnOnce(&Engine) -> Answer + Send + 'static,
    ) -> Result<Object<'env>> {
        let engine = Arc::clone(self.engine()?);
        pool().run(env, move || Ok(settled(work(&engine))))
    }
}

/// Threads for what is seldom or short; searches and batches have the engine's own.
fn pool() -> &'static Pool {
    static POOL: OnceLock<Pool> = OnceLock::new();
    POOL.get_or_init(|| Pool::new("index", 2))
}

fn reply(env: &Env) -> Result<(Reply, Object<'_>)> {
    let (pending, promise) = Pending::new(env)?;
    Ok((Reply::new(move |answer| pending.resolve(settled(answer))), promise))
}

fn settled(answer: Answer) -> SearchAnswer {
    match answer {
        Ok(json) => SearchAnswer { status: 200, body: json.into() },
        Err(failure) => SearchAnswer { status: failure.kind.status(), body: failure.body().into() },
    }
}

fn settings(options: SearchOptions) -> Options {
    let default = Options::default();
    let count = |value: Option<u32>, default: usize| value.map_or(default, |count| count as usize);
    Options {
        match_threshold_units: options
            .match_threshold_units
            .unwrap_or(default.match_threshold_units),
        match_threshold_simprints: options
            .match_threshold_simprints
            .unwrap_or(default.match_threshold_simprints),
        confidence_exponent: options.confidence_exponent.unwrap_or(default.confidence_exponent),
        scan_limit: count(options.scan_limit, default.scan_limit),
        search_threads: count(options.search_threads, default.search_threads),
        ingest_threads: default.ingest_threads,
        store: StoreOptions { sync: options.sync.unwrap_or(true), ..default.store },
    }
}
