//! Scores of simprints by similarity.
use std::ops::Range;

use iscc_columns::distance::similarity;
use iscc_index::pass::{SimprintQuery, SimprintRow};
use iscc_index::snapshot::Snapshot;

use super::equal::frequency;
use super::{ChunkRow, FREQUENCY_ROWS_MAX, TypeMatch, TypeMatches};

/// Scores one simprint type by similarity.
///
/// For each asset and query simprint, the most similar stored simprint counts, weighted with its rarity:
/// `idf = ln(1 + N / (1 + f))`, where `f` of the index's `N` assets have it. Query simprints without a match in the
/// asset lower its score by their own rarity: `Σ idf·s / (Σ idf matched + Σ idf unmatched)`.
pub fn similar_simprints<'a>(
    snapshot: &'a Snapshot,
    query: SimprintQuery,
    found: Vec<SimprintRow<'a>>,
) -> TypeMatches<'a> {
    let assets = snapshot.all_assets() as f64;
    let idf = |frequency: usize| (1.0 + assets / (1.0 + frequency as f64)).ln();
    let rows = with_frequencies(snapshot, &query, found, idf);
    let matches = best_matches(snapshot, &rows);
    let mut own_weights = vec![idf(0); query.probes.len()];
    for row in rows.iter().filter(|row| row.found.distance == 0) {
        own_weights[row.found.probe] = row.weight;
    }
    let own: Vec<f64> = query.probe_at.iter().map(|&probe| own_weights[probe]).collect();
    let scored =
        Scored { positions: query.positions(), queried: query.queried(), rows, matches, own };
    let (mut scores, mut ranges) = (Vec::new(), Vec::new());
    let mut start = 0;
    for of_asset in scored.matches.chunk_by(|a, b| (a.segment, a.slot) == (b.segment, b.slot)) {
        let Match { segment, slot, .. } = of_asset[0];
        let range = start..start + of_asset.len();
        start = range.end;
        let id = snapshot.segments[segment as usize].slots.id(slot);
        scores.push((id, scored.score(&scored.at_positions(&range))));
        ranges.push(range);
    }
    let expand = move |at: usize| scored.expand(&ranges[at]);
    TypeMatches { scores, expand: Box::new(expand) }
}

/// A row near a probe.
struct Row<'a> {
    found: SimprintRow<'a>,
    frequency: usize,
    weight: f64,
}

/// The chunk of an asset that is most similar to a probe.
#[derive(Clone, Copy)]
struct Match {
    segment: u32,
    slot: u32,
    probe: u32,
    row: u32,
    offset: u32,
    size: u32,
}

/// The rows in the order of their bodies, with the number of assets that have them.
fn with_frequencies<'a>(
    snapshot: &Snapshot,
    query: &SimprintQuery,
    mut found: Vec<SimprintRow<'a>>,
    idf: impl Fn(usize) -> f64,
) -> Vec<Row<'a>> {
    found.sort_unstable_by_key(|row| (row.body, row.probe, row.segment));
    let mut rows = Vec::with_capacity(found.len());
    for equal in found.chunk_by(|a, b| a.body == b.body) {
        // Other probes find the same rows.
        let once = equal.iter().take_while(|row| row.probe == equal[0].probe);
        let frequency = frequency(snapshot, query, equal[0].body, assets(snapshot, once));
        let weight = idf(frequency);
        rows.extend(equal.iter().map(|&found| Row { found, frequency, weight }));
    }
    rows
}

/// Number of assets with a simprint, whose rows are given. A crowd is counted by its first chunks.
fn assets<'a>(snapshot: &Snapshot, rows: impl Iterator<Item = &'a SimprintRow<'a>>) -> usize {
    let mut ids: Vec<u64> = Vec::new();
    for row in rows {
        let slots = &snapshot.segments[row.segment as usize].slots;
        let live = row.chunks.iter().map(|chunk| chunk.slot).filter(|&slot| slots.is_live(slot));
        // Chunks are in the order of their slots.
        let needed = if slots.is_ascending() { FREQUENCY_ROWS_MAX } else { usize::MAX };
        ids.extend(live.take(needed).map(|slot| slots.id(slot)));
    }
    ids.sort_unstable();
    ids.truncate(FREQUENCY_ROWS_MAX);
    ids.dedup();
    ids.len()
}

/// The most similar chunk for each asset and probe, in this order; of equally similar ones, the first in the asset's
/// content.
fn best_matches(snapshot: &Snapshot, rows: &[Row<'_>]) -> Vec<Match> {
    let mut matches = Vec::new();
    for (number, Row { found, .. }) in rows.iter().enumerate() {
        let slots = &snapshot.segments[found.segment as usize].slots;
        let live = found.chunks.iter().filter(|chunk| slots.is_live(chunk.slot));
        matches.extend(live.map(|chunk| Match {
            segment: found.segment,
            slot: chunk.slot,
            probe: found.probe as u32,
            row: number as u32,
            offset: chunk.offset,
            size: chunk.size,
        }));
    }
    matches.sort_unstable_by_key(|one| {
        let distance = rows[one.row as usize].found.distance;
        // Rows are in the order of their bodies.
        (one.segment, one.slot, one.probe, distance, one.offset, one.size, one.row)
    });
    matches.dedup_by_key(|one| (one.segment, one.slot, one.probe));
    matches
}

/// All matches of a type.
struct Scored<'a> {
    rows: Vec<Row<'a>>,
    matches: Vec<Match>,
    /// Positions of each probe in the query.
    positions: Vec<Vec<usize>>,
    /// Weight of each simprint of the query, by its own rarity.
    own: Vec<f64>,
    /// Number of simprints in the query.
    queried: usize,
}

impl Scored<'_> {
    /// Positions in the query, ascending, with the match of each. `range` is that of an asset's matches.
    fn at_positions(&self, range: &Range<usize>) -> Vec<(usize, Match)> {
        let matches = self.matches[range.clone()].iter();
        let at = |one: &Match| {
            let one = *one;
            self.positions[one.probe as usize].iter().map(move |&position| (position, one))
        };
        let mut all: Vec<(usize, Match)> = matches.flat_map(at).collect();
        all.sort_unstable_by_key(|&(position, _)| position);
        all
    }

    fn similarity(&self, row: u32) -> f64 {
        let found = &self.rows[row as usize].found;
        similarity(u32::from(found.distance), found.body.bits())
    }

    fn score(&self, matches: &[(usize, Match)]) -> f64 {
        let mut unmatched = self.own.clone();
        let (mut matched, mut weight) = (0.0, 0.0);
        for (position, one) in matches {
            unmatched[*position] = 0.0;
            let idf = self.rows[one.row as usize].weight;
            matched += idf * self.similarity(one.row);
            weight += idf;
        }
        let total = weight + unmatched.iter().sum::<f64>();
        if total > 0.0 { matched / total } else { 0.0 }
    }

    fn expand(&self, range: &Range<usize>) -> TypeMatch {
        let matches = self.at_positions(range);
        let chunk = |&(query, Match { row, offset, size, .. }): &(usize, Match)| {
            let Row { found, frequency, .. } = &self.rows[row as usize];
            let (body, frequency, score) = (found.body, *frequency, self.similarity(row));
            ChunkRow { query, body, score, frequency, offset, size }
        };
        let score = self.score(&matches);
        let chunks: Vec<ChunkRow> = matches.iter().map(chunk).collect();
        TypeMatch { score, matches: chunks.len(), queried: self.queried, chunks }
    }
}
