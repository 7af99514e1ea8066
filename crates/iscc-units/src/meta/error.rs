//! Errors of Meta-Codes.

use super::payload::PAYLOAD_MAX_BYTES;

/// The reason that a Meta-Code cannot be computed. The message names the field and the rule.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum MetaError {
    /// The name is empty after normalisation.
    #[error("name: must not be empty after normalization")]
    NameEmpty,
    /// Not `data:<type>;base64,<data>`.
    #[error("meta: must be a Data-URL in Base64")]
    NotDataUrl,
    /// The data after the comma is empty or not Base64.
    #[error("meta: the data of the Data-URL must be Base64 with padding, and not empty")]
    NotBase64,
    /// The text is not JSON, not an object, or nested too deeply.
    #[error("meta: must be a JSON object: {0}")]
    NotJson(String),
    /// More than [`PAYLOAD_MAX_BYTES`].
    #[error("meta: {0} bytes of data, at most {PAYLOAD_MAX_BYTES} allowed")]
    TooLong(usize),
}
