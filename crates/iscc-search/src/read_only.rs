//! What is done to a folder of stored indexes beside the process whose engine owns it: copies and
//! checks. Nothing here takes the folder's lock, and nothing is written.

use std::io;
use std::path::Path;

pub use crate::check::{IndexCheck, Problem, check};
use crate::request::index::is_name;
pub use crate::store::StoreError;
use crate::store::{DATA_FILE, Store};

/// Names of the indexes in a folder, in order.
pub fn indexes(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if is_name(&name) {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// Copies an index's last committed state into another folder, durably.
///
/// Gives `false`, and copies nothing, if there is no such index: it was deleted a moment ago, or
/// its creation is not complete.
pub fn copy(index: &Path, target: &Path) -> Result<bool, StoreError> {
    if !index.join(DATA_FILE).exists() {
        return Ok(false);
    }
    let store = Store::open_read_only(index)?;
    if !store.read()?.meta()?.created {
        return Ok(false);
    }
    store.copy(target)?;
    Ok(true)
}
