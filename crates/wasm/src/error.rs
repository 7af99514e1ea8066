//! Failures as values, with the names that the addon gives them.

use std::fmt::Display;

use iscc_media::MediaError;
use serde::Serialize;

/// Why a call failed.
#[derive(Debug, Serialize)]
pub struct Failure {
    /// A name of `NativeErrorCode` in `src/native.ts`.
    pub code: &'static str,
    /// The rule that the input breaks.
    pub message: String,
}

/// What a call returns.
pub type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    pub fn new(code: &'static str, message: impl Display) -> Self {
        Self { code, message: message.to_string() }
    }

    pub fn invalid(message: impl Display) -> Self {
        Self::new("INVALID_ARGUMENT", message)
    }
}

impl From<iscc_codec::Error> for Failure {
    fn from(error: iscc_codec::Error) -> Self {
        Self::invalid(error)
    }
}

impl From<MediaError> for Failure {
    fn from(error: MediaError) -> Self {
        Self::new(error.name(), error)
    }
}
