//! Declared metadata paths: their rows change with the assets; rows of assets that were there before are added in the
//! background.
use std::collections::{BTreeSet, HashSet};
use std::sync::{Arc, PoisonError};

use iscc_index::filter::Filter;
use iscc_index::paths::{DeclaredPath, PathState, Paths, id_of};
use iscc_index::record::Record;
use iscc_index::snapshot::Snapshot;
use iscc_index::store::{Store, StoreError, Writing};

use super::draft::Draft;
use super::{Index, View};

/// Assets per step of building. Writers wait for one step.
const STEP_ASSETS: usize = 2_000;
/// Rows per step of removing.
const STEP_ROWS: usize = 20_000;

/// The declared paths of a store that is being opened. If another version of the program has changed the assets, all
/// rows are to be built again.
pub(super) fn open(store: &Store) -> Result<Paths, StoreError> {
    let reading = store.read()?;
    let paths = reading.paths()?;
    if paths.all().next().is_none() || reading.has_current_paths()? {
        return Ok(paths);
    }
    drop(reading);
    let paths = paths.restarted();
    store.write(|writing| writing.put_paths(&paths).map(Some))?;
    Ok(paths)
}

impl Index {
    /// The declared paths.
    pub fn paths(&self) -> Arc<Paths> {
        Arc::clone(&self.paths.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Declares these paths, in normal form, instead of the present ones, durably. [`Index::build_paths_next`] builds
    /// new ones.
    pub fn declare_paths(&self, wanted: &[String]) -> Result<(), StoreError> {
        let _writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        self.store.create_paths()?;
        self.publish_version()?;
        let next = self.paths().replaced(wanted, self.snapshot().assets() == 0);
        self.store.write(|writing| writing.put_paths(&next).map(Some))?;
        self.publish_paths(next)
    }

    /// Adds or removes some rows of the first path that needs it. Returns whether there was one.
    pub fn build_paths_next(&self) -> Result<bool, StoreError> {
        let is_unfinished = |one: &&DeclaredPath| one.state != PathState::Ready;
        if self.paths().all().find(is_unfinished).is_none() {
            return Ok(false);
        }
        let _writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let paths = self.paths();
        let Some(unfinished) = paths.all().find(is_unfinished) else { return Ok(false) };
        let mut next = Paths::default();
        self.store.write(|writing| {
            let state = step(writing, unfinished)?;
            let with_state = |one: &DeclaredPath| match (one.number == unfinished.number, state) {
                (true, state) => state.map(|state| DeclaredPath { state, ..one.clone() }),
                (false, _) => Some(one.clone()),
            };
            next = Paths::new(paths.all().filter_map(with_state).collect());
            writing.put_paths(&next).map(Some)
        })?;
        self.publish_paths(next)?;
        Ok(true)
    }

    fn publish_paths(&self, next: Paths) -> Result<(), StoreError> {
        *self.paths.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(next);
        self.publish_version()
    }

    /// Publishes the last state of the store, whose assets are the published ones. The caller holds the writer's lock.
    pub(super) fn publish_version(&self) -> Result<(), StoreError> {
        let version = self.store.read()?.version();
        self.publish(Snapshot { version, ..(*self.snapshot()).clone() });
        Ok(())
    }
}

/// The state of a path after one step; `None` if all its rows are removed.
fn step(
    writing: &mut Writing<'_, '_>,
    unfinished: &DeclaredPath,
) -> Result<Option<PathState>, StoreError> {
    let from = match unfinished.state {
        PathState::Ready => return Ok(Some(PathState::Ready)),
        PathState::Dropping => {
            let has_more = writing.delete_path_rows(unfinished.number, STEP_ROWS)?;
            return Ok(has_more.then_some(PathState::Dropping));
        }
        PathState::Building(from) => from,
    };
    let (assets, next) = writing.assets_from(from, STEP_ASSETS)?;
    let only = Paths::new(vec![unfinished.clone()]);
    for (id, record) in assets {
        for row in rows_of(&only, id, &record)? {
            writing.put_path_row(&row)?;
        }
    }
    Ok(Some(next.map_or(PathState::Ready, PathState::Building)))
}

fn rows_of(paths: &Paths, id: u64, record: &[u8]) -> Result<BTreeSet<Vec<u8>>, StoreError> {
    let metadata = Record::read_metadata(record).ok_or(StoreError::Damaged { id })?;
    Ok(paths.rows(id, metadata))
}

impl Draft<'_> {
    /// Replaces the rows of an asset before its record changes. `None` deletes the asset.
    pub(super) fn put_path_rows(
        &self,
        writing: &mut Writing<'_, '_>,
        id: u64,
        record: Option<&[u8]>,
    ) -> Result<(), StoreError> {
        if self.paths.declared().next().is_none() {
            return Ok(());
        }
        let old = writing.asset(id)?.map(|record| rows_of(&self.paths, id, record)).transpose()?;
        let old = old.unwrap_or_default();
        let new = record.map(|record| rows_of(&self.paths, id, record)).transpose()?;
        let new = new.unwrap_or_default();
        for row in old.difference(&new) {
            writing.delete_path_row(row)?;
        }
        for row in new.difference(&old) {
            writing.put_path_row(row)?;
        }
        Ok(())
    }
}

impl View<'_> {
    /// The assets that may meet all conditions, if the path index finds fewer than `max` of them.
    pub(super) fn candidates(
        &self,
        filters: &[Filter],
        max: usize,
    ) -> Result<Option<HashSet<u64>>, StoreError> {
        if filters.is_empty() {
            return Ok(None);
        }
        let paths = self.reading.paths()?;
        for prefixes in filters.iter().filter_map(|filter| paths.prefixes_of(filter)) {
            let mut found = HashSet::new();
            for prefix in &prefixes {
                for row in self.reading.path_rows(prefix, prefix)?.take(max - found.len().min(max))
                {
                    found.extend(id_of(row?));
                }
            }
            if found.len() < max {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use iscc_index::check::check;
    use iscc_index::segment::Matching;
    use iscc_index::store::Progress;

    #[test]
    fn rows_are_built_again_after_another_version_changed_the_assets() {
        let folder = tempfile::tempdir().unwrap();
        let options = Arc::new(Options::default());
        let open = || {
            let progress = Progress::default();
            Index::open("main", folder.path(), Matching::Exact, &options, &progress).unwrap()
        };
        let problems = || check(folder.path()).unwrap().problems;
        let record = |lang: &str| {
            let metadata = format!(r#"{{"lang":"{lang}"}}"#);
            Record { metadata: Some(metadata.as_bytes()), ..Record::default() }.write()
        };
        let german = [Filter::parse(r#"metadata.lang = "de""#).unwrap()];
        let candidates = |index: &Index| {
            let mut found = index
                .view()
                .unwrap()
                .candidates(&german, 10)
                .unwrap()?
                .into_iter()
                .collect::<Vec<_>>();
            found.sort_unstable();
            Some(found)
        };
        let index = open();
        index.mark_created().unwrap();
        index.declare_paths(&["metadata.lang".to_owned()]).unwrap();
        assert_eq!(candidates(&index), Some(vec![]));
        index
            .store
            .write(|writing| {
                writing.put_meta(&iscc_index::store::StoredMeta {
                    realm: Some(0),
                    ..Default::default()
                })?;
                Ok(Some(()))
            })
            .unwrap();
        index
            .store
            .write_as_other_version(|writing| {
                writing.put_asset(7, &record("de"))?;
                writing.put_asset(8, &record("en"))
            })
            .unwrap();
        drop(index);
        // The rows are known to be old.
        assert_eq!(problems(), []);

        let index = open();
        assert_eq!(candidates(&index), None);
        while index.build_paths_next().unwrap() {}
        assert_eq!(candidates(&index), Some(vec![7]));
        index.store.write(|writing| writing.delete_asset(7).map(Some)).unwrap();
        drop(index);
        let found: Vec<_> = problems().into_iter().map(|problem| problem.key).collect();
        // `exists` and the value.
        assert_eq!(found.len(), 2, "{found:?}");
    }
}
