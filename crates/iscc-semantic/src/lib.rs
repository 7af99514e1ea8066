//! What surrounds a sentence or image model on the way to a Semantic-Code (spec B.12, B.13): text to
//! tokens, and the model's numbers to bits. The model itself is run by somebody else.

mod embedding;
mod error;
mod split;
mod tokenizer;

pub use embedding::{BITS, Digest, TextEmbedding, digest};
pub use error::SemanticError;
pub use split::{Chunk, split};
pub use tokenizer::Tokenizer;
