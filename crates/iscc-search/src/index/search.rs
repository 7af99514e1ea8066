//! Searches in one index, several in one pass.
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use iscc_columns::scan_pool::ScanPool;
use iscc_index::filter::Filter;
use iscc_index::segment::Matching;
use iscc_index::snapshot::Snapshot;

use super::{Index, View};
use crate::failure::Failure;
use crate::query::Query;
use crate::reply::{Found, SearchReply};
use crate::request::query::QueryBody;
use crate::request::selection::Selection;
use crate::row::Row;
use crate::search::{Searched, Searcher, Source, Wanted};

/// Rows that are compared in one pass.
const ROWS_PER_PASS: usize = 64;

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

impl Index {
    /// Runs one search on the calling thread.
    pub fn search_one(
        &self,
        scan_pool: &ScanPool,
        body: QueryBody<'_>,
        limit: usize,
    ) -> Result<Found, Failure> {
        let view = self.view().map_err(Failure::from)?;
        let searcher = self.searcher(scan_pool);
        let query = searcher.query(body, |id| self.query_asset(&view, id))?;
        let wanted = Wanted { limit, selection: Selection::default() };
        let searched = Searched { snapshot: &view.snapshot, negative: None };
        searcher.check_work(&searched, &query, &wanted.selection)?;
        let mut hits = searcher.hits(&view, &[(&query, &wanted)]).into_iter();
        searcher.respond(&view, &query, &wanted, hits.next().unwrap_or_default())
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
        for SearchJob { body, limit, mut selection, negative, reply } in jobs {
            if matches!(reply, SearchReply::Matches(_)) {
                // Typed results have all matches.
                selection.min_score = 0.0;
            }
            let negative = negative.as_deref();
            match self.selected_query(scan_pool, &view, body, &selection, negative) {
                Ok(query) => {
                    queries.push((query, Wanted { limit, selection }));
                    replies.push(reply);
                }
                Err(failure) => reply.fail(failure),
            }
        }
        let searcher = self.searcher(scan_pool);
        let wanted: Vec<_> = queries.iter().map(|(query, wanted)| (query, wanted)).collect();
        let hits = searcher.hits(&view, &wanted);
        for (((query, wanted), hits), reply) in queries.iter().zip(hits).zip(replies) {
            match reply {
                SearchReply::Json(reply) => {
                    reply.send(searcher.respond(&view, query, wanted, hits));
                }
                SearchReply::Matches(reply) => {
                    reply.send(searcher.matches(&view, query, wanted.limit, hits.hits));
                }
            }
        }
    }

    /// The assets that any of the rows is similar to, whatever their scores, by the bodies of their ISCC-IDs.
    pub fn similar_to_any(
        &self,
        scan_pool: &ScanPool,
        rows: &[Row<'_>],
        selection: &Selection,
    ) -> Result<BTreeSet<u64>, Failure> {
        let view = self.view().map_err(Failure::from)?;
        let (snapshot, searcher) = (&view.snapshot, self.searcher(scan_pool));
        let mut ids = BTreeSet::new();
        for rows in rows.chunks(ROWS_PER_PASS) {
            let query = |row: &Row<'_>| {
                searcher.selected_query(row.query()?, selection, |id| self.query_asset(&view, id))
            };
            let queries = rows.iter().map(query).collect::<Result<Vec<_>, _>>()?;
            let wanted: Vec<_> = queries.iter().map(|query| (query, selection)).collect();
            let hits = searcher.unit_hits(snapshot, &wanted);
            ids.extend(
                hits.iter()
                    .flat_map(|query| &query.hits)
                    .map(|hit| snapshot.segments[hit.segment as usize].slots.id(hit.slot)),
            );
            for query in queries {
                ids.extend(searcher.assets_by_simprints(snapshot, &query, selection)?);
            }
        }
        Ok(ids)
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
        let find_asset = |id: &str| self.query_asset(view, id);
        let searcher = self.searcher(scan_pool);
        let mut query = searcher.selected_query(body, selection, find_asset)?;
        let negative = negative.map(|negative| (negative.searcher(scan_pool), negative.snapshot()));
        let compared = negative.as_ref().filter(|(of, _)| of.matching == Matching::Approximate);
        let searched = Searched {
            snapshot: &view.snapshot,
            negative: compared.map(|(_, snapshot)| snapshot.as_ref()),
        };
        searcher.check_work(&searched, &query, selection)?;
        if let Some((searcher, snapshot)) = &negative {
            let hits = searcher.unit_hits(snapshot, &[(&query, selection)]);
            let hits = hits.iter().flat_map(|hits| &hits.hits);
            let matched: HashSet<usize> = hits.map(|hit| hit.position).collect();
            let removed = query.retain_units(|position, _| !matched.contains(&position));
            query.suppressed = Some(removed);
        }
        query.set_aside = Arc::clone(&selection.set_aside);
        Ok(query)
    }

    fn searcher<'a>(&'a self, scan_pool: &'a ScanPool) -> Searcher<'a> {
        Searcher { options: &self.options, matching: self.matching, scan_pool }
    }
}

impl Source for View<'_> {
    fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    fn record(&self, id: u64) -> Result<Option<&[u8]>, Failure> {
        self.reading.asset(id).map_err(Failure::from)
    }

    fn narrowed(&self, filters: &[Filter], max: usize) -> Result<Option<HashSet<u64>>, Failure> {
        self.candidates(filters, max).map_err(Failure::from)
    }
}
