//! An in-memory index of C2PA soft bindings, which finds the manifests of a manifest store.
//!
//! Units are stored in the same columns and compared by the same kernels as in the similarity index. The caller's
//! database is the source of truth: it fills this index at start-up and then keeps it up to date.

mod postings;
mod query;
mod rows;
mod score;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use iscc_codec::seq::{self, SeqUnit};
use iscc_columns::column::Body;
use iscc_columns::unit::{UnitType, is_instance};

use postings::{Digest, Postings, digest};
use rows::Rows;

pub use query::{BindingMatch, BindingQuery};
pub use score::unit_score;

/// The algorithm whose values are ISCC-SEQs. Values of all other algorithms match only by equality.
const ISCC: &str = "io.iscc.v0";

/// Minimum number of dead manifests before the index is compacted.
const DEAD_MIN: u32 = 1024;

/// A manifest with its soft bindings.
#[derive(Debug, Clone)]
pub struct BindingEntry {
    /// Identifies the manifest in results.
    pub key: u64,
    /// Whether its signer is trusted. At equal scores, trusted manifests come first.
    pub trusted: bool,
    /// Time of the upload in milliseconds. At equal scores and trust, earlier ones come first.
    pub uploaded_at: u64,
    /// Algorithm and value of each binding.
    pub bindings: Vec<(String, Vec<u8>)>,
}

/// An index of soft bindings, safe for concurrent use.
///
/// A query holds the lock only while it looks up equal values. It then scans a shared snapshot of the rows.
#[derive(Debug, Default)]
pub struct BindingIndex {
    state: Mutex<State>,
    /// Number of manifests, readable without the lock.
    count: AtomicUsize,
}

#[derive(Debug, Default)]
struct State {
    rows: Rows,
    /// Slots by digest of algorithm and value.
    values: Postings,
    /// Slots by body of an Instance-Code.
    instances: Postings,
    /// Slot of each manifest, by key.
    slots: HashMap<u64, u32>,
}

impl BindingIndex {
    /// An empty index.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of manifests.
    pub fn len(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// Whether the index has no manifests.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds manifests. Replaces those with the same key.
    pub fn insert(&self, entries: &[BindingEntry]) {
        let prepared: Vec<Prepared> = entries.iter().map(Prepared::new).collect();
        let mut state = self.state();
        for (entry, prepared) in entries.iter().zip(prepared) {
            state.remove(entry.key);
            state.add(entry, prepared);
        }
        self.count.store(state.slots.len(), Ordering::Relaxed);
    }

    /// Removes a manifest. Returns whether it existed.
    pub fn remove(&self, key: u64) -> bool {
        let mut state = self.state();
        let removed = state.remove(key);
        self.count.store(state.slots.len(), Ordering::Relaxed);
        removed
    }

    /// Ignores poisoning: the state is consistent between changes.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn add(&mut self, entry: &BindingEntry, prepared: Prepared) {
        let slot = self.rows.push(entry.key, score::rank(entry.trusted, entry.uploaded_at));
        for (kind, body) in &prepared.units {
            self.rows.push_unit(*kind, body, slot);
        }
        for value in prepared.values {
            self.values.push(value, slot);
        }
        for instance in prepared.instances {
            self.instances.push(instance, slot);
        }
        self.slots.insert(entry.key, slot);
    }

    fn remove(&mut self, key: u64) -> bool {
        let Some(slot) = self.slots.remove(&key) else { return false };
        self.rows.mark_dead(slot);
        if self.rows.dead() >= DEAD_MIN && self.rows.dead() > self.rows.live() {
            self.compact();
        }
        true
    }

    /// Removes the rows and postings of dead manifests.
    fn compact(&mut self) {
        let moved = self.rows.compact();
        let new_slot = |slot: u32| moved[slot as usize];
        self.values.renumber(new_slot);
        self.instances.renumber(new_slot);
        self.slots = self.rows.iter_live().map(|(slot, key)| (key, slot)).collect();
    }
}

/// The distinct keys and units of an entry. Prepared before the lock is taken.
struct Prepared {
    values: HashSet<Digest>,
    instances: HashSet<Digest>,
    units: HashSet<(UnitType, Body)>,
}

impl Prepared {
    fn new(entry: &BindingEntry) -> Self {
        let mut prepared =
            Self { values: HashSet::new(), instances: HashSet::new(), units: HashSet::new() };
        for (alg, value) in &entry.bindings {
            prepared.values.insert(digest(alg, value));
            if alg == ISCC {
                for unit in seq::decode(value).unwrap_or_default() {
                    prepared.add_unit(&unit);
                }
            }
        }
        prepared
    }

    fn add_unit(&mut self, unit: &SeqUnit<'_>) {
        match searchable(unit) {
            Some(Searchable::Instance(body)) => {
                self.instances.insert(body);
            }
            Some(Searchable::Similar(kind, body)) => {
                self.units.insert((kind, body));
            }
            None => {}
        }
    }
}

/// How a unit is matched.
enum Searchable {
    /// By equality.
    Instance(Digest),
    /// By distance, among units of the same type.
    Similar(UnitType, Body),
}

fn searchable(unit: &SeqUnit<'_>) -> Option<Searchable> {
    let kind = unit.known().filter(|_| unit.is_searchable())?.kind();
    if is_instance(kind) {
        return Some(Searchable::Instance(unit.body.try_into().ok()?));
    }
    Some(Searchable::Similar(kind, Body::new(unit.body)?))
}
