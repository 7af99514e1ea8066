//! Reads all assets of a folder: an index of this program, one of iscc-search, or a damaged one.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use iscc_search::transfer::{AssetReader as Reader, ReadError, Source};
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use super::read_only;
use crate::error::{ErrorCode, NativeError, Result};
use crate::runtime::{IO, Serial};

/// Consecutive assets of a folder.
#[napi(object)]
pub struct AssetBatch {
    /// One entry per line.
    pub lines: Buffer,
    /// Number of entries.
    pub count: i64,
    /// Where to continue; absent at the end.
    pub position: Option<String>,
    /// What could not be read.
    pub problems: Vec<String>,
}

/// Reads all assets of a folder. Close it by dropping it.
#[napi]
pub struct AssetReader {
    reader: Arc<Mutex<Reader>>,
    assets: i64,
    declared_paths: Vec<String>,
    serial: Serial,
}

/// Opens what `kind` names: `index`, the folder of an index of this program; `reference`, an LMDB file
/// of iscc-search 0.3; or `damaged`, the folder of a damaged index. Continues after `position`.
#[napi(catch_unwind, ts_return_type = "Promise<AssetReader>")]
pub fn open_asset_reader<'env>(
    env: &'env Env,
    #[napi(ts_arg_type = "'index' | 'reference' | 'damaged'")] kind: String,
    path: String,
    position: Option<String>,
) -> Result<Object<'env>> {
    IO.run(env, move || {
        let source = match kind.as_str() {
            "index" => Source::Index,
            "reference" => Source::Reference,
            "damaged" => Source::Damaged,
            _ => return Err(NativeError::new(ErrorCode::InvalidArgument, "unknown kind")),
        };
        let reader = Reader::open(source, Path::new(&path), position.as_deref())?;
        let assets = reader.assets()? as i64;
        let declared_paths = reader.declared_paths()?;
        let serial = Serial::new(&IO);
        Ok(AssetReader { reader: Arc::new(Mutex::new(reader)), assets, declared_paths, serial })
    })
}

#[napi]
impl AssetReader {
    /// Number of all assets, as far as it is known.
    #[napi(getter, catch_unwind)]
    pub fn assets(&self) -> i64 {
        self.assets
    }

    /// The declared metadata paths that can be read.
    #[napi(getter, catch_unwind)]
    pub fn declared_paths(&self) -> Vec<String> {
        self.declared_paths.clone()
    }

    /// The next assets, at most `limit`.
    #[napi(catch_unwind, ts_return_type = "Promise<AssetBatch>")]
    pub fn next<'env>(&self, env: &'env Env, limit: u32) -> Result<Object<'env>> {
        let reader = Arc::clone(&self.reader);
        self.serial.run(env, move || {
            let mut reader = reader.lock().unwrap_or_else(PoisonError::into_inner);
            let batch = reader.next(limit as usize)?;
            Ok(AssetBatch {
                lines: batch.lines.into(),
                count: batch.count as i64,
                position: batch.position,
                problems: batch.problems,
            })
        })
    }
}

impl From<ReadError> for NativeError {
    fn from(error: ReadError) -> Self {
        let code = match &error {
            ReadError::Store(error) => read_only::code(error),
            ReadError::File(iscc_search::transfer::FileError::Io(_)) => ErrorCode::Io,
            ReadError::File(_) | ReadError::NotReference => ErrorCode::Damaged,
            ReadError::Position(_) => ErrorCode::InvalidArgument,
        };
        Self::new(code, error)
    }
}
