//! Changes of an index that another engine stores.
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

use iscc_columns::column::Body;
use iscc_columns::unit::UnitType;
use iscc_index::json;
use iscc_index::record::{Record, StoredSimprints, merge_simprints};
use iscc_index::segment::Matching;
use serde::Serialize;

use super::{ForeignIndex, MATCHING, simprint_term, unit_term};
use crate::asset::NewAsset;
use crate::engine::{ChangeForm, read_change};
use crate::failure::{Failure, Response};
use crate::index::changes::{self, Target};
use crate::index::{Change, IndexState, no_asset};
use crate::row::{self, Row, key};

/// What a change would do.
#[derive(Debug)]
pub struct Rehearsed {
    /// The response.
    pub response: Response,
    /// JSON array of the changed assets.
    pub rows: Vec<u8>,
    /// JSON array of `{"units", "simprints"}`: the different terms of each changed asset.
    pub terms: Vec<u8>,
    /// Keys of deleted assets.
    pub deleted: Vec<String>,
    /// The index after the change.
    pub state: IndexState,
}

/// The terms by which an asset is found.
#[derive(Serialize)]
struct Terms {
    units: BTreeSet<String>,
    simprints: BTreeSet<String>,
}

/// Checks the request and returns the keys of the assets that it changes.
pub fn keys(index: &ForeignIndex, form: &ChangeForm, body: &[u8]) -> Result<Vec<String>, Failure> {
    let ids: BTreeSet<u64> = match read(index, form, body)? {
        Change::Add(assets) => assets.iter().map(|asset| asset.id.body).collect(),
        Change::AddLines(lines) => lines.assets.iter().map(|(_, asset)| asset.id.body).collect(),
        Change::DeleteAll(ids) => ids.iter().map(|(id, _)| id.body).collect(),
        Change::Delete { id, .. } => BTreeSet::from([id.body]),
        Change::Log(_) | Change::Rows(_) => BTreeSet::new(),
    };
    Ok(ids.into_iter().map(key).collect())
}

/// What a change would do. `rows` is a JSON array of the stored assets with the keys of [`keys`].
pub fn rehearse(
    index: &ForeignIndex,
    form: &ChangeForm,
    body: &[u8],
    rows: &[u8],
) -> Result<Rehearsed, Failure> {
    let change = read(index, form, body)?;
    let mut target = Rows::read(index.state()?, rows)?;
    let response = match changes::apply(&mut target, &change) {
        Some(Ok(response)) => response,
        None => return Err(Failure::broken("a change of another origin")),
    };
    target.rehearsed(response)
}

fn read(index: &ForeignIndex, form: &ChangeForm, body: &[u8]) -> Result<Change, Failure> {
    read_change(form, body, || index.state().map(|_| MATCHING))
}

/// A stored asset.
struct Stored {
    record: Vec<u8>,
    units: Vec<(UnitType, Body)>,
    simprints: StoredSimprints,
}

impl Stored {
    fn new(asset: &NewAsset, simprints: StoredSimprints) -> Self {
        Self { record: asset.record.clone(), units: asset.units.clone(), simprints }
    }
}

/// The stored assets that a change depends on.
struct Rows {
    state: IndexState,
    assets: BTreeMap<u64, Stored>,
    changed: BTreeSet<u64>,
}

impl Rows {
    fn read(state: &IndexState, rows: &[u8]) -> Result<Self, Failure> {
        let rows: Vec<Row<'_>> = serde_json::from_slice(rows).map_err(Failure::broken)?;
        let realm = state.realm.unwrap_or_default();
        let mut assets = BTreeMap::new();
        for row in rows {
            let asset = row.into_asset(realm, MATCHING)?;
            let simprints = asset.simprints.clone().unwrap_or_default();
            assets.insert(asset.id.body, Stored::new(&asset, simprints));
        }
        Ok(Self { state: state.clone(), assets, changed: BTreeSet::new() })
    }

    fn rehearsed(self, response: Response) -> Result<Rehearsed, Failure> {
        let (mut rows, mut terms, mut deleted) = (Vec::new(), Vec::new(), Vec::new());
        for &id in &self.changed {
            let Some(stored) = self.assets.get(&id) else {
                deleted.push(key(id));
                continue;
            };
            let damaged = || Failure::broken("a record is damaged");
            let record = Record::read(&stored.record).ok_or_else(damaged)?;
            rows.push(row::write(id, &record, &stored.simprints).ok_or_else(damaged)?);
            terms.push(serde_json::to_vec(&self.terms(stored)).map_err(Failure::broken)?);
        }
        Ok(Rehearsed {
            response,
            rows: json::array(&rows),
            terms: json::array(&terms),
            deleted,
            state: self.state,
        })
    }

    fn terms(&self, stored: &Stored) -> Terms {
        let kind =
            |name: &str| self.state.simprint_types.iter().position(|(known, _)| known == name);
        let simprints = stored.simprints.iter().filter_map(|(name, list)| {
            let kind = kind(name)? as u16;
            Some(list.iter().map(move |simprint| simprint_term(kind, &simprint.body)))
        });
        Terms {
            units: stored.units.iter().map(|(kind, body)| unit_term(*kind, body)).collect(),
            simprints: simprints.flatten().collect(),
        }
    }
}

impl Target for Rows {
    type Error = Infallible;

    fn check_open(&self) -> Result<(), Failure> {
        Ok(())
    }

    fn matching(&self) -> Matching {
        MATCHING
    }

    fn realm(&self) -> Option<u8> {
        self.state.realm
    }

    /// The first asset sets the realm for good: whether all were deleted since is not known for certain while others
    /// write.
    fn is_empty(&self) -> bool {
        self.state.realm.is_none()
    }

    fn set_realm(&mut self, realm: u8) {
        self.state.realm = Some(realm);
    }

    fn simprint_bits(&self, name: &str) -> Option<u16> {
        let known = self.state.simprint_types.iter().find(|(known, _)| known == name);
        known.map(|(_, bits)| *bits)
    }

    fn simprint_types(&self) -> usize {
        self.state.simprint_types.len()
    }

    fn contains(&self, id: u64) -> bool {
        self.assets.contains_key(&id)
    }

    fn put(&mut self, asset: &NewAsset) -> Result<(), Infallible> {
        let id = asset.id.body;
        let mut simprints = self.assets.remove(&id).map(|old| old.simprints).unwrap_or_default();
        if let Some(update) = &asset.simprints {
            merge_simprints(&mut simprints, update);
        }
        for (name, list) in &simprints {
            if let Some(first) = list.first()
                && self.simprint_bits(name).is_none()
            {
                self.state.simprint_types.push((name.clone(), first.body.bits()));
            }
        }
        let mut stored = Stored::new(asset, simprints);
        Record::mark_simprints(&mut stored.record, !stored.simprints.is_empty());
        self.assets.insert(id, stored);
        self.changed.insert(id);
        Ok(())
    }

    fn remove(&mut self, id: u64) -> Result<(), Infallible> {
        self.assets.remove(&id);
        self.changed.insert(id);
        Ok(())
    }

    fn no_asset(&self, id_text: &str) -> Failure {
        no_asset(MATCHING, id_text)
    }
}
