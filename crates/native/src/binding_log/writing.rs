//! What the writer of a log computes, and what readers verify. All calls are short.

use std::collections::HashMap;

use iscc_log::checkpoint;
use iscc_log::key::PublicKey;
use iscc_log::tree::{self, Hash, Head};
use napi::bindgen_prelude::*;
use napi_derive::napi;

use super::{buffer, hashes};
use crate::error::{NativeError, Result};

/// A log with further entries.
#[napi(object)]
pub struct AppendedLog {
    /// Of each entry: the roots of the perfect subtrees that it completes, from its own hash up.
    pub nodes: Vec<Buffer>,
    /// Roots of the largest perfect subtrees, left to right.
    pub peaks: Buffer,
}

/// Appends entries to the log with `size` entries and these peaks.
#[napi(catch_unwind)]
pub fn append_to_log(size: i64, peaks: &[u8], records: Vec<Buffer>) -> Result<AppendedLog> {
    let mut head = head(size, peaks)?;
    let nodes = records.iter().map(|record| buffer(&head.append(tree::leaf(record)))).collect();
    Ok(AppendedLog { nodes, peaks: buffer(&head.peaks()) })
}

/// Root of the log with `size` entries and these peaks.
#[napi(catch_unwind)]
pub fn log_root(size: i64, peaks: &[u8]) -> Result<Buffer> {
    Ok(buffer(&[head(size, peaks)?.root()]))
}

/// A node of a log: the root of the `2^level` entries from `index * 2^level`.
#[napi(object)]
pub struct LogNode {
    /// Its height above the entries.
    pub level: u32,
    /// Its number in its level.
    pub index: i64,
}

/// The nodes that are the peaks of the log with `size` entries.
#[napi(catch_unwind)]
pub fn log_peaks(size: i64) -> Vec<LogNode> {
    nodes(tree::peaks_of(size.max(0) as u64))
}

/// The nodes that the inclusion proof of an entry is made of; empty if the log does not have it.
#[napi(catch_unwind)]
pub fn log_inclusion_nodes(index: i64, size: i64) -> Vec<LogNode> {
    nodes(tree::inclusion_nodes(index.max(0) as u64, size.max(0) as u64).unwrap_or_default())
}

/// The inclusion proof of an entry, from the hashes of its nodes in their order.
#[napi(catch_unwind)]
pub fn log_inclusion_proof(index: i64, size: i64, given: &[u8]) -> Result<Buffer> {
    let (index, size) = (index.max(0) as u64, size.max(0) as u64);
    let wanted = tree::inclusion_nodes(index, size).unwrap_or_default();
    let known: HashMap<_, _> = wanted.into_iter().zip(hashes(given)?).collect();
    let proof = tree::inclusion_proof(&known, index, size);
    proof.map(|proof| buffer(&proof)).ok_or_else(|| NativeError::invalid("nodes are missing"))
}

/// Root that an entry and its inclusion proof give; `null` if the proof has the wrong number of hashes.
#[napi(catch_unwind)]
pub fn log_inclusion_root(
    record: &[u8],
    index: i64,
    size: i64,
    proof: &[u8],
) -> Result<Option<Buffer>> {
    if index < 0 || size < 0 {
        return Ok(None);
    }
    let root = tree::inclusion_root(tree::leaf(record), index as u64, size as u64, &hashes(proof)?);
    Ok(root.map(|root| buffer(&[root])))
}

/// The text of a checkpoint, to be signed.
#[napi(catch_unwind)]
pub fn log_checkpoint_text(origin: String, size: i64, root: &[u8]) -> Result<String> {
    let root: Hash = root.try_into().map_err(|_| NativeError::invalid("a root has 32 bytes"))?;
    Ok(checkpoint::text(&origin, size.max(0) as u64, &root))
}

/// The checkpoint with this text and its signature by a key, given as multibase text.
#[napi(catch_unwind)]
pub fn log_checkpoint(
    text: String,
    origin: String,
    key: String,
    signature: &[u8],
) -> Result<String> {
    let key = public_key(&key)?;
    Ok(checkpoint::signed(&text, &origin, &key, signature))
}

/// The key of a log as tools of the C2SP take it.
#[napi(catch_unwind)]
pub fn log_verifier_key(origin: String, key: String) -> Result<String> {
    Ok(public_key(&key)?.verifier(&origin))
}

fn public_key(text: &str) -> Result<PublicKey> {
    PublicKey::from_multibase(text).ok_or_else(|| NativeError::invalid("not an Ed25519 public key"))
}

fn head(size: i64, peaks: &[u8]) -> Result<Head> {
    let head = Head::from_peaks(size.max(0) as u64, &hashes(peaks)?);
    head.ok_or_else(|| NativeError::invalid("the peaks are not those of a log with this size"))
}

fn nodes(found: Vec<tree::Node>) -> Vec<LogNode> {
    found.into_iter().map(|(level, index)| LogNode { level, index: index as i64 }).collect()
}
