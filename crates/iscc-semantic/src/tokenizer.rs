//! The tokenizer of a sentence model, from its `tokenizer.json`.

use tokenizers::{PostProcessor, TruncationDirection};

use crate::error::SemanticError;

/// The model's window in tokens if the tokenizer's file has none: that of the reference.
const WINDOW_TOKENS: usize = 128;

/// Converts text to token ids. Counts without truncation or padding.
#[derive(Debug)]
pub struct Tokenizer {
    inner: tokenizers::Tokenizer,
    /// Size of the model's window without special tokens.
    content_tokens_max: usize,
}

impl Tokenizer {
    /// Parses the bytes of a `tokenizer.json`.
    ///
    /// # Errors
    /// [`SemanticError::Tokenizer`] if they are invalid.
    pub fn from_json(json: &[u8]) -> Result<Self, SemanticError> {
        let invalid = |error: tokenizers::Error| SemanticError::Tokenizer(error.to_string());
        let mut inner = tokenizers::Tokenizer::from_bytes(json).map_err(invalid)?;
        let window =
            inner.get_truncation().map_or(WINDOW_TOKENS, |truncation| truncation.max_length);
        let special =
            inner.get_post_processor().map_or(0, |processor| processor.added_tokens(false));
        inner.with_truncation(None).map_err(invalid)?;
        // Chunks go to the model one by one, so padding is unnecessary.
        inner.with_padding(None);
        Ok(Self { inner, content_tokens_max: window.saturating_sub(special) })
    }

    /// Number of tokens of a text, without special tokens.
    ///
    /// # Errors
    /// [`SemanticError::Encoding`] if there is no token for a character.
    pub fn count(&self, text: &str) -> Result<usize, SemanticError> {
        Ok(self.encoding(text)?.len())
    }

    /// The model's input for a chunk: its ids, truncated to the model's window, between special
    /// tokens.
    ///
    /// # Errors
    /// [`SemanticError::Encoding`] if there is no token for a character.
    pub fn ids(&self, chunk: &str) -> Result<Vec<u32>, SemanticError> {
        let mut encoding = self.encoding(chunk)?;
        encoding.truncate(self.content_tokens_max, 0, TruncationDirection::Right);
        let encoding = self.inner.post_process(encoding, None, true).map_err(unencodable)?;
        Ok(encoding.get_ids().to_vec())
    }

    fn encoding(&self, text: &str) -> Result<tokenizers::Encoding, SemanticError> {
        self.inner.encode_fast(text, false).map_err(unencodable)
    }
}

fn unencodable(error: tokenizers::Error) -> SemanticError {
    SemanticError::Encoding(error.to_string())
}
