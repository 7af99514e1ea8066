//! Copies and checks search indexes, also while another process owns their folder.

use std::path::Path;

use iscc_search::read_only;
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::error::{ErrorCode, NativeError, Result};
use crate::runtime::IO;

/// The result of checking an index.
#[napi(object)]
pub struct SearchIndexCheck {
    /// Rows of assets.
    pub assets: i64,
    /// Rows of simprints: one per asset that has some.
    pub simprints: i64,
    /// Units and simprints in the columns that are built from the rows at start.
    pub vectors: i64,
    /// The first problems.
    pub problems: Vec<SearchIndexProblem>,
    /// Number of all problems.
    pub problem_count: i64,
}

/// A broken rule in an index.
#[napi(object)]
pub struct SearchIndexProblem {
    /// An ISCC-ID, or a key in hexadecimal.
    pub key: String,
    /// The rule.
    pub rule: String,
}

/// Names of the indexes in a folder, sorted. Rejects with `IO` if it cannot be read.
#[napi(catch_unwind, ts_return_type = "Promise<Array<string>>")]
pub fn search_index_names<'env>(env: &'env Env, folder: String) -> Result<Object<'env>> {
    IO.run(env, move || {
        read_only::indexes(Path::new(&folder)).map_err(|error| NativeError::io(&folder, &error))
    })
}

/// Copies the last committed state of an index into a new folder, durably. Another process may be
/// writing to the index. Resolves to `false` if the index does not exist or its creation is
/// incomplete.
#[napi(catch_unwind, ts_return_type = "Promise<boolean>")]
pub fn copy_search_index<'env>(
    env: &'env Env,
    index: String,
    target: String,
) -> Result<Object<'env>> {
    IO.run(env, move || Ok(read_only::copy(Path::new(&index), Path::new(&target))?))
}

/// Checks the index in a folder. Another process may be working on it. Rejects if the index cannot
/// be opened.
#[napi(catch_unwind, ts_return_type = "Promise<SearchIndexCheck>")]
pub fn check_search_index<'env>(env: &'env Env, index: String) -> Result<Object<'env>> {
    IO.run(env, move || {
        let check = read_only::check(Path::new(&index))?;
        let problem =
            |read_only::Problem { key, rule }| SearchIndexProblem { key, rule: rule.into() };
        Ok(SearchIndexCheck {
            assets: check.assets as i64,
            simprints: check.simprints as i64,
            vectors: check.vectors as i64,
            problems: check.problems.into_iter().map(problem).collect(),
            problem_count: check.problem_count as i64,
        })
    })
}

impl From<read_only::StoreError> for NativeError {
    fn from(error: read_only::StoreError) -> Self {
        Self::new(code(&error), error)
    }
}

pub(super) fn code(error: &read_only::StoreError) -> ErrorCode {
    use read_only::StoreError;
    match error {
        StoreError::Full => ErrorCode::StorageFull,
        StoreError::Format { .. } => ErrorCode::NewerFormat,
        StoreError::File(_) => ErrorCode::Io,
        _ => ErrorCode::Damaged,
    }
}
