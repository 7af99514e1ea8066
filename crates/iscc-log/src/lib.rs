//! Transparency logs of ISCC hubs: checkpoints, Merkle trees, entry bundles, and the judging of entries.
//!
//! A hub publishes every declaration in an append-only log (C2SP tlog-tiles, RFC 6962). This crate verifies what a hub
//! says. It performs no I/O and is total: any bytes give a value or a named error.
//!
//! - [`checkpoint::judge`] verifies a signed tree head against trusted keys.
//! - [`tree`] computes leaf hashes, tree heads and proofs; [`bundle::records`] splits an entry bundle.
//! - [`entry::parse`] checks one entry by itself, [`entry::parse_all`] many; [`judge::Judge`] applies the rules that depend on earlier entries.
//! - [`signature`] verifies Ed25519 signatures, also in batches.
//! - [`path`] names the files of a log.

pub mod bundle;
pub mod checkpoint;
pub mod code_text;
pub mod entry;
pub mod gateway;
mod json;
pub mod judge;
pub mod key;
mod note;
pub mod path;
pub mod signature;
pub mod tree;

/// Entries of a full bundle, hashes of a full tile.
pub const TILE_WIDTH: usize = 256;
