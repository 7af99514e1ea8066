//! Why there is no Semantic-Code.

/// Why there is no Semantic-Code.
#[derive(Debug, thiserror::Error)]
pub enum SemanticError {
    /// The tokenizer's file can't be read, or is none.
    #[error("not a tokenizer file: {0}")]
    Tokenizer(String),
    /// The tokenizer has no tokens for a text.
    #[error("the tokenizer can't encode the text: {0}")]
    Encoding(String),
    /// A text without a single character.
    #[error("there is no text")]
    NoText,
    /// The model's answer has not the shape that it should have.
    #[error("the model's output {0}")]
    Output(String),
}
