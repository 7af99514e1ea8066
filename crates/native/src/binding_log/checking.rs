//! Checks of a stored index that follows logs.

use std::path::Path;

use iscc_search::log_index;
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use super::{LogHubRow, buffer};
use crate::error::{NativeError, Result};
use crate::runtime::IO;

/// What the check of a stored index that follows logs found.
#[napi(object)]
pub struct LogIndexCheck {
    /// Rows of the hubs.
    pub hubs: Vec<LogHubRow>,
    /// One sentence per difference.
    pub problems: Vec<String>,
}

/// Checks the follower's state of an index folder, also while a service writes it. `null` if the index follows no logs.
#[napi(catch_unwind, ts_return_type = "Promise<LogIndexCheck | null>")]
pub fn check_log_index<'env>(env: &'env Env, folder: String) -> Result<Object<'env>> {
    IO.run(env, move || {
        let found = log_index::check(Path::new(&folder)).map_err(NativeError::internal)?;
        Ok(found.map(|check| LogIndexCheck {
            hubs: check.hubs.into_iter().map(|(hub, row)| LogHubRow { hub, row }).collect(),
            problems: check.problems,
        }))
    })
}

/// Leaf hashes of a block in an index folder; empty if it has none.
#[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
pub fn log_leaves<'env>(
    env: &'env Env,
    folder: String,
    hub: u16,
    block: i64,
) -> Result<Object<'env>> {
    IO.run(env, move || {
        let leaves = log_index::leaves_offline(Path::new(&folder), hub, block as u64);
        Ok(buffer(&leaves.map_err(NativeError::internal)?))
    })
}
