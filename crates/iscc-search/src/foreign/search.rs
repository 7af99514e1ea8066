//! Searches in an index that another engine stores.
use std::collections::BTreeSet;

use iscc_columns::column::Body;
use iscc_columns::distance::distance_max;
use iscc_columns::scan_pool::ScanPool;
use iscc_columns::unit::is_instance;
use iscc_index::id::IsccId;
use iscc_index::pass::SimprintQuery;
use iscc_index::record::Record;

use super::candidates::Candidates;
use super::{Counts, ForeignIndex, MATCHING, hex, simprint_term};
use crate::asset_match::AssetMatch;
use crate::engine::{CheckedSearch, SearchBody, check_search};
use crate::failure::Failure;
use crate::index::{IndexState, check_realm, no_asset};
use crate::options::Options;
use crate::query::{Query, QueryAsset};
use crate::reply::Found;
use crate::request::query::SearchParameters;
use crate::row::{Row, key};
use crate::search::{Searcher, Source, Wanted, bodies, check_lengths};

/// Units have a multiple of so many bits.
const STEP_BITS: u16 = 32;
/// The lowest threshold for which units that match always have a part that differs in at most one bit.
const COMPLETE_THRESHOLD: f64 = 0.88;

/// A search request.
pub struct Search<'a> {
    /// Where to search.
    pub index: ForeignIndex,
    /// What to search for.
    pub body: SearchBody,
    /// Parameters besides.
    pub parameters: SearchParameters,
    /// Settings.
    pub options: &'a Options,
}

/// What to look for.
#[derive(Debug, Default)]
pub struct Plan {
    /// Key of the asset that the query refers to, if it is not known yet. Then all else is empty.
    pub asset: Option<String>,
    /// The units.
    pub units: Vec<UnitPlan>,
    /// The simprints.
    pub simprints: Vec<SimprintsPlan>,
    /// Number of matches that the client wants; `None` if some may be left out afterwards.
    pub limit: Option<usize>,
}

/// A unit to look for.
#[derive(Debug)]
pub struct UnitPlan {
    /// Name of its type.
    pub unit: String,
    /// The body, in hexadecimal digits.
    pub body: String,
    /// Whether only equal prefixes match.
    pub is_exact: bool,
    /// Largest distance of a match for each length in bits that is compared: multiples of 32, up to its own.
    pub distances: Vec<(u16, u32)>,
}

/// Simprints to look for.
#[derive(Debug)]
pub struct SimprintsPlan {
    /// Number of their type.
    pub kind: u16,
    /// Their length in bits.
    pub bits: u16,
    /// Largest distance of a match.
    pub distance: u32,
    /// The bodies, in hexadecimal digits.
    pub bodies: Vec<String>,
}

impl Search<'_> {
    /// Checks the request and says what to look for.
    ///
    /// `asset` is the JSON array of the rows with the key that an earlier plan returned, at most one.
    pub fn plan(&self, asset: Option<&[u8]>) -> Result<Plan, Failure> {
        let checked = self.check()?;
        if let (Some(id), None) = (&checked.body.iscc_id, asset) {
            checked.selection.check_for(MATCHING, self.options)?;
            let asset = Some(key(self.known_id(id)?.body));
            return Ok(Plan { asset, ..Plan::default() });
        }
        let scan_pool = ScanPool::without_threads();
        let searcher = self.searcher(&scan_pool);
        let (query, wanted) = self.query(&searcher, checked, asset)?;
        let units = query.units.iter().map(|unit| UnitPlan {
            unit: unit.kind.to_string(),
            body: hex(&unit.body),
            is_exact: is_instance(unit.kind),
            distances: (STEP_BITS..=unit.body.bits())
                .step_by(usize::from(STEP_BITS))
                .map(|bits| (bits, distance_max(bits, searcher.threshold(&wanted.selection))))
                .collect(),
        });
        let mut simprints = Vec::new();
        for (name, list) in &query.simprints {
            let known = self.state()?.simprint_types.iter().position(|(known, _)| known == name);
            let Some(kind) = known else { continue };
            let bits = self.state()?.simprint_types[kind].1;
            simprints.push(SimprintsPlan {
                kind: kind as u16,
                bits,
                distance: distance_max(bits, searcher.threshold_simprints(&wanted.selection)),
                bodies: bodies(list)
                    .iter()
                    .filter(|body| **body != Body::EMPTY)
                    .map(hex)
                    .collect::<BTreeSet<_>>()
                    .into_iter()
                    .collect(),
            });
        }
        let limit = wanted.selection.is_all().then_some(wanted.limit);
        Ok(Plan { asset: None, units: units.collect(), simprints, limit })
    }

    /// Terms of the stored simprints of candidates that match, whose counts are part of the scores.
    pub fn matching_simprints(
        &self,
        asset: Option<&[u8]>,
        rows: &[u8],
    ) -> Result<Vec<String>, Failure> {
        let scan_pool = ScanPool::without_threads();
        let searcher = self.searcher(&scan_pool);
        let (query, wanted) = self.query(&searcher, self.check()?, asset)?;
        let candidates = Candidates::read(self.state()?, rows, &Counts::default())?;
        let snapshot = candidates.snapshot();
        let mut terms = BTreeSet::new();
        for (name, list) in &query.simprints {
            let Some(&known) = snapshot.simprint_types.get(name) else { continue };
            let threshold = searcher.threshold_simprints(&wanted.selection);
            let query = SimprintQuery::new(known.kind, &bodies(list));
            let found = searcher.simprints_found(snapshot, threshold, &query);
            terms.extend(found.hits.iter().map(|row| simprint_term(known.kind, &row.body)));
        }
        Ok(terms.into_iter().collect())
    }

    /// The response of a search, from the JSON array of its candidates.
    pub fn score(
        &self,
        asset: Option<&[u8]>,
        rows: &[u8],
        counts: &Counts,
    ) -> Result<Found, Failure> {
        self.scored(asset, rows, counts, |searcher, candidates, query, wanted| {
            let mut hits = searcher
                .unit_hits(candidates.snapshot(), &[(query, &wanted.selection)])
                .into_iter();
            searcher.respond(candidates, query, wanted, hits.next().unwrap_or_default())
        })
    }

    /// The typed result of a search with units.
    pub fn matches(&self, rows: &[u8]) -> Result<Vec<AssetMatch>, Failure> {
        self.scored(None, rows, &Counts::default(), |searcher, candidates, query, wanted| {
            let mut hits = searcher
                .unit_hits(candidates.snapshot(), &[(query, &wanted.selection)])
                .into_iter();
            let hits = hits.next().unwrap_or_default().hits;
            searcher.matches(candidates, query, wanted.limit, hits)
        })
    }

    fn scored<T>(
        &self,
        asset: Option<&[u8]>,
        rows: &[u8],
        counts: &Counts,
        score: impl FnOnce(&Searcher<'_>, &Candidates, &Query, &Wanted) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let scan_pool = ScanPool::without_threads();
        let searcher = self.searcher(&scan_pool);
        let (query, wanted) = self.query(&searcher, self.check()?, asset)?;
        let candidates = Candidates::read(self.state()?, rows, counts)?;
        score(&searcher, &candidates, &query, &wanted)
    }

    fn state(&self) -> Result<&IndexState, Failure> {
        self.index.state()
    }

    fn check(&self) -> Result<CheckedSearch<'_, ()>, Failure> {
        let checked = check_search(&self.body, &self.parameters, || self.state().map(|_| ()))?;
        let selection = self.parameters.selection.as_deref();
        if selection.is_some_and(|all| all.not_in.is_some()) {
            let text = "not_in: indexes in OpenSearch do not support it";
            return Err(Failure::rejected(text));
        }
        Ok(checked)
    }

    fn searcher<'s>(&'s self, scan_pool: &'s ScanPool) -> Searcher<'s> {
        Searcher { options: self.options, matching: MATCHING, scan_pool }
    }

    fn query(
        &self,
        searcher: &Searcher<'_>,
        CheckedSearch { body, limit, selection, .. }: CheckedSearch<'_, ()>,
        asset: Option<&[u8]>,
    ) -> Result<(Query, Wanted), Failure> {
        let find_asset = |id: &str| self.query_asset(id, asset.unwrap_or(b"[]"));
        let query = searcher.selected_query(body, &selection, find_asset)?;
        let is_complete =
            query.simprints.is_empty() && searcher.threshold(&selection) >= COMPLETE_THRESHOLD;
        if selection.exact && !is_complete {
            let text = format!(
                "exact: indexes in OpenSearch find all matches only of units, and from threshold={COMPLETE_THRESHOLD} on"
            );
            return Err(Failure::rejected(text));
        }
        for (name, list) in &query.simprints {
            let known = self.state()?.simprint_types.iter().find(|(known, _)| known == name);
            if let Some((_, bits)) = known {
                check_lengths(name, list, *bits)?;
            }
        }
        Ok((query, Wanted { limit, selection }))
    }

    fn known_id(&self, id_text: &str) -> Result<IsccId, Failure> {
        let id = IsccId::parse(id_text).map_err(Failure::rejected)?;
        check_realm(self.state()?.realm, id.realm, id_text)?;
        Ok(id)
    }

    fn query_asset(&self, id_text: &str, rows: &[u8]) -> Result<QueryAsset, Failure> {
        let id = self.known_id(id_text)?;
        let rows: Vec<Row<'_>> = serde_json::from_slice(rows).map_err(Failure::broken)?;
        let row = rows.into_iter().next().ok_or_else(|| no_asset(MATCHING, id_text))?;
        let asset = row.into_asset(id.realm, MATCHING)?;
        let damaged = || Failure::broken("a record is damaged");
        let record = Record::read(&asset.record).ok_or_else(damaged)?;
        Ok(QueryAsset::new(id.body, record, asset.simprints.unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lengths in bits of the parts by which the other engine finds near units.
    const PART_BITS: u16 = 16;

    #[test]
    fn near_units_share_a_part_from_the_complete_threshold_on() {
        for bits in (STEP_BITS..=256).step_by(usize::from(STEP_BITS)) {
            let parts = u32::from(bits / PART_BITS);
            // With two different bits in each part, no part would be near.
            assert!(distance_max(bits, COMPLETE_THRESHOLD) < 2 * parts, "{bits}");
        }
        assert!(distance_max(256, COMPLETE_THRESHOLD - 0.01) >= 2 * u32::from(256 / PART_BITS));
    }
}
