//! Search for simprints in `iscc-search`, by a walk over all chunks of all assets.

use std::collections::{BTreeMap, BTreeSet};

use crate::scan::prefix_distance;

/// Maximum number of chunks with a simprint that are read to count its assets.
const FREQUENCY_CHUNKS_MAX: usize = 1000;

/// A stored simprint, and its place in the content.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Chunk {
    /// Start in the content.
    pub offset: u32,
    /// Length in the content.
    pub size: u32,
    /// The simprint.
    pub body: Vec<u8>,
}

/// A simprint of the query and the stored one that matches it.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// Position in the query.
    pub query: usize,
    /// The stored simprint.
    pub chunk: Chunk,
    /// Similarity.
    pub score: f64,
    /// Number of assets with the stored simprint.
    pub frequency: usize,
}

/// Score and matches of each asset with a chunk within the threshold of a simprint of `query`, by similarity.
///
/// `assets` are the chunks of all assets, by their numbers. All simprints have the same length.
pub fn similar(
    assets: &BTreeMap<u64, Vec<Chunk>>,
    query: &[Vec<u8>],
    threshold: f64,
) -> BTreeMap<u64, (f64, Vec<Match>)> {
    let count = assets.len() as f64;
    let idf = |frequency: usize| (1.0 + count / (1.0 + frequency as f64)).ln();
    let mut found = BTreeMap::new();
    for (number, chunks) in assets {
        let best = |(position, simprint): (usize, &Vec<u8>)| {
            let similar = chunks.iter().map(|chunk| (similarity(&chunk.body, simprint), chunk));
            let mut similar: Vec<_> = similar.filter(|(score, _)| *score >= threshold).collect();
            similar.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
            let (score, chunk) = similar.first()?;
            let frequency = frequency(assets, &chunk.body);
            Some(Match { query: position, chunk: (*chunk).clone(), score: *score, frequency })
        };
        let matches: Vec<Match> = query.iter().enumerate().filter_map(best).collect();
        if matches.is_empty() {
            continue;
        }
        let matched: f64 = matches.iter().map(|one| idf(one.frequency) * one.score).sum();
        let weight: f64 = matches.iter().map(|one| idf(one.frequency)).sum();
        let is_matched = |position: usize| matches.iter().any(|one| one.query == position);
        let others = query.iter().enumerate().filter(|(position, _)| !is_matched(*position));
        let unmatched: f64 = others.map(|(_, body)| idf(frequency(assets, body))).sum();
        found.insert(*number, (matched / (weight + unmatched), matches));
    }
    found
}

fn similarity(a: &[u8], b: &[u8]) -> f64 {
    let (differing, bits) = prefix_distance(a, b);
    1.0 - f64::from(differing) / f64::from(bits)
}

/// Number of assets among those of the first chunks with a simprint.
fn frequency(assets: &BTreeMap<u64, Vec<Chunk>>, body: &[u8]) -> usize {
    let equal = assets.iter().flat_map(|(number, chunks)| {
        chunks.iter().filter(|chunk| chunk.body == body).map(move |_| *number)
    });
    equal.take(FREQUENCY_CHUNKS_MAX).collect::<BTreeSet<u64>>().len()
}
