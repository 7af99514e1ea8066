//! Prepares the input of ISCC-UNITs from media files: media type, text, pixels, metadata. Sound and
//! films are those of `iscc-av`.
//!
//! Design: docs/design/media.md.

mod boxes;
pub mod charset;
pub mod document;
pub mod error;
pub mod extraction;
pub mod image;
pub mod mediatype;
pub mod metadata;
pub mod pdf;
pub mod sanitize;
pub mod svg;
pub mod text;
mod xml;

pub use error::MediaError;
