//! Why a file could not be prepared.

/// Why a file could not be prepared. Each kind has a stable [`code`](MediaError::code), because
/// the service answers them differently.
#[derive(Debug, thiserror::Error)]
pub enum MediaError {
    /// The bytes are of a kind that this crate can't decode; another decoder may.
    #[error("no decoder for {0}")]
    NoDecoder(String),
    /// The bytes begin like the format but don't go on like it.
    #[error("damaged {format} file: {reason}")]
    Damaged {
        /// The format's name.
        format: &'static str,
        /// What its decoder says.
        reason: String,
    },
    /// Reading the file would take more than a limit allows.
    #[error("{what} is above the limit of {limit}")]
    TooLarge {
        /// What was counted, with its unit.
        what: &'static str,
        /// The most that is allowed.
        limit: u64,
    },
    /// A text document without any text.
    #[error("no text extracted")]
    NoText,
    /// Raw pixels whose count does not fit their width and height.
    #[error("raw pixels: {0}")]
    Raw(&'static str),
    /// The file can't be read.
    #[error("cannot read file: {0}")]
    Io(#[from] std::io::Error),
}

impl MediaError {
    /// A constant name for each kind, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoDecoder(_) => "NO_DECODER",
            Self::Damaged { .. } => "DAMAGED",
            Self::TooLarge { .. } => "TOO_LARGE",
            Self::NoText => "NO_TEXT",
            Self::Raw(_) => "RAW_PIXELS",
            Self::Io(_) => "IO",
        }
    }

    /// The decoder of `format` gave up, for `reason`.
    pub(crate) fn damaged(format: &'static str, reason: impl std::fmt::Display) -> Self {
        Self::Damaged { format, reason: reason.to_string() }
    }
}
