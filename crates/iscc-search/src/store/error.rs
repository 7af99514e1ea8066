//! What can go wrong with the store.

use std::path::Path;

use heed::MdbError;

/// Why the store did not do it.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// No space is left on the device, or the quota is used up.
    #[error("no space left for the index")]
    Full,
    /// The environment was made by a later version, or is no index.
    #[error(
        "it has format {found}, this program knows up to {known}: a newer isccd has written it; \
         start that one, or restore a backup that this one made"
    )]
    Format {
        /// What the environment says.
        found: u64,
        /// What this version writes.
        known: u64,
    },
    /// The file ends before its last page.
    #[error("the file has {found} bytes, but its pages take {whole}: its end is missing")]
    Short {
        /// Bytes of the file.
        found: u64,
        /// Bytes up to the end of the last page.
        whole: u64,
    },
    /// The environment has not the databases of an index.
    #[error("this is no index: its databases are missing")]
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

/// `EIO`, which LMDB also reports for a write that was cut short.
const EIO: i32 = 5;

impl StoreError {
    /// Whether this process has the environment open already.
    pub fn is_open_already(&self) -> bool {
        matches!(self, Self::Lmdb(heed::Error::EnvAlreadyOpened))
    }

    pub(super) fn is_map_full(&self) -> bool {
        matches!(self, Self::Lmdb(heed::Error::Mdb(MdbError::MapFull)))
    }

    /// LMDB reports a write that a full disk cut short as an I/O error. Whether it was one, the
    /// space that is left tells.
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

impl From<std::io::Error> for StoreError {
    fn from(error: std::io::Error) -> Self {
        if is_full(&error) { Self::Full } else { Self::File(error) }
    }
}

/// More than a transaction writes at once.
const NEARLY_FULL_BYTES: u64 = 256 << 20;

#[cfg(unix)]
fn is_nearly_full(folder: &Path) -> bool {
    rustix::fs::statvfs(folder)
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
