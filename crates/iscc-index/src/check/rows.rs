//! Checks the rows on disk: each decodes, and the rows of assets and simprints match each other.

use std::collections::BTreeMap;

use super::Findings;
use crate::paths::{DeclaredPath, PathState, Paths, id_of};
use crate::record::{Record, read_simprints};
use crate::store::{Reading, StoreError};

const KEY: &str = "the key of a row has 8 bytes";
const RECORD: &str = "the record of an asset decodes";
const UNITS: &str = "the units of an asset decode";
const NO_SIMPRINTS: &str = "an asset with the simprint flag has a row of simprints";
const STRAY_SIMPRINTS: &str = "a row of simprints belongs to an asset with the simprint flag";
const SIMPRINTS: &str = "a row of simprints decodes";
const SIMPRINT_TYPE: &str = "every simprint type is listed in the index's metadata";
const REALM: &str = "the metadata of an index with assets contain their realm";

const PATH_ROW: &str = "an asset has a row for each of its values at declared paths";
const STRAY_PATH_ROW: &str = "a row of a declared path belongs to an asset with its value";

pub(super) fn check(reading: &Reading<'_>, found: &mut Findings) -> Result<(), StoreError> {
    let types: BTreeMap<String, u16> = reading.meta()?.simprint_types.into_iter().collect();
    check_paths(reading, found)?;
    for row in reading.asset_rows()? {
        let (key, record) = row?;
        found.check.assets += 1;
        match <[u8; 8]>::try_from(key) {
            Ok(key) => check_asset(reading, u64::from_be_bytes(key), record, found)?,
            Err(_) => found.add_key(hex(key), KEY),
        }
    }
    for row in reading.simprint_rows()? {
        let (key, list) = row?;
        found.check.simprints += 1;
        match <[u8; 8]>::try_from(key) {
            Ok(key) => check_simprints(reading, u64::from_be_bytes(key), list, &types, found)?,
            Err(_) => found.add_key(hex(key), KEY),
        }
    }
    if found.realm.is_none() && found.check.assets > 0 {
        found.add_key("realm".into(), REALM);
    }
    Ok(())
}

/// Checks the rows of paths that are complete. The next start builds those of other versions again.
fn check_paths(reading: &Reading<'_>, found: &mut Findings) -> Result<(), StoreError> {
    let declared = reading.paths()?;
    let is_ready = |one: &&DeclaredPath| one.state == PathState::Ready;
    let ready: Vec<DeclaredPath> = declared.declared().filter(is_ready).cloned().collect();
    if ready.is_empty() || !reading.has_current_paths()? {
        return Ok(());
    }
    let paths = Paths::new(ready);
    for row in reading.asset_rows()? {
        let (key, record) = row?;
        let (Ok(key), Some(metadata)) = (<[u8; 8]>::try_from(key), Record::read_metadata(record))
        else {
            continue;
        };
        let id = u64::from_be_bytes(key);
        for row in paths.rows(id, metadata) {
            if !reading.has_path_row(&row)? {
                found.add(id, PATH_ROW);
            }
        }
    }
    for one in paths.all() {
        for row in reading.path_rows(&[one.number], &[one.number])? {
            let row = row?;
            let id = id_of(row).unwrap_or_default();
            let metadata = reading.asset(id)?.and_then(Record::read_metadata).flatten();
            if !paths.rows(id, metadata).contains(row) {
                found.add_key(hex(row), STRAY_PATH_ROW);
            }
        }
    }
    Ok(())
}

fn check_asset(
    reading: &Reading<'_>,
    id: u64,
    bytes: &[u8],
    found: &mut Findings,
) -> Result<(), StoreError> {
    let Some(record) = Record::read(bytes) else {
        found.add(id, RECORD);
        return Ok(());
    };
    if Record::read_units(bytes).is_none() {
        found.add(id, UNITS);
    }
    if record.has_simprints && reading.simprints(id)?.is_none() {
        found.add(id, NO_SIMPRINTS);
    }
    Ok(())
}

fn check_simprints(
    reading: &Reading<'_>,
    id: u64,
    bytes: &[u8],
    types: &BTreeMap<String, u16>,
    found: &mut Findings,
) -> Result<(), StoreError> {
    let asset = reading.asset(id)?.and_then(Record::read);
    if !asset.is_some_and(|record| record.has_simprints) {
        found.add(id, STRAY_SIMPRINTS);
    }
    let Some(simprints) = read_simprints(bytes) else {
        found.add(id, SIMPRINTS);
        return Ok(());
    };
    if simprints.iter().any(|(name, list)| !list.is_empty() && !types.contains_key(name)) {
        found.add(id, SIMPRINT_TYPE);
    }
    Ok(())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
