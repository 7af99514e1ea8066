//! Copies and checks of stored indexes while another process may own the folder. Nothing here takes the folder's lock
//! or writes to it.

use std::io;
use std::path::Path;

use crate::request::index::is_name;
pub use iscc_index::check::{IndexCheck, Problem, check};
use iscc_index::index_files::has_data;
use iscc_index::store::Store;
pub use iscc_index::store::StoreError;

/// Names of the indexes in a folder, sorted.
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
/// Returns `false` and copies nothing if the index does not exist: it was just deleted, or its creation is incomplete.
pub fn copy(index: &Path, target: &Path) -> Result<bool, StoreError> {
    if !has_data(index)? {
        return Ok(false);
    }
    let store = Store::open_read_only(index)?;
    if !store.read()?.meta()?.created {
        return Ok(false);
    }
    store.copy(target)?;
    Ok(true)
}
