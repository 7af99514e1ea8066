//! Why a request was not done, in the form that clients get to see.

use crate::json::push_string;

/// Who is to blame, and how the HTTP layer says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The request's content breaks a rule (400).
    Rejected,
    /// There is no such index or asset (404).
    NotFound,
    /// There is such an index already (409).
    Conflict,
    /// The request's form breaks the schema (422).
    Invalid,
    /// Something of ours failed (500); the detail is for the log.
    Broken,
    /// Too many requests wait (503).
    Busy,
    /// No space left to write to (507).
    Full,
}

impl FailureKind {
    /// HTTP status.
    pub fn status(self) -> u16 {
        match self {
            Self::Rejected => 400,
            Self::NotFound => 404,
            Self::Conflict => 409,
            Self::Invalid => 422,
            Self::Broken => 500,
            Self::Busy => 503,
            Self::Full => 507,
        }
    }
}

/// Why a request was not done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", String::from_utf8_lossy(.detail))]
pub struct Failure {
    /// Who is to blame.
    pub kind: FailureKind,
    /// JSON of the answer's `detail` member: a string, or the list of schema violations.
    pub detail: Vec<u8>,
}

impl Failure {
    /// A failure told in one sentence.
    pub fn new(kind: FailureKind, text: &str) -> Self {
        let mut detail = Vec::with_capacity(text.len() + 2);
        push_string(&mut detail, text);
        Self { kind, detail }
    }

    /// The request's content breaks a rule.
    pub fn rejected(text: impl AsRef<str>) -> Self {
        Self::new(FailureKind::Rejected, text.as_ref())
    }

    /// There is no such thing.
    pub fn not_found(text: impl AsRef<str>) -> Self {
        Self::new(FailureKind::NotFound, text.as_ref())
    }

    /// Something of ours failed.
    pub fn broken(error: impl std::fmt::Display) -> Self {
        Self::new(FailureKind::Broken, &error.to_string())
    }

    /// The answer's body: `{"detail": ...}`.
    pub fn body(&self) -> Vec<u8> {
        let mut body = Vec::with_capacity(self.detail.len() + 12);
        body.extend_from_slice(b"{\"detail\":");
        body.extend_from_slice(&self.detail);
        body.push(b'}');
        body
    }
}

/// JSON of an answer's body, or why there is none.
pub type Answer = Result<Vec<u8>, Failure>;
