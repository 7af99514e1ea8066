//! Binding of `iscc-units`: units, hashes and simprints from text, bytes and files.

pub mod bytes;
pub mod file;
pub mod text;
