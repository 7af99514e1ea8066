//! The next state of an index. Changes are applied to it and to a store transaction; it is dropped if the transaction
//! fails.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{Change, Index, LogChange, LogRow, SlotRef, Writer, check_realm, no_index};
use crate::asset::{NewAsset, length_mismatch};
use crate::failure::{Failure, Response};
use crate::id::IsccId;
use crate::paths::Paths;
use crate::record::{Record, StoredSimprints, merge_simprints, read_simprints, write_simprints};
use crate::response::{self, AddStatus};
use crate::segment::{AssetRows, Matching, Segment};
use crate::snapshot::{SIMPRINT_TYPES_MAX, Snapshot};
use crate::store::{StoreError, StoredMeta, Writing};
use crate::transfer::lines::{LinesResult, NewLines};

/// The next state.
pub(super) struct Draft<'a> {
    pub(super) index: &'a Index,
    writer: &'a Writer,
    pub(super) paths: Arc<Paths>,
    pub(super) snapshot: Snapshot,
    /// New slots of changed assets. `None` for deleted ones.
    pub(super) moved: HashMap<u64, Option<SlotRef>>,
    pub(super) next_uid: u32,
    pub(super) is_changed: bool,
    pub(super) is_meta_changed: bool,
}

impl<'a> Draft<'a> {
    pub(super) fn new(index: &'a Index, writer: &'a Writer) -> Self {
        Self {
            index,
            writer,
            paths: index.paths(),
            snapshot: (*index.snapshot()).clone(),
            moved: HashMap::new(),
            next_uid: writer.next_uid,
            is_changed: false,
            is_meta_changed: false,
        }
    }

    /// Stores the index's metadata if they changed. Returns whether there is anything to commit.
    pub(super) fn finish(&self, writing: &mut Writing<'_, '_>) -> Result<bool, StoreError> {
        if self.is_meta_changed {
            let bits = |name: &String| self.snapshot.simprint_types[name].bits;
            let names = self.snapshot.simprint_names.iter();
            writing.put_meta(&StoredMeta {
                created: true,
                realm: self.snapshot.realm,
                simprint_types: names.map(|name| (name.clone(), bits(name))).collect(),
            })?;
        }
        Ok(self.is_changed)
    }

    /// Applies one change.
    pub(super) fn apply(
        &mut self,
        writing: &mut Writing<'_, '_>,
        change: &Change,
    ) -> Result<Response, StoreError> {
        match change {
            Change::Add(assets) => self.add(writing, assets),
            Change::AddLines(lines) => self.add_lines(writing, lines),
            Change::DeleteAll(ids) => self.delete_all(writing, ids),
            Change::Delete { id, id_text } => self.delete(writing, *id, id_text),
            Change::Log(change) => self.apply_log(writing, change),
            Change::Rows(change) => self.apply_rows(writing, change),
        }
    }

    /// Adds a batch, or rejects it as a whole without any effect.
    pub(super) fn add(
        &mut self,
        writing: &mut Writing<'_, '_>,
        assets: &[NewAsset],
    ) -> Result<Response, StoreError> {
        if let Err(failure) = self.check(assets) {
            return Ok(Err(failure));
        }
        assets.first().inspect(|first| self.set_realm(first));
        let mut statuses = Vec::with_capacity(assets.len());
        for asset in assets {
            statuses.push((asset.id_text.as_str(), self.put_counted(writing, asset)?));
        }
        Ok(Ok(response::added(&statuses)))
    }

    /// Adds each line that follows the rules. The response counts them and lists the others.
    pub(super) fn add_lines(
        &mut self,
        writing: &mut Writing<'_, '_>,
        lines: &NewLines,
    ) -> Result<Response, StoreError> {
        if self.index.is_deleted() {
            return Ok(Err(no_index(&self.index.name())));
        }
        let mut result = LinesResult::new(lines.refused.clone());
        for (number, asset) in &lines.assets {
            match self.check(std::slice::from_ref(asset)) {
                Err(failure) => result.refuse(*number, Some(asset.id_text.clone()), failure),
                Ok(()) => {
                    self.set_realm(asset);
                    result.add(self.put_counted(writing, asset)?);
                }
            }
        }
        Ok(Ok(result.json(lines.count)))
    }

    /// Deletes the assets that exist. The response has the status of each ISCC-ID.
    pub(super) fn delete_all(
        &mut self,
        writing: &mut Writing<'_, '_>,
        ids: &[(IsccId, String)],
    ) -> Result<Response, StoreError> {
        if self.index.is_deleted() {
            return Ok(Err(no_index(&self.index.name())));
        }
        let mut statuses = Vec::with_capacity(ids.len());
        for (IsccId { body, realm, .. }, text) in ids {
            let is_known = self.snapshot.realm == Some(*realm) && self.slot(*body).is_some();
            if is_known {
                self.remove(writing, *body)?;
            }
            statuses.push((text.as_str(), is_known));
        }
        Ok(Ok(response::deleted(&statuses)))
    }

    /// Deletes an asset.
    pub(super) fn delete(
        &mut self,
        writing: &mut Writing<'_, '_>,
        IsccId { body: id, realm, .. }: IsccId,
        id_text: &str,
    ) -> Result<Response, StoreError> {
        // The same ISCC-ID body in another realm is another asset.
        if let Err(failure) = check_realm(self.snapshot.realm, realm, id_text) {
            return Ok(Err(failure));
        }
        if self.slot(id).is_none() {
            return Ok(Err(self.index.no_asset(id_text)));
        }
        self.remove(writing, id)?;
        Ok(Ok(Vec::new()))
    }

    pub(super) fn remove(
        &mut self,
        writing: &mut Writing<'_, '_>,
        id: u64,
    ) -> Result<(), StoreError> {
        self.mark_dead(id);
        self.moved.insert(id, None);
        self.is_changed = true;
        self.put_path_rows(writing, id, None)?;
        writing.delete_asset(id)
    }

    /// Applies what a follower took from a hub's log.
    pub(super) fn apply_log(
        &mut self,
        writing: &mut Writing<'_, '_>,
        change: &LogChange,
    ) -> Result<Response, StoreError> {
        if let Err(failure) = self.check(&change.put) {
            return Ok(Err(failure));
        }
        change.put.first().inspect(|first| self.set_realm(first));
        for asset in &change.put {
            self.put(writing, asset)?;
        }
        for &id in &change.delete {
            if self.slot(id).is_some() {
                self.remove(writing, id)?;
            }
        }
        for LogRow { table, key, value } in &change.rows {
            writing.put_log_row(*table, key, value.as_deref())?;
        }
        self.is_changed = true;
        Ok(Ok(Vec::new()))
    }

    /// The realm of the assets. `None` for an empty index: after its last asset is deleted, it accepts either realm.
    fn realm(&self) -> Option<u8> {
        self.snapshot.realm.filter(|_| self.snapshot.assets() > 0)
    }

    /// The first asset of an empty index sets the realm.
    fn set_realm(&mut self, asset: &NewAsset) {
        if self.realm().is_none() {
            self.is_meta_changed |= self.snapshot.realm != Some(asset.id.realm);
            self.snapshot.realm = Some(asset.id.realm);
        }
    }

    fn put_counted(
        &mut self,
        writing: &mut Writing<'_, '_>,
        asset: &NewAsset,
    ) -> Result<AddStatus, StoreError> {
        let is_known = self.slot(asset.id.body).is_some();
        self.put(writing, asset)?;
        Ok(if is_known { AddStatus::Updated } else { AddStatus::Created })
    }

    /// Checks the rules that depend on the state of the index.
    fn check(&self, assets: &[NewAsset]) -> Result<(), Failure> {
        if self.index.is_deleted() {
            return Err(no_index(&self.index.name()));
        }
        let realm = self.realm().or(assets.first().map(|first| first.id.realm));
        if let Some((realm, asset)) = realm
            .and_then(|realm| Some((realm, assets.iter().find(|asset| asset.id.realm != realm)?)))
        {
            return Err(Failure::rejected(format!(
                "Realm ID mismatch: index has realm={realm}, but asset '{}' has realm={}. \
                 All assets in an index must have the same realm ID.",
                asset.id_text, asset.id.realm
            )));
        }
        self.check_types(assets)?;
        if self.index.matching == Matching::Approximate {
            self.check_lengths(assets)?;
        }
        Ok(())
    }

    /// Bounds the number of simprint types: each type adds a column to memory and to every search.
    fn check_types(&self, assets: &[NewAsset]) -> Result<(), Failure> {
        let known = &self.snapshot.simprint_types;
        let mut added: HashSet<&str> = HashSet::new();
        for (name, list) in assets.iter().filter_map(|asset| asset.simprints.as_ref()).flatten() {
            if list.is_empty() || known.contains_key(name) || !added.insert(name) {
                continue;
            }
            if known.len() + added.len() > SIMPRINT_TYPES_MAX {
                return Err(Failure::rejected(format!(
                    "simprint type '{name}': an index takes at most {SIMPRINT_TYPES_MAX} types"
                )));
            }
        }
        Ok(())
    }

    /// All simprints of a type must be as long as the first one.
    fn check_lengths(&self, assets: &[NewAsset]) -> Result<(), Failure> {
        let mut added: HashMap<&str, u16> = HashMap::new();
        for (name, list) in assets.iter().filter_map(|asset| asset.simprints.as_ref()).flatten() {
            let known = self.snapshot.simprint_types.get(name).map(|known| known.bits);
            for simprint in list {
                let bits = simprint.body.bits();
                let fixed = known.unwrap_or_else(|| *added.entry(name).or_insert(bits));
                if bits != fixed {
                    return Err(length_mismatch());
                }
            }
        }
        Ok(())
    }

    fn put(&mut self, writing: &mut Writing<'_, '_>, asset: &NewAsset) -> Result<(), StoreError> {
        let id = asset.id.body;
        let mut simprints = StoredSimprints::new();
        if self.slot(id).is_some() {
            let stored = writing.simprints(id)?.unwrap_or_default();
            simprints = read_simprints(stored).ok_or(StoreError::Damaged { id })?;
        }
        if let Some(update) = &asset.simprints {
            merge_simprints(&mut simprints, update);
        }
        self.store(writing, asset, &simprints, asset.simprints.is_some())
    }

    /// Stores an asset instead of the one with its ISCC-ID.
    pub(super) fn replace(
        &mut self,
        writing: &mut Writing<'_, '_>,
        asset: &NewAsset,
    ) -> Result<(), StoreError> {
        let simprints = asset.simprints.clone().unwrap_or_default();
        self.store(writing, asset, &simprints, true)
    }

    fn store(
        &mut self,
        writing: &mut Writing<'_, '_>,
        asset: &NewAsset,
        simprints: &StoredSimprints,
        has_changed_simprints: bool,
    ) -> Result<(), StoreError> {
        let id = asset.id.body;
        let is_known = self.slot(id).is_some();
        if has_changed_simprints {
            let bytes = write_simprints(simprints);
            if is_known || !bytes.is_empty() {
                writing.put_simprints(id, &bytes)?;
            }
        }
        let mut record = asset.record.clone();
        Record::mark_simprints(&mut record, !simprints.is_empty());
        self.put_path_rows(writing, id, Some(&record))?;
        writing.put_asset(id, &record)?;

        let mut rows = AssetRows { units: asset.units.clone(), simprints: Vec::new() };
        for (name, list) in simprints {
            let Some(first) = list.first() else { continue };
            self.is_meta_changed |= !self.snapshot.simprint_types.contains_key(name);
            let known = self.snapshot.simprint_type(name, first.body.bits());
            let row = list.iter().map(|s| (known.kind, s.body, s.offset, s.size));
            rows.simprints.extend(row);
        }
        if is_known {
            self.mark_dead(id);
        }
        let slot = self.append(id, &rows);
        self.moved.insert(id, Some(slot));
        self.is_changed = true;
        Ok(())
    }

    pub(super) fn slot(&self, id: u64) -> Option<SlotRef> {
        match self.moved.get(&id) {
            Some(slot) => *slot,
            None => self.writer.slot(&self.snapshot, id),
        }
    }

    fn mark_dead(&mut self, id: u64) {
        let Some(old) = self.slot(id) else { return };
        let mut segments = self.snapshot.segments.iter_mut();
        if let Some(segment) = segments.find(|segment| segment.uid == old.segment_uid) {
            Arc::make_mut(segment).slots.mark_dead(old.slot);
        }
    }

    fn append(&mut self, id: u64, rows: &AssetRows) -> SlotRef {
        let full = self.index.options.freezing.segment_slots;
        if self.snapshot.segments.last().is_none_or(|last| last.slots.len() >= full) {
            let segment = Segment::new(self.next_uid, self.index.matching);
            self.next_uid += 1;
            self.snapshot.segments.push(Arc::new(segment));
        }
        let last = self.snapshot.segments.len() - 1;
        let segment = Arc::make_mut(&mut self.snapshot.segments[last]);
        SlotRef { slot: segment.add(id, rows), segment_uid: segment.uid }
    }
}
