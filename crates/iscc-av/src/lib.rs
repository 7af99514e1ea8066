//! Prepares the input of ISCC-UNITs from sound and films: fingerprint, frame signatures, tags.
//!
//! Design: docs/design/media.md.

pub mod audio;
pub mod video;
