//! Indexes whose assets another engine stores: their rules and responses, as functions of rows.

use iscc_search::foreign::{self, Counts, ForeignIndex, Plan, Search};
use iscc_search::transfer::Form;
use iscc_search::{Fields, IndexState, SearchBody};
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use super::assets::AssetPage;
use super::following::{FollowedState, IndexChange, request, state_in, state_out};
use super::{QueryOptions, SearchOptions, asset_matches, found, settings};
use crate::error::{NativeError, Result};
use crate::runtime::IO;

/// An index that another engine stores.
#[napi(object, js_name = "ForeignIndex")]
pub struct ForeignIndexIn {
    /// Name in the request.
    pub name: String,
    /// What the engine knows besides assets. Absent if there is no such index.
    pub state: Option<FollowedState>,
}

/// What a change would do.
#[napi(object)]
pub struct ForeignRehearsed {
    /// The response: JSON.
    pub response: Buffer,
    /// Changed assets: a JSON array of `{"key", "code", "units", "metadata", "simprints"}`.
    pub rows: Buffer,
    /// Terms of each changed asset: a JSON array of `{"units", "simprints"}`.
    pub terms: Buffer,
    /// Keys of deleted assets.
    pub deleted: Vec<String>,
    /// The index after the change.
    pub state: FollowedState,
}

/// A search request, with one of `json`, `code` and `units`.
#[napi(object)]
pub struct ForeignQuery {
    /// Where to search.
    pub index: ForeignIndexIn,
    /// JSON of a query. It must not change until the promise settles.
    pub json: Option<Uint8Array>,
    /// An ISCC-CODE.
    pub code: Option<String>,
    /// ISCC-UNITs.
    pub units: Option<Vec<String>>,
    /// Parameters besides.
    pub parameters: QueryOptions,
    /// Settings.
    pub options: SearchOptions,
}

/// A unit to look for.
#[napi(object)]
pub struct ForeignUnit {
    /// Name of its type.
    pub unit: String,
    /// The body, in hexadecimal digits.
    pub body: String,
    /// Whether only equal prefixes match.
    pub is_exact: bool,
    /// Lengths in bits at which it is compared: multiples of 32, up to its own.
    pub bits: Vec<u32>,
    /// The largest distance of a match at each.
    pub distances: Vec<u32>,
}

/// Simprints of a type to look for.
#[napi(object)]
pub struct ForeignSimprints {
    /// Number of the type.
    pub kind: u32,
    /// Their length in bits.
    pub bits: u32,
    /// Largest distance of a match.
    pub distance: u32,
    /// The bodies, in hexadecimal digits.
    pub bodies: Vec<String>,
}

/// What to look for.
#[napi(object)]
pub struct ForeignPlan {
    /// Key of the asset that the query refers to: plan again with its row.
    pub asset: Option<String>,
    /// Units.
    pub units: Vec<ForeignUnit>,
    /// Simprints.
    pub simprints: Vec<ForeignSimprints>,
    /// Number of matches that the client wants. Absent if some may be left out afterwards.
    pub limit: Option<u32>,
}

/// Counts of a whole index.
#[napi(object)]
pub struct ForeignCounts {
    /// Number of assets.
    pub assets: u32,
    /// Terms of simprints.
    pub terms: Vec<String>,
    /// Number of assets with each.
    pub frequencies: Vec<u32>,
}

/// The part of a listing to read.
#[napi(object)]
pub struct ForeignAfter {
    /// The assets come after this key; absent at the start.
    pub key: Option<String>,
    /// Their maximum number.
    pub limit: u32,
}

/// Checks a change and resolves to the keys of the assets that it depends on.
#[napi(catch_unwind, ts_return_type = "Promise<Array<string>>")]
pub fn foreign_keys<'env>(
    env: &'env Env,
    index: ForeignIndexIn,
    change: IndexChange,
) -> Result<Object<'env>> {
    let (index, change) = (index.into(), request(change)?);
    IO.run(env, move || Ok(foreign::keys(&index, &change.form, &change.body)?))
}

/// What a change would do. `rows` is the JSON array of the stored assets with its keys.
///
/// Neither may change until the promise settles. Rejects with the error of the response.
#[napi(catch_unwind, ts_return_type = "Promise<ForeignRehearsed>")]
pub fn foreign_rehearse<'env>(
    env: &'env Env,
    index: ForeignIndexIn,
    change: IndexChange,
    rows: Uint8Array,
) -> Result<Object<'env>> {
    let (index, change) = (index.into(), request(change)?);
    IO.run(env, move || {
        let done = foreign::rehearse(&index, &change.form, &change.body, &rows)?;
        Ok(ForeignRehearsed {
            response: done.response?.into(),
            rows: done.rows.into(),
            terms: done.terms.into(),
            deleted: done.deleted,
            state: state_out(done.state),
        })
    })
}

/// Checks a search and resolves to what to look for. `asset` is the JSON array with the row of an earlier plan's asset.
#[napi(catch_unwind, ts_return_type = "Promise<ForeignPlan>")]
pub fn foreign_plan<'env>(
    env: &'env Env,
    query: ForeignQuery,
    asset: Option<Uint8Array>,
) -> Result<Object<'env>> {
    IO.run(env, move || query.run(|search| Ok(ForeignPlan::from(search.plan(asset.as_deref())?))))
}

/// Terms of the stored simprints of candidates that match, whose counts are part of the scores.
#[napi(catch_unwind, ts_return_type = "Promise<Array<string>>")]
pub fn foreign_simprints<'env>(
    env: &'env Env,
    query: ForeignQuery,
    asset: Option<Uint8Array>,
    rows: Uint8Array,
) -> Result<Object<'env>> {
    IO.run(env, move || query.run(|search| Ok(search.matching_simprints(asset.as_deref(), &rows)?)))
}

/// The response of a search. `rows` is the JSON array of its candidates.
#[napi(catch_unwind, ts_return_type = "Promise<SearchFound>")]
pub fn foreign_score<'env>(
    env: &'env Env,
    query: ForeignQuery,
    asset: Option<Uint8Array>,
    rows: Uint8Array,
    counts: ForeignCounts,
) -> Result<Object<'env>> {
    IO.run(env, move || {
        let counts = counts.into();
        query.run(|search| found(search.score(asset.as_deref(), &rows, &counts)))
    })
}

/// The typed result of a search with units.
#[napi(catch_unwind, ts_return_type = "Promise<Array<AssetMatch>>")]
pub fn foreign_matches<'env>(
    env: &'env Env,
    query: ForeignQuery,
    rows: Uint8Array,
) -> Result<Object<'env>> {
    IO.run(env, move || query.run(|search| asset_matches(search.matches(&rows))))
}

/// The key of the asset of a request.
#[napi(catch_unwind)]
pub fn foreign_asset_key(index: ForeignIndexIn, id: String) -> Result<String> {
    Ok(foreign::asset_key(&index.into(), &id)?)
}

/// The response to a request for an asset. `rows` is the JSON array of the rows with its key. With `fields`, it has only
/// these members of the metadata.
#[napi(catch_unwind)]
pub fn foreign_asset(
    index: ForeignIndexIn,
    id: String,
    rows: &[u8],
    fields: Option<Vec<String>>,
) -> Result<Buffer> {
    let fields = fields.map(Fields::of_names).unwrap_or_default();
    Ok(foreign::entry(&index.into(), &id, rows, &fields)?.into())
}

/// Member `gateway` of an asset's metadata, if it is a string.
#[napi(catch_unwind)]
pub fn foreign_gateway(index: ForeignIndexIn, id: String, rows: &[u8]) -> Result<Option<String>> {
    Ok(foreign::gateway(&index.into(), &id, rows)?)
}

/// Checks the request for a page of a listing.
#[napi(catch_unwind, ts_return_type = "Promise<ForeignAfter>")]
pub fn foreign_after<'env>(
    env: &'env Env,
    index: ForeignIndexIn,
    after: Option<String>,
    limit: i64,
    filters: Vec<String>,
) -> Result<Object<'env>> {
    let index = index.into();
    IO.run(env, move || {
        let (key, limit) = foreign::after(&index, after.as_deref(), limit, &filters)?;
        Ok(ForeignAfter { key, limit: limit as u32 })
    })
}

/// A page of a listing. `rows` is the JSON array of the assets in the order of their keys; `hasMore` says whether others
/// follow them.
#[napi(catch_unwind, ts_return_type = "Promise<AssetPage>")]
pub fn foreign_page<'env>(
    env: &'env Env,
    index: ForeignIndexIn,
    rows: Uint8Array,
    limit: u32,
    lines: bool,
    has_more: bool,
) -> Result<Object<'env>> {
    let form = if lines { Form::Lines } else { Form::Array };
    let index = index.into();
    IO.run(env, move || {
        let page = foreign::page(&index, &rows, limit as usize, form, has_more)?;
        let (entries, count) = (page.entries.into(), page.count as u32);
        Ok(AssetPage { entries, count, next: page.next })
    })
}

impl ForeignQuery {
    fn run<T>(self, work: impl FnOnce(&Search<'_>) -> Result<T>) -> Result<T> {
        let Self { index, json, code, units, parameters, options } = self;
        let body = match (json, code, units) {
            (Some(json), None, None) => SearchBody::Json(json.to_vec()),
            (None, Some(code), None) => SearchBody::Code(code),
            (None, None, Some(units)) => SearchBody::Units(units),
            _ => return Err(NativeError::invalid("a query needs one of json, code and units")),
        };
        let options = settings(options);
        let (index, parameters) = (index.into(), parameters.into());
        work(&Search { index, body, parameters, options: &options })
    }
}

impl From<ForeignIndexIn> for ForeignIndex {
    fn from(index: ForeignIndexIn) -> Self {
        let state: Option<IndexState> = index.state.map(state_in);
        Self { name: index.name, state }
    }
}

impl From<ForeignCounts> for Counts {
    fn from(ForeignCounts { assets, terms, frequencies }: ForeignCounts) -> Self {
        let frequencies = frequencies.into_iter().map(u64::from);
        Self { assets: u64::from(assets), simprints: terms.into_iter().zip(frequencies).collect() }
    }
}

impl From<Plan> for ForeignPlan {
    fn from(plan: Plan) -> Self {
        let units = plan.units.into_iter().map(|unit| {
            let (bits, distances) = unit
                .distances
                .into_iter()
                .map(|(bits, distance)| (u32::from(bits), distance))
                .unzip();
            let (is_exact, body) = (unit.is_exact, unit.body);
            ForeignUnit { unit: unit.unit, body, is_exact, bits, distances }
        });
        let simprints = plan.simprints.into_iter().map(|of| ForeignSimprints {
            kind: of.kind.into(),
            bits: of.bits.into(),
            distance: of.distance,
            bodies: of.bodies,
        });
        Self {
            asset: plan.asset,
            units: units.collect(),
            simprints: simprints.collect(),
            limit: plan.limit.map(|limit| limit as u32),
        }
    }
}
