//! Semantic-Codes, without the model itself: splits text into chunks and tokens for a sentence
//! model, and converts the embeddings of a sentence or image model to bits. The caller runs the
//! model.

mod embedding;
mod error;
mod split;
mod tokenizer;

pub use embedding::{BITS, Digest, TextEmbedding, digest};
pub use error::SemanticError;
pub use split::{Chunk, split};
pub use tokenizer::Tokenizer;
