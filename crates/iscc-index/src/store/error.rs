//! Errors of the store.

use std::path::Path;

use heed::MdbError;

use crate::lmdb_file::FileError;

/// Why a store operation failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The disk or the quota is full.
    #[error("no space left for the index")]
    Full,
    /// A newer version wrote the environment, or it is not an index.
    #[error(
        "it has format {found}, this program knows up to {known}: a newer isccd has written it; \
         start that one, or restore a backup that this one made"
    )]
    Format {
        /// Format of the environment.
        found: u64,
        /// Format of this version.
        known: u64,
    },
    /// The file ends before its last page.
    #[error("the file is truncated: it has {found} bytes, but its pages take {expected}")]
    Truncated {
        /// Size of the file in bytes.
        found: u64,
        /// Bytes up to the end of the last page.
        expected: u64,
    },
    /// Loading was cancelled, because the engine is closing.
    #[error("loading was cancelled")]
    Cancelled,
    /// A page is damaged.
    #[error(transparent)]
    Page(crate::lmdb_file::Damage),
    /// The environment lacks the databases of an index.
    #[error("not an index: its databases are missing")]
    NoIndex,
    /// A record cannot be read.
    #[error("the record of asset {id:016x} is damaged")]
    Damaged {
        /// ISCC-ID body.
        id: u64,
    },
    /// LMDB or the file system failed.
    #[error("index storage: {0}")]
    Lmdb(heed::Error),
    /// The file system failed.
    #[error("index storage: {0}")]
    File(std::io::Error),
}

/// `EIO`, which LMDB also reports for a short write.
const EIO: i32 = 5;

impl StoreError {
    /// Whether this process has the environment open already.
    pub fn is_already_open(&self) -> bool {
        matches!(self, Self::Lmdb(heed::Error::EnvAlreadyOpened))
    }

    /// Whether the system does not let this process read or write a file.
    pub fn is_denied(&self) -> bool {
        let (Self::File(error) | Self::Lmdb(heed::Error::Io(error))) = self else { return false };
        error.kind() == std::io::ErrorKind::PermissionDenied
    }

    /// Whether stored data cannot be read, as opposed to a fault of the process or the file system.
    pub fn is_damage(&self) -> bool {
        use MdbError::{Corrupted, PageNotFound};
        match self {
            Self::Truncated { .. } | Self::Page(_) | Self::Damaged { .. } => true,
            Self::Lmdb(heed::Error::Mdb(error)) => matches!(error, Corrupted | PageNotFound),
            _ => false,
        }
    }

    pub(super) fn is_map_full(&self) -> bool {
        matches!(self, Self::Lmdb(heed::Error::Mdb(MdbError::MapFull)))
    }

    /// LMDB reports a short write on a full disk as an I/O error. The free space of the disk tells the two apart.
    pub(super) fn or_full(self, folder: &Path) -> Self {
        match &self {
            Self::Lmdb(heed::Error::Io(error))
                if error.raw_os_error() == Some(EIO) && is_nearly_full(folder) =>
            {
                Self::Full
            }
            _ => self,
        }
    }
}

impl From<heed::Error> for StoreError {
    fn from(error: heed::Error) -> Self {
        match error {
            heed::Error::Io(error) if is_full(&error) => Self::Full,
            error => Self::Lmdb(error),
        }
    }
}

impl From<FileError> for StoreError {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Io(error) => error.into(),
            FileError::Damage(damage) => Self::Page(damage),
        }
    }
}

impl From<std::io::Error> for StoreError {
    fn from(error: std::io::Error) -> Self {
        if is_full(&error) { Self::Full } else { Self::File(error) }
    }
}

/// More than one transaction writes.
const NEARLY_FULL_BYTES: u64 = 256 << 20;

#[cfg(unix)]
fn is_nearly_full(folder: &Path) -> bool {
    // The index may have been renamed since it was opened. Its new folder is next to the old one.
    let parent = || rustix::fs::statvfs(folder.parent().unwrap_or(folder));
    rustix::fs::statvfs(folder)
        .or_else(|_| parent())
        .is_ok_and(|disk| disk.f_bavail.saturating_mul(disk.f_frsize) < NEARLY_FULL_BYTES)
}

#[cfg(not(unix))]
fn is_nearly_full(_folder: &Path) -> bool {
    false
}

fn is_full(error: &std::io::Error) -> bool {
    use std::io::ErrorKind;
    matches!(
        error.kind(),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge
    )
}
