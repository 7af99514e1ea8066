//! Why a sidecar is not taken.

use std::borrow::Cow;

use thiserror::Error;

/// Length of [`Refusal::text`] in characters: what the validator says may quote the manifest.
const TEXT_CHARS_MAX: usize = 200;

/// A reason with the code that clients get beside it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{text}")]
pub struct Refusal {
    /// A status code of the C2PA (`claimSignature.mismatch`), or one of ours (`manifest.*`).
    pub code: Cow<'static, str>,
    /// One line for people.
    pub text: String,
}

impl Refusal {
    /// A refusal by a code of the C2PA or of ours, with what is said about it.
    pub fn new(code: impl Into<Cow<'static, str>>, text: &str) -> Self {
        let printable = text.chars().map(|c| if c.is_control() { ' ' } else { c });
        Self { code: code.into(), text: printable.take(TEXT_CHARS_MAX).collect() }
    }

    /// The bytes are no manifest store that could be stored and addressed.
    pub fn unreadable(text: &str) -> Self {
        Self::new("manifest.unreadable", text)
    }

    /// A manifest store without a manifest.
    pub fn missing() -> Self {
        Self::new("manifest.missing", "the manifest store holds no manifest")
    }
}
