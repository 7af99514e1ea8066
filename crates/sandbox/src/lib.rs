//! Confines a process that reads what strangers send: to some files by Landlock, to harmless system calls by seccomp.
//!
//! Both apply to the calling thread, the threads and processes that it starts, and the programs that these run. None of them
//! can leave. A process is confined as a whole only if it has one thread when it calls [`confine`].
//!
//! Linux only. Elsewhere [`confine`] does nothing and says so.

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod privileges;
#[cfg(all(test, target_os = "linux"))]
mod tests;

use std::path::PathBuf;

use serde::Deserialize;

/// The files that a process may open. What does not exist is ignored. Symbolic links are followed.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct FileRules {
    /// Files, and folders with all that is below them: open for reading, list, execute.
    pub read: Vec<PathBuf>,
    /// The same, without listing and executing: only files whose names are known.
    pub open: Vec<PathBuf>,
    /// The same, for reading, listing and writing.
    pub write: Vec<PathBuf>,
}

impl FileRules {
    /// The rules of a JSON object with the three lists.
    pub fn parse(json: &str) -> Result<Self, String> {
        serde_json::from_str(json).map_err(|error| error.to_string())
    }
}

/// Which parts of the sandbox the kernel enforces.
#[derive(Debug, Clone)]
pub struct Confinement {
    /// Landlock, or why it does not restrict files.
    pub files: Result<(), String>,
    /// seccomp and dropped capabilities, or why they do not restrict system calls.
    pub calls: Result<(), String>,
}

impl Confinement {
    /// Neither part is enforced.
    pub fn missing(reason: &str) -> Self {
        Self { files: Err(reason.to_owned()), calls: Err(reason.to_owned()) }
    }
}

/// Confines the calling thread and all that it starts, as far as the kernel allows it. It gains no privileges by programs
/// that it executes (`no_new_privs`), and a process of root keeps only those that concern the owners of files.
#[cfg(target_os = "linux")]
pub fn confine(rules: &FileRules) -> Confinement {
    let files = files::restrict(rules);
    Confinement { files, calls: privileges::drop_others().and_then(|()| calls::restrict()) }
}

/// Does nothing.
#[cfg(not(target_os = "linux"))]
pub fn confine(_rules: &FileRules) -> Confinement {
    Confinement::missing("needs Linux")
}
