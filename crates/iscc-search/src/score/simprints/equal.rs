//! Scores of simprints by equality.
use std::collections::BTreeMap;

use iscc_columns::column::Body;
use iscc_index::pass::{EqualSimprint, SimprintQuery};
use iscc_index::snapshot::Snapshot;

use super::{ChunkRow, FREQUENCY_ROWS_MAX, TypeMatch, TypeMatches};

/// Scores one simprint type by equality.
///
/// The score is coverage times quality. Coverage is the share of the query's simprints that the asset has. Quality is
/// the mean of their inverse frequencies, scaled so that the rarest counts 1 and the most frequent 0; it is 1 if all
/// are equally frequent. The first [`FREQUENCY_ROWS_MAX`] chunks of a simprint, by ISCC-ID, count for its frequency. Scores
/// below the threshold are dropped.
pub fn equal_simprints(
    snapshot: &Snapshot,
    query: &SimprintQuery,
    found: Vec<EqualSimprint>,
    threshold: f64,
) -> TypeMatches<'static> {
    let per_probe = rows_by_probe(snapshot, query, found);
    let mut by_asset: BTreeMap<u64, Vec<ChunkRow>> = BTreeMap::new();
    for (position, &probe) in query.probe_at.iter().enumerate() {
        for &(id, row) in &per_probe[probe] {
            by_asset.entry(id).or_default().push(ChunkRow { query: position, ..row });
        }
    }
    let type_match = |(id, chunks): (u64, Vec<ChunkRow>)| {
        let score = coverage(query, &chunks) * quality(&chunks);
        let (matches, queried) = (chunks.len(), query.queried());
        (id, TypeMatch { score, matches, queried, chunks })
    };
    let scored = by_asset.into_iter().map(type_match);
    let (scores, matches): (Vec<_>, Vec<_>) = scored
        .filter(|(_, matched)| matched.score >= threshold)
        .map(|(id, matched)| ((id, matched.score), matched))
        .unzip();
    TypeMatches { scores, expand: Box::new(move |at| matches[at].clone()) }
}

/// For each probe, ISCC-ID bodies and chunks of the stored simprints that equal it, in order.
fn rows_by_probe(
    snapshot: &Snapshot,
    query: &SimprintQuery,
    found: Vec<EqualSimprint>,
) -> Vec<Vec<(u64, ChunkRow)>> {
    let mut per_probe: Vec<Vec<EqualSimprint>> = vec![Vec::new(); query.probes.len()];
    found.into_iter().for_each(|one| per_probe[one.probe].push(one));
    let key = |one: &EqualSimprint| (one.id, one.chunk.offset, one.chunk.size);
    let rows = |(probe, mut found): (usize, Vec<EqualSimprint>)| {
        found.sort_unstable_by_key(key);
        let body = query.probes[probe];
        // The others of a crowd match, but do not count.
        let counted = &found[..found.len().min(FREQUENCY_ROWS_MAX)];
        let here = counted.chunk_by(|a, b| a.id == b.id).count();
        let frequency = frequency(snapshot, query, body, here);
        let row = |one: &EqualSimprint| {
            let (offset, size) = (one.chunk.offset, one.chunk.size);
            (one.id, ChunkRow { query: 0, body, score: 1.0, frequency, offset, size })
        };
        found.iter().map(row).collect()
    };
    per_probe.into_iter().enumerate().map(rows).collect()
}

/// Number of assets with a simprint, of which `here` are in the snapshot. All stored simprints that equal a hit are hits,
/// too, so they are all of the index, unless the snapshot is a part of it.
pub fn frequency(snapshot: &Snapshot, query: &SimprintQuery, body: Body, here: usize) -> usize {
    let all = snapshot.frequency(query.kind, body);
    all.map_or(here, |all| all.clamp(here, FREQUENCY_ROWS_MAX.max(here)))
}

fn coverage(query: &SimprintQuery, chunks: &[ChunkRow]) -> f64 {
    let mut matched: Vec<Body> = chunks.iter().map(|chunk| chunk.body).collect();
    matched.sort_unstable();
    matched.dedup();
    matched.len() as f64 / query.queried() as f64
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Chunks of different simprints with these frequencies.
    fn chunks(frequencies: &[usize]) -> Vec<ChunkRow> {
        let bodies = (0..).map(|number| Body::new(&[number; 8]).unwrap());
        let row = |(body, &frequency): (Body, &usize)| ChunkRow {
            query: 0,
            body,
            score: 1.0,
            frequency,
            offset: 0,
            size: 1,
        };
        bodies.zip(frequencies).map(row).collect()
    }

    #[test]
    fn quality_is_the_mean_rarity_of_the_distinct_simprints() {
        assert_eq!(quality(&chunks(&[3])), 1.0);
        assert_eq!(quality(&chunks(&[7, 7, 7])), 1.0);
        assert_eq!(quality(&chunks(&[1, 2])), 0.5);
        // Rarities 1, 1/2 and 1/4 on a scale whose ends are 1/4 and 1.
        let of_three = quality(&chunks(&[4, 1, 2]));
        assert!((of_three - (0.0 + 1.0 + 1.0 / 3.0) / 3.0).abs() < 1e-12, "{of_three}");
        let twice = [chunks(&[1, 2, 4]), chunks(&[1])].concat();
        assert_eq!(quality(&twice), of_three);
    }
}
