//! Aliases and renaming of indexes, and splitting bodies with several queries.

use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use super::SearchEngine;
use crate::error::Result;
use crate::runtime::IO;

#[napi]
impl SearchEngine {
    /// Renames an index to the name in `{"name": ...}`, durably. Calls that use it continue. Resolves to its
    /// description.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
    pub fn rename_index<'env>(
        &self,
        env: &'env Env,
        name: String,
        body: &[u8],
    ) -> Result<Object<'env>> {
        let body = body.to_vec();
        self.on_pool(env, move |engine| engine.rename_index(&name, &body))
    }

    /// Describes all aliases.
    #[napi(catch_unwind)]
    pub fn list_aliases(&self) -> Result<Buffer> {
        Ok(self.engine()?.list_aliases().into())
    }

    /// Describes an alias.
    #[napi(catch_unwind)]
    pub fn get_alias(&self, name: String) -> Result<Buffer> {
        Ok(self.engine()?.alias(&name)?.into())
    }

    /// The index that an alias stands for; `null` for other names.
    #[napi(catch_unwind)]
    pub fn alias_target(&self, name: String) -> Result<Option<String>> {
        Ok(self.engine()?.alias_target(&name))
    }

    /// A reference to an index, which every call accepts in place of its name. It stays that of this index when the index is
    /// renamed, or its alias switched.
    #[napi(catch_unwind)]
    pub fn hold_index(&self, name: String) -> Result<String> {
        Ok(self.engine()?.hold_index(&name)?)
    }

    /// Points an alias to the index in `{"index": ...}`, durably. Later calls use this index. Resolves to the alias.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
    pub fn put_alias<'env>(
        &self,
        env: &'env Env,
        name: String,
        body: &[u8],
    ) -> Result<Object<'env>> {
        let body = body.to_vec();
        self.on_pool(env, move |engine| engine.put_alias(&name, &body))
    }

    /// Deletes an alias, durably. Resolves to an empty buffer.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
    pub fn delete_alias<'env>(&self, env: &'env Env, name: String) -> Result<Object<'env>> {
        self.on_pool(env, move |engine| engine.delete_alias(&name).map(|()| Vec::new()))
    }
}

/// The JSON of each query in a JSON array, or in NDJSON. Rejects with `SCHEMA_VIOLATION` if it is not a list of 1 to 1000
/// items. The body must not change until the promise settles.
#[napi(catch_unwind, ts_return_type = "Promise<Array<Buffer>>")]
pub fn split_queries<'env>(
    env: &'env Env,
    body: Uint8Array,
    is_lines: bool,
) -> Result<Object<'env>> {
    IO.run(env, move || {
        let queries = iscc_search::split_queries(&body, is_lines)?;
        Ok(queries.into_iter().map(Buffer::from).collect::<Vec<Buffer>>())
    })
}
