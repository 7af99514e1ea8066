//! Durable files: the steps of a commit in one call, because each call from JavaScript costs more
//! CPU time than most of the steps.

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
    let failed = |error| failed(folder, &error);
    let metadata = fs::metadata(path).map_err(failed)?;
    fs::create_dir(folder).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => NativeError::new(ErrorCode::Conflict, "the folder exists"),
        _ => failed(error),
    })?;
    let target = folder.join(name);
    let durable = fs::rename(path, &target).and_then(|()| {
        // The new folder is an entry of its parent: without the sync of the parent a power loss
        // could lose it.
        let names = [Some(folder), folder.parent()].into_iter().flatten();
        let syncs: Vec<_> = names.map(|folder| beside(folder, sync_names)).collect();
        let own =
            if state == Some(&state_of(&metadata)) { Ok(()) } else { synced(&target).map(drop) };
        syncs.into_iter().fold(own, |first, sync| {
            let result = sync.recv().unwrap_or_else(|_| Err(io::Error::other("a sync panicked")));
            first.and(result)
        })
    });
    if let Err(error) = durable {
        // The first error counts.
        let _ = fs::remove_dir_all(folder);
        return Err(failed(error));
    }
    Ok(metadata.len() as f64)
}

/// Runs `work` on another thread.
fn beside(folder: &Path, work: fn(&Path) -> io::Result<()>) -> Receiver<io::Result<()>> {
    let (sender, result) = channel();
    let folder = folder.to_owned();
    let again = folder.clone();
    let answer = sender.clone();
    let spawned = SYNC.enter().and_then(|place| {
        SYNC.spawn(place, move || {
            // The receiver waits.
            let _ = sender.send(work(&folder));
        })
    });
    if spawned.is_err() {
        let _ = answer.send(work(&again));
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
