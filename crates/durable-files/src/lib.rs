//! Files that survive a power loss once a call returns: their bytes, their names and the names of their folders.

mod direct;
mod memory;
mod shared_sync;

use std::fs::{self, File, Metadata};
use std::io;
use std::path::Path;
use std::sync::LazyLock;

use thiserror::Error;

pub use crate::memory::prefer_huge_pages;
use crate::shared_sync::{PendingSync, SharedSyncs};

/// Why a file was not stored. Its folder then does not exist, unless another file has it.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The new folder exists already.
    #[error("the folder exists")]
    FolderTaken,
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

static PARENTS: LazyLock<SharedSyncs> = LazyLock::new(|| SharedSyncs::new(sync_names));

/// Writes the bytes of a file to the disk. Returns the state of the file, for [`publish`].
pub fn sync(path: &Path) -> io::Result<String> {
    let file = File::open(path)?;
    file.sync_all()?;
    Ok(state_of(&file.metadata()?))
}

/// Moves a file into a new folder and writes both to the disk, with the name of the folder in its parent. The bytes of
/// the file are not written again if its state is still that of [`sync`]. Returns the number of bytes. If it fails, the
/// file may be lost.
pub fn publish(
    path: &Path,
    folder: &Path,
    name: &str,
    state: Option<&str>,
) -> Result<u64, StoreError> {
    let metadata = fs::metadata(path)?;
    in_new_folder(folder, || {
        let target = folder.join(name);
        fs::rename(path, &target)?;
        let is_synced = state == Some(&state_of(&metadata));
        sync_with_names(folder, || if is_synced { Ok(()) } else { sync(&target).map(drop) })
    })?;
    Ok(metadata.len())
}

/// Writes bytes as a file in a new folder, and the folder with its name in its parent, to the disk. With `direct`, they
/// bypass the page cache if the file system and the memory permit that.
pub fn store(bytes: &[u8], folder: &Path, name: &str, direct: bool) -> Result<(), StoreError> {
    in_new_folder(folder, || {
        let file = direct::create(&folder.join(name), bytes, direct)?;
        sync_with_names(folder, || file.sync_all())
    })
}

/// Runs `work` after creating a folder. If it fails, the folder is removed.
fn in_new_folder(folder: &Path, work: impl FnOnce() -> io::Result<()>) -> Result<(), StoreError> {
    fs::create_dir(folder).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => StoreError::FolderTaken,
        _ => error.into(),
    })?;
    work().map_err(|error| {
        // The first error counts.
        let _ = fs::remove_dir_all(folder);
        error.into()
    })
}

/// Syncs a file of a folder with `file`, the folder and its parent: without that, a power loss could lose the name of
/// either. The parent is synced meanwhile, once for all files that are stored at the same time.
fn sync_with_names(folder: &Path, file: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    let parent = folder.parent().map(|parent| PARENTS.begin(parent));
    file()?;
    sync_names(folder)?;
    parent.map_or(Ok(()), PendingSync::wait)
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

/// Waits until the directory entries of a folder are on disk.
#[cfg(unix)]
pub fn sync_names(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Folders cannot be opened as files; their entries are journalled.
#[cfg(not(unix))]
pub fn sync_names(_folder: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_stored_at_the_same_time_are_whole() {
        let root = tempfile::tempdir().expect("a folder");
        let bytes: Vec<u8> = (0..100_000_u32).map(|number| number as u8).collect();
        std::thread::scope(|scope| {
            for number in 0..32 {
                let (root, bytes) = (root.path(), &bytes[number..]);
                scope.spawn(move || {
                    store(bytes, &root.join(number.to_string()), "file", number % 2 == 0)
                        .expect("a stored file");
                });
            }
        });
        for number in 0..32 {
            let stored =
                fs::read(root.path().join(number.to_string()).join("file")).expect("a file");
            assert_eq!(stored, bytes[number..]);
        }
    }

    #[test]
    fn a_taken_folder_is_left_alone() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = root.path().join("taken");
        store(b"first", &folder, "file", true).expect("a stored file");
        assert!(matches!(store(b"second", &folder, "file", true), Err(StoreError::FolderTaken)));
        let draft = root.path().join("draft");
        fs::write(&draft, "third").expect("a draft");
        assert!(matches!(publish(&draft, &folder, "file", None), Err(StoreError::FolderTaken)));
        assert_eq!(fs::read(folder.join("file")).expect("a file"), b"first");
        assert_eq!(fs::read(draft).expect("a draft"), b"third");
    }

    #[test]
    fn a_failed_store_leaves_no_folder() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = root.path().join("new");
        assert!(matches!(store(b"bytes", &folder, "no/file", true), Err(StoreError::Io(_))));
        assert!(!folder.exists());
        let missing = root.path().join("missing");
        assert!(matches!(publish(&missing, &folder, "file", None), Err(StoreError::Io(_))));
        assert!(!folder.exists());
    }

    #[test]
    fn a_published_file_is_synced_again_after_a_change() {
        let root = tempfile::tempdir().expect("a folder");
        let draft = root.path().join("draft");
        fs::write(&draft, "bytes").expect("a draft");
        let state = sync(&draft).expect("a state");
        assert_eq!(state, state_of(&fs::metadata(&draft).expect("metadata")));
        fs::write(&draft, "other bytes").expect("a draft");
        assert_ne!(state, state_of(&fs::metadata(&draft).expect("metadata")));
        let folder = root.path().join("new");
        assert_eq!(publish(&draft, &folder, "file", Some(&state)).expect("a file"), 11);
        assert_eq!(fs::read(folder.join("file")).expect("a file"), b"other bytes");
        assert!(!draft.exists());
    }
}
