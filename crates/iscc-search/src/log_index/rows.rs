//! Keys and values of the log databases.
use iscc_index::store::{LogTable, Reading, StoreError};
use iscc_log::code_text::LogId;
use iscc_log::judge::{Claim, Known};
use iscc_log::key::PublicKey;
use iscc_log::tree::Hash;

use crate::index::{LogChange, LogRow};

const KEY_BYTES: usize = 32;

/// Key of a block's leaf hashes.
pub fn block_key(hub: u16, block: u64) -> Vec<u8> {
    [&hub.to_be_bytes()[..], &block.to_be_bytes()].concat()
}

/// Hashes one after another; `None` if the last one is cut.
pub fn hashes(bytes: &[u8]) -> Option<Vec<Hash>> {
    let (hashes, rest) = bytes.as_chunks::<32>();
    rest.is_empty().then(|| hashes.to_vec())
}

/// The row of a hub.
pub fn hub(hub: u16, json: &str) -> LogRow {
    LogRow {
        table: LogTable::Hubs,
        key: hub.to_be_bytes().to_vec(),
        value: Some(json.as_bytes().to_vec()),
    }
}

/// Value of a claim.
pub fn claim(claim: &Claim) -> Vec<u8> {
    let leaf = claim.leaf.to_be_bytes();
    let deletion = claim.deletion.map(u64::to_be_bytes);
    let deletion = deletion.as_ref().map_or(&[][..], |leaf| leaf);
    [&claim.key.0[..], &leaf, &[u8::from(claim.in_force)], deletion].concat()
}

/// Reads the value of a claim.
pub fn read_claim(bytes: &[u8]) -> Option<Claim> {
    let (key, rest) = bytes.split_first_chunk::<KEY_BYTES>()?;
    let (leaf, rest) = rest.split_first_chunk::<8>()?;
    let (&in_force, rest) = rest.split_first().filter(|(flag, _)| **flag <= 1)?;
    let leaf = u64::from_be_bytes(*leaf);
    let deletion = match rest {
        [] => None,
        rest => Some(u64::from_be_bytes(rest.try_into().ok()?)),
    };
    Some(Claim { key: PublicKey(*key), leaf, in_force: in_force == 1, deletion })
}

/// All rows of the hubs.
pub fn hubs(reading: &Reading<'_>) -> Result<Vec<(u16, String)>, StoreError> {
    let mut rows = Vec::new();
    for row in reading.log_rows(LogTable::Hubs, &[])? {
        let (key, value) = row?;
        let Ok(key) = <[u8; 2]>::try_from(key) else { return Err(StoreError::Damaged { id: 0 }) };
        rows.push((u16::from_be_bytes(key), String::from_utf8_lossy(value).into_owned()));
    }
    Ok(rows)
}

/// All evidence of a hub, oldest first.
pub fn evidence(reading: &Reading<'_>, hub: u16) -> Result<Vec<String>, StoreError> {
    let rows = reading.log_rows(LogTable::Evidence, &hub.to_be_bytes())?;
    rows.map(|row| Ok(String::from_utf8_lossy(row?.1).into_owned())).collect()
}

/// The change that removes a hub's assets, claims, nonces, leaves and row.
pub fn all_of(reading: &Reading<'_>, hub: u16) -> Result<LogChange, StoreError> {
    let mut change = LogChange::default();
    let removed = |table, key: &[u8]| LogRow { table, key: key.to_vec(), value: None };
    for row in reading.log_rows(LogTable::Claims, &[])? {
        let (key, _) = row?;
        let Ok(body) = key.try_into().map(u64::from_be_bytes) else { continue };
        if (body & 0xFFF) as u16 == hub {
            change.delete.push(body);
            change.rows.push(removed(LogTable::Claims, key));
        }
    }
    for row in reading.log_rows(LogTable::Nonces, &[])? {
        let (key, _) = row?;
        if key.first_chunk().is_some_and(|first| u16::from_be_bytes(*first) >> 4 == hub) {
            change.rows.push(removed(LogTable::Nonces, key));
        }
    }
    for row in reading.log_rows(LogTable::Leaves, &hub.to_be_bytes())? {
        change.rows.push(removed(LogTable::Leaves, row?.0));
    }
    for row in reading.log_rows(LogTable::Bundles, &hub.to_be_bytes())? {
        change.rows.push(removed(LogTable::Bundles, row?.0));
    }
    change.rows.push(removed(LogTable::Hubs, &hub.to_be_bytes()));
    Ok(change)
}

/// Claims and nonces that are stored.
pub struct Stored<'a>(pub &'a Reading<'a>);

impl Known for Stored<'_> {
    type Error = StoreError;

    fn claim(&self, id: LogId) -> Result<Option<Claim>, StoreError> {
        let row = self.0.log_row(LogTable::Claims, &id.body.to_be_bytes())?;
        row.map(|row| read_claim(row).ok_or(StoreError::Damaged { id: id.body })).transpose()
    }

    fn has_nonce(&self, nonce: &[u8; 16]) -> Result<bool, StoreError> {
        Ok(self.0.log_row(LogTable::Nonces, nonce)?.is_some())
    }
}
