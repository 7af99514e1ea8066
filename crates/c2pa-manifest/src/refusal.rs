//! Reasons to refuse a sidecar.

use std::borrow::Cow;

use thiserror::Error;

/// Maximum length of [`Refusal::text`] in characters, because messages may quote the manifest.
const TEXT_CHARS_MAX: usize = 200;

/// The reason for a refusal, and its code for clients.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{text}")]
pub struct Refusal {
    /// A status code of the C2PA (`claimSignature.mismatch`), or one of ours (`manifest.*`).
    pub code: Cow<'static, str>,
    /// One line of explanation.
    pub text: String,
}

impl Refusal {
    /// A refusal with a code of the C2PA or of this project. Shortens `text`.
    pub fn new(code: impl Into<Cow<'static, str>>, text: &str) -> Self {
        let printable = text.chars().map(|c| if c.is_control() { ' ' } else { c });
        Self { code: code.into(), text: printable.take(TEXT_CHARS_MAX).collect() }
    }

    /// The bytes are not a manifest store that can be stored and addressed.
    pub fn unreadable(text: &str) -> Self {
        Self::new("manifest.unreadable", text)
    }

    /// The manifest store is empty.
    pub fn missing() -> Self {
        Self::new("manifest.missing", "the manifest store has no manifest")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_one_line_of_200_characters() {
        assert_eq!(Refusal::unreadable("a\nb\u{7}c\u{e9}").text, "a b c\u{e9}");
        let long = Refusal::new("claim.malformed", &"\u{e9}".repeat(201));
        assert_eq!(long.text, "\u{e9}".repeat(200));
        assert_eq!(long.to_string(), long.text);
    }
}
