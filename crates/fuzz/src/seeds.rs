//! Inputs to start from: fixtures and examples.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::Target;

/// Larger files are left out: a fuzzer needs many short runs.
const BYTES_MAX: u64 = 64 << 10;

/// The folder of fixtures.
pub const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../test/fixtures");

/// Inputs that once broke a target: files in this folder whose names begin with that of the target and a hyphen.
const FINDINGS: &str = "fuzz";

/// The past findings of a target, with their names.
pub fn findings(target: &Target) -> io::Result<Vec<(String, Vec<u8>)>> {
    let prefix = format!("{}-", target.name);
    let mut found = Vec::new();
    for entry in fs::read_dir(Path::new(FIXTURES).join(FINDINGS))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(&prefix) {
            found.push((name, fs::read(entry.path())?));
        }
    }
    Ok(found)
}

/// The inputs of a target: examples, then files in the order of their paths, smallest first if there are many.
pub fn of(target: &Target, count_max: usize) -> io::Result<Vec<Vec<u8>>> {
    let mut files = Vec::new();
    collect(Path::new(FIXTURES), &mut files)?;
    let fits = |(path, _): &(PathBuf, u64)| {
        let path = path.to_string_lossy();
        target.seeds.iter().any(|end| path.ends_with(end))
    };
    files.retain(fits);
    files.sort_by(|(a, a_bytes), (b, b_bytes)| (a_bytes, a).cmp(&(b_bytes, b)));
    files.truncate(count_max);
    let mut inputs: Vec<Vec<u8>> =
        target.examples.iter().map(|text| text.as_bytes().to_vec()).collect();
    for (path, _) in files {
        inputs.push(fs::read(path)?);
    }
    Ok(inputs)
}

fn collect(folder: &Path, files: &mut Vec<(PathBuf, u64)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        if metadata.is_dir() {
            collect(&entry.path(), files)?;
        } else if metadata.len() <= BYTES_MAX {
            files.push((entry.path(), metadata.len()));
        }
    }
    Ok(())
}
