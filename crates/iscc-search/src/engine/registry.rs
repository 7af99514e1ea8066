//! The indexes by name: lookup, creation, deletion.

mod naming;
use std::collections::{BTreeMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use iscc_index::index_files::{has_data, remove};
use iscc_index::options::Sealing;
use iscc_index::segment::Matching;
use iscc_index::store::Progress;
use iscc_index::store::StoreError;
use rayon::prelude::*;

use super::OpenError;
use super::aliases::Aliases;
use super::folder::Folder;
use super::unavailable::Unavailable;
use crate::failure::{Failure, FailureKind};
use crate::index::{Index, no_index, store_failure};
use crate::options::{Backend, Options};

pub use naming::no_alias;

/// Indexes by name, each with its number.
type Indexes = BTreeMap<String, (u64, Arc<Index>)>;

/// Pause between attempts to create an index while requests still hold a deleted index of the same name.
const REOPEN_PAUSE: Duration = Duration::from_millis(10);
const REOPEN_TRIES: u32 = 500;

/// What creations and renamings leave behind for later ones.
#[derive(Default)]
struct Creations {
    /// Former names of indexes. LMDB knows an environment by the path at which it was opened, so that no other one can be
    /// opened there.
    former_names: HashSet<String>,
}

/// Separates a name from a number in a reference to an index. No name contains it.
const HELD: char = '\0';

/// The indexes by name.
pub struct Registry {
    /// Folder of the indexes. `None`: each has files without a name.
    folder: Option<Folder>,
    matching: Matching,
    options: Arc<Options>,
    /// Each index with its number, which no other index has.
    indexes: RwLock<Indexes>,
    /// Number of indexes created and loaded so far.
    numbers: AtomicU64,
    unavailable: RwLock<BTreeMap<String, Unavailable>>,
    aliases: Aliases,
    /// Held while an index or alias is created, renamed or deleted.
    creations: Mutex<Creations>,
}

impl Registry {
    /// Locks a backend's folder and finds its indexes. [`Registry::load`] loads them.
    pub fn open(backend: Backend, options: &Arc<Options>) -> Result<Self, OpenError> {
        let (path, matching) = match backend {
            Backend::Memory => {
                // To refuse now what each creation of an index would fail for.
                let failed = |error| OpenError::Temporary(std::env::temp_dir(), error);
                tempfile::tempdir().map_err(failed)?;
                let mut options = Options::clone(options);
                options.store.sync = false;
                // Its files would need names.
                options.sealing = Sealing::never();
                let (options, names, aliases) =
                    (Arc::new(options), BTreeMap::new(), Aliases::default());
                return Ok(Self::new(None, Matching::Approximate, &options, names, aliases));
            }
            Backend::Exact(path) => (path, Matching::Exact),
            Backend::Approximate(path) => (path, Matching::Approximate),
        };
        let folder = Folder::lock(&path)?;
        let failed = |error| OpenError::Folder(path.clone(), error);
        let names = folder.names().map_err(failed)?;
        let aliases = Aliases::open(&path).map_err(failed)?;
        let loading = names.into_iter().map(|name| (name, Unavailable::Loading(Arc::default())));
        let loading = loading.collect();
        Ok(Self::new(Some(folder), matching, options, loading, aliases))
    }

    fn new(
        folder: Option<Folder>,
        matching: Matching,
        options: &Arc<Options>,
        unavailable: BTreeMap<String, Unavailable>,
        aliases: Aliases,
    ) -> Self {
        Self {
            folder,
            matching,
            options: Arc::clone(options),
            indexes: RwLock::default(),
            numbers: AtomicU64::new(0),
            unavailable: RwLock::new(unavailable),
            aliases,
            creations: Mutex::default(),
        }
    }

    /// Loads all indexes, in parallel on the current rayon pool. An index that cannot be loaded is marked as damaged
    /// and does not affect the others. `on_loaded` is called after each one.
    pub fn load(&self, on_loaded: &(dyn Fn() + Sync)) {
        let waiting = self.unavailable();
        waiting.into_par_iter().for_each(|(name, state)| {
            let Unavailable::Loading(progress) = state else { return };
            // LMDB and usearch are foreign code that reads files of unknown content.
            let loaded = catch_unwind(AssertUnwindSafe(|| self.load_one(&name, &progress)));
            match loaded {
                Ok(Ok(Some(index))) => {
                    let loaded = (self.next_number(), Arc::new(index));
                    self.write_indexes().insert(name.clone(), loaded);
                    self.write_unavailable().remove(&name);
                }
                // An interrupted creation was never acknowledged. Creating the index again completes it.
                Ok(Ok(None)) => drop(self.write_unavailable().remove(&name)),
                Ok(Err(StoreError::Cancelled)) => {}
                Ok(Err(error)) => self.quarantine(&name, Unavailable::because_of(&error)),
                Err(_) => {
                    self.quarantine(&name, Unavailable::Damaged("loading it failed".to_owned()));
                }
            }
            on_loaded();
        });
    }

    /// Stops [`Registry::load`].
    pub fn cancel_loading(&self) {
        for state in self.unavailable().values() {
            if let Unavailable::Loading(progress) = state {
                progress.cancelled.store(true, Ordering::Relaxed);
            }
        }
    }

    fn load_one(&self, name: &str, progress: &Progress) -> Result<Option<Index>, StoreError> {
        let Some(folder) = &self.folder else { return Ok(None) };
        if progress.cancelled.load(Ordering::Relaxed) {
            return Err(StoreError::Cancelled);
        }
        let path = folder.path_of(name);
        if !has_data(&path)? {
            return Ok(None);
        }
        let index = Index::open(name, &path, self.matching, &self.options, progress)?;
        Ok(index.is_created()?.then_some(index))
    }

    fn next_number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn quarantine(&self, name: &str, state: Unavailable) {
        self.write_unavailable().insert(name.to_owned(), state);
    }

    /// Takes an index out of use in which a damaged page was found. Its files are not changed.
    pub fn mark_damaged(&self, index: &Arc<Index>, error: &StoreError) {
        let _guard = self.creations.lock().unwrap_or_else(PoisonError::into_inner);
        let mut indexes = self.write_indexes();
        let name = indexes
            .iter()
            .find(|(_, (_, one))| Arc::ptr_eq(one, index))
            .map(|found| found.0.clone());
        let Some(name) = name else { return };
        self.quarantine(&name, Unavailable::because_of(error));
        indexes.remove(&name);
    }

    /// Settings of the engine.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The aliases of all indexes.
    pub fn aliases(&self) -> &Aliases {
        &self.aliases
    }

    /// A reference to the index with a name or alias, for requests with several steps: [`Registry::find`] returns the same
    /// index for it, whatever is renamed or switched meanwhile, or none once that index is deleted.
    pub fn hold(&self, name: &str) -> Result<String, Failure> {
        let index = self.find(name)?;
        let indexes = self.read_indexes();
        let held = indexes.values().find(|(_, one)| Arc::ptr_eq(one, &index));
        held.map(|(number, _)| format!("{name}{HELD}{number}")).ok_or_else(|| no_index(name))
    }

    /// The index with a name or alias, or of a reference that [`Registry::hold`] returned.
    pub fn find(&self, name: &str) -> Result<Arc<Index>, Failure> {
        if let Some((name, number)) = name.split_once(HELD) {
            let indexes = self.read_indexes();
            let held = indexes.values().find(|(one, _)| one.to_string() == number);
            return held.map(|(_, index)| Arc::clone(index)).ok_or_else(|| no_index(name));
        }
        let found = self.find_named(name);
        if !matches!(&found, Err(failure) if failure.kind == FailureKind::NotFound) {
            return found;
        }
        match self.aliases.target(name) {
            Some(index) => self.find_named(&index),
            None => found,
        }
    }

    /// The index with a name.
    pub fn find_named(&self, name: &str) -> Result<Arc<Index>, Failure> {
        if let Some((_, index)) = self.read_indexes().get(name) {
            return Ok(Arc::clone(index));
        }
        let unavailable = self.unavailable.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(state) = unavailable.get(name) {
            return Err(state.failure(name));
        }
        drop(unavailable);
        // It may have been loaded between the two look-ups.
        let indexes = self.read_indexes();
        indexes.get(name).map(|(_, index)| Arc::clone(index)).ok_or_else(|| no_index(name))
    }

    /// Indexes that cannot be used, with the reason.
    pub fn unavailable(&self) -> BTreeMap<String, Unavailable> {
        self.unavailable.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn read_indexes(&self) -> RwLockReadGuard<'_, Indexes> {
        self.indexes.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_indexes(&self) -> RwLockWriteGuard<'_, Indexes> {
        self.indexes.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_unavailable(&self) -> RwLockWriteGuard<'_, BTreeMap<String, Unavailable>> {
        self.unavailable.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// All indexes by name.
    pub fn all(&self) -> Vec<Arc<Index>> {
        self.read_indexes().values().map(|(_, index)| Arc::clone(index)).collect()
    }

    /// Creates an index, durably if indexes are in a folder.
    pub fn create(&self, name: &str) -> Result<(), Failure> {
        let creations = self.creations.lock().unwrap_or_else(PoisonError::into_inner);
        self.check_no_alias(name)?;
        let found = self.find_named(name);
        if !matches!(&found, Err(failure) if failure.kind == FailureKind::NotFound) {
            if let Ok(index) = found {
                index.check_writable()?;
            }
            let text = format!("Index '{name}' already exists");
            return Err(Failure::new(FailureKind::Conflict, &text));
        }
        self.aliases.complete().map_err(|error| store_failure(&error.into()))?;
        let index = match &self.folder {
            None => self.create_unnamed(name),
            Some(folder) if creations.former_names.contains(name) => {
                self.create_staged(folder, name)
            }
            Some(folder) => self.create_stored(folder, name),
        };
        let index = index.map_err(|error| store_failure(&error))?;
        let created = (self.next_number(), Arc::new(index));
        self.write_indexes().insert(name.to_owned(), created);
        Ok(())
    }

    fn create_stored(&self, folder: &Folder, name: &str) -> Result<Index, StoreError> {
        let (path, is_new) = folder.create(name)?;
        let created = self.create_in(&path, name).and_then(|index| {
            folder.sync_created(name)?;
            Ok(index)
        });
        if created.is_err() && is_new {
            remove(&path);
        }
        created
    }

    /// Creates an index whose name was that of a renamed one, which is still open at its former path.
    fn create_staged(&self, folder: &Folder, name: &str) -> Result<Index, StoreError> {
        let path = folder.stage(name)?;
        let created = self.create_in(&path, name).and_then(|index| {
            index.rename(name, |current| {
                folder.install(&path, name)?;
                *current = folder.path_of(name);
                Ok(())
            })?;
            Ok(index)
        });
        if created.is_err() {
            remove(&path);
        }
        created
    }

    /// An index whose files lose their names as soon as they are open, so that nothing is left behind, not even by a killed
    /// process.
    fn create_unnamed(&self, name: &str) -> Result<Index, StoreError> {
        let folder = tempfile::tempdir()?;
        let mut index = self.create_in(folder.path(), name)?;
        index.remove_names(folder);
        Ok(index)
    }

    fn create_in(&self, path: &Path, name: &str) -> Result<Index, StoreError> {
        let mut tries = 0;
        let index = loop {
            match Index::open(name, path, self.matching, &self.options, &Progress::default()) {
                // Requests may still hold a deleted index of the same name.
                Err(error) if error.is_already_open() && tries < REOPEN_TRIES => tries += 1,
                opened => break opened?,
            }
            std::thread::sleep(REOPEN_PAUSE);
        };
        index.mark_created()?;
        Ok(index)
    }

    /// Deletes an index, durably.
    pub fn delete(&self, name: &str) -> Result<(), Failure> {
        self.delete_checked(name, Index::check_writable)
    }

    /// Deletes an index, durably, also one that requests cannot change.
    pub fn discard(&self, name: &str) -> Result<(), Failure> {
        self.delete_checked(name, |_| Ok(()))
    }

    fn delete_checked(
        &self,
        name: &str,
        check: impl FnOnce(&Index) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let _guard = self.creations.lock().unwrap_or_else(PoisonError::into_inner);
        self.check_no_alias(name)?;
        self.check_no_aliases_of(name)?;
        let index = match self.find_named(name) {
            Err(failure) if failure.kind == FailureKind::Damaged => None,
            found => Some(found?),
        };
        if let Some(index) = &index {
            check(index)?;
            index.mark_deleted(true);
        }
        let retired = self.folder.as_ref().map(|folder| folder.retire(name)).transpose();
        let retired = retired.map_err(|error| {
            if let Some(index) = &index {
                index.mark_deleted(false);
            }
            store_failure(&error.into())
        })?;
        self.write_indexes().remove(name);
        self.write_unavailable().remove(name);
        if let Some(path) = retired {
            // Requests that still hold the index keep its files open after their names are removed.
            remove(&path);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::FailureKind;

    #[test]
    fn an_index_is_unavailable_until_it_is_loaded() {
        let folder = tempfile::tempdir().unwrap();
        let options = Arc::new(Options::default());
        let open = || Registry::open(Backend::Exact(folder.path().to_owned()), &options).unwrap();
        open().create("a").unwrap();
        let registry = open();
        let failure = registry.find("a").err().unwrap();
        assert_eq!(failure.kind, FailureKind::Loading);
        assert_eq!(failure.to_string(), "Index 'a' is being loaded: 0 % done");
        assert_eq!(registry.create("a").unwrap_err().kind, FailureKind::Conflict);
        assert_eq!(registry.delete("a").unwrap_err().kind, FailureKind::Loading);
        let json = registry.unavailable()["a"].json("a");
        let state = r#"{"name":"a","assets":0,"size":0,"state":"loading","progress":0}"#;
        assert_eq!(String::from_utf8(json).unwrap(), state);
        registry.load(&|| {});
        assert!(registry.find("a").is_ok() && registry.unavailable().is_empty());
    }

    #[test]
    fn cancelled_loading_leaves_the_index_unavailable() {
        let folder = tempfile::tempdir().unwrap();
        let options = Arc::new(Options::default());
        let open = || Registry::open(Backend::Exact(folder.path().to_owned()), &options).unwrap();
        open().create("a").unwrap();
        let registry = open();
        registry.cancel_loading();
        registry.load(&|| {});
        assert_eq!(registry.find("a").err().unwrap().kind, FailureKind::Loading);
    }
}
