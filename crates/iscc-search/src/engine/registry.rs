//! The indexes by name: lookup, creation, deletion.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use rayon::ThreadPool;
use rayon::prelude::*;

use super::OpenError;
use super::folder::{Folder, remove};
use crate::failure::{Failure, FailureKind};
use crate::index::{Index, no_index, store_failure};
use crate::memory_index::MemoryIndex;
use crate::options::{Backend, Options};
use crate::response::IndexInfo;
use crate::segment::Matching;
use crate::store::StoreError;

/// Pause between attempts to create an index while requests still hold a deleted index of the same name.
const REOPEN_PAUSE: Duration = Duration::from_millis(10);
const REOPEN_TRIES: u32 = 500;

/// An index of either kind.
pub enum AnyIndex {
    /// On disk.
    Stored(Arc<Index>),
    /// In memory only.
    Memory(MemoryIndex),
}

impl AnyIndex {
    /// The index's description for clients.
    pub fn info(&self) -> Result<IndexInfo, Failure> {
        match self {
            Self::Stored(index) => index.info(),
            Self::Memory(index) => Ok(index.info()),
        }
    }
}

/// The indexes by name.
pub struct Registry {
    /// Folder and matching mode of stored indexes; `None` in memory.
    stored: Option<(Folder, Matching)>,
    options: Arc<Options>,
    /// Each index with its creation number. In-memory indexes are listed by it.
    indexes: RwLock<BTreeMap<String, (u64, Arc<AnyIndex>)>>,
    /// Held while an index is created or deleted. Counts creations.
    creations: Mutex<u64>,
}

impl Registry {
    /// Opens all indexes of a backend, in parallel on a pool.
    pub fn open(
        backend: Backend,
        options: &Arc<Options>,
        pool: &ThreadPool,
    ) -> Result<Self, OpenError> {
        let (path, matching) = match backend {
            Backend::Memory => return Ok(Self::new(None, options, BTreeMap::new())),
            Backend::Exact(path) => (path, Matching::Exact),
            Backend::Approximate(path) => (path, Matching::Approximate),
        };
        let folder = Folder::lock(&path)?;
        let failed = |error| OpenError::Folder(path.clone(), error);
        let names = folder.names().map_err(failed)?;
        let open = |name: String| {
            let index = Index::open(&name, &folder.path_of(&name), matching, options);
            let created = index.and_then(|index| Ok((index.is_created()?, index)));
            let (is_created, index) =
                created.map_err(|error| OpenError::Index(folder.path_of(&name), error))?;
            Ok((name, is_created, index))
        };
        let opened: Vec<_> =
            pool.install(|| names.into_par_iter().map(open).collect::<Result<_, OpenError>>())?;
        let mut indexes = BTreeMap::new();
        for (name, is_created, index) in opened {
            // An interrupted creation was never acknowledged. Creating the index again completes it.
            if is_created {
                indexes.insert(name, (0, Arc::new(AnyIndex::Stored(Arc::new(index)))));
            }
        }
        Ok(Self::new(Some((folder, matching)), options, indexes))
    }

    fn new(
        stored: Option<(Folder, Matching)>,
        options: &Arc<Options>,
        indexes: BTreeMap<String, (u64, Arc<AnyIndex>)>,
    ) -> Self {
        Self {
            stored,
            options: Arc::clone(options),
            indexes: RwLock::new(indexes),
            creations: Mutex::new(0),
        }
    }

    /// The index with a name.
    pub fn find(&self, name: &str) -> Result<Arc<AnyIndex>, Failure> {
        let indexes = self.indexes.read().unwrap_or_else(PoisonError::into_inner);
        indexes.get(name).map(|(_, index)| Arc::clone(index)).ok_or_else(|| no_index(name))
    }

    /// All indexes: stored ones by name, in-memory ones in order of creation.
    pub fn all(&self) -> Vec<Arc<AnyIndex>> {
        let indexes = self.indexes.read().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<_> = indexes.values().cloned().collect();
        if self.stored.is_none() {
            all.sort_by_key(|(number, _)| *number);
        }
        all.into_iter().map(|(_, index)| index).collect()
    }

    /// Creates an index, durably.
    pub fn create(&self, name: &str) -> Result<(), Failure> {
        let mut creations = self.creations.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(index) = self.find(name) {
            if let AnyIndex::Stored(index) = &*index {
                index.check_writable()?;
            }
            let text = format!("Index '{name}' already exists");
            return Err(Failure::new(FailureKind::Conflict, &text));
        }
        let index = match &self.stored {
            None => AnyIndex::Memory(MemoryIndex::new(name)),
            Some((folder, matching)) => {
                let created = self.create_stored(folder, *matching, name);
                AnyIndex::Stored(Arc::new(created.map_err(|error| store_failure(&error))?))
            }
        };
        *creations += 1;
        let mut indexes = self.indexes.write().unwrap_or_else(PoisonError::into_inner);
        indexes.insert(name.to_owned(), (*creations, Arc::new(index)));
        Ok(())
    }

    fn create_stored(
        &self,
        folder: &Folder,
        matching: Matching,
        name: &str,
    ) -> Result<Index, StoreError> {
        let (path, is_new) = folder.create(name)?;
        let created = self.create_in(&path, matching, name).and_then(|index| {
            folder.sync()?;
            Ok(index)
        });
        if created.is_err() && is_new {
            remove(&path);
        }
        created
    }

    fn create_in(&self, path: &Path, matching: Matching, name: &str) -> Result<Index, StoreError> {
        let mut tries = 0;
        let index = loop {
            match Index::open(name, path, matching, &self.options) {
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
        let _guard = self.creations.lock().unwrap_or_else(PoisonError::into_inner);
        let index = self.find(name)?;
        let retired = match (&*index, &self.stored) {
            (AnyIndex::Stored(stored), Some((folder, _))) => {
                stored.check_writable()?;
                stored.mark_deleted();
                Some(folder.retire(name).map_err(|error| store_failure(&error.into()))?)
            }
            _ => None,
        };
        self.indexes.write().unwrap_or_else(PoisonError::into_inner).remove(name);
        if let Some(path) = retired {
            // Requests that still hold the index keep its files open after their names are removed.
            remove(&path);
        }
        Ok(())
    }
}
