//! Splits text into overlapping chunks that fit into the model's window.

use text_splitter::{ChunkConfig, TextSplitter, TryChunkSizer};

use crate::error::SemanticError;
use crate::tokenizer::Tokenizer;

/// Maximum number of tokens of a chunk.
const CHUNK_TOKENS_MAX: usize = 127;
/// Maximum number of tokens that a chunk shares with the previous one.
const OVERLAP_TOKENS_MAX: usize = 48;
/// A text of this length has more than one chunk, as tokens have less than 10 characters on
/// average.
const PROBE_CHARACTERS: usize = CHUNK_TOKENS_MAX * 10;

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk<'text> {
    /// Byte offset of its start.
    pub offset: usize,
    /// Includes white space at both ends.
    pub text: &'text str,
}

/// Splits `text` at ends of sentences, otherwise of words, otherwise of characters.
///
/// # Errors
/// [`SemanticError::Encoding`] if the tokenizer has no tokens for the text.
pub fn split<'text>(
    tokenizer: &Tokenizer,
    text: &'text str,
) -> Result<Vec<Chunk<'text>>, SemanticError> {
    let config = ChunkConfig::new(CHUNK_TOKENS_MAX).with_sizer(Sizer(tokenizer)).with_trim(false);
    let config =
        config.with_overlap(OVERLAP_TOKENS_MAX).expect("the overlap is smaller than the chunk");
    TextSplitter::new(config)
        .try_chunk_indices(text)
        .map(|chunk| chunk.map(|(offset, text)| Chunk { offset, text }))
        .collect()
}

/// Counts tokens. The count is exact up to the size of a chunk.
struct Sizer<'tokenizer>(&'tokenizer Tokenizer);

impl TryChunkSizer for Sizer<'_> {
    type Error = SemanticError;

    /// For every chunk of a text without paragraphs, the splitter queries the size of the entire
    /// rest, which would take quadratic time. If the start of a long piece is too large for a
    /// chunk, the exact size of the piece does not matter, so only its start is counted.
    fn try_size(&self, chunk: &str) -> Result<usize, SemanticError> {
        if let Some(start) = start_of(chunk) {
            let counted = self.0.count(start)?;
            if counted > CHUNK_TOKENS_MAX {
                return Ok(counted + (chunk.len() - start.len()));
            }
        }
        self.0.count(chunk)
    }
}

/// Whole words from the start of a long text; `None` for other texts.
fn start_of(text: &str) -> Option<&str> {
    // A character has at least one byte, so characters of short texts need not be counted.
    if text.len() <= 2 * PROBE_CHARACTERS || text.chars().nth(2 * PROBE_CHARACTERS).is_none() {
        return None;
    }
    let (window, _) = text.char_indices().nth(PROBE_CHARACTERS)?;
    let end = text[..window].rfind(char::is_whitespace)?;
    (end > 0).then(|| &text[..end])
}
