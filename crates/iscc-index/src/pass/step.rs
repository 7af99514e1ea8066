//! A step of a search that may end early: finds only rows that are much nearer than the threshold, and only with lists.
use iscc_columns::lists::cost::PLANNING;
use iscc_columns::methods::MethodCounts;
use iscc_columns::probes::Choices;
use iscc_columns::probes::Method;
use iscc_columns::probes::RowHit;
use iscc_columns::probes::UnitRows;
use iscc_columns::probes::{ColumnProbe, Hits, Pass, Probes};
use iscc_columns::scan_pool::ScanPool;

use super::units::Units;

/// Live assets with a unit near one of a query's.
#[derive(Debug, Default)]
pub struct Near {
    /// Segment and slot of each, in undefined order. Some may be in it several times.
    pub assets: Vec<(u32, u32)>,
    /// Planned cost.
    pub cost: f64,
}

/// Finds the live assets with a unit within the threshold of one of the probes, all of one query, in columns with lists.
///
/// Returns `None` if a column must be scanned, or if the search costs more than `cost_max`, as planned or as it turns out.
/// Each asset costs `asset_cost` later. `methods` counts the searches, also in that case.
pub fn near_assets(
    scan_pool: &ScanPool,
    units: &Units<'_>,
    cost_max: f64,
    asset_cost: f64,
    methods: &mut MethodCounts,
) -> Option<Near> {
    let probes = NearRows(*units);
    let choices: Choices<'_, u32> = units.choose(Method::Lists);
    let searched = choices.work(units).cost;
    let planning = PLANNING * choices.lists.len() as f64;
    if !choices.scans.is_empty() || searched + planning > cost_max {
        return None;
    }
    let pass = Pass { scan_pool, probes: &probes };
    let mut rows = Vec::new();
    for task in &choices.lists {
        // Buckets may be larger than planned, but all searches together may not cost more than the maximum.
        let budget = (cost_max - planning) * (task.extra.plan.cost / searched);
        match pass.near_in_lists(task, budget) {
            Some(found) => {
                methods.lists += 1;
                rows.extend(found);
            }
            None => {
                methods.gave_up += 1;
                return None;
            }
        }
    }
    let owners: usize = rows.iter().map(|row: &NearRow<'_>| row.owners.len()).sum();
    let cost = searched + planning;
    // A body of very many assets is not worth a look at all of them.
    if owners as f64 * asset_cost > cost_max - cost {
        return None;
    }
    let mut assets = Vec::with_capacity(owners);
    for row in rows {
        let slots = &units.snapshot.segments[row.segment as usize].slots;
        let live = row.owners.iter().filter(|&&slot| slots.is_live(slot));
        assets.extend(live.map(|&slot| (row.segment, slot)));
    }
    Some(Near { assets, cost })
}

/// The same units, whose hits are rows.
struct NearRows<'a>(Units<'a>);

/// A row and its assets, dead or live.
struct NearRow<'a> {
    segment: u32,
    owners: &'a [u32],
}

impl Probes for NearRows<'_> {
    fn get(&self, index: usize) -> ColumnProbe<'_> {
        self.0.get(index)
    }

    fn query(&self, index: usize) -> usize {
        self.0.query(index)
    }
}

impl<'a> Hits<'a, u32> for NearRows<'_> {
    type Hit = NearRow<'a>;

    fn add(&self, segment: usize, rows: &UnitRows<'a>, hit: RowHit, hits: &mut Vec<NearRow<'a>>) {
        if self.0.probes[hit.probe].accepts(rows, hit.row) {
            hits.push(NearRow { segment: segment as u32, owners: rows.owners(hit.row) });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::super::units::{Part, UnitProbe};
    use super::*;
    use crate::samples::{BESIDE_CROWD, crowded_rows, frozen};
    use crate::segment::sealed::SealedFile;
    use crate::segment::{FileColumns, FileSegment, Segment, SegmentRows};
    use crate::snapshot::Snapshot;
    use iscc_columns::column::Body;
    use iscc_columns::lists::ListSizes;
    use iscc_columns::slots::Slots;
    use iscc_columns::unit::UnitType;

    const UNIT: UnitType = UnitType::DATA;
    const CROWD: u32 = 20_000;
    /// Copies of [`BESIDE_CROWD`] but for a bit of the third part.
    const COPIES: u32 = 3;
    /// Costs nothing, so that a test counts only searches.
    const FREE: f64 = 0.0;

    fn snapshot() -> Snapshot {
        let mut rows = crowded_rows(CROWD);
        rows.extend((0..COPIES).map(|_| vec![1, 2, 3, 4, 5, 6, 1, 0]));
        let mut slots = Slots::default();
        for number in 0..rows.len() {
            slots.push(number as u64);
        }
        let column = frozen(&rows, ListSizes::default());
        let columns =
            FileColumns { units: BTreeMap::from([((UNIT, 64), column)]), ..FileColumns::default() };
        let (file, columns) = (Arc::new(SealedFile::of_columns()), Arc::new(columns));
        let rows = SegmentRows::File(FileSegment { file, columns });
        let segment = Segment { uid: 0, slots, rows };
        Snapshot { segments: vec![Arc::new(segment)], ..Snapshot::default() }
    }

    fn probe(position: usize) -> UnitProbe<'static> {
        let body = Body::new(&BESIDE_CROWD).unwrap();
        let (exact, skips_featureless) = (true, false);
        UnitProbe {
            query: 0,
            position,
            unit: UNIT,
            body,
            threshold: 0.875,
            exact,
            skips_featureless,
            set_aside: None,
        }
    }

    /// What a step finds, and the searches that it made.
    fn step(
        snapshot: &Snapshot,
        probes: &[UnitProbe<'_>],
        cost_max: f64,
        asset_cost: f64,
    ) -> (Option<Near>, MethodCounts) {
        let mut methods = MethodCounts::default();
        let units = Units { snapshot, probes, part: Part::WithLists };
        let scan_pool = ScanPool::without_threads();
        let near = near_assets(&scan_pool, &units, cost_max, asset_cost, &mut methods);
        (near, methods)
    }

    fn planned_cost(snapshot: &Snapshot, probes: &[UnitProbe<'_>]) -> f64 {
        step(snapshot, probes, f64::INFINITY, FREE).0.unwrap().cost
    }

    #[test]
    fn a_step_ends_when_its_buckets_cost_more_than_planned() {
        let snapshot = snapshot();
        for probes in [vec![probe(0)], vec![probe(0), probe(1)]] {
            let planned = planned_cost(&snapshot, &probes);
            let (near, methods) = step(&snapshot, &probes, planned, FREE);
            assert!(near.is_none());
            assert_eq!(methods, MethodCounts { gave_up: 1, ..MethodCounts::default() });
            let (near, methods) = step(&snapshot, &probes, planned * 100.0, FREE);
            assert!(near.is_some());
            assert_eq!(
                methods,
                MethodCounts { lists: probes.len() as u64, ..MethodCounts::default() }
            );
        }
    }

    #[test]
    fn the_searches_of_a_step_share_its_budget() {
        let snapshot = snapshot();
        let probes = [probe(0), probe(1)];
        let is_enough = |probes: &[UnitProbe<'_>], searched: f64| {
            let planning = PLANNING * probes.len() as f64;
            step(&snapshot, probes, searched + planning, FREE).0.is_some()
        };
        let (mut low, mut high) = (0.0, planned_cost(&snapshot, &probes) * 100.0);
        while high - low > 1.0 {
            let middle = (low + high) / 2.0;
            let half = if is_enough(&probes[..1], middle) { &mut high } else { &mut low };
            *half = middle;
        }
        assert!(!is_enough(&probes, high * 1.5));
        assert!(is_enough(&probes, high * 2.0 + 1.0));
    }

    #[test]
    fn a_step_that_is_planned_to_cost_too_much_searches_nothing() {
        let snapshot = snapshot();
        let planned = planned_cost(&snapshot, &[probe(0)]);
        let (near, methods) = step(&snapshot, &[probe(0)], planned - 1.0, FREE);
        assert!(near.is_none());
        assert_eq!(methods, MethodCounts::default());
    }

    #[test]
    fn a_column_without_lists_that_fit_ends_a_step() {
        let snapshot = snapshot();
        // So many bits that no radius of a list finds them all.
        let far = UnitProbe { threshold: 0.0, ..probe(0) };
        let (near, methods) = step(&snapshot, &[far], f64::INFINITY, FREE);
        assert!(near.is_none());
        assert_eq!(methods, MethodCounts::default());
    }

    #[test]
    fn only_live_assets_are_found_and_all_count_as_work() {
        let mut snapshot = snapshot();
        let exact = UnitProbe { threshold: 63.0 / 64.0, ..probe(0) };
        let planned = planned_cost(&snapshot, &[exact]);
        let expected = |slots: &[u32]| slots.iter().map(|&slot| (0, slot)).collect::<Vec<_>>();
        let assets = |snapshot: &Snapshot, cost_max: f64| {
            let near = step(snapshot, &[exact], cost_max, 1_000.0).0?;
            Some(near.assets)
        };
        let enough = planned + f64::from(COPIES) * 1_000.0 + 1.0;
        assert_eq!(assets(&snapshot, enough - 2.0), None);
        assert_eq!(assets(&snapshot, enough), Some(expected(&[CROWD, CROWD + 1, CROWD + 2])));
        Arc::make_mut(&mut snapshot.segments[0]).slots.mark_dead(CROWD + 1);
        assert_eq!(assets(&snapshot, enough), Some(expected(&[CROWD, CROWD + 2])));
    }
}
