//! The folder of stored indexes: one process at a time, one folder per index.
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use durable_files::sync_names;
use iscc_index::index_files::{has_data, remove};

use super::OpenError;
use crate::request::index::is_name;

/// File that the owning process keeps locked.
const LOCK: &str = ".lock";
/// Separates the name of a deleted index from a number. No index name contains a dot.
const DELETED: &str = ".deleted";
/// Time to wait for a process that is about to release the lock.
const LOCK_WAIT: Duration = Duration::from_secs(1);
const LOCK_RETRY: Duration = Duration::from_millis(10);

/// The folder of stored indexes.
pub struct Folder {
    path: PathBuf,
    deletions: AtomicU64,
    /// Keeps the lock while open.
    _lock: File,
}

impl Folder {
    /// Creates the folder if it is missing, and locks it for this process.
    pub fn lock(path: &Path) -> Result<Self, OpenError> {
        let failed = |error| OpenError::Folder(path.to_owned(), error);
        fs::create_dir_all(path).map_err(failed)?;
        let lock = File::options().create(true).append(true).open(path.join(LOCK));
        let lock = lock.map_err(failed)?;
        // A process that another thread is starting holds a copy of a released lock until it runs its program.
        let deadline = Instant::now() + LOCK_WAIT;
        loop {
            match lock.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => sleep(LOCK_RETRY),
                Err(TryLockError::WouldBlock) => return Err(OpenError::InUse(path.to_owned())),
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
        Ok(Self { path: path.to_owned(), deletions: AtomicU64::new(0), _lock: lock })
    }

    /// Names of the indexes. Removes what an interrupted deletion left behind. A folder without index data is ignored,
    /// even if its name is a valid index name: it may hold a user's documents.
    pub fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            // What cannot be read counts as data: loading it reports why.
            if is_name(&name) && has_data(&self.path.join(&name)).unwrap_or(true) {
                names.push(name);
            } else if is_deleted(&name) {
                remove(&self.path.join(name));
            }
        }
        Ok(names)
    }

    /// Path of an index's folder.
    pub fn path_of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Creates an index's folder. Returns its path and whether it is new; an interrupted creation may have left it.
    pub fn create(&self, name: &str) -> io::Result<(PathBuf, bool)> {
        let path = self.path_of(name);
        match fs::create_dir(&path) {
            Ok(()) => Ok((path, true)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok((path, false)),
            Err(error) => Err(error),
        }
    }

    /// Renames the folder of a deleted index, durably. Returns the new path.
    pub fn retire(&self, name: &str) -> io::Result<PathBuf> {
        let target = self.unused(name);
        self.rename(&self.path_of(name), &target)?;
        Ok(target)
    }

    /// Renames, durably. If the new name cannot be synced, the old one stays.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)?;
        self.sync().inspect_err(|_| {
            let _ = fs::rename(to, from);
        })
    }

    /// A path that does not exist. A folder there is removed at the next start.
    fn unused(&self, name: &str) -> PathBuf {
        loop {
            let number = self.deletions.fetch_add(1, Ordering::Relaxed);
            let path = self.path.join(format!("{name}{DELETED}{number}"));
            if !path.exists() {
                return path;
            }
        }
    }

    /// Creates a folder that becomes that of an index with [`Folder::install`]. Before, it is removed at the next start.
    pub fn stage(&self, name: &str) -> io::Result<PathBuf> {
        let path = self.unused(name);
        fs::create_dir(&path)?;
        Ok(path)
    }

    /// Gives a folder the name of an index, durably. An empty folder of that name is replaced; any other is an error.
    pub fn install(&self, folder: &Path, name: &str) -> io::Result<()> {
        // The index must not appear without its files.
        sync_names(folder)?;
        // An interrupted creation may have left its files. It was never acknowledged.
        remove(&self.path_of(name));
        self.rename(folder, &self.path_of(name))
    }

    /// Waits until a new index is on disk: the names of its files, and its own.
    pub fn sync_created(&self, name: &str) -> io::Result<()> {
        sync_names(&self.path_of(name))?;
        self.sync()
    }

    /// Waits until the names of the indexes are on disk.
    pub fn sync(&self) -> io::Result<()> {
        sync_names(&self.path)
    }
}

fn is_deleted(name: &str) -> bool {
    name.split_once(DELETED).is_some_and(|(index, number)| {
        is_name(index) && !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::sync::atomic::AtomicBool;

    use super::*;

    #[test]
    fn a_folder_opens_again_while_other_threads_start_processes() {
        let folder = tempfile::tempdir().unwrap();
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    Command::new("true").output().unwrap();
                }
            });
            let failure = (0..2000).find_map(|_| Folder::lock(folder.path()).err());
            stop.store(true, Ordering::Relaxed);
            assert!(failure.is_none(), "{failure:?}");
        });
    }

    #[test]
    fn only_names_made_by_retire_count_as_deleted() {
        let deleted = ["main.deleted0", "a1.deleted12"];
        let kept = [".deleted1", "main.deleted", "main.deleted1.bak", "Main.deleted1", "main"];
        assert!(deleted.into_iter().all(is_deleted));
        assert!(!kept.into_iter().any(is_deleted));
    }
}
