//! Durable files: the steps of a commit in one call, because each call from JavaScript costs more
//! CPU time than most of the steps.

use std::io;
use std::path::Path;

use durable_files::StoreError;
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::error::{ErrorCode, NativeError, Result};
use crate::runtime::{PUBLISH, SYNC};

/// Writes the bytes of a file to the disk. Resolves to the state of the file, for `publishFile`.
/// Rejects with `IO` or `STORAGE_FULL`.
#[napi(catch_unwind, ts_return_type = "Promise<string>")]
pub fn sync_file<'env>(env: &'env Env, path: String) -> Result<Object<'env>> {
    SYNC.run(env, move || {
        let path = Path::new(&path);
        durable_files::sync(path).map_err(|error| failed(path, &error))
    })
}

/// Moves a file into a new folder and writes both to the disk, with the name of the folder in its
/// parent. The bytes of the file are not written again if its state is still that of `syncFile`.
/// Resolves to the number of bytes. Rejects with `CONFLICT` if the folder exists, and with `IO` or
/// `STORAGE_FULL`; then the folder does not exist, but the file may be lost.
#[napi(catch_unwind, ts_return_type = "Promise<number>")]
pub fn publish_file<'env>(
    env: &'env Env,
    path: String,
    folder: String,
    name: String,
    state: Option<String>,
) -> Result<Object<'env>> {
    PUBLISH.run(env, move || {
        let (path, folder) = (Path::new(&path), Path::new(&folder));
        let published = durable_files::publish(path, folder, &name, state.as_deref());
        published.map(|bytes| bytes as f64).map_err(|error| not_stored(folder, &error))
    })
}

/// Writes bytes as a file in a new folder, and the folder with its name in its parent, to the disk.
/// The bytes must not change until the promise is settled. With `direct`, they bypass the page
/// cache if the file system and the memory permit that. Rejects like `publishFile`.
#[napi(catch_unwind, ts_return_type = "Promise<void>")]
pub fn store_file<'env>(
    env: &'env Env,
    bytes: Uint8Array,
    folder: String,
    name: String,
    direct: bool,
) -> Result<Object<'env>> {
    PUBLISH.run(env, move || {
        let folder = Path::new(&folder);
        let stored = durable_files::store(&bytes, folder, &name, direct);
        stored.map_err(|error| not_stored(folder, &error))
    })
}

/// Bytes from the start of the memory to its first address that is a multiple of `alignment`, which
/// is at least 1.
#[napi(catch_unwind)]
pub fn alignment_gap(memory: Uint8Array, alignment: u32) -> u32 {
    let beyond = memory.as_ptr().addr() % alignment.max(1) as usize;
    if beyond == 0 { 0 } else { alignment - beyond as u32 }
}

/// Asks the system for huge pages behind this memory, which begins at a page: direct writes from it
/// are faster. Without them, they work as well.
#[napi(catch_unwind)]
pub fn prefer_huge_pages(mut memory: Uint8Array) {
    // SAFETY: JavaScript waits for this call, so nothing else uses the memory.
    durable_files::prefer_huge_pages(unsafe { memory.as_mut() });
}

fn not_stored(folder: &Path, error: &StoreError) -> NativeError {
    match error {
        StoreError::FolderTaken => NativeError::new(ErrorCode::Conflict, error),
        StoreError::Io(error) => failed(folder, error),
    }
}

fn failed(path: &Path, error: &io::Error) -> NativeError {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            NativeError::new(ErrorCode::StorageFull, error)
        }
        _ => NativeError::io(&path.to_string_lossy(), error),
    }
}
