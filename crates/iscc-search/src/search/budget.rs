//! Refuses searches that would take too long, before any row is compared.
//!
//! The planned work is counted and not timed, so the same request is accepted or refused each time.
use iscc_columns::lists::cost::scan_cost;
use iscc_columns::probes::Work;
use iscc_index::pass::{Part, SimprintQuery, simprints_work, units_work};
use iscc_index::segment::Matching;
use iscc_index::snapshot::Snapshot;

use super::{Searcher, bodies};
use crate::failure::Failure;
use crate::query::Query;
use crate::request::selection::Selection;

/// Length of the longest bodies in bits.
const BITS_MAX: u16 = 256;

/// Cost of a second of processor time (see [`iscc_columns::lists::cost`]).
const COST_PER_SECOND: f64 = 1e9;

/// What a query is searched in.
pub struct Searched<'a> {
    /// The index.
    pub snapshot: &'a Snapshot,
    /// The index whose matches remove units from the query, if it compares by similarity.
    pub negative: Option<&'a Snapshot>,
}

impl Searcher<'_> {
    /// Refuses a query whose planned work is more than [`crate::Options::search_seconds_max`].
    ///
    /// # Errors
    /// `Rejected`, with the lowest thresholds at which the query is accepted, if there are some.
    pub fn check_work(
        &self,
        searched: &Searched<'_>,
        query: &Query,
        selection: &Selection,
    ) -> Result<(), Failure> {
        let cost_max = self.options.search_seconds_max * COST_PER_SECOND;
        if cost_max <= 0.0 || self.matching != Matching::Approximate {
            return Ok(());
        }
        let budget = Budget { searcher: self, searched, query, selection, cost_max };
        if budget.cost_bound() <= cost_max { Ok(()) } else { budget.check() }
    }
}

/// A query whose work is planned.
struct Budget<'a> {
    searcher: &'a Searcher<'a>,
    searched: &'a Searched<'a>,
    query: &'a Query,
    selection: &'a Selection,
    cost_max: f64,
}

impl Budget<'_> {
    /// Cost if all rows are compared. Most queries need no plan to be accepted.
    fn cost_bound(&self) -> f64 {
        let Searched { snapshot, negative } = self.searched;
        let units = self.query.units.len();
        let simprints: usize = self.query.simprints.iter().map(|(_, list)| list.len()).sum();
        let rows = snapshot.rows() * (units + simprints);
        let negative = negative.map_or(0, |snapshot| snapshot.rows() * units);
        scan_cost(rows + negative, BITS_MAX)
    }

    fn check(&self) -> Result<(), Failure> {
        let thresholds = (
            self.searcher.threshold(self.selection),
            self.searcher.threshold_simprints(self.selection),
        );
        let (units, simprints) = (self.units(thresholds.0), self.simprints(thresholds.1));
        let fits = |cost: f64| cost <= self.cost_max;
        if fits(units.cost + simprints.cost) {
            return Ok(());
        }
        let raise_units = || {
            let fits = |threshold| fits(self.units(threshold).cost + simprints.cost);
            let at_least = lowest(thresholds.0, fits)?;
            Some(format!("raise threshold to at least {at_least}"))
        };
        let raise_simprints = || {
            let fits = |threshold| fits(units.cost + self.simprints(threshold).cost);
            let at_least = lowest(thresholds.1, fits)?;
            Some(format!("raise threshold_simprints to at least {at_least}"))
        };
        let raise_both = || {
            let fits =
                |threshold| fits(self.units(threshold).cost + self.simprints(threshold).cost);
            let at_least = lowest(thresholds.0.max(thresholds.1), fits)?;
            Some(format!("raise threshold and threshold_simprints to at least {at_least}"))
        };
        // The part that takes longer is the one to change.
        let advice = if units.cost >= simprints.cost {
            raise_units().or_else(raise_simprints)
        } else {
            raise_simprints().or_else(raise_units)
        };
        let advice = advice.or_else(raise_both);
        let advice = advice.as_deref().unwrap_or("search with fewer units or simprints");
        let rows = units.rows + simprints.rows;
        Err(Failure::rejected(format!("the search would compare {rows:.0} rows; {advice}")))
    }

    fn units(&self, threshold: f64) -> Work {
        let probes = self.query.probes(0, threshold, self.selection.exact);
        let mut work = Work::default();
        for snapshot in [Some(self.searched.snapshot), self.searched.negative].into_iter().flatten()
        {
            work += units_work(snapshot, &probes, Part::All, self.searcher.options.method);
        }
        work
    }

    fn simprints(&self, threshold: f64) -> Work {
        let snapshot = self.searched.snapshot;
        let mut work = Work::default();
        for (name, simprints) in &self.query.simprints {
            if let Some(known) = snapshot.simprint_types.get(name) {
                let query = SimprintQuery::new(known.kind, &bodies(simprints));
                work += simprints_work(snapshot, &query, threshold, self.searcher.options.method);
            }
        }
        work
    }
}

/// The lowest threshold above `refused` that fits, in steps of one of 256 bits, rounded down to four decimals. `None` if
/// even equal bodies do not fit.
fn lowest(refused: f64, fits: impl Fn(f64) -> bool) -> Option<f64> {
    let step = |number: u32| (f64::from(number) / 256.0 * 10_000.0).floor() / 10_000.0;
    let (mut low, mut high) = ((refused * 256.0).floor() as u32, 256);
    if low >= high || !fits(1.0) {
        return None;
    }
    while high - low > 1 {
        let middle = low.midpoint(high);
        if step(middle) > refused && fits(step(middle)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(step(high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_threshold_fits_and_the_step_below_does_not() {
        for limit in [0.751, 0.8, 0.8789, 0.9999] {
            let found = lowest(0.75, |threshold| threshold >= limit).unwrap();
            assert!(found >= limit && found - 0.0041 < limit, "{limit}: {found}");
            assert_eq!(found.to_string().parse(), Ok(found));
        }
        assert_eq!(lowest(0.75, |threshold| threshold == 1.0), Some(1.0));
        assert_eq!(lowest(0.75, |_| false), None);
        assert_eq!(lowest(1.0, |_| true), None);
    }
}
