//! Checks the stored state of an index that follows logs, also next to the process that writes it.
use std::collections::HashSet;
use std::path::Path;

use iscc_index::store::{LogTable, Reading, Store, StoreError};
use iscc_log::entry::Reason;
use iscc_log::key::PublicKey;
use iscc_log::tree::{self, Hash, Head};
use iscc_log::{bundle, checkpoint};
use serde_json::Value;

use super::rows::{self, block_key, hashes, read_claim};
use super::{BLOCK, HUB_LIST_KEY};

/// What a check found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LogCheck {
    /// JSON rows of the hubs.
    pub hubs: Vec<(u16, String)>,
    /// One sentence per difference.
    pub problems: Vec<String>,
}

/// Compares heads, leaves, counts, claims, nonces and assets of a stored index. `None` if it follows no logs.
pub fn check(folder: &Path) -> Result<Option<LogCheck>, StoreError> {
    let store = Store::open_read_only(folder)?;
    if !store.has_log() {
        return Ok(None);
    }
    let reading = store.read()?;
    let hubs: Vec<_> =
        rows::hubs(&reading)?.into_iter().filter(|(hub, _)| *hub != HUB_LIST_KEY).collect();
    let mut problems = Vec::new();
    for (hub, json) in &hubs {
        let mut problem = |text: String| problems.push(format!("hub {hub}: {text}"));
        match serde_json::from_str(json) {
            Ok(row) => check_hub(&reading, *hub, &row, &mut problem)?,
            Err(error) => problem(format!("its row is not JSON: {error}")),
        }
    }
    check_claims(&reading, &hubs, &mut problems)?;
    Ok(Some(LogCheck { hubs, problems }))
}

/// Leaf hashes of a block of a stored index.
pub fn leaves_offline(folder: &Path, hub: u16, block: u64) -> Result<Vec<Hash>, StoreError> {
    let store = Store::open_read_only(folder)?;
    let reading = store.read()?;
    let row = reading.log_row(LogTable::Leaves, &block_key(hub, block))?;
    hashes(row.unwrap_or_default()).ok_or(StoreError::Damaged { id: u64::from(hub) })
}

fn check_hub(
    reading: &Reading<'_>,
    hub: u16,
    row: &Value,
    problem: &mut impl FnMut(String),
) -> Result<(), StoreError> {
    let cursor = row["cursor"].as_u64().unwrap_or(0);
    let counted: u64 =
        Reason::ALL.iter().filter_map(|reason| row["counts"][reason.name()].as_u64()).sum();
    if counted != cursor {
        problem(format!("{counted} entries are counted, but its cursor is {cursor}"));
    }
    let leaves = leaf_count(reading, hub)?;
    if leaves != cursor {
        problem(format!("{leaves} leaf hashes are stored, but its cursor is {cursor}"));
    }
    check_bundles(reading, hub, problem)?;
    let head = &row["head"];
    let Some(note) = head["note"].as_str() else { return Ok(()) };
    let key = head["key"].as_str().and_then(PublicKey::from_multibase);
    let origin = row["origin"].as_str().unwrap_or_default();
    match checkpoint::judge(note.as_bytes(), origin, key.as_slice()) {
        Err(refusal) => {
            problem(format!("its stored checkpoint does not verify: {}", refusal.name()))
        }
        Ok(signed) if signed.size < cursor => {
            problem(format!("its cursor {cursor} is beyond its checkpoint of {}", signed.size));
        }
        Ok(signed) if signed.size == cursor => {
            if root_of(reading, hub, cursor)? != Some(signed.root) {
                problem(format!(
                    "its leaf hashes do not give the root of its checkpoint of {cursor}"
                ));
            }
        }
        // Still being read: its checkpoint covers more than what was applied.
        Ok(_) => {}
    }
    Ok(())
}

/// Mirrored bundles must have exactly the entries whose hashes are stored.
fn check_bundles(
    reading: &Reading<'_>,
    hub: u16,
    problem: &mut impl FnMut(String),
) -> Result<(), StoreError> {
    for row in reading.log_rows(LogTable::Bundles, &hub.to_be_bytes())? {
        let (key, bytes) = row?;
        let stored = reading.log_row(LogTable::Leaves, key)?.and_then(hashes).unwrap_or_default();
        let records = bundle::records(bytes, stored.len()).unwrap_or_default();
        if !records.into_iter().map(tree::leaf).eq(stored) {
            let block = key.last_chunk().map_or(0, |block| u64::from_be_bytes(*block));
            problem(format!("its mirrored bundle {block} differs from its leaf hashes"));
        }
    }
    Ok(())
}

fn leaf_count(reading: &Reading<'_>, hub: u16) -> Result<u64, StoreError> {
    let mut count = 0;
    for row in reading.log_rows(LogTable::Leaves, &hub.to_be_bytes())? {
        count += row?.1.len() as u64 / 32;
    }
    Ok(count)
}

fn root_of(reading: &Reading<'_>, hub: u16, size: u64) -> Result<Option<Hash>, StoreError> {
    let mut head = Head::default();
    for block in 0..size.div_ceil(BLOCK) {
        let row = reading.log_row(LogTable::Leaves, &block_key(hub, block))?;
        let Some(leaves) = hashes(row.unwrap_or_default()) else { return Ok(None) };
        if leaves.len() as u64 == BLOCK {
            head.push_block(tree::root(&leaves));
        } else {
            leaves.into_iter().for_each(|leaf| head.push_leaf(leaf));
        }
    }
    Ok((head.size() == size).then(|| head.root()))
}

/// Claims in force and assets must match one to one; leaf indexes must be below the hub's cursor.
fn check_claims(
    reading: &Reading<'_>,
    hubs: &[(u16, String)],
    problems: &mut Vec<String>,
) -> Result<(), StoreError> {
    let cursor_of = |hub: u16| {
        let (_, json) = hubs.iter().find(|(known, _)| *known == hub)?;
        serde_json::from_str::<Value>(json).ok()?["cursor"].as_u64()
    };
    let cursors: std::collections::HashMap<u16, u64> =
        hubs.iter().filter_map(|(hub, _)| Some((*hub, cursor_of(*hub)?))).collect();
    let is_applied = |hub: u16, leaf: u64| cursors.get(&hub).is_some_and(|cursor| leaf < *cursor);
    let keeping: HashSet<u16> = hubs.iter().filter(keeps_deleted).map(|row| row.0).collect();
    let (mut in_force, mut kept) = (HashSet::new(), HashSet::new());
    for row in reading.log_rows(LogTable::Claims, &[])? {
        let (key, value) = row?;
        let id = key.try_into().map(u64::from_be_bytes);
        let (Ok(id), Some(claim)) = (id, read_claim(value)) else {
            problems.push(format!("the claim of {key:02x?} is damaged"));
            continue;
        };
        let hub = (id & 0xFFF) as u16;
        for leaf in std::iter::once(claim.leaf).chain(claim.deletion) {
            if !is_applied(hub, leaf) {
                problems.push(format!(
                    "the claim of {id:016x} names entry {leaf}, which is not applied"
                ));
            }
        }
        if claim.in_force {
            in_force.insert(id);
        } else if keeping.contains(&hub) {
            kept.insert(id);
        }
    }
    for row in reading.log_rows(LogTable::Nonces, &[])? {
        let (key, value) = row?;
        let hub = key.first_chunk().map(|first| u16::from_be_bytes(*first) >> 4);
        let leaf = value.try_into().map(u64::from_be_bytes);
        if !hub.zip(leaf.ok()).is_some_and(|(hub, leaf)| is_applied(hub, leaf)) {
            problems.push(format!("the nonce {key:02x?} names an entry that is not applied"));
        }
    }
    for row in reading.asset_rows()? {
        let id = row?.0.try_into().map(u64::from_be_bytes);
        if !id.is_ok_and(|id| in_force.remove(&id) || kept.contains(&id)) {
            problems.push(format!("asset {:016x} has no claim in force", id.unwrap_or(0)));
        }
    }
    problems.extend(
        in_force
            .iter()
            .map(|id| format!("asset {id:016x} is missing although its claim is in force")),
    );
    Ok(())
}

/// Whether deleted assets of a hub may be in the index.
fn keeps_deleted((_, json): &&(u16, String)) -> bool {
    serde_json::from_str::<Value>(json).is_ok_and(|row| row["keeps_deleted"] == true)
}
