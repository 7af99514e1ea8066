//! Text to overlapping chunks that each fit into the model's window.

use text_splitter::{ChunkConfig, TextSplitter, TryChunkSizer};

use crate::error::SemanticError;
use crate::tokenizer::Tokenizer;

/// Tokens of a chunk.
const CHUNK_TOKENS_MAX: usize = 127;
/// Tokens that a chunk may share with the one before it.
const OVERLAP_TOKENS_MAX: usize = 48;
/// A token has fewer characters on average: a text this long is more than one chunk.
const PROBE_CHARACTERS: usize = CHUNK_TOKENS_MAX * 10;

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk<'text> {
    /// Where it starts, in bytes.
    pub offset: usize,
    /// White space at its ends included.
    pub text: &'text str,
}

/// Splits `text` where its sentences, words or characters end, whichever come first.
///
/// # Errors
/// [`SemanticError::Encoding`] for a text that the tokenizer has no tokens for.
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

/// Counts tokens, exactly up to the size of a chunk.
struct Sizer<'tokenizer>(&'tokenizer Tokenizer);

impl TryChunkSizer for Sizer<'_> {
    type Error = SemanticError;

    /// The splitter asks for the size of all that is left of a text without paragraphs, at every chunk: work
    /// that grows with the square of its length. Of such a piece only the beginning is counted; if that alone is
    /// too large, how much larger the whole is makes no difference.
    fn try_size(&self, chunk: &str) -> Result<usize, SemanticError> {
        if let Some(start) = beginning(chunk) {
            let counted = self.0.count(start)?;
            if counted > CHUNK_TOKENS_MAX {
                return Ok(counted + (chunk.len() - start.len()));
            }
        }
        self.0.count(chunk)
    }
}

/// Whole words from the start of a long text.
fn beginning(text: &str) -> Option<&str> {
    // A character has at least one byte: most texts need no count.
    if text.len() <= 2 * PROBE_CHARACTERS || text.chars().nth(2 * PROBE_CHARACTERS).is_none() {
        return None;
    }
    let (window, _) = text.char_indices().nth(PROBE_CHARACTERS)?;
    let end = text[..window].rfind(char::is_whitespace)?;
    (end > 0).then(|| &text[..end])
}
