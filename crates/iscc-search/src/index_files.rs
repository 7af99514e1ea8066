//! The files of an index in its folder.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use crate::sealed;
use crate::store::{DATA_FILE, LOCK_FILE};

/// Files of an index, besides those of sealed segments. Other files in its folder are not ours and are never deleted.
const INDEX_FILES: [&str; 2] = [DATA_FILE, LOCK_FILE];

/// Waits until the directory entries of a folder are on disk.
pub fn sync_names(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Removes an index's files and, if it is empty then, its folder. What cannot be removed now is removed at the next
/// start. Other files stay.
pub fn remove(folder: &Path) {
    sealed::remove_all(folder);
    for file in INDEX_FILES {
        let _ = fs::remove_file(folder.join(file));
    }
    let _ = fs::remove_dir(folder);
}
