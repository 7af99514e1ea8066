//! Prepares the input of ISCC-UNITs from media files: media type, text, pixels, fingerprint, frame
//! signatures, metadata.
//!
//! Design: docs/design/media.md.

pub mod audio;
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
pub mod video;
mod xml;

pub use error::MediaError;
