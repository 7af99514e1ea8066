//! Whether a data file is as the last process left it.
//!
//! A stop writes length and time of the data file to a file beside it, the *mark*. A start removes it, so that it never says
//! anything about a process that was killed, or crashed on a damaged page.

use std::fs;
use std::io;
use std::path::Path;
use std::time::UNIX_EPOCH;

use super::DATA_FILE;

/// Name of the mark.
pub const MARK_FILE: &str = "stopped";

/// Writes the mark. The data must be on disk, and nothing may write to them any more.
pub fn put(folder: &Path) -> io::Result<()> {
    fs::write(folder.join(MARK_FILE), state(folder)?)
}

/// Removes the mark. Returns whether there was one of this data file.
pub fn take(folder: &Path) -> bool {
    let path = folder.join(MARK_FILE);
    let Ok(mark) = fs::read_to_string(&path) else { return false };
    // A mark that stays would speak for the next process, too.
    fs::remove_file(path).is_ok() && state(folder).is_ok_and(|state| state == mark)
}

/// Length of the data file, and the time of its last change.
fn state(folder: &Path) -> io::Result<String> {
    let data = fs::metadata(folder.join(DATA_FILE))?;
    let changed = data.modified()?.duration_since(UNIX_EPOCH).map_err(io::Error::other)?;
    Ok(format!("{} {}", data.len(), changed.as_nanos()))
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::{Duration, SystemTime};

    use super::*;

    #[test]
    fn a_mark_counts_once_and_only_for_the_file_that_it_describes() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let data = folder.join(DATA_FILE);
        assert!(!take(folder) && put(folder).is_err());
        fs::write(&data, [1; 100]).unwrap();
        put(folder).unwrap();
        assert!(take(folder) && !take(folder));
        put(folder).unwrap();
        let later = SystemTime::now() + Duration::from_secs(1);
        File::options().write(true).open(&data).unwrap().set_modified(later).unwrap();
        assert!(!take(folder));
        put(folder).unwrap();
        fs::write(&data, [1; 99]).unwrap();
        assert!(!take(folder) && !folder.join(MARK_FILE).exists());
        fs::write(folder.join(MARK_FILE), "").unwrap();
        assert!(!take(folder));
    }
}
