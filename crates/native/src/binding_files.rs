//! Durable files: the steps of a commit in one call, because each call from JavaScript costs more
//! CPU time than most of the steps.

mod direct_file;

use std::fs::{self, File, Metadata};
use std::io;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};

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
        synced(path).map_err(|error| failed(path, &error))
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
        publish(path, folder, &name, state.as_deref())
    })
}

/// Moves first: the file, the folder and its parent are then synced side by side, which costs a
/// journalling file system one commit instead of three.
fn publish(path: &Path, folder: &Path, name: &str, state: Option<&str>) -> Result<f64> {
    let metadata = fs::metadata(path).map_err(|error| failed(folder, &error))?;
    in_new_folder(folder, || {
        let target = folder.join(name);
        fs::rename(path, &target)?;
        let is_synced = state == Some(&state_of(&metadata));
        sync_with_names(folder, || if is_synced { Ok(()) } else { synced(&target).map(drop) })
    })?;
    Ok(metadata.len() as f64)
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
        in_new_folder(folder, || {
            let file = direct_file::create(&folder.join(name), &bytes, direct)?;
            sync_with_names(folder, || file.sync_all())
        })
    })
}

/// Runs `work` after creating a folder. If it fails, the folder is removed.
fn in_new_folder(folder: &Path, work: impl FnOnce() -> io::Result<()>) -> Result<()> {
    let failed = |error| failed(folder, &error);
    fs::create_dir(folder).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => NativeError::new(ErrorCode::Conflict, "the folder exists"),
        _ => failed(error),
    })?;
    work().map_err(|error| {
        // The first error counts.
        let _ = fs::remove_dir_all(folder);
        failed(error)
    })
}

/// Syncs a file of a folder with `file`, and beside it the folder and its parent: without that, a
/// power loss could lose the name of either.
fn sync_with_names(folder: &Path, file: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    let names = [Some(folder), folder.parent()].into_iter().flatten();
    let syncs: Vec<_> = names.map(|folder| beside(folder, sync_names)).collect();
    syncs.into_iter().fold(file(), |first, sync| {
        let result = sync.recv().unwrap_or_else(|_| Err(io::Error::other("a sync panicked")));
        first.and(result)
    })
}

/// Runs `work` on another thread.
fn beside(folder: &Path, work: fn(&Path) -> io::Result<()>) -> Receiver<io::Result<()>> {
    let (sender, result) = channel();
    let folder = folder.to_owned();
    let sync = move || {
        // The receiver waits.
        let _ = sender.send(work(&folder));
    };
    match SYNC.enter() {
        Ok(place) => SYNC.spawn(place, sync),
        Err(_) => sync(),
    }
    result
}

/// Bytes from the start of the memory to its first address that is a multiple of `alignment`, which
/// is at least 1.
#[napi(catch_unwind)]
pub fn alignment_gap(memory: Uint8Array, alignment: u32) -> u32 {
    let beyond = memory.as_ptr().addr() % alignment.max(1) as usize;
    if beyond == 0 { 0 } else { alignment - beyond as u32 }
}

fn failed(path: &Path, error: &io::Error) -> NativeError {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            NativeError::new(ErrorCode::StorageFull, error)
        }
        _ => NativeError::io(&path.to_string_lossy(), error),
    }
}

fn synced(path: &Path) -> io::Result<String> {
    let file = File::open(path)?;
    file.sync_all()?;
    Ok(state_of(&file.metadata()?))
}

/// Changes when the file is written or replaced.
#[cfg(unix)]
fn state_of(metadata: &Metadata) -> String {
    use std::os::unix::fs::MetadataExt;
    let changed = (metadata.ctime(), metadata.ctime_nsec());
    format!("{} {} {} {changed:?}", metadata.dev(), metadata.ino(), metadata.size())
}

#[cfg(not(unix))]
fn state_of(metadata: &Metadata) -> String {
    format!("{} {:?}", metadata.len(), metadata.modified())
}

#[cfg(unix)]
fn sync_names(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Folders cannot be opened as files; their entries are journalled.
#[cfg(not(unix))]
fn sync_names(_folder: &Path) -> io::Result<()> {
    Ok(())
}
