//! Early end: answers an exact search with a small limit without the full search, if the best matches are near.
//!
//! The search raises the distance in steps. After a step, a unit that was not found has at most a similarity `s`, so the
//! score `Σ s^e / Σ s` of an asset of which no unit was found is at most `s^(e-1)`: it is a mean of the `s^(e-1)` of its
//! units. If enough assets that were found score more, the response is that of the full search. Assets that were found
//! are scored with all their units, which their records contain.
//!
//! Only columns with lists are searched in steps. The others, and Instance-Codes, are searched as usual before, so all
//! their hits are known. Whether steps are tried, and when they are given up, depends on counted work.
use iscc_columns::distance::similarity;
use iscc_columns::lists::cost::{PLANNING, RECORD};
use iscc_columns::probes::Method;
use iscc_index::pass::{Part, UnitHit, Units, near_assets, units_work};
use iscc_index::record::Record;
use iscc_index::segment::Matching;
use iscc_index::snapshot::Snapshot;

use super::{QueryHits, Searcher, Source, Wanted, realm};
use crate::options::EarlyEnd;
use crate::query::Query;
use crate::reply::SearchReport;
use crate::score::approximate_units;

/// Largest limit. With a larger one, there rarely are enough near matches.
const LIMIT_MAX: usize = 16;

/// Similarity of the units that each step finds: 0, 15 and 31 of 256 bits differ.
const STEPS: [f64; 3] = [1.0, 241.0 / 256.0, LAST_STEP];

/// From this threshold on, lists alone make the full search fast.
const LAST_STEP: f64 = 225.0 / 256.0;

/// Largest share of the cost of the full search that all steps may cost. Costs are only right within a factor of two.
const SHARE_MAX: f64 = 1.0 / 32.0;

/// Exponents of the score for which the bound holds, also with rounding. With 1, all scores are equal.
const EXPONENTS: std::ops::RangeInclusive<u32> = 2..=64;

/// Exceeds all rounding errors of scores.
const ROUNDING: f64 = 1e-9;

/// A query that may end early.
pub struct Early<'a> {
    searcher: Searcher<'a>,
    snapshot: &'a Snapshot,
    query: &'a Query,
    wanted: &'a Wanted,
    /// Position of the query in the pass.
    number: usize,
    cost_max: f64,
}

impl<'a> Early<'a> {
    /// Returns `None` if the query needs all hits, or if the full search is not much more expensive than the steps.
    pub fn new(
        searcher: Searcher<'a>,
        snapshot: &'a Snapshot,
        number: usize,
        (query, wanted): (&'a Query, &'a Wanted),
    ) -> Option<Self> {
        let (options, selection) = (searcher.options, &wanted.selection);
        let is_possible = searcher.matching == Matching::Approximate
            && options.method != Method::Scan
            && options.early_end != EarlyEnd::Never
            && EXPONENTS.contains(&options.confidence_exponent)
            && (1..=LIMIT_MAX).contains(&wanted.limit)
            && selection.filters.is_empty()
            && selection.cursor.is_none()
            && searcher.threshold(selection) < LAST_STEP
            // The response tells whether graphs were used, which may miss matches.
            && (selection.exact || snapshot.graphs() == 0);
        if !is_possible {
            return None;
        }
        let mut early = Self { searcher, snapshot, query, wanted, number, cost_max: f64::INFINITY };
        let threshold = searcher.threshold(selection);
        let probes = query.probes(number, threshold, true);
        let (searches, cost) = Units { snapshot, probes: &probes, part: Part::WithLists }.scans();
        if searches == 0 {
            return None;
        }
        if options.early_end == EarlyEnd::Planned {
            let planning = PLANNING * (searches * STEPS.len()) as f64;
            if planning > cost * SHARE_MAX {
                return None;
            }
            let work = units_work(snapshot, &probes, Part::WithLists, options.method);
            early.cost_max = work.cost * SHARE_MAX;
        }
        Some(early)
    }

    /// All hits of the best assets, if these are enough for the response. `found` are the hits in the columns without
    /// lists, and of Instance-Codes.
    pub fn run(
        &self,
        source: &impl Source,
        found: &[UnitHit],
        report: &mut SearchReport,
    ) -> Option<Vec<UnitHit>> {
        let start = std::time::Instant::now();
        let before = report.methods;
        let hits = self.steps(source, found, report);
        report.times.lists += start.elapsed();
        report.is_early = hits.is_some();
        if report.is_early {
            self.searcher.scan_pool.count_early_end();
        }
        self.searcher.scan_pool.methods.add(&(report.methods - before));
        hits
    }

    fn steps(
        &self,
        source: &impl Source,
        found: &[UnitHit],
        report: &mut SearchReport,
    ) -> Option<Vec<UnitHit>> {
        let (scan_pool, mut left) = (self.searcher.scan_pool, self.cost_max);
        for threshold in STEPS {
            let probes = self.query.probes(self.number, threshold, true);
            let units = Units { snapshot: self.snapshot, probes: &probes, part: Part::WithLists };
            let near = near_assets(scan_pool, &units, left, RECORD, &mut report.methods)?;
            let others = units.similarity_of_others();
            let assets = seen(near.assets, found, others);
            left -= near.cost;
            let bound = self.bound(others);
            // No asset that was not found has the lowest score that is wanted.
            let is_complete = bound < self.wanted.selection.min_score;
            if assets.len() < self.wanted.limit && !is_complete {
                continue;
            }
            left -= assets.len() as f64 * RECORD;
            if left < 0.0 {
                return None;
            }
            let hits = self.hits(source, &assets)?;
            if is_complete || self.is_enough(source, &hits, bound) {
                return Some(hits);
            }
        }
        None
    }

    /// Upper bound of the score of an asset whose units all have at most a similarity.
    fn bound(&self, similarity: f64) -> f64 {
        // `EXPONENTS` limits the number.
        let exponent = self.searcher.options.confidence_exponent as i32;
        similarity.powi(exponent - 1) * (1.0 + ROUNDING)
    }

    /// All hits of assets, as the full search finds them. Returns `None` if a record cannot be read, so that the full
    /// search decides what that means.
    fn hits(&self, source: &impl Source, assets: &[(u32, u32)]) -> Option<Vec<UnitHit>> {
        let threshold = self.searcher.threshold(&self.wanted.selection);
        let probes = self.query.probes(self.number, threshold, true);
        let mut hits = Vec::new();
        for &(segment, slot) in assets {
            let id = self.snapshot.segments[segment as usize].slots.id(slot);
            let (units, _) = Record::read_units(source.record(id).ok()??)?;
            for probe in &probes {
                let compared = units.iter().filter_map(|(unit, body)| probe.compare(*unit, body));
                hits.extend(compared.map(|(distance, bits)| UnitHit {
                    query: self.number,
                    segment,
                    slot,
                    position: probe.position,
                    distance,
                    bits,
                }));
            }
        }
        Some(hits)
    }

    /// Whether as many assets as are wanted score more than the bound of all others.
    fn is_enough(&self, source: &impl Source, hits: &[UnitHit], bound: f64) -> bool {
        let Query { units, exclude, .. } = self.query;
        let exponent = self.searcher.options.confidence_exponent;
        let hits = hits.to_vec();
        let ranked = approximate_units(self.snapshot, units, hits, exponent, *exclude, usize::MAX);
        let better = ranked.iter().take_while(|matched| matched.score > bound);
        let realm = realm(source);
        let accepts = |matched: &&crate::score::GlobalMatch| {
            self.wanted.selection.accepts(realm, matched.id, matched.score)
        };
        better.filter(accepts).count() >= self.wanted.limit
    }
}

impl Searcher<'_> {
    /// The hits of each query's units, or all hits of its best assets where these are enough for the response.
    pub fn hits(&self, source: &impl Source, queries: &[(&Query, &Wanted)]) -> Vec<QueryHits> {
        let snapshot = source.snapshot();
        let early = queries.iter().enumerate();
        let early = early.map(|(number, query)| Early::new(*self, snapshot, number, *query));
        let early: Vec<Option<Early<'_>>> = early.collect();
        let selected: Vec<_> =
            queries.iter().map(|(query, wanted)| (*query, &wanted.selection)).collect();
        if early.iter().all(Option::is_none) {
            return self.unit_hits(snapshot, &selected);
        }
        let mut probes = self.probes(&selected);
        let mut all = self.prefix_hits(snapshot, &probes, queries.len());
        self.add_similar(snapshot, &probes, Part::WithoutLists, &mut all);
        for (early, QueryHits { hits, report }) in early.iter().zip(&mut all) {
            if let Some(found) = early.as_ref().and_then(|early| early.run(source, hits, report)) {
                *hits = found;
            }
        }
        // The other queries share a pass.
        probes.retain(|probe| !all[probe.query].report.is_early);
        self.add_similar(snapshot, &probes, Part::WithLists, &mut all);
        all
    }
}

/// Segment and slot of each asset that may score more than the bound of those that were not found: the near ones, and
/// those with a hit that is more similar than all `others`.
fn seen(near: Vec<(u32, u32)>, found: &[UnitHit], others: f64) -> Vec<(u32, u32)> {
    let is_better = |hit: &&UnitHit| similarity(u32::from(hit.distance), hit.bits) > others;
    let better = found.iter().filter(is_better).map(|hit| (hit.segment, hit.slot));
    let mut assets = near;
    assets.extend(better);
    assets.sort_unstable();
    assets.dedup();
    assets
}
