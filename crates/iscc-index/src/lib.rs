//! One index: rows in LMDB, segments of columns in memory and in mapped files, and the passes that search them.
//!
//! Design: docs/design/search-index.md.

pub mod check;
pub mod filter;
pub mod id;
pub mod index_files;
pub mod json;
mod leb128;
pub mod lmdb_file;
pub mod options;
pub mod pass;
pub mod paths;
pub mod record;
#[cfg(test)]
#[path = "../../iscc-columns/src/lists/samples.rs"]
mod samples;
pub mod segment;
pub mod snapshot;
pub mod store;
