//! Binding of `iscc-log`, and of the index that follows logs.
//!
//! Hashes cross as buffers of 32 bytes each, one after another; tree sizes and leaf indexes as numbers below 2^53.

pub mod checking;
pub mod rehearsing;
pub mod writing;

use std::collections::HashMap;
use std::sync::Arc;

use iscc_log::entry::{self, Asset, Log, Reason};
use iscc_log::judge::{Claim, Judge, Nothing};
use iscc_log::key::PublicKey;
use iscc_log::tree::{self, Hash};
use iscc_log::{bundle, checkpoint, path};
use iscc_search::log_index::{self, Applied, Batch, LogIndex, Material, Proven};
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::binding_search::SearchEngine;
use crate::error::{NativeError, Result};
use crate::runtime::{CPU, IO};

/// A verified checkpoint, or why it is refused.
#[napi(object)]
pub struct LogCheckpoint {
    /// `form`, `origin`, `signature` or `unsigned`; absent if the checkpoint is verified.
    pub refused: Option<String>,
    /// Number of entries.
    pub size: Option<i64>,
    /// Root hash.
    pub root: Option<Buffer>,
    /// Multibase text of the key that signed.
    pub key: Option<String>,
    /// Key id in hex.
    pub key_id: Option<String>,
}

/// Verifies a checkpoint of the log `origin` against trusted keys, given as multibase texts. Invalid keys are ignored.
#[napi(catch_unwind)]
pub fn judge_log_checkpoint(note: &[u8], origin: String, keys: Vec<String>) -> LogCheckpoint {
    let keys: Vec<_> = keys.iter().filter_map(|key| PublicKey::from_multibase(key)).collect();
    match checkpoint::judge(note, &origin, &keys) {
        Ok(head) => LogCheckpoint {
            refused: None,
            size: Some(head.size as i64),
            root: Some(head.root.to_vec().into()),
            key: Some(head.key.multibase()),
            key_id: Some(hex(&head.key.id(&origin))),
        },
        Err(refusal) => LogCheckpoint {
            refused: Some(refusal.name().to_owned()),
            size: None,
            root: None,
            key: None,
            key_id: None,
        },
    }
}

/// Whether a text is the multibase form of an Ed25519 public key.
#[napi(catch_unwind)]
pub fn is_log_key(multibase: String) -> bool {
    PublicKey::from_multibase(&multibase).is_some()
}

/// Path of an entry bundle of 1 to 256 entries, relative to the log's prefix.
#[napi(catch_unwind)]
pub fn log_entries_path(index: i64, width: u32) -> String {
    path::entries(index.max(0) as u64, width as usize)
}

/// Path of a hash tile of 1 to 256 hashes, relative to the log's prefix.
#[napi(catch_unwind)]
pub fn log_tile_path(level: u8, index: i64, width: u32) -> String {
    path::tile(level, index.max(0) as u64, width as usize)
}

/// An entry bundle with its block number and its number of entries, 1 to 256.
#[napi(object)]
pub struct LogBundle {
    /// Number of the block: its first entry has the index `block * 256`.
    pub block: i64,
    /// Number of entries.
    pub width: u32,
    /// The bundle's bytes, which must not change until the promise settles.
    pub bytes: Uint8Array,
}

/// Roots of the bundles' leaves; `null` if a bundle is malformed.
#[napi(catch_unwind, ts_return_type = "Promise<Buffer | null>")]
pub fn log_bundle_roots<'env>(env: &'env Env, bundles: Vec<LogBundle>) -> Result<Object<'env>> {
    CPU.run(env, move || Ok(log_index::roots(&parts(&bundles)).map(|roots| buffer(&roots))))
}

/// Root of leaf hashes.
#[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
pub fn log_hashes_root<'env>(env: &'env Env, leaves: Buffer) -> Result<Object<'env>> {
    CPU.run(env, move || Ok(buffer(&[tree::root(&hashes(&leaves)?)])))
}

/// What a hub's own material says of two of its tree sizes.
#[napi(object)]
pub struct LogMaterial {
    /// Root at the larger size; absent if the material does not suffice or contradicts itself.
    pub root: Option<Buffer>,
    /// Root at the smaller size, likewise.
    pub old_root: Option<Buffer>,
    /// Consistency proof between the two sizes.
    pub proof: Option<Buffer>,
}

/// Roots at `size` and `oldSize`, computed from block roots and bundles that the hub serves.
#[napi(catch_unwind, ts_return_type = "Promise<LogMaterial>")]
pub fn log_material<'env>(
    env: &'env Env,
    blocks: Buffer,
    bundles: Vec<LogBundle>,
    old_size: i64,
    size: i64,
) -> Result<Object<'env>> {
    CPU.run(env, move || {
        let blocks = hashes(&blocks)?;
        let mut leaves = HashMap::new();
        for part in &bundles {
            if let Some(records) = bundle::records(&part.bytes, part.width as usize) {
                leaves.insert(part.block as u64, records.into_iter().map(tree::leaf).collect());
            }
        }
        let material = Material { blocks: &blocks, leaves };
        let (old, new) = (old_size as u64, size as u64);
        let proof = tree::consistency_proof(&material, old, new);
        Ok(LogMaterial {
            root: material.root(new).map(|root| buffer(&[root])),
            old_root: material.root(old).map(|root| buffer(&[root])),
            proof: proof.map(|proof| buffer(&proof)),
        })
    })
}

/// Entries of a log judged from its first one, without an index.
#[napi(object)]
pub struct LogJudgement {
    /// JSON: number of entries by reason.
    pub counts: String,
    /// JSON: the assets in force, by ISCC-ID.
    pub assets: String,
}

/// Judges all entries of a log. `null` if a bundle is malformed. `realm` is 0 (test) or 1 (main).
#[napi(catch_unwind, ts_return_type = "Promise<LogJudgement | null>")]
pub fn judge_log_entries<'env>(
    env: &'env Env,
    bundles: Vec<LogBundle>,
    realm: u8,
    hub: u16,
) -> Result<Object<'env>> {
    CPU.run(env, move || {
        let mut judge = Judge::new(Nothing);
        let mut leaf = 0;
        for part in &bundles {
            let Some(records) = bundle::records(&part.bytes, part.width as usize) else {
                return Ok(None);
            };
            for entry in entry::parse_all(&records, Log { realm, hub }) {
                let Ok(_) = judge.take(leaf, entry);
                leaf += 1;
            }
        }
        let counts = Reason::ALL.iter().zip(judge.counts);
        let counts: Vec<_> =
            counts.map(|(reason, count)| format!("\"{}\":{count}", reason.name())).collect();
        let mut assets: Vec<_> = judge.assets.into_values().flatten().collect();
        assets.sort_unstable_by(|a, b| a.iscc_id.cmp(&b.iscc_id));
        let assets: Vec<_> = assets.iter().map(Asset::json).collect();
        Ok(Some(LogJudgement {
            counts: format!("{{{}}}", counts.join(",")),
            assets: format!("[{}]", assets.join(",")),
        }))
    })
}

/// An entry of a log with its inclusion proof.
#[napi(object)]
pub struct LogProof {
    /// Leaf index.
    pub leaf: i64,
    /// Hashes of the proof; absent while entries below the accepted checkpoint are still being applied.
    pub proof: Option<Buffer>,
}

impl From<Proven> for LogProof {
    fn from(proven: Proven) -> Self {
        Self { leaf: proven.leaf as i64, proof: proven.proof.map(|proof| buffer(&proof)) }
    }
}

/// Who declared an ISCC-ID in the log of its hub.
#[napi(object)]
pub struct LogClaim {
    /// Multibase text of the declarer's key.
    pub key: String,
    /// Leaf index of the declaration.
    pub leaf: i64,
    /// `false` once deleted.
    pub in_force: bool,
}

/// Where the entries of an ISCC-ID are in the log of its hub.
#[napi(object)]
pub struct LogInclusion {
    /// JSON row of the hub, with the accepted checkpoint.
    pub row: String,
    /// The declaration in force, or the last one.
    pub declaration: LogProof,
    /// The deletion, once deleted.
    pub deletion: Option<LogProof>,
}

/// JSON row of a hub.
#[napi(object)]
pub struct LogHubRow {
    /// 0 to 4095; 65535 for the hub list.
    pub hub: u16,
    /// The row.
    pub row: String,
}

/// Entries to apply: bundles from the block of `cursor` on, and the verified roots of their leaves.
#[napi(object)]
pub struct LogBatch {
    /// The hub whose log it is.
    pub hub: u16,
    /// Entries that were applied before.
    pub cursor: i64,
    /// Consecutive bundles; the first is of block `cursor / 256`.
    pub bundles: Vec<LogBundle>,
    /// Root of each bundle's leaves.
    pub roots: Buffer,
    /// JSON row of the hub, stored with the new cursor and counts.
    pub row: String,
    /// Whether deletions delete assets.
    pub deletes: bool,
    /// Whether to keep the bundles, to serve them to others.
    pub keeps_bundles: bool,
    /// Milliseconds since 1970.
    pub now_ms: f64,
}

#[napi]
impl SearchEngine {
    /// The index `name` as one that follows hub logs; creates it if it is missing. `realm` is 0 (test) or 1 (main).
    ///
    /// Rejects with `CONFLICT` if the index has assets that did not come from logs of this network.
    #[napi(catch_unwind, ts_return_type = "Promise<FollowedIndex>")]
    pub fn follow_logs<'env>(
        &self,
        env: &'env Env,
        name: String,
        realm: u8,
    ) -> Result<Object<'env>> {
        let engine = self.shared()?;
        IO.run(env, move || Ok(FollowedIndex { index: Arc::new(engine.log_index(&name, realm)?) }))
    }
}

/// An index that follows hub logs.
#[napi]
pub struct FollowedIndex {
    index: Arc<LogIndex>,
}

#[napi]
impl FollowedIndex {
    /// Rows of all hubs, and of the hub list.
    #[napi(catch_unwind, ts_return_type = "Promise<Array<LogHubRow>>")]
    pub fn hubs<'env>(&self, env: &'env Env) -> Result<Object<'env>> {
        self.run(env, |index| {
            let rows = index.hubs()?.into_iter();
            Ok(rows.map(|(hub, row)| LogHubRow { hub, row }).collect::<Vec<_>>())
        })
    }

    /// JSON row of a hub; `null` before its first one.
    #[napi(catch_unwind, ts_return_type = "Promise<string | null>")]
    pub fn hub<'env>(&self, env: &'env Env, hub: u16) -> Result<Object<'env>> {
        self.run(env, move |index| Ok(index.hub(hub)?))
    }

    /// Stores a hub's row, durably.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn put_hub<'env>(&self, env: &'env Env, hub: u16, row: String) -> Result<Object<'env>> {
        self.run(env, move |index| Ok(index.put_hub(hub, &row)?))
    }

    /// Stores a contradiction with the hub's row, durably; resolves to its number. `"evidence":0` in the row becomes the
    /// number.
    #[napi(catch_unwind, ts_return_type = "Promise<number>")]
    pub fn put_evidence<'env>(
        &self,
        env: &'env Env,
        hub: u16,
        evidence: String,
        row: String,
    ) -> Result<Object<'env>> {
        self.run(env, move |index| Ok(index.put_evidence(hub, &evidence, &row)? as i64))
    }

    /// A hub's contradictions as JSON, oldest first.
    #[napi(catch_unwind, ts_return_type = "Promise<Array<string>>")]
    pub fn evidence<'env>(&self, env: &'env Env, hub: u16) -> Result<Object<'env>> {
        self.run(env, move |index| Ok(index.evidence(hub)?))
    }

    /// Root of the first `size` applied entries; `null` if fewer are applied.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer | null>")]
    pub fn root<'env>(&self, env: &'env Env, hub: u16, size: i64) -> Result<Object<'env>> {
        self.run(env, move |index| Ok(index.root(hub, size as u64)?.map(|root| buffer(&[root]))))
    }

    /// Whether the applied blocks below `firstBlock`, then `blocks`, give `root` at `size`.
    #[napi(catch_unwind, ts_return_type = "Promise<boolean>")]
    pub fn verify<'env>(
        &self,
        env: &'env Env,
        hub: u16,
        first_block: i64,
        blocks: Buffer,
        size: i64,
        root: Buffer,
    ) -> Result<Object<'env>> {
        self.run(env, move |index| {
            let (blocks, root) = (hashes(&blocks)?, hashes(&root)?);
            let Some(root) = root.first() else {
                return Err(NativeError::invalid("root is empty"));
            };
            Ok(index.verify(hub, first_block as u64, &blocks, size as u64, root)?)
        })
    }

    /// Consistency proof between two sizes of the applied entries; `null` if fewer are applied.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer | null>")]
    pub fn consistency_proof<'env>(
        &self,
        env: &'env Env,
        hub: u16,
        old_size: i64,
        size: i64,
    ) -> Result<Object<'env>> {
        self.run(env, move |index| {
            let proof = index.consistency_proof(hub, old_size as u64, size as u64)?;
            Ok(proof.map(|proof| buffer(&proof)))
        })
    }

    /// Inclusion proofs of the entries of an ISCC-ID in the accepted checkpoint; `null` if no log has the id.
    #[napi(catch_unwind, ts_return_type = "Promise<LogInclusion | null>")]
    pub fn inclusion<'env>(&self, env: &'env Env, iscc_id: String) -> Result<Object<'env>> {
        self.run(env, move |index| {
            Ok(index.inclusion(&iscc_id)?.map(|found| LogInclusion {
                row: found.row,
                declaration: found.declaration.into(),
                deletion: found.deletion.map(LogProof::from),
            }))
        })
    }

    /// The claim on each ISCC-ID; `null` where no log of this network has it.
    #[napi(catch_unwind, ts_return_type = "Promise<Array<LogClaim | null>>")]
    pub fn claims<'env>(&self, env: &'env Env, iscc_ids: Vec<String>) -> Result<Object<'env>> {
        self.run(env, move |index| {
            let claims = index.claims(&iscc_ids)?.into_iter();
            let claim = |claim: Claim| LogClaim {
                key: claim.key.multibase(),
                leaf: claim.leaf as i64,
                in_force: claim.in_force,
            };
            Ok(claims.map(|found| found.map(claim)).collect::<Vec<_>>())
        })
    }

    /// The first `width` hashes of a tile; `null` unless applied entries and the accepted checkpoint cover them.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer | null>")]
    pub fn tile<'env>(
        &self,
        env: &'env Env,
        hub: u16,
        level: u8,
        index: i64,
        width: u32,
    ) -> Result<Object<'env>> {
        self.run(env, move |log| {
            let tile = log.tile(hub, level, index as u64, width as usize)?;
            Ok(tile.map(|hashes| buffer(&hashes)))
        })
    }

    /// Bytes of a mirrored entry bundle as it was applied last; `null` if the block is not mirrored.
    #[napi(catch_unwind, ts_return_type = "Promise<Buffer | null>")]
    pub fn bundle<'env>(&self, env: &'env Env, hub: u16, block: i64) -> Result<Object<'env>> {
        self.run(env, move |index| Ok(index.bundle(hub, block as u64)?.map(Buffer::from)))
    }

    /// Judges entries and commits all they change with the cursor, in one durable transaction.
    ///
    /// Resolves to the hub's row as stored, or to `null` if the bundles are not those that were verified.
    #[napi(catch_unwind, ts_return_type = "Promise<string | null>")]
    pub fn apply<'env>(&self, env: &'env Env, batch: LogBatch) -> Result<Object<'env>> {
        self.run(env, move |index| {
            let applied = with_batch(&batch, |batch| Ok(index.apply(batch)?))?;
            Ok(match applied {
                Applied::Row(row) => Some(row),
                Applied::Mismatch => None,
            })
        })
    }

    /// Removes all that came from a hub's log, durably; keeps its contradictions.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn reset<'env>(&self, env: &'env Env, hub: u16) -> Result<Object<'env>> {
        self.run(env, move |index| Ok(index.reset(hub)?))
    }

    fn run<'env, T: ToNapiValue + Send + 'static>(
        &self,
        env: &'env Env,
        work: impl FnOnce(&LogIndex) -> Result<T> + Send + 'static,
    ) -> Result<Object<'env>> {
        let index = Arc::clone(&self.index);
        IO.run(env, move || work(&index))
    }
}

fn with_batch<T>(batch: &LogBatch, work: impl FnOnce(&Batch<'_>) -> Result<T>) -> Result<T> {
    work(&Batch {
        hub: batch.hub,
        cursor: batch.cursor as u64,
        bundles: parts(&batch.bundles),
        roots: &hashes(&batch.roots)?,
        row: &batch.row,
        deletes: batch.deletes,
        keeps_bundles: batch.keeps_bundles,
        now_us: (batch.now_ms * 1000.0) as u64,
    })
}

fn parts(bundles: &[LogBundle]) -> Vec<(&[u8], usize)> {
    bundles.iter().map(|part| (&part.bytes[..], part.width as usize)).collect()
}

fn hashes(bytes: &[u8]) -> Result<Vec<Hash>> {
    let (hashes, rest) = bytes.as_chunks::<32>();
    if !rest.is_empty() {
        return Err(NativeError::invalid("hashes must have 32 bytes each"));
    }
    Ok(hashes.to_vec())
}

fn buffer(hashes: &[Hash]) -> Buffer {
    hashes.concat().into()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
