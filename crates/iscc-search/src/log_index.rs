//! An index that follows hub logs: verification against what was accepted before, and one transaction for assets and
//! follower state.
//!
//! The caller fetches and decides; this module computes and stores. It keeps, per hub, every leaf hash, claim and nonce,
//! and a JSON row with the hub's state. The members `cursor`, `counts`, `anomalies` and `last_id` of that row are
//! maintained here; all others belong to the caller.

mod apply;
mod check;
mod proofs;
mod rehearsal;
mod rows;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use iscc_index::store::{LogTable, Reading, StoreError};
use iscc_log::TILE_WIDTH;
use iscc_log::tree::{self, Hash, Head, Subtrees};

use crate::failure::{Failure, FailureKind};
use crate::index::{Change, Index, LogChange, LogRow, store_failure};
use crate::reply::Reply;

pub use apply::{Applied, Batch, roots};
pub use check::{LogCheck, check, leaves_offline};
pub use proofs::{Inclusion, Proven};
pub use rehearsal::LogRehearsal;
use rows::{block_key, hashes};

const BLOCK: u64 = TILE_WIDTH as u64;
/// Key of the last good hub list, which stands among the hubs.
pub const HUB_LIST_KEY: u16 = 0xffff;

/// An index that follows logs. Calls block: use them on threads of their own.
pub struct LogIndex {
    index: Arc<Index>,
    /// 0 test network, 1 main network.
    realm: u8,
    /// Per hub: its full blocks, as far as they were needed.
    blocks: Mutex<HashMap<u16, Blocks>>,
    /// Held while evidence gets its number.
    evidence: Mutex<()>,
}

/// Resolvers look up manifests by the end of this address.
const GATEWAY_PATH: &str = "metadata.gateway";

impl LogIndex {
    /// Makes `index` one that follows logs.
    ///
    /// # Errors
    /// `Conflict` if it has assets that did not come from logs, or assets of another realm.
    pub(crate) fn new(index: Arc<Index>, realm: u8) -> Result<Self, Failure> {
        let snapshot = index.snapshot();
        if !index.follows_logs() && snapshot.assets() > 0 {
            return Err(conflict("the index has assets that were not made from hub logs"));
        }
        if snapshot.realm.is_some_and(|known| known != realm) {
            return Err(conflict("the index has assets of another network"));
        }
        index.follow_logs().map_err(|error| store_failure(&error))?;
        let gateway = [GATEWAY_PATH.to_owned()];
        index.declare_paths(&gateway).map_err(|error| store_failure(&error))?;
        Ok(Self { index, realm, blocks: Mutex::default(), evidence: Mutex::default() })
    }

    /// JSON rows of all hubs by hub id, and of the hub list at [`HUB_LIST_KEY`].
    pub fn hubs(&self) -> Result<Vec<(u16, String)>, Failure> {
        rows::hubs(&self.reading()?).map_err(Failure::broken)
    }

    /// Stores a hub's row durably. `cursor`, `counts`, `anomalies` and `last_id` are taken from the row as given.
    pub fn put_hub(&self, hub: u16, row: &str) -> Result<(), Failure> {
        self.commit(hub_change(hub, row))
    }

    /// JSON row of a hub.
    pub fn hub(&self, hub: u16) -> Result<Option<String>, Failure> {
        let reading = self.reading()?;
        let row = reading.log_row(LogTable::Hubs, &hub.to_be_bytes()).map_err(Failure::broken)?;
        Ok(row.map(|row| String::from_utf8_lossy(row).into_owned()))
    }

    /// Stores a contradiction and a hub's row in one transaction; returns the evidence's number, from 1.
    pub fn put_evidence(&self, hub: u16, evidence: &str, row: &str) -> Result<u64, Failure> {
        let _numbering = self.evidence.lock().unwrap_or_else(PoisonError::into_inner);
        let (change, number) = self.evidence_change(hub, evidence, row)?;
        self.commit(change)?;
        Ok(number)
    }

    fn evidence_change(
        &self,
        hub: u16,
        evidence: &str,
        row: &str,
    ) -> Result<(LogChange, u64), Failure> {
        let number =
            rows::evidence(&self.reading()?, hub).map_err(Failure::broken)?.len() as u64 + 1;
        // The row may name the number, which only this transaction knows.
        let row = row.replace("\"evidence\":0", &format!("\"evidence\":{number}"));
        let key = [&hub.to_be_bytes()[..], &number.to_be_bytes()].concat();
        let value = Some(evidence.as_bytes().to_vec());
        let rows = vec![LogRow { table: LogTable::Evidence, key, value }, rows::hub(hub, &row)];
        Ok((LogChange { rows, ..LogChange::default() }, number))
    }

    /// A hub's contradictions as JSON, oldest first.
    pub fn evidence(&self, hub: u16) -> Result<Vec<String>, Failure> {
        rows::evidence(&self.reading()?, hub).map_err(Failure::broken)
    }

    /// Head of the first `size` entries that were applied; `None` if there are fewer.
    pub fn root(&self, hub: u16, size: u64) -> Result<Option<Hash>, Failure> {
        let reading = self.reading()?;
        let Some(head) = self.blocks(&reading, hub, size / BLOCK)? else { return Ok(None) };
        let width = (size % BLOCK) as usize;
        if width == 0 {
            return Ok(Some(head.root()));
        }
        let leaves = leaves(&reading, hub, size / BLOCK)?;
        Ok(leaves.get(..width).map(|leaves| head.root_with_tail(tree::root(leaves))))
    }

    /// Whether our blocks below `first_block`, then `blocks`, give `root` as the head of `size` entries.
    ///
    /// `blocks` are the roots of the blocks from `first_block` to the right edge; the last one is of `size` mod 256
    /// leaves if that is not 0.
    pub fn verify(
        &self,
        hub: u16,
        first_block: u64,
        blocks: &[Hash],
        size: u64,
        root: &Hash,
    ) -> Result<bool, Failure> {
        let Some(mut head) = self.blocks(&self.reading()?, hub, first_block)? else {
            return Ok(false);
        };
        if first_block + blocks.len() as u64 != size.div_ceil(BLOCK) {
            return Ok(false);
        }
        let (full, tail) = blocks.split_at((size / BLOCK - first_block.min(size / BLOCK)) as usize);
        full.iter().for_each(|&block| head.push_block(block));
        let computed = tail.first().map_or_else(|| head.root(), |&tail| head.root_with_tail(tail));
        Ok(computed == *root)
    }

    /// The tree of a hub's first `count` blocks; `None` if it has fewer full ones.
    fn blocks(&self, reading: &Reading<'_>, hub: u16, count: u64) -> Result<Option<Head>, Failure> {
        self.with_blocks(reading, hub, count, |blocks| {
            let known = Some(&blocks.head).filter(|head| head.size() <= count * BLOCK);
            let mut head = known.cloned().unwrap_or_default();
            let added = (head.size() / BLOCK) as usize..count as usize;
            blocks.roots[added].iter().for_each(|&root| head.push_block(root));
            blocks.head = head.clone();
            head
        })
    }

    /// Calls `work` with the roots of at least the hub's first `count` blocks; `None` if it has fewer full ones.
    fn with_blocks<T>(
        &self,
        reading: &Reading<'_>,
        hub: u16,
        count: u64,
        work: impl FnOnce(&mut Blocks) -> T,
    ) -> Result<Option<T>, Failure> {
        let mut all = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let blocks = all.entry(hub).or_default();
        for block in blocks.roots.len() as u64..count {
            let leaves = leaves(reading, hub, block)?;
            if leaves.len() < TILE_WIDTH {
                return Ok(None);
            }
            blocks.roots.push(tree::root(&leaves));
        }
        Ok(Some(work(blocks)))
    }

    /// Removes all that came from a hub's log; keeps its evidence.
    pub fn reset(&self, hub: u16) -> Result<(), Failure> {
        let change = self.reset_change(hub)?;
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner).remove(&hub);
        self.commit(change)
    }

    fn reset_change(&self, hub: u16) -> Result<LogChange, Failure> {
        rows::all_of(&self.reading()?, hub).map_err(Failure::broken)
    }

    fn reading(&self) -> Result<Reading<'_>, Failure> {
        self.index.reading().map_err(Failure::broken)
    }

    /// Waits until the change is durable and visible.
    fn commit(&self, change: LogChange) -> Result<(), Failure> {
        let (sender, receiver) = std::sync::mpsc::channel();
        let reply = Reply::new(move |answer| drop(sender.send(answer)));
        self.index.submit(Change::Log(change), reply);
        receiver.recv().unwrap_or_else(|error| Err(Failure::broken(error))).map(drop)
    }
}

/// Full blocks of a hub's log. They never change, except that [`LogIndex::reset`] removes them.
#[derive(Default)]
struct Blocks {
    /// Root of each block, from the first one on.
    roots: Vec<Hash>,
    /// The tree of some of them that was computed last.
    head: Head,
}

/// A log as its hub publishes it, as far as it was fetched.
pub struct Material<'a> {
    /// Roots of all full blocks.
    pub blocks: &'a [Hash],
    /// Leaves of some blocks, by number.
    pub leaves: HashMap<u64, Vec<Hash>>,
}

impl Material<'_> {
    /// Head of the first `size` entries; `None` if the material does not suffice or contradicts itself.
    pub fn root(&self, size: u64) -> Option<Hash> {
        let mut head = Head::default();
        let count = usize::try_from(size / BLOCK).ok()?;
        self.blocks.get(..count)?.iter().for_each(|&block| head.push_block(block));
        let width = (size % BLOCK) as usize;
        if width == 0 {
            return Some(head.root());
        }
        let leaves = self.leaves.get(&(size / BLOCK))?;
        let is_consistent = leaves.len() < TILE_WIDTH
            || self.blocks.get(count).is_some_and(|block| *block == tree::root(leaves));
        let leaves = leaves.get(..width).filter(|_| is_consistent)?;
        Some(head.root_with_tail(tree::root(leaves)))
    }
}

impl Subtrees for Material<'_> {
    fn subtree(&self, level: u32, index: u64) -> Option<Hash> {
        let block_level = TILE_WIDTH.ilog2();
        if level < block_level {
            let start = index << level;
            let first = (start % BLOCK) as usize;
            let leaves = self.leaves.get(&(start / BLOCK))?;
            return leaves.get(first..first + (1 << level)).map(tree::root);
        }
        let width = 1_usize.checked_shl(level - block_level)?;
        let start = usize::try_from(index).ok()?.checked_mul(width)?;
        let blocks = self.blocks.get(start..start.checked_add(width)?)?;
        let mut head = Head::default();
        blocks.iter().for_each(|&block| head.push_block(block));
        Some(head.root())
    }
}

/// Leaf hashes of a block that were applied; empty before the first one.
fn leaves(reading: &Reading<'_>, hub: u16, block: u64) -> Result<Vec<Hash>, Failure> {
    let row = reading.log_row(LogTable::Leaves, &block_key(hub, block)).map_err(Failure::broken)?;
    hashes(row.unwrap_or_default())
        .ok_or_else(|| Failure::broken(StoreError::Damaged { id: u64::from(hub) }))
}

fn hub_change(hub: u16, row: &str) -> LogChange {
    LogChange { rows: vec![rows::hub(hub, row)], ..LogChange::default() }
}

fn conflict(text: &str) -> Failure {
    Failure::new(FailureKind::Conflict, text)
}
