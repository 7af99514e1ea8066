//! Why a request failed, in the words that clients see.
use std::fmt::{self, Display};

use iscc_index::json::push_string;

/// Kinds of failure. Services map them to their own codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The content of the request breaks a rule.
    Rejected,
    /// The index follows hub logs; requests cannot change it.
    ReadOnly,
    /// The index or asset does not exist.
    NotFound,
    /// An index with this name exists.
    Conflict,
    /// The form of the request breaks the schema.
    Invalid,
    /// A fault of the engine or its data. The detail is for the log, not for clients.
    Broken,
    /// Too many requests are waiting.
    Busy,
    /// The index is being loaded; it will be there soon.
    Loading,
    /// The index is damaged and was not loaded.
    Damaged,
    /// Stored data that the request needs is damaged.
    Unreadable,
    /// No space is left on the device.
    Full,
}

/// Why a request failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Failure {
    /// Kind of failure.
    pub kind: FailureKind,
    /// JSON for the client: a sentence, or the list of schema violations.
    pub detail: Vec<u8>,
}

impl Failure {
    /// A failure described by one sentence.
    pub fn new(kind: FailureKind, text: &str) -> Self {
        let mut detail = Vec::with_capacity(text.len() + 2);
        push_string(&mut detail, text);
        Self { kind, detail }
    }

    /// The content of the request breaks a rule.
    pub fn rejected(text: impl AsRef<str>) -> Self {
        Self::new(FailureKind::Rejected, text.as_ref())
    }

    /// The index or asset does not exist.
    pub fn not_found(text: impl AsRef<str>) -> Self {
        Self::new(FailureKind::NotFound, text.as_ref())
    }

    /// A fault of the engine or its data.
    pub fn broken(error: impl Display) -> Self {
        Self::new(FailureKind::Broken, &error.to_string())
    }
}

/// The sentence, or the JSON of the violations.
impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match serde_json::from_slice::<String>(&self.detail) {
            Ok(sentence) => f.write_str(&sentence),
            Err(_) => f.write_str(&String::from_utf8_lossy(&self.detail)),
        }
    }
}

/// JSON of the response, or why it failed.
pub type Response = Result<Vec<u8>, Failure>;
