//! The soft bindings of a manifest store, by which its manifests are found again.
//!
//! Units lie in the same columns and are measured by the same kernels as those of the similarity
//! index. Whoever has the manifests keeps the truth; this index is filled at the start of each
//! process and then kept current.

mod postings;
mod query;
mod rows;
mod score;

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use iscc_codec::seq::{self, SeqUnit};

use crate::column::Body;
use crate::unit::{UnitType, is_instance};
use postings::{Digest, Postings, digest};
use rows::Rows;

pub use query::{BindingMatch, BindingQuery, BindingQueryError};
pub use score::unit_score;

/// The algorithm whose values are ISCC-SEQs; all others match by equality only.
const ISCC: &str = "io.iscc.v0";

/// Dead manifests that are not worth writing everything anew.
const DEAD_MIN: u32 = 1024;

/// A manifest with the bindings that it is found by.
#[derive(Debug, Clone)]
pub struct BindingEntry {
    /// What answers name it by.
    pub key: u64,
    /// Whether its signer is trusted: such manifests come first among equals.
    pub trusted: bool,
    /// When it came, in milliseconds: earlier ones come first among equals.
    pub uploaded_at: u64,
    /// Algorithm and value of each binding.
    pub bindings: Vec<(String, Vec<u8>)>,
}

/// An index of bindings that many threads use at once.
///
/// A query holds the lock for what is found by equality, and shares the rows it scans.
#[derive(Debug, Default)]
pub struct BindingIndex {
    state: Mutex<State>,
    /// Number of manifests, to be read without waiting for the lock.
    count: AtomicUsize,
}

#[derive(Debug, Default)]
struct State {
    rows: Rows,
    /// By algorithm and value.
    values: Postings,
    /// By the body of an Instance-Code.
    instances: Postings,
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

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds manifests; one whose key is there already takes the other's place.
    pub fn insert(&self, entries: &[BindingEntry]) {
        let prepared: Vec<Prepared> = entries.iter().map(Prepared::new).collect();
        let mut state = self.state();
        for (entry, prepared) in entries.iter().zip(prepared) {
            state.remove(entry.key);
            state.add(entry, prepared);
        }
        self.count.store(state.slots.len(), Ordering::Relaxed);
    }

    /// Takes a manifest out; whether it was there.
    pub fn remove(&self, key: u64) -> bool {
        let mut state = self.state();
        let removed = state.remove(key);
        self.count.store(state.slots.len(), Ordering::Relaxed);
        removed
    }

    /// The state stays whole between its changes, so a panic elsewhere need not spoil it.
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
        self.rows.kill(slot);
        if self.rows.dead() >= DEAD_MIN && self.rows.dead() > self.rows.live() {
            self.rewrite();
        }
        true
    }

    /// Leaves out what belongs to dead manifests.
    fn rewrite(&mut self) {
        let moved = self.rows.rewrite();
        let moves = |slot: u32| moved[slot as usize];
        self.values.rewrite(moves);
        self.instances.rewrite(moves);
        self.slots = self.rows.iter_live().map(|(slot, key)| (key, slot)).collect();
    }
}

/// What an entry puts where, each thing once. Made before the lock is taken.
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

/// How a unit is searched.
enum Searchable {
    /// By equality.
    Instance(Digest),
    /// By distance, among its kind.
    Similar(UnitType, Body),
}

fn searchable(unit: &SeqUnit<'_>) -> Option<Searchable> {
    let kind = unit.known().filter(|_| unit.is_searchable())?.kind();
    if is_instance(kind) {
        return Some(Searchable::Instance(unit.body.try_into().ok()?));
    }
    Some(Searchable::Similar(kind, Body::new(unit.body)?))
}
