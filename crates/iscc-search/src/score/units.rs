//! Scores of global matches: whole assets, matched by units.
use std::collections::HashMap;

use iscc_codec::IsccId;
use iscc_columns::distance::similarity;
use iscc_columns::unit::{Unit, UnitType};
use iscc_index::pass::UnitHit;
use iscc_index::snapshot::Snapshot;

use super::top_k::{higher_first, top_k};

/// An asset that matches a query.
#[derive(Debug, Clone, PartialEq)]
pub struct GlobalMatch {
    /// ISCC-ID body.
    pub id: u64,
    /// 0 to 1.
    pub score: f64,
    /// Score of each matching unit type, in the query's order.
    pub types: Vec<(UnitType, f64)>,
    /// What was compared, if the request asks for it.
    pub compared: Vec<Compared>,
}

/// A unit of the query and the nearest unit of the same type of a match.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Compared {
    /// Position among the units of the query.
    pub position: usize,
    /// Number of compared bits.
    pub bits: u16,
    /// Number of differing bits.
    pub distance: u16,
}

impl GlobalMatch {
    /// Adds what was compared. `hits` are those of all matches.
    pub fn explain(matches: &mut [Self], snapshot: &Snapshot, hits: &[UnitHit]) {
        let mut by_id: HashMap<u64, Vec<UnitHit>> = HashMap::new();
        for hit in hits {
            let id = snapshot.segments[hit.segment as usize].slots.id(hit.slot);
            by_id.entry(id).or_default().push(*hit);
        }
        for matched in matches {
            let mut hits = by_id.remove(&matched.id).unwrap_or_default();
            // Of several units of a type, the nearest counts; of equally near ones, the longest.
            hits.sort_unstable_by(|a, b| {
                let product = |distance: u16, bits: u16| u32::from(distance) * u32::from(bits);
                let nearer = product(a.distance, b.bits).cmp(&product(b.distance, a.bits));
                a.position.cmp(&b.position).then(nearer).then(b.bits.cmp(&a.bits))
            });
            hits.dedup_by_key(|hit| hit.position);
            let compared = hits.iter().map(|&UnitHit { position, bits, distance, .. }| Compared {
                position,
                bits,
                distance,
            });
            matched.compared = compared.collect();
        }
    }
}

/// Ranks assets by similarity. The score of an asset is `Σ s^e / Σ s`, where `s` is the similarity of each matching
/// unit type and `e` the exponent: more similar units have more weight.
///
/// `hits` are those of one query, all within the threshold.
pub fn approximate_units(
    snapshot: &Snapshot,
    units: &[Unit],
    hits: Vec<UnitHit>,
    exponent: u32,
    exclude: Option<u64>,
    limit: usize,
) -> Vec<GlobalMatch> {
    let exponent = i32::try_from(exponent).unwrap_or(i32::MAX);
    rank(snapshot, hits, exclude, limit, |hits| {
        let similarity = |hit: &UnitHit| similarity(u32::from(hit.distance), hit.bits);
        let types = best_per_type(units, hits, similarity);
        let weighted: f64 = types.iter().map(|(_, score)| score.powi(exponent)).sum();
        let total: f64 = types.iter().map(|(_, score)| score).sum();
        // With a threshold of 0, a unit may match with similarity 0.
        (if total > 0.0 { weighted / total } else { 0.0 }, types)
    })
}

/// Ranks assets by equal prefixes. The score of a unit type is the matched share of the query's longest unit of that
/// type. The score of an asset is the mean over all units of the query, matching or not.
///
/// `hits` are those of one query.
pub fn prefix_units(
    snapshot: &Snapshot,
    units: &[Unit],
    hits: Vec<UnitHit>,
    exclude: Option<u64>,
    limit: usize,
) -> Vec<GlobalMatch> {
    let longest = |kind: UnitType| {
        let of_kind = units.iter().filter(|unit| unit.kind == kind);
        of_kind.map(|unit| unit.body.bits()).max().unwrap_or(1)
    };
    rank(snapshot, hits, exclude, limit, |hits| {
        let share =
            |hit: &UnitHit| f64::from(hit.bits) / f64::from(longest(units[hit.position].kind));
        let types = best_per_type(units, hits, share);
        let total: f64 = types.iter().map(|(_, score)| score).sum();
        (total / units.len() as f64, types)
    })
}

/// The best score of each unit type, in the query's order. `hits` must be sorted by position.
fn best_per_type(
    units: &[Unit],
    hits: &[UnitHit],
    score: impl Fn(&UnitHit) -> f64,
) -> Vec<(UnitType, f64)> {
    let mut types: Vec<(UnitType, f64)> = Vec::with_capacity(hits.len());
    for hit in hits {
        let kind = units[hit.position].kind;
        let score = score(hit);
        match types.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, best)) => *best = best.max(score),
            None => types.push((kind, score)),
        }
    }
    types
}

/// Scores each asset by its hits. Ranks the assets by score, then by number of matching unit types, then by ISCC-ID.
fn rank(
    snapshot: &Snapshot,
    mut hits: Vec<UnitHit>,
    exclude: Option<u64>,
    limit: usize,
    score: impl Fn(&[UnitHit]) -> (f64, Vec<(UnitType, f64)>),
) -> Vec<GlobalMatch> {
    hits.sort_unstable();
    let same_asset = |a: &UnitHit, b: &UnitHit| (a.segment, a.slot) == (b.segment, b.slot);
    let mut matches = Vec::new();
    for hits in hits.chunk_by(same_asset) {
        let id = snapshot.segments[hits[0].segment as usize].slots.id(hits[0].slot);
        if Some(id) != exclude {
            let (score, types) = score(hits);
            matches.push(GlobalMatch { id, score, types, compared: Vec::new() });
        }
    }
    top_k(matches, limit, |a, b| {
        higher_first(a.score, b.score)
            .then(b.types.len().cmp(&a.types.len()))
            .then(IsccId::text_order(a.id).cmp(&IsccId::text_order(b.id)))
    })
}
