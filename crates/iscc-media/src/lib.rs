//! Prepared input from a media file: media type, text, pixels, fingerprint, frame signatures.

pub mod audio;
pub mod document;
pub mod sanitize;
pub mod svg;
pub mod video;
