//! The files of arguments: paths, and folders with everything below them.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Refusal;

/// Name of standard input, without which only its content says what it is.
const STDIN_NAME: &str = "stdin";

/// A file to code.
#[derive(Debug, Clone)]
pub struct Source {
    /// As results show it: in a name that is not UTF-8, bytes outside ASCII are `\xff`.
    pub shown: String,
    pub path: PathBuf,
    pub filename: String,
    /// Whether it is standard input, to be copied first
    pub is_stdin: bool,
}

/// A file, or why an argument or an entry below it has none.
pub type Found = Result<Source, (String, Refusal)>;

/// The files of all arguments in their order, each once.
pub fn all(arguments: &[PathBuf], stdin_name: Option<&str>) -> Vec<Found> {
    let mut found = Vec::new();
    for argument in arguments {
        if argument == Path::new("-") {
            found.push(Ok(stdin(stdin_name)));
        } else {
            add(argument, &mut found);
        }
    }
    let mut seen = std::collections::HashSet::new();
    found.retain(|one| match one {
        Ok(source) => seen.insert(source.shown.clone()),
        Err(_) => true,
    });
    found
}

fn stdin(name: Option<&str>) -> Source {
    let filename = name.unwrap_or(STDIN_NAME).to_owned();
    Source { shown: "-".into(), path: PathBuf::new(), filename, is_stdin: true }
}

fn add(argument: &Path, found: &mut Vec<Found>) {
    match fs::metadata(argument) {
        Ok(status) if status.is_dir() => below(argument, found),
        Ok(status) if status.is_file() => found.push(Ok(source(argument))),
        Ok(_) => {
            let refusal = Refusal::new("NOT_A_FILE", "neither a file nor a folder");
            found.push(Err((shown(argument), refusal)));
        }
        Err(error) => found.push(Err((shown(argument), error.into()))),
    }
}

fn source(path: &Path) -> Source {
    let filename = path.file_name().map(|name| name.to_string_lossy().into_owned());
    Source {
        shown: shown(path),
        path: path.to_owned(),
        filename: filename.unwrap_or_default(),
        is_stdin: false,
    }
}

/// Folder by folder, by name; the files of a folder before its subfolders. Links to folders are not followed, because they may
/// form a circle.
fn below(root: &Path, found: &mut Vec<Found>) {
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder).and_then(Iterator::collect::<Result<Vec<_>, _>>) {
            Ok(entries) => entries,
            Err(error) => {
                found.push(Err((shown(&folder), error.into())));
                continue;
            }
        };
        // Normalised as a path that a user types: `./a` and `a` are one.
        let mut entries: Vec<_> = entries
            .iter()
            .map(|entry| (joined(&folder, &entry.file_name()), entry.file_type()))
            .collect();
        entries.sort_by_cached_key(|(path, _)| shown(path).encode_utf16().collect::<Vec<_>>());
        let mut inner = Vec::new();
        for (path, kind) in entries {
            let Ok(kind) = kind else { continue };
            if kind.is_dir() {
                inner.push(path);
            } else if (kind.is_file() || kind.is_symlink()) && !is_own_result(&path) {
                match fs::metadata(&path) {
                    Ok(status) if status.is_file() => found.push(Ok(source(&path))),
                    Ok(_) => {}
                    Err(error) => found.push(Err((shown(&path), error.into()))),
                }
            }
        }
        folders.extend(inner.into_iter().rev());
    }
}

/// As `path.join` of Node.js: without `.` and doubled separators.
fn joined(folder: &Path, name: &OsStr) -> PathBuf {
    let parts = folder.components().filter(|part| !matches!(part, std::path::Component::CurDir));
    parts.collect::<PathBuf>().join(name)
}

/// Results of earlier runs next to their files.
fn is_own_result(path: &Path) -> bool {
    let name = path.to_string_lossy();
    name.ends_with(".iscc.json") || name.ends_with(".iscc.mp7sig")
}

fn shown(path: &Path) -> String {
    if let Some(text) = path.to_str() {
        return text.to_owned();
    }
    let mut text = String::new();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            0x80.. | b'\\' => text.push_str(&format!("\\x{byte:02x}")),
            byte => text.push(char::from(*byte)),
        }
    }
    text
}
