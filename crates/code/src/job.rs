//! What the program and its child processes send to each other: a line of JSON each.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What to read of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// Whether to read the content, and not only the bytes
    pub content: bool,
    /// Whether to compute simprints of text
    pub granular: bool,
    /// Whether to make a thumbnail
    pub thumbnail: bool,
    /// Whether to use metadata embedded in files
    pub metadata: bool,
}

/// Fields that replace those of files.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Given {
    pub name: Option<String>,
    pub description: Option<String>,
    pub meta: Option<String>,
}

/// A file to code.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Job {
    /// The system's bytes of the path
    path: Vec<u8>,
    /// Name from which format and title come
    pub filename: String,
    pub options: Options,
    pub given: Given,
    time_limit_ms: u64,
}

/// Time of a job, as in the server: of a file, and per MiB of it.
const JOB_MS: u64 = 60_000;
const EXTRA_MS_PER_MIB: u64 = 2000;

impl Job {
    /// A file of `bytes` bytes.
    pub fn new(
        (path, bytes): (&Path, u64),
        filename: String,
        options: Options,
        given: Given,
    ) -> Self {
        let time_limit_ms = JOB_MS + (bytes >> 20) * EXTRA_MS_PER_MIB;
        let path = path.as_os_str().as_encoded_bytes().to_vec();
        Self { path, filename, options, given, time_limit_ms }
    }

    /// How long the job may take.
    pub fn time_limit(&self) -> Duration {
        Duration::from_millis(self.time_limit_ms)
    }

    pub fn path(&self) -> PathBuf {
        // SAFETY: the bytes are those of another process of this program.
        unsafe { OsString::from_encoded_bytes_unchecked(self.path.clone()) }.into()
    }
}
