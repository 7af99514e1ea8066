//! What readers of all file formats share: media types, metadata, XML and the decoding of text. Texts are those of
//! `iscc-text`, pictures those of `iscc-image`, sound and films those of `iscc-av`.
//!
//! Design: docs/design/media.md.

pub mod boxes;
pub mod charset;
pub mod error;
pub mod mediatype;
pub mod metadata;
pub mod sanitize;
pub mod xml;

pub use error::MediaError;
