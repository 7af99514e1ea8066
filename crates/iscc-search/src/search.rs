//! Searches in the assets of a source: those of a local index, or candidates that another engine found. The results and
//! the response are the same.

mod budget;
mod early;
use std::collections::{BTreeSet, HashSet};

use iscc_columns::column::Body;
use iscc_columns::methods::MethodCounts;
use iscc_columns::scan_pool::ScanPool;
use iscc_columns::unit::{Unit, is_of_content};
use iscc_index::filter::Filter;
use iscc_index::pass::{
    Part, SimprintQuery, SimprintsFound, UnitHit, UnitProbe, equal_simprints, prefixes,
    similar_simprints, similar_units,
};
use iscc_index::record::Record;
use iscc_index::segment::Matching;
use iscc_index::snapshot::{SimprintType, Snapshot};
use iscc_index::store::StoreError;

use crate::asset::length_mismatch;
use crate::asset_match::AssetMatch;
use crate::asset_match::Metadata;
use crate::cursor::{self, Cursor, Position, Ranked};
use crate::failure::Failure;
use crate::options::Options;
use crate::query::{Query, QueryAsset, QuerySimprint};
use crate::reply::{Found, SearchReport};
use crate::request::query::QueryBody;
use crate::request::selection::Selection;
use crate::response::{self, FoundForm};
use crate::score::{self, ChunkMatch, GlobalMatch, TypeMatches, approximate_units, prefix_units};

pub use budget::Searched;

/// Matches whose units a result names.
const NAMED_MAX: usize = 100;

/// What a search reads.
pub trait Source {
    /// The rows.
    fn snapshot(&self) -> &Snapshot;

    /// The record of an asset.
    fn record(&self, id: u64) -> Result<Option<&[u8]>, Failure>;

    /// The assets that may meet all conditions, if fewer than `max` are known to.
    fn narrowed(&self, filters: &[Filter], max: usize) -> Result<Option<HashSet<u64>>, Failure>;
}

/// What a client wants of the matches.
pub struct Wanted {
    /// Maximum number of matches.
    pub limit: usize,
    /// Which matches are wanted.
    pub selection: Selection,
}

/// The hits of a query's units, and how they were found.
#[derive(Clone, Default)]
pub struct QueryHits {
    /// In undefined order. After an early end, only those of the best assets.
    pub hits: Vec<UnitHit>,
    /// How they were found.
    pub report: SearchReport,
}

/// The rules of an index's searches.
#[derive(Clone, Copy)]
pub struct Searcher<'a> {
    /// Settings of the engine.
    pub options: &'a Options,
    /// How the index matches.
    pub matching: Matching,
    /// Helps with large scans.
    pub scan_pool: &'a ScanPool,
}

impl Searcher<'_> {
    /// A query in normal form, without the units that the request or the configuration leaves out.
    pub fn query(
        &self,
        body: QueryBody<'_>,
        find_asset: impl FnOnce(&str) -> Result<QueryAsset, Failure>,
    ) -> Result<Query, Failure> {
        let skips = body.skip_featureless.unwrap_or(self.options.skip_featureless);
        let query = Query::new(body, find_asset)?;
        Ok(if skips { query.without_featureless() } else { query })
    }

    /// A query in normal form, without the units that a selection leaves out, too.
    pub fn selected_query(
        &self,
        body: QueryBody<'_>,
        selection: &Selection,
        find_asset: impl FnOnce(&str) -> Result<QueryAsset, Failure>,
    ) -> Result<Query, Failure> {
        selection.check_for(self.matching, self.options)?;
        let mut query = self.query(body, find_asset)?;
        if let Some(types) = &selection.unit_types {
            query.retain_units(|_, unit| types.contains(&unit.kind));
        }
        Ok(query)
    }

    /// Lowest similarity of a matching unit.
    pub fn threshold(&self, selection: &Selection) -> f64 {
        selection.threshold.unwrap_or(self.options.match_threshold_units)
    }

    /// Lowest similarity of a matching simprint.
    pub fn threshold_simprints(&self, selection: &Selection) -> f64 {
        selection.threshold_simprints.unwrap_or(self.options.match_threshold_simprints)
    }

    /// The hits of each query's units.
    pub fn unit_hits(
        &self,
        snapshot: &Snapshot,
        queries: &[(&Query, &Selection)],
    ) -> Vec<QueryHits> {
        let probes = self.probes(queries);
        let mut per_query = self.prefix_hits(snapshot, &probes, queries.len());
        self.add_similar(snapshot, &probes, Part::All, &mut per_query);
        per_query
    }

    /// The units of all queries.
    fn probes<'q>(&self, queries: &[(&'q Query, &Selection)]) -> Vec<UnitProbe<'q>> {
        let of_query = |(number, (query, selection)): (usize, &(&'q Query, &Selection))| {
            query.probes(number, self.threshold(selection), selection.exact)
        };
        queries.iter().enumerate().flat_map(of_query).collect()
    }

    /// The hits of each query's units that match by prefix.
    fn prefix_hits(
        &self,
        snapshot: &Snapshot,
        probes: &[UnitProbe<'_>],
        queries: usize,
    ) -> Vec<QueryHits> {
        let mut per_query = vec![QueryHits::default(); queries];
        for hit in prefixes(snapshot, probes) {
            per_query[hit.query].hits.push(hit);
        }
        per_query
    }

    /// Adds the hits of units that match by similarity.
    fn add_similar(
        &self,
        snapshot: &Snapshot,
        probes: &[UnitProbe<'_>],
        part: Part,
        per_query: &mut [QueryHits],
    ) {
        if self.matching != Matching::Approximate {
            return;
        }
        let (method, queries) = (self.options.method, per_query.len());
        let found = similar_units(self.scan_pool, snapshot, probes, part, queries, method);
        for (query, methods) in per_query.iter_mut().zip(found.methods) {
            // The others have no part in the times of this pass.
            if methods != MethodCounts::default() {
                query.report += SearchReport { methods, times: found.times, is_early: false };
            }
        }
        for hit in found.hits {
            per_query[hit.query].hits.push(hit);
        }
    }

    /// The JSON response of one query.
    pub fn respond(
        &self,
        source: &impl Source,
        query: &Query,
        Wanted { limit, selection }: &Wanted,
        QueryHits { hits, mut report }: QueryHits,
    ) -> Result<Found, Failure> {
        let explained = if selection.explain { hits.clone() } else { Vec::new() };
        // Matches may be left out after ranking.
        let ranked = if selection.is_all() { *limit } else { usize::MAX };
        let chunks =
            self.chunk_matches(source.snapshot(), query, selection, ranked, &mut report)?;
        let global = self.global_matches(source.snapshot(), query, ranked, hits);
        let (mut global, chunks, cursor) = if selection.is_all() {
            (global, chunks, None)
        } else {
            let from = selection.cursor.unwrap_or(Cursor::START);
            let (global, next) = page(source, global, from.global, *limit, selection)?;
            let (chunks, next_chunks) = page(source, chunks, from.chunks, *limit, selection)?;
            let next = Cursor { global: next, chunks: next_chunks };
            (global, chunks, selection.cursor.is_some().then_some(next))
        };
        GlobalMatch::explain(&mut global, source.snapshot(), &explained);
        let units = match selection.names_units {
            true => self.matched_units(source, query, selection, &global)?,
            false => Vec::new(),
        };
        let id_text = |id: u64| response::current_id(id, realm(source));
        let metadata = |id| metadata(source, id);
        let bytes_max = self.options.search_bytes_max;
        let form = FoundForm { cursor, fields: &selection.fields, bytes_max };
        let json = response::found(query, id_text, &global, &chunks, &form, metadata)?;
        Ok(Found { json, report, units })
    }

    /// The texts of the stored units by which the first matches match, each once. Units of files are left out.
    fn matched_units(
        &self,
        source: &impl Source,
        query: &Query,
        selection: &Selection,
        matches: &[GlobalMatch],
    ) -> Result<Vec<String>, Failure> {
        let mut probes = query.probes(0, self.threshold(selection), selection.exact);
        probes.retain(|probe| is_of_content(probe.unit));
        let mut found = BTreeSet::new();
        for &GlobalMatch { id, .. } in matches.iter().take(NAMED_MAX) {
            let Some(record) = source.record(id)? else { continue };
            let (units, _) = Record::read_units(record).ok_or(StoreError::Damaged { id })?;
            let is_hit = |(unit, body): &(_, _)| {
                probes.iter().any(|probe| probe.compare(*unit, body).is_some())
            };
            found.extend(units.into_iter().filter(is_hit));
        }
        Ok(found.into_iter().map(|(kind, body)| Unit { kind, body }.text()).collect())
    }

    /// The typed result of one query.
    pub fn matches(
        &self,
        source: &impl Source,
        query: &Query,
        limit: usize,
        hits: Vec<UnitHit>,
    ) -> Result<Vec<AssetMatch>, Failure> {
        let global = self.global_matches(source.snapshot(), query, limit, hits);
        let id_text = |id: u64| response::current_id(id, realm(source));
        AssetMatch::list(id_text, &global, |id| metadata(source, id))
    }

    fn global_matches(
        &self,
        snapshot: &Snapshot,
        query: &Query,
        limit: usize,
        hits: Vec<UnitHit>,
    ) -> Vec<GlobalMatch> {
        let exclude = query.exclude;
        let exponent = self.options.confidence_exponent;
        match self.matching {
            Matching::Exact => prefix_units(snapshot, &query.units, hits, exclude, limit),
            Matching::Approximate => {
                approximate_units(snapshot, &query.units, hits, exponent, exclude, limit)
            }
        }
    }

    /// The assets that match the simprints of a query.
    pub fn assets_by_simprints(
        &self,
        snapshot: &Snapshot,
        query: &Query,
        selection: &Selection,
    ) -> Result<Vec<u64>, Failure> {
        let mut report = SearchReport::default();
        let all = self.chunk_matches(snapshot, query, selection, usize::MAX, &mut report)?;
        Ok(all.iter().map(|matched| matched.id_and_score().0).collect())
    }

    fn chunk_matches(
        &self,
        snapshot: &Snapshot,
        query: &Query,
        selection: &Selection,
        limit: usize,
        report: &mut SearchReport,
    ) -> Result<Vec<ChunkMatch>, Failure> {
        let threshold = self.threshold_simprints(selection);
        let mut types = Vec::new();
        for (position, (name, simprints)) in query.simprints.iter().enumerate() {
            let Some(&known) = snapshot.simprint_types.get(name) else { continue };
            if self.matching == Matching::Approximate {
                check_lengths(name, simprints, known.bits)?;
            }
            let matches = self.type_matches(snapshot, threshold, known, simprints, report);
            types.push((position, matches));
        }
        Ok(ChunkMatch::rank(&types, query.exclude, limit))
    }

    /// Assets that match the query's simprints of one type, with their scores.
    fn type_matches<'a>(
        &self,
        snapshot: &'a Snapshot,
        threshold: f64,
        known: SimprintType,
        simprints: &[QuerySimprint],
        report: &mut SearchReport,
    ) -> TypeMatches<'a> {
        let query = SimprintQuery::new(known.kind, &bodies(simprints));
        match self.matching {
            Matching::Exact => {
                let found = equal_simprints(snapshot, &query);
                score::equal_simprints(snapshot, &query, found, threshold)
            }
            Matching::Approximate => {
                let found = self.simprints_found(snapshot, threshold, &query);
                for methods in found.methods {
                    *report += SearchReport { methods, times: found.times, is_early: false };
                }
                score::similar_simprints(snapshot, query, found.hits)
            }
        }
    }

    /// Stored simprints within the threshold of one of the query's.
    pub fn simprints_found<'a>(
        &self,
        snapshot: &'a Snapshot,
        threshold: f64,
        query: &SimprintQuery,
    ) -> SimprintsFound<'a> {
        similar_simprints(self.scan_pool, snapshot, query, threshold, self.options.method)
    }
}

/// The simprints of a query. One longer than any stored one matches nothing, but keeps its position in the list.
pub fn bodies(simprints: &[QuerySimprint]) -> Vec<Body> {
    simprints.iter().map(|simprint| Body::new(&simprint.bytes).unwrap_or(Body::EMPTY)).collect()
}

/// Realm of all matches.
fn realm(source: &impl Source) -> u8 {
    source.snapshot().realm.unwrap_or_default()
}

/// The wanted matches of a page, and where the next one starts.
fn page<M: Ranked>(
    source: &impl Source,
    all: Vec<M>,
    from: Position,
    limit: usize,
    selection: &Selection,
) -> Result<(Vec<M>, Position), Failure> {
    // Looking up more candidates than there are matches would not narrow the search.
    let candidates = source.narrowed(&selection.filters, all.len())?;
    cursor::page(all, from, limit, |matched| {
        let (id, score) = matched.id_and_score();
        if !selection.accepts(realm(source), id, score)
            || candidates.as_ref().is_some_and(|known| !known.contains(&id))
        {
            return Ok(false);
        }
        if selection.filters.is_empty() {
            return Ok(true);
        }
        Ok(metadata(source, id)?.is_some_and(|metadata| selection.accepts_metadata(metadata)))
    })
}

/// Metadata of a match.
fn metadata(source: &impl Source, id: u64) -> Result<Metadata<'_>, Failure> {
    let Some(record) = source.record(id)? else { return Ok(None) };
    let damaged = || Failure::from(StoreError::Damaged { id });
    Ok(Some(Record::read_metadata(record).ok_or_else(damaged)?))
}

/// All simprints of a type must have the same length.
pub fn check_lengths(
    name: &str,
    simprints: &[QuerySimprint],
    expected: u16,
) -> Result<(), Failure> {
    let bits = |simprint: &QuerySimprint| simprint.bytes.len() * 8;
    if simprints.windows(2).any(|pair| bits(&pair[0]) != bits(&pair[1])) {
        return Err(Failure::rejected(format!(
            "all input arrays must have the same shape: the query has simprints of type '{name}' of several lengths"
        )));
    }
    if let Some(other) = simprints.iter().map(bits).find(|&bits| bits != usize::from(expected)) {
        return Err(length_mismatch(&format!("'{name}' of the query"), other as u16, expected));
    }
    Ok(())
}
