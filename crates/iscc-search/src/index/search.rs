//! Searches in one index, several in one pass.

use super::{Index, View};
use crate::asset::length_mismatch;
use crate::asset_match::AssetMatch;
use crate::column::Body;
use crate::failure::{Failure, Response};
use crate::options::Options;
use crate::pass::{
    SimprintProbe, UnitHit, UnitProbe, equal_simprints, prefixes, similar_simprints, similar_units,
};
use crate::query::{Query, QuerySimprint};
use crate::record::Record;
use crate::reply::SearchReply;
use crate::request::query::QueryBody;
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
    /// Receives the result.
    pub reply: SearchReply,
}

impl Index {
    /// Runs one search on the calling thread.
    pub fn search_one(&self, scan_pool: &ScanPool, body: QueryBody<'_>, limit: usize) -> Response {
        let view = self.view().map_err(Failure::broken)?;
        let query = Query::new(body, |id| self.query_asset(&view, id))?;
        let hits = self.unit_hits(scan_pool, &view, std::slice::from_ref(&query));
        self.respond(scan_pool, &view, &query, limit, hits.into_iter().flatten().collect())
    }

    /// Runs searches that wait at the same time in one pass.
    pub fn search(&self, scan_pool: &ScanPool, jobs: Vec<SearchJob<'_>>) {
        let view = match self.view() {
            Ok(view) => view,
            Err(error) => {
                let failure = Failure::broken(error);
                jobs.into_iter().for_each(|job| job.reply.fail(failure.clone()));
                return;
            }
        };
        let mut queries = Vec::with_capacity(jobs.len());
        let mut replies = Vec::with_capacity(jobs.len());
        for SearchJob { body, limit, reply } in jobs {
            match Query::new(body, |id| self.query_asset(&view, id)) {
                Ok(query) => {
                    queries.push(query);
                    replies.push((limit, reply));
                }
                Err(failure) => reply.fail(failure),
            }
        }
        let hits = self.unit_hits(scan_pool, &view, &queries);
        for ((query, hits), (limit, reply)) in queries.iter().zip(hits).zip(replies) {
            match reply {
                SearchReply::Json(reply) => {
                    reply.send(self.respond(scan_pool, &view, query, limit, hits));
                }
                SearchReply::Matches(reply) => {
                    reply.send(self.matches(&view, query, limit, hits));
                }
            }
        }
    }

    /// The hits of each query's units.
    fn unit_hits(
        &self,
        scan_pool: &ScanPool,
        view: &View<'_>,
        queries: &[Query],
    ) -> Vec<Vec<UnitHit>> {
        let mut probes = Vec::new();
        for (number, query) in queries.iter().enumerate() {
            probes.extend(query.units.iter().enumerate().map(|(position, unit)| UnitProbe {
                query: number,
                position,
                unit: unit.kind,
                body: unit.body,
            }));
        }
        let mut found = prefixes(&view.snapshot, &probes);
        if self.matching == Matching::Approximate {
            let threshold = self.options.match_threshold_units;
            found.extend(similar_units(scan_pool, &view.snapshot, &probes, threshold));
        }
        let mut per_query = vec![Vec::new(); queries.len()];
        for hit in found {
            per_query[hit.query].push(hit);
        }
        per_query
    }

    /// The JSON response of one query.
    fn respond(
        &self,
        scan_pool: &ScanPool,
        view: &View<'_>,
        query: &Query,
        limit: usize,
        hits: Vec<UnitHit>,
    ) -> Response {
        let chunks = self.chunk_matches(scan_pool, view, query, limit)?;
        let global = self.global_matches(view, query, limit, hits);
        let id_text = |id: u64| response::current_id(id, view.realm());
        response::found(query, id_text, &global, &chunks, |id| view.metadata(id))
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
        limit: usize,
    ) -> Result<Vec<ChunkMatch>, Failure> {
        let mut types = Vec::new();
        for (position, (name, simprints)) in query.simprints.iter().enumerate() {
            let Some(&known) = view.snapshot.simprint_types.get(name) else { continue };
            if self.matching == Matching::Approximate {
                check_lengths(simprints, known)?;
            }
            let matches =
                type_matches(scan_pool, view, &self.options, self.matching, known, simprints);
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

    /// Metadata of a match.
    fn metadata(&self, id: u64) -> Result<Metadata<'_>, Failure> {
        let Some(record) = self.reading.asset(id).map_err(Failure::broken)? else {
            return Ok(None);
        };
        let damaged = || Failure::broken(StoreError::Damaged { id });
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
    options: &Options,
    matching: Matching,
    known: SimprintType,
    simprints: &[QuerySimprint],
) -> Vec<(u64, TypeMatch)> {
    // A simprint longer than any stored one matches nothing, but keeps its position in the list.
    let body = |simprint: &QuerySimprint| Body::new(&simprint.bytes).unwrap_or(Body::EMPTY);
    let bodies: Vec<Body> = simprints.iter().map(body).collect();
    let probe = |&body: &Body| SimprintProbe { kind: known.kind, body };
    let probes: Vec<SimprintProbe> = bodies.iter().map(probe).collect();
    let threshold = options.match_threshold_simprints;
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
