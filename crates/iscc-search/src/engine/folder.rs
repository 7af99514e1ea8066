//! The folder of stored indexes: one process at a time, one folder per index.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::OpenError;
use crate::request::index::is_name;

/// File that the process at work holds locked.
const LOCK: &str = ".lock";
/// What the name of a deleted index's folder ends with; no index can be called that.
const DELETED: &str = ".deleted";

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

    /// Names of the indexes. Removes what an interrupted deletion left.
    pub fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if is_name(&name) {
                names.push(name);
            } else if name.contains(DELETED) {
                fs::remove_dir_all(self.path.join(name))?;
            }
        }
        Ok(names)
    }

    /// An index's folder.
    pub fn of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Makes an index's folder.
    pub fn create(&self, name: &str) -> io::Result<PathBuf> {
        let path = self.of(name);
        // A creation that was interrupted may have left it.
        fs::create_dir_all(&path)?;
        Ok(path)
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
