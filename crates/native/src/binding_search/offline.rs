//! JavaScript face of what `iscc-search` does to a folder beside the process that owns it.

use std::path::Path;
use std::sync::OnceLock;

use iscc_search::read_only;
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::runtime::Pool;

/// What the check of an index found.
#[napi(object)]
pub struct SearchIndexCheck {
    /// Rows of assets.
    pub assets: i64,
    /// Rows of simprints: one per asset that has some.
    pub simprints: i64,
    /// Units and simprints in the columns that a start makes of the rows.
    pub vectors: i64,
    /// The first problems.
    pub problems: Vec<SearchIndexProblem>,
    /// Number of all problems.
    pub problem_count: i64,
}

/// One thing that is not as it has to be.
#[napi(object)]
pub struct SearchIndexProblem {
    /// What it is about: an ISCC-ID, or a key in hex.
    pub key: String,
    /// The rule that is broken.
    pub rule: String,
}

/// Names of the indexes in a folder, in order. Rejects if it can't be read.
#[napi(catch_unwind, ts_return_type = "Promise<Array<string>>")]
pub fn search_index_names<'env>(env: &'env Env, folder: String) -> Result<Object<'env>> {
    pool().run(env, move || read_only::indexes(Path::new(&folder)).map_err(reason))
}

/// Copies an index's last committed state into a folder that is made, durably, while another
/// process may be writing. Resolves to `false` if the index is not there, or not completely made.
#[napi(catch_unwind, ts_return_type = "Promise<boolean>")]
pub fn copy_search_index<'env>(
    env: &'env Env,
    index: String,
    target: String,
) -> Result<Object<'env>> {
    pool().run(env, move || read_only::copy(Path::new(&index), Path::new(&target)).map_err(reason))
}

/// Checks the index in a folder, also while another process works on it. Rejects with the reason
/// if it can't be read at all.
#[napi(catch_unwind, ts_return_type = "Promise<SearchIndexCheck>")]
pub fn check_search_index<'env>(env: &'env Env, index: String) -> Result<Object<'env>> {
    pool().run(env, move || {
        let check = read_only::check(Path::new(&index)).map_err(reason)?;
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

/// A copy or a check takes as long as it takes; requests of a running service have other threads.
fn pool() -> &'static Pool {
    static POOL: OnceLock<Pool> = OnceLock::new();
    POOL.get_or_init(|| Pool::new("beside", 1))
}

fn reason(error: impl std::fmt::Display) -> Error {
    Error::from_reason(error.to_string())
}
