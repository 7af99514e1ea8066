//! Text and metadata of texts, office documents and books: the input of Text-Codes and simprints.
//!
//! Design: docs/design/media.md.

pub mod document;
pub mod extraction;
pub mod pdf;
pub mod text;
