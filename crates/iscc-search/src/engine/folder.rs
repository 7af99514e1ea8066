//! The folder of stored indexes: one process at a time, one folder per index.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::OpenError;
use crate::request::index::is_name;
use crate::store::{DATA_FILE, LOCK_FILE};

/// File that the process at work holds locked.
const LOCK: &str = ".lock";
/// What stands between the name of a deleted index and a number; no index can be called that.
const DELETED: &str = ".deleted";
/// Whatever else is in an index's folder is somebody else's, and stays.
const INDEX_FILES: [&str; 2] = [DATA_FILE, LOCK_FILE];
/// LMDB's first two pages: a shorter file has never been an index.
const DATA_BYTES_MIN: u64 = 2 * 4096;

/// The folder of stored indexes.
pub struct Folder {
    path: PathBuf,
    deletions: AtomicU64,
    /// Locked as long as it is open.
    _lock: File,
}

impl Folder {
    /// Makes the folder if need be and locks it for this process.
    pub fn lock(path: &Path) -> Result<Self, OpenError> {
        let failed = |error| OpenError::Folder(path.to_owned(), error);
        fs::create_dir_all(path).map_err(failed)?;
        let lock = File::options().create(true).append(true).open(path.join(LOCK));
        let lock = lock.map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(OpenError::InUse(path.to_owned())),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        Ok(Self { path: path.to_owned(), deletions: AtomicU64::new(0), _lock: lock })
    }

    /// Names of the indexes. Removes what an interrupted deletion left. Other folders are none of our business: somebody
    /// may keep documents in one that could be an index's by its name.
    pub fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            let data = fs::metadata(self.path.join(&name).join(DATA_FILE));
            let has_data = data.is_ok_and(|data| data.is_file() && data.len() >= DATA_BYTES_MIN);
            if is_name(&name) && has_data {
                names.push(name);
            } else if is_deleted(&name) {
                remove(&self.path.join(name));
            }
        }
        Ok(names)
    }

    /// An index's folder.
    pub fn of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Makes an index's folder; gives also whether it is new. A creation that was interrupted may have left it.
    pub fn create(&self, name: &str) -> io::Result<(PathBuf, bool)> {
        let path = self.of(name);
        match fs::create_dir(&path) {
            Ok(()) => Ok((path, true)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok((path, false)),
            Err(error) => Err(error),
        }
    }

    /// Takes an index's folder away under another name, durably; gives where it is now.
    pub fn retire(&self, name: &str) -> io::Result<PathBuf> {
        loop {
            let number = self.deletions.fetch_add(1, Ordering::Relaxed);
            let target = self.path.join(format!("{name}{DELETED}{number}"));
            if !target.exists() {
                fs::rename(self.of(name), &target)?;
                self.sync()?;
                return Ok(target);
            }
        }
    }

    /// Waits until the disk has the list of folders.
    pub fn sync(&self) -> io::Result<()> {
        File::open(&self.path)?.sync_all()
    }
}

/// Removes an index's folder. What can't be removed now is removed at the next start; what is not ours is not.
pub fn remove(folder: &Path) {
    for file in INDEX_FILES {
        let _ = fs::remove_file(folder.join(file));
    }
    let _ = fs::remove_dir(folder);
}

fn is_deleted(name: &str) -> bool {
    name.split_once(DELETED).is_some_and(|(index, number)| {
        is_name(index) && !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_retired_indexes_are_taken_for_deleted() {
        let deleted = ["main.deleted0", "a1.deleted12"];
        let kept = [".deleted1", "main.deleted", "main.deleted1.bak", "Main.deleted1", "main"];
        assert!(deleted.into_iter().all(is_deleted));
        assert!(!kept.into_iter().any(is_deleted));
    }
}
