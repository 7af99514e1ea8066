//! Errors of preparing a file.

/// Why a file could not be prepared.
#[derive(Debug, thiserror::Error)]
pub enum MediaError {
    /// This crate has no decoder for the format; another decoder may.
    #[error("no decoder for {0}")]
    NoDecoder(String),
    /// No decoder supports this variant of the format.
    #[error("no decoder supports {0}")]
    Unsupported(String),
    /// The file has the signature of the format but is truncated or invalid.
    #[error("damaged {format} file: {reason}")]
    Damaged {
        /// Name of the format.
        format: &'static str,
        /// The decoder's message.
        reason: String,
    },
    /// The file exceeds a limit.
    #[error("{what} is above the limit of {limit}")]
    TooLarge {
        /// The limited quantity, with its unit.
        what: &'static str,
        /// The maximum.
        limit: u64,
    },
    /// The work that the file asks for is out of proportion. Names the part that asks for it.
    #[error("{0} would take too long")]
    TooCostly(&'static str),
    /// The document needs a password or a key.
    #[error("the document is encrypted")]
    Encrypted,
    /// The document contains no text.
    #[error("no text extracted")]
    NoText,
    /// The number of samples of raw pixels does not match their width, height and channels.
    #[error("raw pixels: {0}")]
    RawPixels(&'static str),
    /// The file cannot be read.
    #[error("cannot read file: {0}")]
    Io(#[from] std::io::Error),
}

impl MediaError {
    /// The reason as a constant name, which callers in other languages and users of programs see.
    pub fn name(&self) -> &'static str {
        match self {
            Self::NoDecoder(_) => "NO_DECODER",
            Self::Unsupported(_) => "UNSUPPORTED",
            Self::Damaged { .. } => "DAMAGED",
            Self::TooLarge { .. } => "TOO_LARGE",
            Self::TooCostly(_) => "TOO_COSTLY",
            Self::Encrypted => "ENCRYPTED",
            Self::NoText => "NO_TEXT",
            Self::RawPixels(_) => "INVALID_ARGUMENT",
            Self::Io(_) => "IO",
        }
    }

    /// [`MediaError::Damaged`] from a decoder's error.
    pub fn damaged(format: &'static str, reason: impl std::fmt::Display) -> Self {
        Self::Damaged { format, reason: reason.to_string() }
    }
}
