//! The indexes by name; creating and deleting them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use rayon::ThreadPool;
use rayon::prelude::*;

use super::folder::{Folder, remove};
use super::{OpenError, in_memory};
use crate::failure::{Failure, FailureKind};
use crate::index::{Index, no_index, store_failure};
use crate::memory_index::MemoryIndex;
use crate::options::{Backend, Options};
use crate::response::IndexInfo;
use crate::segment::Matching;
use crate::store::StoreError;

/// How long a creation waits for requests that still work on a deleted index of the same name.
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
    /// The index as clients see it.
    pub fn info(&self) -> Result<IndexInfo, Failure> {
        match self {
            Self::Stored(index) => index.info(),
            Self::Memory(index) => Ok(index.info()),
        }
    }
}

/// The indexes by name.
pub struct Registry {
    /// Where stored indexes are, and how they match.
    stored: Option<(Folder, Matching)>,
    options: Arc<Options>,
    /// With the number of their creation, by which indexes in memory are listed.
    indexes: RwLock<BTreeMap<String, (u64, Arc<AnyIndex>)>>,
    /// Held while an index is created or deleted; counts creations.
    changing: Mutex<u64>,
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
            let index = Index::open(&name, &folder.of(&name), matching, options);
            let created = index.and_then(|index| Ok((index.is_created()?, index)));
            let (is_created, index) = created.map_err(|e| OpenError::Index(folder.of(&name), e))?;
            Ok((name, is_created, index))
        };
        let opened: Vec<_> =
            pool.install(|| names.into_par_iter().map(open).collect::<Result<_, OpenError>>())?;
        let mut indexes = BTreeMap::new();
        for (name, is_created, index) in opened {
            // Where creating it was interrupted, nobody was told of it; whoever creates it again goes on from there.
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
            changing: Mutex::new(0),
        }
    }

    /// The index of a name.
    pub fn find(&self, name: &str) -> Result<Arc<AnyIndex>, Failure> {
        let indexes = self.indexes.read().unwrap_or_else(PoisonError::into_inner);
        indexes.get(name).map(|(_, index)| Arc::clone(index)).ok_or_else(|| no_index(name))
    }

    /// All indexes: stored ones by name, those in memory as they were created.
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
        let mut changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        if self.find(name).is_ok() {
            let text = format!("Index '{name}' already exists");
            return Err(Failure::new(FailureKind::Conflict, &text));
        }
        let index = match &self.stored {
            None => in_memory(name),
            Some((folder, matching)) => {
                let made = self.make(folder, *matching, name);
                AnyIndex::Stored(Arc::new(made.map_err(|error| store_failure(&error))?))
            }
        };
        *changing += 1;
        let mut indexes = self.indexes.write().unwrap_or_else(PoisonError::into_inner);
        indexes.insert(name.to_owned(), (*changing, Arc::new(index)));
        Ok(())
    }

    fn make(&self, folder: &Folder, matching: Matching, name: &str) -> Result<Index, StoreError> {
        let (path, is_new) = folder.create(name)?;
        let made = self.make_in(&path, matching, name).and_then(|index| {
            folder.sync()?;
            Ok(index)
        });
        if made.is_err() && is_new {
            remove(&path);
        }
        made
    }

    fn make_in(&self, path: &Path, matching: Matching, name: &str) -> Result<Index, StoreError> {
        let mut tries = 0;
        let index = loop {
            match Index::open(name, path, matching, &self.options) {
                // Requests may still hold a deleted index of the same name.
                Err(error) if error.is_open_already() && tries < REOPEN_TRIES => tries += 1,
                opened => break opened?,
            }
            std::thread::sleep(REOPEN_PAUSE);
        };
        index.mark_created()?;
        Ok(index)
    }

    /// Deletes an index, durably.
    pub fn delete(&self, name: &str) -> Result<(), Failure> {
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let index = self.find(name)?;
        let retired = match (&*index, &self.stored) {
            (AnyIndex::Stored(stored), Some((folder, _))) => {
                stored.mark_deleted();
                Some(folder.retire(name).map_err(|error| store_failure(&error.into()))?)
            }
            _ => None,
        };
        self.indexes.write().unwrap_or_else(PoisonError::into_inner).remove(name);
        if let Some(path) = retired {
            // Requests that still hold the index keep its files open; the names may go.
            remove(&path);
        }
        Ok(())
    }
}
