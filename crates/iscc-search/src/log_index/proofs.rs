//! What a node proves to others: consistency, inclusion, and the files of a mirrored log.
use iscc_index::store::{LogTable, Reading, StoreError};
use iscc_log::TILE_WIDTH;
use iscc_log::code_text::iscc_id;
use iscc_log::judge::Claim;
use iscc_log::tree::{self, Hash, Head, Subtrees};
use serde_json::Value;

use super::rows::{block_key, read_claim};
use super::{BLOCK, LogIndex, leaves, rows};
use crate::failure::Failure;

/// Levels of tiles: a level-8 tile would cover more than 2^64 leaves.
const LEVEL_MAX: u8 = 7;

/// Where the entries of an ISCC-ID are in the log of its hub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inclusion {
    /// JSON row of the hub, with the accepted checkpoint.
    pub row: String,
    /// The declaration in force, or the last one.
    pub declaration: Proven,
    /// The deletion, once deleted.
    pub deletion: Option<Proven>,
}

/// An entry with its inclusion proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proven {
    /// Leaf index.
    pub leaf: u64,
    /// Proof in the tree of the accepted checkpoint; `None` until all entries below it are applied.
    pub proof: Option<Vec<Hash>>,
}

/// A row of a hub in numbers.
struct Sizes {
    cursor: u64,
    head: u64,
}

impl LogIndex {
    /// Consistency proof between the first `old` and the first `new` entries that were applied.
    pub fn consistency_proof(
        &self,
        hub: u16,
        old: u64,
        new: u64,
    ) -> Result<Option<Vec<Hash>>, Failure> {
        let reading = self.reading()?;
        self.with_tree(&reading, hub, new, |own| tree::consistency_proof(own, old, new))
    }

    /// The entries of an ISCC-ID with inclusion proofs. `None` if no log of this network has it.
    pub fn inclusion(&self, iscc_id_text: &str) -> Result<Option<Inclusion>, Failure> {
        let Some(id) = iscc_id(iscc_id_text).filter(|id| id.realm == self.realm) else {
            return Ok(None);
        };
        let reading = self.reading()?;
        let claim = reading.log_row(LogTable::Claims, &id.body.to_be_bytes());
        let Some(claim) = claim.map_err(Failure::broken)? else { return Ok(None) };
        let damaged = || Failure::broken(StoreError::Damaged { id: id.body });
        let claim = read_claim(claim).ok_or_else(damaged)?;
        let Some((row, sizes)) = hub_row(&reading, id.hub())? else { return Ok(None) };
        let proven = |leaf| {
            let proof = if sizes.cursor < sizes.head {
                None
            } else {
                let prove = |own: &OwnTree<'_>| tree::inclusion_proof(own, leaf, sizes.head);
                self.with_tree(&reading, id.hub(), sizes.head, prove)?
            };
            Ok::<_, Failure>(Proven { leaf, proof })
        };
        let declaration = proven(claim.leaf)?;
        let deletion = claim.deletion.map(proven).transpose()?;
        Ok(Some(Inclusion { row, declaration, deletion }))
    }

    /// The claim on each ISCC-ID; `None` where no log of this network has it.
    pub fn claims(&self, iscc_ids: &[String]) -> Result<Vec<Option<Claim>>, Failure> {
        let reading = self.reading()?;
        let claim = |text: &String| {
            let Some(id) = iscc_id(text).filter(|id| id.realm == self.realm) else {
                return Ok(None);
            };
            let row = reading.log_row(LogTable::Claims, &id.body.to_be_bytes());
            Ok(row.map_err(Failure::broken)?.and_then(read_claim))
        };
        iscc_ids.iter().map(claim).collect()
    }

    /// The first `width` hashes of a tile; `None` unless the accepted checkpoint and the applied entries cover them.
    pub fn tile(
        &self,
        hub: u16,
        level: u8,
        index: u64,
        width: usize,
    ) -> Result<Option<Vec<Hash>>, Failure> {
        let reading = self.reading()?;
        let Some((_, sizes)) = hub_row(&reading, hub)? else { return Ok(None) };
        let bits = u32::from(level) * TILE_WIDTH.ilog2();
        let size = sizes.cursor.min(sizes.head);
        let first = index.checked_mul(BLOCK).filter(|_| level <= LEVEL_MAX);
        let end = first.and_then(|first| first.checked_add(width as u64));
        let (Some(first), Some(end)) = (first, end) else { return Ok(None) };
        if end > size >> bits {
            return Ok(None);
        }
        if level == 0 {
            return Ok(leaves(&reading, hub, index)?.get(..width).map(<[Hash]>::to_vec));
        }
        self.with_tree(&reading, hub, end << bits, |own| {
            (first..end).map(|at| own.subtree(bits, at)).collect()
        })
    }

    /// Bytes of a mirrored entry bundle as it was applied last, full or partial.
    pub fn bundle(&self, hub: u16, block: u64) -> Result<Option<Vec<u8>>, Failure> {
        let reading = self.reading()?;
        let row = reading.log_row(LogTable::Bundles, &block_key(hub, block));
        Ok(row.map_err(Failure::broken)?.map(<[u8]>::to_vec))
    }

    /// Calls `work` with the tree of the first `size` entries; `None` if fewer were applied.
    fn with_tree<T>(
        &self,
        reading: &Reading<'_>,
        hub: u16,
        size: u64,
        work: impl FnOnce(&OwnTree<'_>) -> Option<T>,
    ) -> Result<Option<T>, Failure> {
        let result = self.with_blocks(reading, hub, size / BLOCK, |blocks| {
            work(&OwnTree { reading, hub, blocks: &blocks.roots })
        });
        Ok(result?.flatten())
    }
}

/// A hub's applied entries as a tree.
struct OwnTree<'a> {
    reading: &'a Reading<'a>,
    hub: u16,
    /// Roots of its first blocks.
    blocks: &'a [Hash],
}

impl Subtrees for OwnTree<'_> {
    fn subtree(&self, level: u32, index: u64) -> Option<Hash> {
        let block_level = TILE_WIDTH.ilog2();
        if level < block_level {
            let start = index << level;
            let leaves = leaves(self.reading, self.hub, start / BLOCK).ok()?;
            let first = (start % BLOCK) as usize;
            return leaves.get(first..first + (1 << level)).map(tree::root);
        }
        let width = 1_usize.checked_shl(level - block_level)?;
        let start = usize::try_from(index).ok()?.checked_mul(width)?;
        let mut head = Head::default();
        let blocks = self.blocks.get(start..start.checked_add(width)?)?;
        blocks.iter().for_each(|&block| head.push_block(block));
        Some(head.root())
    }
}

fn hub_row(reading: &Reading<'_>, hub: u16) -> Result<Option<(String, Sizes)>, Failure> {
    let rows = rows::hubs(reading).map_err(Failure::broken)?;
    let Some((_, row)) = rows.into_iter().find(|(known, _)| *known == hub) else {
        return Ok(None);
    };
    let json: Value = serde_json::from_str(&row).map_err(Failure::broken)?;
    let number = |value: &Value| value.as_u64().unwrap_or(0);
    let sizes = Sizes { cursor: number(&json["cursor"]), head: number(&json["head"]["size"]) };
    Ok(Some((row, sizes)))
}
