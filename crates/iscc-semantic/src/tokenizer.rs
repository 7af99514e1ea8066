//! The tokenizer that a sentence model was trained with, from its `tokenizer.json`.

use tokenizers::{PostProcessor, TruncationDirection};

use crate::error::SemanticError;

/// Tokens that a model sees at a time if its tokenizer's file does not say: the reference's.
const WINDOW_TOKENS: usize = 128;

/// Text to token ids. Neither cuts nor pads while it counts.
#[derive(Debug)]
pub struct Tokenizer {
    inner: tokenizers::Tokenizer,
    /// Tokens of a text that fit into the model's window beside the special ones.
    content_tokens_max: usize,
}

impl Tokenizer {
    /// Reads the bytes of a `tokenizer.json`.
    ///
    /// # Errors
    /// [`SemanticError::Tokenizer`] for anything else.
    pub fn from_json(json: &[u8]) -> Result<Self, SemanticError> {
        let refused = |error: tokenizers::Error| SemanticError::Tokenizer(error.to_string());
        let mut inner = tokenizers::Tokenizer::from_bytes(json).map_err(refused)?;
        let window = inner.get_truncation().map_or(WINDOW_TOKENS, |cut| cut.max_length);
        let special = inner.get_post_processor().map_or(0, |ends| ends.added_tokens(false));
        inner.with_truncation(None).map_err(refused)?;
        // Chunks are given to the model one by one, so that there is nothing to pad them to.
        inner.with_padding(None);
        Ok(Self { inner, content_tokens_max: window.saturating_sub(special) })
    }

    /// Number of tokens of a text, without special ones.
    ///
    /// # Errors
    /// [`SemanticError::Encoding`] if there are none for a character.
    pub fn count(&self, text: &str) -> Result<usize, SemanticError> {
        Ok(self.encoding(text)?.len())
    }

    /// What the model gets of a chunk: its ids, cut to the model's window, between special tokens.
    ///
    /// # Errors
    /// [`SemanticError::Encoding`] if there are none for a character.
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
