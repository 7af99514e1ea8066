//! Scores of chunk matches: parts of assets, matched by simprints.

use std::collections::BTreeMap;

use super::top_k::{higher_first, top_k};
use crate::column::Body;
use crate::distance::similarity;
use crate::pass::SimprintHit;
use crate::segment::SimprintKind;
use crate::snapshot::Snapshot;

/// Maximum number of stored rows of one simprint that are read to count its assets.
const FREQUENCY_ROWS_MAX: usize = 1000;

/// An asset whose simprints match a query.
#[derive(Debug, Clone, PartialEq)]
pub struct ChunkMatch {
    /// ISCC-ID body.
    pub id: u64,
    /// Mean score of the matching simprint types, 0 to 1.
    pub score: f64,
    /// Matches per simprint type, by the type's position in the query.
    pub types: Vec<(usize, TypeMatch)>,
}

/// The matches of one simprint type.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeMatch {
    /// 0 to 1.
    pub score: f64,
    /// Number of matching simprints.
    pub matches: usize,
    /// Number of simprints in the query.
    pub queried: usize,
    /// The matching simprints.
    pub chunks: Vec<ChunkRow>,
}

/// One simprint of the query and the stored one that matches it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChunkRow {
    /// Position among the query's simprints of the type.
    pub query: usize,
    /// The stored simprint.
    pub body: Body,
    /// Similarity.
    pub score: f64,
    /// Number of assets with the stored simprint.
    pub frequency: usize,
    /// Start in the asset's content.
    pub offset: u32,
    /// Length in the asset's content.
    pub size: u32,
}

/// A stored simprint that matches.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    id: u64,
    row: ChunkRow,
}

/// Scores one simprint type by similarity. The order of assets is undefined.
///
/// For each asset and query simprint, the most similar stored simprint counts, weighted with its rarity:
/// `idf = ln(1 + N / (1 + f))`, where `f` of the index's `N` assets have it. Query simprints without a match in the
/// asset lower its score by their own rarity: `Σ idf·s / (Σ idf matched + Σ idf unmatched)`.
pub fn approximate_simprints(
    snapshot: &Snapshot,
    kind: SimprintKind,
    queries: &[Body],
    hits: &[SimprintHit],
) -> Vec<(u64, TypeMatch)> {
    let assets = snapshot.all_assets() as f64;
    let idf = |frequency: usize| (1.0 + assets / (1.0 + frequency as f64)).ln();
    let per_query = candidates(snapshot, kind, queries.len(), hits);
    let own_weight: Vec<f64> = queries
        .iter()
        .zip(&per_query)
        .map(|(query, candidates)| {
            let same = candidates.iter().find(|candidate| candidate.row.body == *query);
            idf(same.map_or(0, |candidate| candidate.row.frequency))
        })
        .collect();
    let mut best: BTreeMap<u64, Vec<ChunkRow>> = BTreeMap::new();
    for candidates in &per_query {
        for candidate in best_per_asset(candidates) {
            best.entry(candidate.id).or_default().push(candidate.row);
        }
    }
    let score = |rows: &[ChunkRow]| {
        let mut unmatched = own_weight.clone();
        let (mut matched, mut weight) = (0.0, 0.0);
        for row in rows {
            unmatched[row.query] = 0.0;
            matched += idf(row.frequency) * row.score;
            weight += idf(row.frequency);
        }
        let total = weight + unmatched.iter().sum::<f64>();
        if total > 0.0 { matched / total } else { 0.0 }
    };
    let type_match = |(id, chunks): (u64, Vec<ChunkRow>)| {
        let (matches, queried) = (chunks.len(), queries.len());
        (id, TypeMatch { score: score(&chunks), matches, queried, chunks })
    };
    best.into_iter().map(type_match).collect()
}

/// Scores one simprint type by equality. The order of assets is undefined.
///
/// The score is coverage times quality. Coverage is the share of the query's simprints that the asset has. Quality is
/// the mean of their inverse frequencies, scaled so that the rarest counts 1 and the most frequent 0; it is 1 if all
/// are equally frequent. Scores below the threshold are dropped.
pub fn equal_simprints(
    snapshot: &Snapshot,
    kind: SimprintKind,
    queries: &[Body],
    hits: &[SimprintHit],
    threshold: f64,
) -> Vec<(u64, TypeMatch)> {
    let mut by_asset: BTreeMap<u64, Vec<ChunkRow>> = BTreeMap::new();
    for candidates in candidates(snapshot, kind, queries.len(), hits) {
        for candidate in candidates.iter().take(FREQUENCY_ROWS_MAX) {
            by_asset.entry(candidate.id).or_default().push(candidate.row);
        }
    }
    let type_match = |(id, chunks): (u64, Vec<ChunkRow>)| {
        let score = coverage(queries, &chunks) * quality(&chunks);
        let (matches, queried) = (chunks.len(), queries.len());
        (id, TypeMatch { score, matches, queried, chunks })
    };
    let scored = by_asset.into_iter().map(type_match);
    scored.filter(|(_, matched)| matched.score >= threshold).collect()
}

fn coverage(queries: &[Body], chunks: &[ChunkRow]) -> f64 {
    let mut matched: Vec<Body> = chunks.iter().map(|chunk| chunk.body).collect();
    matched.sort_unstable();
    matched.dedup();
    matched.len() as f64 / queries.len() as f64
}

fn quality(chunks: &[ChunkRow]) -> f64 {
    let mut distinct: Vec<(Body, usize)> =
        chunks.iter().map(|chunk| (chunk.body, chunk.frequency)).collect();
    distinct.sort_unstable();
    distinct.dedup();
    let frequencies = || distinct.iter().map(|&(_, frequency)| frequency as f64);
    let rarest = 1.0 / frequencies().fold(f64::INFINITY, f64::min);
    let most_frequent = 1.0 / frequencies().fold(0.0, f64::max);
    if rarest == most_frequent {
        return 1.0;
    }
    let scaled = frequencies().map(|f| (1.0 / f - most_frequent) / (rarest - most_frequent));
    scaled.sum::<f64>() / distinct.len() as f64
}

/// The hits of each query simprint, with the frequency of the stored simprint.
///
/// All stored simprints that equal a hit are hits of the same query, so frequencies can be counted from the hits, unless
/// the snapshot is a part of an index.
fn candidates(
    snapshot: &Snapshot,
    kind: SimprintKind,
    queries: usize,
    hits: &[SimprintHit],
) -> Vec<Vec<Candidate>> {
    let mut per_query: Vec<Vec<Candidate>> = vec![Vec::new(); queries];
    for hit in hits {
        let id = snapshot.segments[hit.segment as usize].slots.id(hit.chunk.slot);
        let row = ChunkRow {
            query: hit.probe,
            body: hit.body,
            score: similarity(u32::from(hit.distance), hit.body.bits()),
            frequency: 0,
            offset: hit.chunk.offset,
            size: hit.chunk.size,
        };
        per_query[hit.probe].push(Candidate { id, row });
    }
    for candidates in &mut per_query {
        candidates.sort_unstable_by_key(|candidate| {
            (candidate.row.body, candidate.id, candidate.row.offset, candidate.row.size)
        });
        for same in candidates.chunk_by_mut(|a, b| a.row.body == b.row.body) {
            let counted = &same[..same.len().min(FREQUENCY_ROWS_MAX)];
            let here = counted.chunk_by(|a, b| a.id == b.id).count();
            let frequency = snapshot
                .frequency(kind, same[0].row.body)
                .map_or(here, |all| all.clamp(here, FREQUENCY_ROWS_MAX.max(here)));
            same.iter_mut().for_each(|candidate| candidate.row.frequency = frequency);
        }
    }
    per_query
}

/// The most similar candidate of each asset; of equally similar ones, the first in the asset's content.
fn best_per_asset(candidates: &[Candidate]) -> Vec<Candidate> {
    let mut ordered = candidates.to_vec();
    ordered.sort_unstable_by(|a, b| {
        let position = |candidate: &Candidate| (candidate.row.offset, candidate.row.size);
        a.id.cmp(&b.id)
            .then(higher_first(a.row.score, b.row.score))
            .then(position(a).cmp(&position(b)))
            .then(a.row.body.cmp(&b.row.body))
    });
    ordered.dedup_by_key(|candidate| candidate.id);
    ordered
}

impl ChunkMatch {
    /// Joins the matches of several types, each with its position in the query. Ranks the assets by the mean score of
    /// their types, then by ISCC-ID body.
    pub fn rank(
        types: Vec<(usize, Vec<(u64, TypeMatch)>)>,
        exclude: Option<u64>,
        limit: usize,
    ) -> Vec<Self> {
        let mut by_asset: BTreeMap<u64, Vec<(usize, TypeMatch)>> = BTreeMap::new();
        for (position, matches) in types {
            for (id, matched) in matches {
                if Some(id) != exclude {
                    by_asset.entry(id).or_default().push((position, matched));
                }
            }
        }
        let joined = by_asset.into_iter().map(|(id, types)| {
            let total: f64 = types.iter().map(|(_, matched)| matched.score).sum();
            Self { id, score: total / types.len() as f64, types }
        });
        top_k(joined.collect(), limit, |a, b| higher_first(a.score, b.score).then(a.id.cmp(&b.id)))
    }
}
