//! Applying entries: judged, then committed in one transaction with the cursor.
use iscc_columns::unit::Unit;
use iscc_index::id::IsccId;
use iscc_index::record::Record;
use iscc_index::store::{LogTable, StoreError};
use iscc_log::entry::{self, Asset, Log, Reason, Signed};
use iscc_log::judge::Judge;
use iscc_log::tree::{self, Hash};
use iscc_log::{TILE_WIDTH, bundle};
use rayon::prelude::*;
use serde_json::{Map, Value, json};

use super::rows::{self, Stored, block_key};
use super::{BLOCK, LogIndex, leaves};
use crate::asset::NewAsset;
use crate::failure::Failure;
use crate::index::{LogChange, LogRow, store_failure};

/// An id whose time is this far ahead of the clock is an anomaly.
const FUTURE_US: u64 = 600_000_000;

/// Entry bundles that follow each other, with what their leaves must hash to.
pub struct Batch<'a> {
    /// The hub whose log it is.
    pub hub: u16,
    /// Entries that were applied before; the first bundle is of block `cursor / 256`.
    pub cursor: u64,
    /// Each bundle's bytes and number of entries.
    pub bundles: Vec<(&'a [u8], usize)>,
    /// Verified root of each bundle's leaves.
    pub roots: &'a [Hash],
    /// JSON of the hub's row, to be stored with the new cursor and counts.
    pub row: &'a str,
    /// Whether deletions delete assets. Claims and counts are the same either way.
    pub deletes: bool,
    /// Whether to keep the bundles, to serve them to others.
    pub keeps_bundles: bool,
    /// Microseconds since 1970.
    pub now_us: u64,
}

/// What became of a batch.
#[derive(Debug, PartialEq, Eq)]
pub enum Applied {
    /// Durable and visible to searches; the hub's row as it was stored.
    Row(String),
    /// A bundle does not have the expected leaves, or not those that were applied before. Nothing changed.
    Mismatch,
}

/// Roots of bundles' leaves; `None` if one is malformed.
pub fn roots(bundles: &[(&[u8], usize)]) -> Option<Vec<Hash>> {
    let root = |&(bytes, count): &(&[u8], usize)| {
        let records = bundle::records(bytes, count)?;
        Some(tree::root(&records.into_iter().map(tree::leaf).collect::<Vec<_>>()))
    };
    bundles.par_iter().map(root).collect()
}

/// A block of a batch.
struct Block<'a> {
    number: u64,
    leaves: Vec<Hash>,
    records: Vec<&'a [u8]>,
}

impl LogIndex {
    /// Judges the entries of a batch from its cursor on and commits all they change in one transaction.
    pub fn apply(&self, batch: &Batch<'_>) -> Result<Applied, Failure> {
        let Some((change, row)) = self.apply_change(batch)? else { return Ok(Applied::Mismatch) };
        self.commit(change)?;
        Ok(Applied::Row(row))
    }

    /// What [`LogIndex::apply`] commits, and the hub's row; `None` if the batch does not have the expected leaves.
    pub(super) fn apply_change(
        &self,
        batch: &Batch<'_>,
    ) -> Result<Option<(LogChange, String)>, Failure> {
        let Some(blocks) = self.verified(batch)? else { return Ok(None) };
        let log = Log { realm: self.realm, hub: batch.hub };
        let new: Vec<(u64, &[u8])> = blocks
            .iter()
            .flat_map(|block| (block.number * BLOCK..).zip(block.records.iter().copied()))
            .filter(|(leaf, _)| *leaf >= batch.cursor)
            .collect();
        // The signatures are most of the work.
        let parsed: Vec<_> = new
            .par_chunks(TILE_WIDTH)
            .flat_map_iter(|part| {
                let records: Vec<_> = part.iter().map(|(_, record)| *record).collect();
                part.iter().map(|(leaf, _)| *leaf).zip(entry::parse_all(&records, log))
            })
            .collect();
        self.judged(batch, &blocks, parsed).map(Some)
    }

    /// The batch's blocks, if they hash to the verified roots and start with the leaves that were applied before.
    fn verified<'b>(&self, batch: &Batch<'b>) -> Result<Option<Vec<Block<'b>>>, Failure> {
        let first = batch.cursor / BLOCK;
        let read = |(at, &(bytes, count)): (usize, &(&'b [u8], usize))| {
            let records = bundle::records(bytes, count)?;
            let leaves: Vec<_> = records.iter().map(|record| tree::leaf(record)).collect();
            let is_last = at + 1 == batch.bundles.len();
            let is_expected = batch.roots.get(at).is_some_and(|root| *root == tree::root(&leaves));
            (is_expected && (count == TILE_WIDTH || is_last)).then(|| Block {
                number: first + at as u64,
                leaves,
                records,
            })
        };
        let blocks: Option<Vec<_>> = batch.bundles.par_iter().enumerate().map(read).collect();
        let own = leaves(&self.reading()?, batch.hub, first)?;
        let known = (batch.cursor % BLOCK) as usize;
        let continues = |blocks: &Vec<Block<'_>>| {
            let first = blocks.first().map_or(&[][..], |block| &block.leaves);
            own.len() >= known && first.get(..known) == own.get(..known)
        };
        Ok(blocks.filter(continues))
    }

    fn judged(
        &self,
        batch: &Batch<'_>,
        blocks: &[Block<'_>],
        parsed: Vec<(u64, Result<Signed, Reason>)>,
    ) -> Result<(LogChange, String), Failure> {
        let reading = self.reading()?;
        let mut state = HubRow::read(batch.row)?;
        let judge = Judge::new(Stored(&reading));
        let mut judge = if batch.deletes { judge } else { judge.keeping_deleted() };
        let cursor = parsed.last().map_or(batch.cursor, |(leaf, _)| leaf + 1);
        for (leaf, entry) in parsed {
            let id = entry.as_ref().ok().map(|signed| signed.id.body);
            let reason = judge.take(leaf, entry).map_err(|error| store_failure(&error))?;
            state.count(reason, id, batch.now_us);
        }
        if !batch.deletes {
            state.members.insert("keeps_deleted".into(), true.into());
        }
        let row = state.text(cursor);
        let mut change =
            LogChange { rows: vec![rows::hub(batch.hub, &row)], ..LogChange::default() };
        for (block, (bytes, _)) in blocks.iter().zip(&batch.bundles) {
            let key = block_key(batch.hub, block.number);
            if batch.keeps_bundles {
                let (key, value) = (key.clone(), Some(bytes.to_vec()));
                change.rows.push(LogRow { table: LogTable::Bundles, key, value });
            }
            let value = Some(block.leaves.concat());
            change.rows.push(LogRow { table: LogTable::Leaves, key, value });
        }
        for (id, claim) in &judge.claims {
            let (key, value) = (id.to_be_bytes().to_vec(), Some(rows::claim(claim)));
            change.rows.push(LogRow { table: LogTable::Claims, key, value });
        }
        for (nonce, leaf) in &judge.nonces {
            let value = Some(leaf.to_be_bytes().to_vec());
            change.rows.push(LogRow { table: LogTable::Nonces, key: nonce.to_vec(), value });
        }
        let mut assets: Vec<_> = judge.assets.into_iter().collect();
        // In the order of the log, as one pass per entry would store them.
        assets.sort_unstable_by_key(|(id, _)| *id);
        for (id, asset) in assets {
            match asset {
                Some(asset) => change.put.push(new_asset(id, self.realm, asset)?),
                None => change.delete.push(id),
            }
        }
        Ok((change, row))
    }
}

fn new_asset(id: u64, realm: u8, asset: Asset) -> Result<NewAsset, Failure> {
    let damaged = |_| Failure::broken(StoreError::Damaged { id });
    let units: Vec<_> = asset
        .units
        .iter()
        .map(|unit| Unit::stored(unit.as_bytes()).map(|unit| (unit.kind, unit.body)))
        .collect::<Result<_, _>>()
        .map_err(damaged)?;
    let metadata = asset.gateway.map(|gateway| json!({ "gateway": gateway }).to_string());
    let record = Record {
        code: Some(asset.iscc_code),
        units: Some(asset.units.iter().map(|unit| unit.text().to_string()).collect()),
        metadata: metadata.as_deref().map(str::as_bytes),
        has_simprints: false,
    };
    Ok(NewAsset {
        id: IsccId { body: id, realm },
        id_text: asset.iscc_id,
        record: record.write(),
        units,
        simprints: None,
    })
}

/// The members of a hub's row that are maintained here.
struct HubRow {
    members: Map<String, Value>,
    counts: [u64; Reason::ALL.len()],
    last_id: u64,
    future: u64,
    order: u64,
}

impl HubRow {
    fn read(json: &str) -> Result<Self, Failure> {
        let members: Map<String, Value> = serde_json::from_str(json).map_err(Failure::broken)?;
        let number = |member: &str, name: &str| members.get(member)?.get(name)?.as_u64();
        let counts = Reason::ALL.map(|reason| number("counts", reason.name()).unwrap_or(0));
        let last_id = members.get("last_id").and_then(Value::as_str);
        let last_id = last_id.and_then(|id| id.parse().ok()).unwrap_or(0);
        let (future, order) = (number("anomalies", "future"), number("anomalies", "order"));
        let (future, order) = (future.unwrap_or(0), order.unwrap_or(0));
        Ok(Self { members, counts, last_id, future, order })
    }

    fn count(&mut self, reason: Reason, id: Option<u64>, now_us: u64) {
        if let Some(at) = Reason::ALL.iter().position(|&each| each == reason) {
            self.counts[at] += 1;
        }
        let Some(id) = id.filter(|_| reason == Reason::Ok) else { return };
        self.future += u64::from(id >> 12 > now_us.saturating_add(FUTURE_US));
        self.order += u64::from(id <= self.last_id);
        self.last_id = self.last_id.max(id);
    }

    fn text(mut self, cursor: u64) -> String {
        let counts = Reason::ALL.iter().zip(self.counts);
        let counts: Map<_, _> =
            counts.map(|(reason, count)| (reason.name().to_owned(), count.into())).collect();
        self.members.insert("cursor".into(), cursor.into());
        self.members.insert("counts".into(), counts.into());
        self.members.insert("last_id".into(), self.last_id.to_string().into());
        let anomalies = json!({ "future": self.future, "order": self.order });
        self.members.insert("anomalies".into(), anomalies);
        Value::Object(self.members).to_string()
    }
}
