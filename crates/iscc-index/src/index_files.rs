//! The files of an index in its folder.

use std::fs;
use std::io;
use std::path::Path;

use crate::lmdb_file::is_blank;
use crate::segment::sealed::{self, SEGMENTS};
use crate::store::{DATA_FILE, LOCK_FILE, MARK_FILE};

/// Files of an index, besides those of sealed segments. Other files in its folder are not ours and are never deleted.
const INDEX_FILES: [&str; 3] = [DATA_FILE, LOCK_FILE, MARK_FILE];

/// Whether a folder has the data of an index, or a data file that cannot be anything else. Without, it may be that of an
/// interrupted creation, or a user's.
///
/// Fails if the system does not tell, or if only the segments of an index are left.
pub fn has_data(folder: &Path) -> io::Result<bool> {
    let data = folder.join(DATA_FILE);
    let has_data = match existing(fs::metadata(&data))? {
        Some(found) => found.is_file() && !is_blank(&data)?,
        None => false,
    };
    if !has_data && has_segments(folder)? {
        let reason = format!("{DATA_FILE} is missing or empty, but there are segments");
        return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
    }
    Ok(has_data)
}

fn has_segments(folder: &Path) -> io::Result<bool> {
    let entries = existing(fs::read_dir(folder.join(SEGMENTS)))?;
    Ok(entries.is_some_and(|mut entries| entries.next().is_some()))
}

/// `None` for what does not exist.
fn existing<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_without_its_data_file_is_not_taken_for_none() {
        let folder = tempfile::tempdir().unwrap();
        let index = folder.path().join("main");
        assert!(!has_data(&index).unwrap());
        fs::create_dir_all(index.join(SEGMENTS)).unwrap();
        assert!(!has_data(&index).unwrap());
        fs::write(index.join(DATA_FILE), b"").unwrap();
        assert!(!has_data(&index).unwrap());
        fs::write(index.join(SEGMENTS).join("one"), b"").unwrap();
        assert_eq!(has_data(&index).unwrap_err().kind(), io::ErrorKind::InvalidData);
        fs::write(index.join(DATA_FILE), b"data").unwrap();
        assert!(has_data(&index).unwrap());
        fs::write(folder.path().join("file"), b"").unwrap();
        assert!(!has_data(&folder.path().join("file")).unwrap());
    }
}
