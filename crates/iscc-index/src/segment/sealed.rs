//! Segments in files, which searches read through a memory mapping.
//!
//! LMDB remains the only truth: each file may be deleted and is made again. The record `sealed` in LMDB names the files
//! that count, with the hashes of their headers, so files of another index or another time are never used. A file is
//! complete and on disk before it gets its name, and is never changed.

mod content;
pub mod format;
mod graph;
mod merge;
mod read;
#[cfg(test)]
mod tests;
mod warm;
mod write;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use iscc_columns::sections::Section;
use iscc_columns::unit::UnitType;

use crate::segment::Key;
use crate::store::SealedRecord;
use graph::FileGraph;
use warm::Pages;

pub use merge::{Merged, merge};
pub use read::{Expected, check_file, check_sections, open};
pub use write::{NewFile, Paced};

/// Folder of the files within that of the index.
pub const SEGMENTS: &str = "segments";

/// Ending of a file's name.
const ENDING: &str = ".seg";

/// Ending of the name of a file that is being written.
const TEMPORARY: &str = ".seg.tmp";

/// A sealed segment's file.
#[derive(Debug)]
pub struct SealedFile {
    /// Identifies the file.
    pub uid: u64,
    /// Length in bytes.
    pub bytes: u64,
    /// Hash of the header, in hex.
    pub hash: String,
    /// Whether the sections have been compared with their hashes since the file was opened.
    pub is_checked: AtomicBool,
    /// Whether the pages have been read since the file was opened, or need not be.
    pub is_warm: AtomicBool,
    sections: Vec<Section>,
    graphs: BTreeMap<Key<UnitType>, FileGraph>,
    /// The pages of the mapping. `None` while it is not mapped.
    pages: Option<Pages>,
}

#[cfg(test)]
impl SealedFile {
    /// A file that does not exist, for a segment whose columns are made in memory.
    pub fn of_columns() -> Self {
        Self {
            uid: 0,
            bytes: 0,
            hash: String::new(),
            is_checked: AtomicBool::new(true),
            is_warm: AtomicBool::new(true),
            sections: Vec::new(),
            graphs: BTreeMap::new(),
            pages: None,
        }
    }
}

/// Path of a file.
pub fn path_of(index_folder: &Path, uid: u64) -> PathBuf {
    index_folder.join(SEGMENTS).join(file_name(uid))
}

fn temporary_path_of(index_folder: &Path, uid: u64) -> PathBuf {
    index_folder.join(SEGMENTS).join(format!("{uid:016x}{TEMPORARY}"))
}

/// Name of a segment's file.
fn file_name(uid: u64) -> String {
    format!("{uid:016x}{ENDING}")
}

/// Names of the files that a record names.
pub fn names(record: &SealedRecord) -> HashSet<String> {
    record.segments.iter().map(|entry| file_name(entry.uid)).collect()
}

/// Removes the files of segments whose names are not to be kept, and interrupted ones. Other files stay.
pub fn remove_files(index_folder: &Path, keep: impl Fn(&str) -> bool) {
    let Ok(entries) = std::fs::read_dir(index_folder.join(SEGMENTS)) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let uid = name.get(..16).filter(|uid| u64::from_str_radix(uid, 16).is_ok());
        let is_segment = name.get(16..).is_some_and(|rest| [ENDING, TEMPORARY].contains(&rest));
        if uid.is_some() && is_segment && !keep(&name) {
            // What cannot be removed now is removed at the next start.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Removes all files and, if it is empty then, their folder.
pub fn remove_all(index_folder: &Path) {
    remove_files(index_folder, |_| false);
    let _ = std::fs::remove_dir(index_folder.join(SEGMENTS));
}
