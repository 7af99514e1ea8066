//! Listing assets, adding lines and deleting lists.

use std::sync::Arc;

use iscc_search::transfer::Form;
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use super::{SearchEngine, reply};
use crate::error::Result;
use crate::runtime::IO;

/// Consecutive assets of an index.
#[napi(object)]
pub struct AssetPage {
    /// A JSON array of entries, or one entry per line.
    pub entries: Buffer,
    /// Number of entries.
    pub count: u32,
    /// ISCC-ID to continue after, if more assets follow.
    pub next: Option<String>,
}

#[napi]
impl SearchEngine {
    /// Up to `limit` assets after an ISCC-ID, in the order of the ISCC-ID bodies; with `lines` as one
    /// entry per line, otherwise as a JSON array. A page with large assets may be shorter. With
    /// `filters`, only those that meet all conditions; one needs a declared path.
    #[napi(catch_unwind, ts_return_type = "Promise<AssetPage>")]
    pub fn list_assets<'env>(
        &self,
        env: &'env Env,
        index: String,
        after: Option<String>,
        limit: i64,
        lines: bool,
        filters: Option<Vec<String>>,
    ) -> Result<Object<'env>> {
        let engine = Arc::clone(self.engine()?);
        let form = if lines { Form::Lines } else { Form::Array };
        let filters = filters.unwrap_or_default();
        IO.run(env, move || {
            let page = engine.assets(&index, after.as_deref(), limit, form, &filters)?;
            let (entries, count) = (page.entries.into(), page.count as u32);
            Ok(AssetPage { entries, count, next: page.next })
        })
    }

    /// The declared metadata paths: JSON.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
    pub fn get_paths<'env>(&self, env: &'env Env, index: String) -> Result<Object<'env>> {
        self.on_pool(env, move |engine| engine.paths(&index))
    }

    /// Declares the metadata paths of `{"paths": [...]}` instead of the present ones, durably.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
    pub fn put_paths<'env>(
        &self,
        env: &'env Env,
        index: String,
        body: &[u8],
    ) -> Result<Object<'env>> {
        let body = body.to_vec();
        self.on_pool(env, move |engine| engine.put_paths(&index, &body))
    }

    /// Adds NDJSON, one entry per line, durably. A line that breaks a rule is refused; the others are
    /// added. Resolves to `{"lines", "created", "updated", "refused"}`. `firstLine` is the number of
    /// the first line. The body must not change until the promise settles.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
    pub fn add_lines<'env>(
        &self,
        env: &'env Env,
        index: String,
        body: Uint8Array,
        first_line: i64,
    ) -> Result<Object<'env>> {
        let engine = self.engine()?;
        let (reply, promise) = reply(env)?;
        engine.add_lines(&index, body, first_line as u64, reply);
        Ok(promise)
    }

    /// Deletes the assets of a JSON array of ISCC-IDs, durably. Resolves to the status of each. The
    /// body must not change until the promise settles.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
    pub fn delete_assets<'env>(
        &self,
        env: &'env Env,
        index: String,
        body: Uint8Array,
    ) -> Result<Object<'env>> {
        let engine = self.engine()?;
        let (reply, promise) = reply(env)?;
        engine.delete_assets(&index, body, reply);
        Ok(promise)
    }
}
