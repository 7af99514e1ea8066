//! Errors of Semantic-Codes.

/// The reason that a Semantic-Code cannot be computed.
#[derive(Debug, thiserror::Error)]
pub enum SemanticError {
    /// The file of the tokenizer is invalid.
    #[error("not a tokenizer file: {0}")]
    Tokenizer(String),
    /// The tokenizer has no tokens for a text.
    #[error("the tokenizer cannot encode the text: {0}")]
    Encoding(String),
    /// The text is empty.
    #[error("the text is empty")]
    NoText,
    /// The model's output has the wrong shape.
    #[error("the model's output {0}")]
    Output(String),
}
