//! Queries: from a binding's value to the manifests with an equal or similar value.
use std::collections::HashMap;

use iscc_codec::seq::{self, QueryError};
use iscc_columns::column::Body;
use iscc_columns::scan::{Hit, Probe, WORDS_MAX, scan};
use iscc_columns::unit::UnitType;

use super::postings::{Digest, digest};
use super::rows::Rows;
use super::score::{EQUAL, distance_max, unit_score};
use super::{BindingIndex, ISCC, Searchable, searchable};

/// A query for the manifests of a value.
#[derive(Debug, Clone, Copy)]
pub struct BindingQuery<'a> {
    /// Algorithm of the value.
    pub alg: &'a str,
    /// The value.
    pub value: &'a [u8],
    /// Minimum score of a match, 0 to 100.
    pub threshold: u8,
    /// Number of wanted manifests.
    pub results_max: usize,
}

/// A matching manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BindingMatch {
    /// Key of the manifest.
    pub key: u64,
    /// Score, 0 to 100.
    pub score: u8,
}

impl BindingIndex {
    /// The best matches: by score, then trusted ones first, then the earliest. Returns more than `results_max` matches
    /// if several tie with the last one, so that the caller can break the tie.
    pub fn query(&self, query: &BindingQuery<'_>) -> Result<Vec<BindingMatch>, QueryError> {
        let parsed = ParsedQuery::new(query)?;
        let (rows, equal) = self.equal(&parsed);
        let mut scores: HashMap<u32, u8> = HashMap::new();
        if let Some(distance) = distance_max(query.threshold) {
            for (kind, bodies) in &parsed.units {
                collect(&rows, *kind, bodies, distance, &mut scores);
            }
        }
        scores.extend(equal.into_iter().map(|slot| (slot, EQUAL)));
        scores.retain(|&slot, _| rows.is_live(slot));
        Ok(best(&rows, scores, query.results_max))
    }

    /// A snapshot of the rows, and the slots with an equal value or Instance-Code.
    fn equal(&self, query: &ParsedQuery) -> (Rows, Vec<u32>) {
        let state = self.state();
        let mut slots: Vec<u32> = state.values.get(&query.value).collect();
        for instance in &query.instances {
            slots.extend(state.instances.get(instance));
        }
        (state.rows.clone(), slots)
    }
}

/// A query with its value decoded.
struct ParsedQuery {
    value: Digest,
    instances: Vec<Digest>,
    units: HashMap<UnitType, Vec<Body>>,
}

impl ParsedQuery {
    fn new(query: &BindingQuery<'_>) -> Result<Self, QueryError> {
        let value = digest(query.alg, query.value);
        let mut parsed = Self { value, instances: Vec::new(), units: HashMap::new() };
        if query.alg != ISCC {
            return Ok(parsed);
        }
        for unit in seq::query_units(query.value)? {
            match searchable(&unit) {
                Some(Searchable::Instance(body)) => parsed.instances.push(body),
                Some(Searchable::Similar(kind, body)) => {
                    parsed.units.entry(kind).or_default().push(body);
                }
                None => {}
            }
        }
        Ok(parsed)
    }
}

/// Collects the best score of every slot with a unit within the distance of one of `bodies`.
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

/// The best `results_max` matches, and all that tie with the last one.
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
