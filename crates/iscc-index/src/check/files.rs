//! Checks the files of sealed segments.
use std::io::ErrorKind;
use std::path::Path;

use iscc_columns::sections::SealError;

use super::Findings;
use crate::segment::sealed::{Expected, Paced, check_file, path_of};
use crate::store::{Reading, StoreError};

const FILE: &str = "a segment file has the content that it was written with";

/// Missing files are no problem: the next start makes them again, and a running service may have just removed them.
pub(super) fn check(
    index: &Path,
    reading: &Reading<'_>,
    found: &mut Findings,
) -> Result<(), StoreError> {
    let Some(record) = reading.sealed()? else { return Ok(()) };
    let pace = Paced { bytes_per_second: u64::MAX, should_continue: &|| true };
    for entry in &record.segments {
        match check_file(index, &Expected::new(&record.store, entry), &pace) {
            Ok(()) => {}
            Err(SealError::File(error)) if error.kind() == ErrorKind::NotFound => {}
            Err(_) => found.add_key(file_name(&path_of(index, entry.uid)), FILE),
        }
    }
    Ok(())
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
