//! Searches in one index, several in one pass.

use std::collections::HashSet;
use std::sync::Arc;

use super::{Index, View};
use crate::asset::length_mismatch;
use crate::asset_match::AssetMatch;
use crate::column::Body;
use crate::cursor::{self, Cursor, Position, Ranked};
use crate::failure::Failure;
use crate::pass::{
    SimprintProbe, UnitHit, UnitProbe, equal_simprints, prefixes, similar_simprints, similar_units,
};
use crate::query::{Query, QuerySimprint};
use crate::record::Record;
use crate::reply::{Found, SearchReply, SearchReport};
use crate::request::query::QueryBody;
use crate::request::selection::Selection;
use crate::response::{self, Metadata};
use crate::scan_pool::ScanPool;
use crate::score::{self, ChunkMatch, GlobalMatch, TypeMatch, approximate_units, prefix_units};
use crate::segment::Matching;
use crate::snapshot::SimprintType;
use crate::store::StoreError;

/// A search request that passed the schema check.
pub struct SearchJob<'a> {
    /// What to search for.
    pub body: QueryBody<'a>,
    /// Maximum number of matches.
    pub limit: usize,
    /// Which matches are wanted.
    pub selection: Selection,
    /// Index whose matches remove units from the query.
    pub negative: Option<Arc<Index>>,
    /// Receives the result.
    pub reply: SearchReply,
}

/// What a client wants of the matches.
struct Wanted {
    limit: usize,
    selection: Selection,
}

/// The hits of a query's units, and how they were found.
#[derive(Clone, Default)]
struct QueryHits {
    hits: Vec<UnitHit>,
    report: SearchReport,
}

impl Index {
    /// Runs one search on the calling thread.
    pub fn search_one(
        &self,
        scan_pool: &ScanPool,
        body: QueryBody<'_>,
        limit: usize,
    ) -> Result<Found, Failure> {
        let view = self.view().map_err(Failure::from)?;
        let query = self.query(&view, body)?;
        let wanted = Wanted { limit, selection: Selection::default() };
        let probed = [(&query, &wanted.selection)];
        let mut hits = self.unit_hits(scan_pool, &view, &probed).into_iter();
        self.respond(scan_pool, &view, &query, &wanted, hits.next().unwrap_or_default())
    }

    /// Runs searches that wait at the same time in one pass.
    pub fn search(&self, scan_pool: &ScanPool, jobs: Vec<SearchJob<'_>>) {
        let view = match self.view() {
            Ok(view) => view,
            Err(error) => {
                let failure = Failure::from(error);
                jobs.into_iter().for_each(|job| job.reply.fail(failure.clone()));
                return;
            }
        };
        let mut queries = Vec::with_capacity(jobs.len());
        let mut replies = Vec::with_capacity(jobs.len());
        for SearchJob { body, limit, selection, negative, reply } in jobs {
            let negative = negative.as_deref();
            match self.selected_query(scan_pool, &view, body, &selection, negative) {
                Ok(query) => {
                    queries.push((query, Wanted { limit, selection }));
                    replies.push(reply);
                }
                Err(failure) => reply.fail(failure),
            }
        }
        let probed: Vec<_> = queries.iter().map(|(query, of)| (query, &of.selection)).collect();
        let hits = self.unit_hits(scan_pool, &view, &probed);
        for (((query, wanted), hits), reply) in queries.iter().zip(hits).zip(replies) {
            match reply {
                SearchReply::Json(reply) => {
                    reply.send(self.respond(scan_pool, &view, query, wanted, hits));
                }
                SearchReply::Matches(reply) => {
                    reply.send(self.matches(&view, query, wanted.limit, hits.hits));
                }
            }
        }
    }

    /// A query in normal form, without the units that the request or the configuration leaves out.
    fn query(&self, view: &View<'_>, body: QueryBody<'_>) -> Result<Query, Failure> {
        let skips = body.skip_featureless.unwrap_or(self.options.skip_featureless);
        let query = Query::new(body, |id| self.query_asset(view, id))?;
        Ok(if skips { query.without_featureless() } else { query })
    }

    /// A query in normal form, without the units that the selection or a negative index leaves out.
    fn selected_query(
        &self,
        scan_pool: &ScanPool,
        view: &View<'_>,
        body: QueryBody<'_>,
        selection: &Selection,
        negative: Option<&Self>,
    ) -> Result<Query, Failure> {
        selection.check_for(Some(self.matching), &self.options)?;
        let mut query = self.query(view, body)?;
        if let Some(types) = &selection.unit_types {
            query.retain_units(|_, unit| types.contains(&unit.kind));
        }
        if let Some(negative) = negative {
            let view = negative.view().map_err(Failure::from)?;
            let hits = negative.unit_hits(scan_pool, &view, &[(&query, selection)]);
            let hits = hits.iter().flat_map(|hits| &hits.hits);
            let matched: HashSet<usize> = hits.map(|hit| hit.position).collect();
            let removed = query.retain_units(|position, _| !matched.contains(&position));
            query.suppressed = Some(removed);
        }
        Ok(query)
    }

    /// The hits of each query's units.
    fn unit_hits(
        &self,
        scan_pool: &ScanPool,
        view: &View<'_>,
        queries: &[(&Query, &Selection)],
    ) -> Vec<QueryHits> {
        let mut probes = Vec::new();
        for (number, (query, selection)) in queries.iter().enumerate() {
            let threshold = selection.threshold.unwrap_or(self.options.match_threshold_units);
            probes.extend(query.units.iter().enumerate().map(|(position, unit)| UnitProbe {
                query: number,
                position,
                unit: unit.kind,
                body: unit.body,
                threshold,
                exact: selection.exact,
                skips_featureless: query.skips_featureless,
            }));
        }
        let mut found = prefixes(&view.snapshot, &probes);
        let mut per_query = vec![QueryHits::default(); queries.len()];
        if self.matching == Matching::Approximate {
            let way = self.options.way;
            let similar = similar_units(scan_pool, &view.snapshot, &probes, queries.len(), way);
            found.extend(similar.hits);
            for (query, ways) in per_query.iter_mut().zip(similar.ways) {
                query.report = SearchReport { ways, times: similar.times };
            }
        }
        for hit in found {
            per_query[hit.query].hits.push(hit);
        }
        per_query
    }

    /// The JSON response of one query.
    fn respond(
        &self,
        scan_pool: &ScanPool,
        view: &View<'_>,
        query: &Query,
        Wanted { limit, selection }: &Wanted,
        QueryHits { hits, report }: QueryHits,
    ) -> Result<Found, Failure> {
        let explained = if selection.explain { hits.clone() } else { Vec::new() };
        // Matches may be left out after ranking.
        let ranked = if selection.is_all() { *limit } else { usize::MAX };
        let chunks = self.chunk_matches(scan_pool, view, query, selection, ranked)?;
        let global = self.global_matches(view, query, ranked, hits);
        let (mut global, chunks, cursor) = if selection.is_all() {
            (global, chunks, None)
        } else {
            let from = selection.cursor.unwrap_or(Cursor::START);
            let (global, next) = view.page(global, from.global, *limit, selection)?;
            let (chunks, next_chunks) = view.page(chunks, from.chunks, *limit, selection)?;
            let next = Cursor { global: next, chunks: next_chunks };
            (global, chunks, selection.cursor.is_some().then_some(next))
        };
        GlobalMatch::explain(&mut global, &view.snapshot, &explained);
        let id_text = |id: u64| response::current_id(id, view.realm());
        let json =
            response::found(query, id_text, &global, &chunks, cursor, |id| view.metadata(id))?;
        Ok(Found { json, report })
    }

    /// The typed result of one query.
    fn matches(
        &self,
        view: &View<'_>,
        query: &Query,
        limit: usize,
        hits: Vec<UnitHit>,
    ) -> Result<Vec<AssetMatch>, Failure> {
        let global = self.global_matches(view, query, limit, hits);
        let id_text = |id: u64| response::current_id(id, view.realm());
        AssetMatch::list(id_text, &global, |id| view.metadata(id))
    }

    fn global_matches(
        &self,
        view: &View<'_>,
        query: &Query,
        limit: usize,
        hits: Vec<UnitHit>,
    ) -> Vec<GlobalMatch> {
        let (snapshot, exclude) = (&view.snapshot, query.exclude);
        let exponent = self.options.confidence_exponent;
        match self.matching {
            Matching::Exact => prefix_units(snapshot, &query.units, hits, exclude, limit),
            Matching::Approximate => {
                approximate_units(snapshot, &query.units, hits, exponent, exclude, limit)
            }
        }
    }

    fn chunk_matches(
        &self,
        scan_pool: &ScanPool,
        view: &View<'_>,
        query: &Query,
        selection: &Selection,
        limit: usize,
    ) -> Result<Vec<ChunkMatch>, Failure> {
        let threshold =
            selection.threshold_simprints.unwrap_or(self.options.match_threshold_simprints);
        let mut types = Vec::new();
        for (position, (name, simprints)) in query.simprints.iter().enumerate() {
            let Some(&known) = view.snapshot.simprint_types.get(name) else { continue };
            if self.matching == Matching::Approximate {
                check_lengths(simprints, known)?;
            }
            let matches = type_matches(scan_pool, view, threshold, self.matching, known, simprints);
            types.push((position, matches));
        }
        Ok(ChunkMatch::rank(types, query.exclude, limit))
    }
}

impl View<'_> {
    /// Realm of all matches.
    fn realm(&self) -> u8 {
        self.snapshot.realm.unwrap_or_default()
    }

    /// The wanted matches of a page, and where the next one starts.
    fn page<M: Ranked>(
        &self,
        all: Vec<M>,
        from: Position,
        limit: usize,
        selection: &Selection,
    ) -> Result<(Vec<M>, Position), Failure> {
        // Looking up more candidates than there are matches would not narrow the search.
        let candidates = self.candidates(&selection.filters, all.len()).map_err(Failure::from)?;
        cursor::page(all, from, limit, |matched| {
            let (id, score) = matched.id_and_score();
            if !selection.accepts(self.realm(), id, score)
                || candidates.as_ref().is_some_and(|known| !known.contains(&id))
            {
                return Ok(false);
            }
            if selection.filters.is_empty() {
                return Ok(true);
            }
            Ok(self.metadata(id)?.is_some_and(|metadata| selection.accepts_metadata(metadata)))
        })
    }

    /// Metadata of a match.
    fn metadata(&self, id: u64) -> Result<Metadata<'_>, Failure> {
        let Some(record) = self.reading.asset(id).map_err(Failure::from)? else {
            return Ok(None);
        };
        let damaged = || Failure::from(StoreError::Damaged { id });
        Ok(Some(Record::read_metadata(record).ok_or_else(damaged)?))
    }
}

/// All simprints of a type must have the same length.
fn check_lengths(simprints: &[QuerySimprint], known: SimprintType) -> Result<(), Failure> {
    let bits = |simprint: &QuerySimprint| simprint.bytes.len() * 8;
    if simprints.windows(2).any(|pair| bits(&pair[0]) != bits(&pair[1])) {
        return Err(Failure::rejected("all input arrays must have the same shape"));
    }
    if simprints.iter().any(|simprint| bits(simprint) != usize::from(known.bits)) {
        return Err(length_mismatch());
    }
    Ok(())
}

/// Assets that match the query's simprints of one type, with their scores.
fn type_matches(
    scan_pool: &ScanPool,
    view: &View<'_>,
    threshold: f64,
    matching: Matching,
    known: SimprintType,
    simprints: &[QuerySimprint],
) -> Vec<(u64, TypeMatch)> {
    // A simprint longer than any stored one matches nothing, but keeps its position in the list.
    let body = |simprint: &QuerySimprint| Body::new(&simprint.bytes).unwrap_or(Body::EMPTY);
    let bodies: Vec<Body> = simprints.iter().map(body).collect();
    let probe = |&body: &Body| SimprintProbe { kind: known.kind, body };
    let probes: Vec<SimprintProbe> = bodies.iter().map(probe).collect();
    match matching {
        Matching::Exact => {
            let hits = equal_simprints(&view.snapshot, &probes);
            score::equal_simprints(&view.snapshot, &bodies, &hits, threshold)
        }
        Matching::Approximate => {
            let hits = similar_simprints(scan_pool, &view.snapshot, &probes, threshold);
            score::approximate_simprints(&view.snapshot, &bodies, &hits)
        }
    }
}
