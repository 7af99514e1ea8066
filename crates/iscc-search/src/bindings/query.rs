//! From a value to the manifests that have it or something like it.

use std::collections::{HashMap, HashSet};

use iscc_codec::seq;
use thiserror::Error;

use super::postings::{Digest, digest};
use super::rows::Rows;
use super::score::{EQUAL, distance_max, unit_score};
use super::{BindingIndex, ISCC, Searchable, searchable};
use crate::column::Body;
use crate::scan::{Hit, Probe, WORDS_MAX, scan};
use crate::unit::UnitType;

/// Different searchable units of a query.
const UNITS_MAX: usize = 32;

/// A value that somebody has, and wants manifests for.
#[derive(Debug, Clone, Copy)]
pub struct BindingQuery<'a> {
    /// Algorithm of the value.
    pub alg: &'a str,
    /// The value.
    pub value: &'a [u8],
    /// Score from which on a manifest matches, 0 to 100.
    pub threshold: u8,
    /// Number of manifests wanted.
    pub results_max: usize,
}

/// A manifest that matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BindingMatch {
    /// Its key.
    pub key: u64,
    /// Its score, 0 to 100.
    pub score: u8,
}

/// A value of ISCC units that nothing can be searched with, in the words that clients get.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BindingQueryError {
    /// The value is not an ISCC-SEQ.
    #[error("Value is not a valid ISCC-SEQ: {0}")]
    NotASequence(iscc_codec::Error),
    /// There are only units that nobody searches for.
    #[error("Value holds no searchable ISCC-UNIT")]
    NoUnit,
    /// Too many different ones.
    #[error("Value holds more than {UNITS_MAX} searchable ISCC-UNITs")]
    TooManyUnits,
}

impl BindingIndex {
    /// The best matches: highest score first, then trusted ones, then the earliest. All that are
    /// equal to the last one in these come along: the caller knows what else tells them apart.
    pub fn query(&self, query: &BindingQuery<'_>) -> Result<Vec<BindingMatch>, BindingQueryError> {
        let wanted = Wanted::new(query)?;
        let (rows, equal) = self.equal(&wanted);
        let mut scores: HashMap<u32, u8> = HashMap::new();
        if let Some(distance) = distance_max(query.threshold) {
            for (kind, bodies) in &wanted.units {
                collect(&rows, *kind, bodies, distance, &mut scores);
            }
        }
        scores.extend(equal.into_iter().map(|slot| (slot, EQUAL)));
        scores.retain(|&slot, _| rows.is_live(slot));
        Ok(best(&rows, scores, query.results_max))
    }

    /// The rows as they are now, and the slots that something is equal in.
    fn equal(&self, wanted: &Wanted) -> (Rows, Vec<u32>) {
        let state = self.state();
        let mut slots: Vec<u32> = state.values.get(&wanted.value).collect();
        for instance in &wanted.instances {
            slots.extend(state.instances.get(instance));
        }
        (state.rows.clone(), slots)
    }
}

/// A query, taken apart.
struct Wanted {
    value: Digest,
    instances: Vec<Digest>,
    units: HashMap<UnitType, Vec<Body>>,
}

impl Wanted {
    fn new(query: &BindingQuery<'_>) -> Result<Self, BindingQueryError> {
        let value = digest(query.alg, query.value);
        let mut wanted = Self { value, instances: Vec::new(), units: HashMap::new() };
        if query.alg != ISCC {
            return Ok(wanted);
        }
        let units = seq::decode(query.value).map_err(BindingQueryError::NotASequence)?;
        let mut seen = HashSet::new();
        for unit in units.iter().filter(|unit| unit.is_searchable() && seen.insert(unit.bytes)) {
            match searchable(unit) {
                Some(Searchable::Instance(body)) => wanted.instances.push(body),
                Some(Searchable::Similar(kind, body)) => {
                    wanted.units.entry(kind).or_default().push(body);
                }
                None => {}
            }
        }
        match seen.len() {
            0 => Err(BindingQueryError::NoUnit),
            1..=UNITS_MAX => Ok(wanted),
            _ => Err(BindingQueryError::TooManyUnits),
        }
    }
}

/// Notes the best score of every slot with a unit near one of `bodies`.
fn collect(
    rows: &Rows,
    kind: UnitType,
    bodies: &[Body],
    distance_max: u32,
    scores: &mut HashMap<u32, u8>,
) {
    let Some(column) = rows.column(kind) else { return };
    let probes: Vec<Probe> =
        bodies.iter().map(|body| Probe { words: *body.words(), distance_max }).collect();
    let mut hits: Vec<Hit> = Vec::new();
    for block in column.blocks() {
        scan(&block.columns(WORDS_MAX), u64::MAX, &probes, &mut hits);
        for hit in hits.drain(..) {
            let score = unit_score(u32::from(hit.distance));
            let best = scores.entry(block.payload(hit.row as usize)).or_default();
            *best = score.max(*best);
        }
    }
}

/// The first `results_max` in order, and those that nothing here tells from the last.
fn best(rows: &Rows, scores: HashMap<u32, u8>, results_max: usize) -> Vec<BindingMatch> {
    let order = |&(slot, score): &(u32, u8)| (EQUAL - score, rows.rank(slot));
    let mut found: Vec<(u32, u8)> = scores.into_iter().collect();
    if results_max == 0 {
        return Vec::new();
    }
    if found.len() > results_max {
        let (_, last, _) = found.select_nth_unstable_by_key(results_max - 1, order);
        let last = order(last);
        found.retain(|candidate| order(candidate) <= last);
    }
    found.sort_unstable_by_key(|candidate| (order(candidate), rows.key(candidate.0)));
    found.into_iter().map(|(slot, score)| BindingMatch { key: rows.key(slot), score }).collect()
}
