//! Scores of chunk matches: parts of assets, matched by simprints.

mod equal;
mod similar;
use iscc_columns::column::Body;

use super::top_k::{higher_first, top_k};

pub use equal::equal_simprints;
pub use similar::similar_simprints;

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

/// The assets that match one simprint type of a query. Only the shown ones are expanded to their matching simprints.
pub struct TypeMatches<'a> {
    /// ISCC-ID body and score of each asset, in undefined order.
    pub scores: Vec<(u64, f64)>,
    /// Returns the match of the asset at a position in `scores`.
    pub expand: Box<dyn Fn(usize) -> TypeMatch + 'a>,
}

impl ChunkMatch {
    /// Joins the matches of several types, each with its position in the query. Ranks the assets by the mean score of
    /// their types, then by ISCC-ID body.
    pub fn rank(
        types: &[(usize, TypeMatches<'_>)],
        exclude: Option<u64>,
        limit: usize,
    ) -> Vec<Self> {
        let scores = types.iter().enumerate().flat_map(|(number, (_, matches))| {
            let scores = matches.scores.iter().enumerate();
            scores.map(move |(at, &(id, score))| OfType { id, number, at, score })
        });
        let mut scores: Vec<OfType> = scores.filter(|one| Some(one.id) != exclude).collect();
        scores.sort_unstable_by_key(|one| (one.id, one.number));
        let joined = scores.chunk_by(|a, b| a.id == b.id).map(|of_types| {
            let total: f64 = of_types.iter().map(|one| one.score).sum();
            (total / of_types.len() as f64, of_types)
        });
        let ranked = top_k(joined.collect(), limit, |a: &(f64, &[OfType]), b| {
            higher_first(a.0, b.0).then(a.1[0].id.cmp(&b.1[0].id))
        });
        let expanded = ranked.into_iter().map(|(score, of_types)| {
            let expand = |one: &OfType| {
                let (position, matches) = &types[one.number];
                (*position, (matches.expand)(one.at))
            };
            Self { id: of_types[0].id, score, types: of_types.iter().map(expand).collect() }
        });
        expanded.collect()
    }
}

/// The score of an asset for one simprint type.
struct OfType {
    id: u64,
    /// Number of the type in the list of types.
    number: usize,
    /// Position among the type's scores.
    at: usize,
    score: f64,
}
