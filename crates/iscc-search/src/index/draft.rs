//! The next state of an index. Changes are applied to it and to a store transaction; it is dropped if the transaction
//! fails.
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;

use iscc_index::paths::Paths;
use iscc_index::record::{
    Record, StoredSimprints, merge_simprints, read_simprints, write_simprints,
};
use iscc_index::segment::{AssetRows, Matching, Segment};
use iscc_index::snapshot::Snapshot;
use iscc_index::store::{StoreError, StoredMeta, Writing};

use super::changes::{self, Target};
use super::{Change, Index, LogChange, LogRow, SlotRef, Writer, no_asset, no_index};
use crate::asset::NewAsset;
use crate::failure::{Failure, Response};

/// The next state.
pub(super) struct Draft<'a> {
    pub(super) index: &'a Index,
    writer: &'a Writer,
    pub(super) paths: Arc<Paths>,
    pub(super) snapshot: Snapshot,
    /// New slots of changed assets. `None` for deleted ones.
    pub(super) moved: HashMap<u64, Option<SlotRef>>,
    pub(super) next_uid: u32,
    /// The last asset whose slot was looked up: a change needs it several times.
    last_slot: Cell<Option<(u64, Option<SlotRef>)>>,
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
            last_slot: Cell::new(None),
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
            Change::Log(change) => self.apply_log(writing, change),
            Change::Rows(change) => self.apply_rows(writing, change),
            change => {
                let done = changes::apply(&mut Drafting { draft: self, writing }, change);
                done.unwrap_or_else(|| Ok(Err(Failure::broken("a change of another origin"))))
            }
        }
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
    fn apply_log(
        &mut self,
        writing: &mut Writing<'_, '_>,
        change: &LogChange,
    ) -> Result<Response, StoreError> {
        let mut target = Drafting { draft: self, writing };
        if let Err(failure) = changes::check(&target, &change.put) {
            return Ok(Err(failure));
        }
        change.put.first().inspect(|first| changes::set_realm(&mut target, first));
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
        if let Some(slot) = self.moved.get(&id) {
            return *slot;
        }
        if let Some((last, slot)) = self.last_slot.get()
            && last == id
        {
            return slot;
        }
        let slot = self.writer.slot(&self.snapshot, id);
        self.last_slot.set(Some((id, slot)));
        slot
    }

    fn mark_dead(&mut self, id: u64) {
        let Some(old) = self.slot(id) else { return };
        let mut segments = self.snapshot.segments.iter_mut();
        if let Some(segment) = segments.find(|segment| segment.uid == old.segment_uid) {
            Arc::make_mut(segment).slots.mark_dead(old.slot);
        }
    }

    fn append(&mut self, id: u64, rows: &AssetRows) -> SlotRef {
        let sizes = &self.index.options.sizes;
        if self.snapshot.segments.last().is_none_or(|last| last.is_full(sizes)) {
            let segment = Segment::new(self.next_uid, self.index.matching);
            self.next_uid += 1;
            self.snapshot.segments.push(Arc::new(segment));
        }
        let last = self.snapshot.segments.len() - 1;
        let segment = Arc::make_mut(&mut self.snapshot.segments[last]);
        SlotRef { slot: segment.add(id, rows), segment_uid: segment.uid }
    }
}

/// A draft and the transaction of the store that it is written to.
struct Drafting<'d, 'a, 't, 'e> {
    draft: &'d mut Draft<'a>,
    writing: &'d mut Writing<'t, 'e>,
}

impl Target for Drafting<'_, '_, '_, '_> {
    type Error = StoreError;

    fn check_open(&self) -> Result<(), Failure> {
        let index = self.draft.index;
        if index.is_deleted() { Err(no_index(&index.name())) } else { Ok(()) }
    }

    fn matching(&self) -> Matching {
        self.draft.index.matching
    }

    fn realm(&self) -> Option<u8> {
        self.draft.snapshot.realm
    }

    fn is_empty(&self) -> bool {
        self.draft.snapshot.assets() == 0
    }

    fn set_realm(&mut self, realm: u8) {
        self.draft.is_meta_changed |= self.draft.snapshot.realm != Some(realm);
        self.draft.snapshot.realm = Some(realm);
    }

    fn simprint_bits(&self, name: &str) -> Option<u16> {
        self.draft.snapshot.simprint_types.get(name).map(|known| known.bits)
    }

    fn simprint_types(&self) -> usize {
        self.draft.snapshot.simprint_types.len()
    }

    fn contains(&self, id: u64) -> bool {
        self.draft.slot(id).is_some()
    }

    fn put(&mut self, asset: &NewAsset) -> Result<(), StoreError> {
        self.draft.put(self.writing, asset)
    }

    fn remove(&mut self, id: u64) -> Result<(), StoreError> {
        self.draft.remove(self.writing, id)
    }

    fn no_asset(&self, id_text: &str) -> Failure {
        no_asset(self.draft.index.matching, id_text)
    }
}
