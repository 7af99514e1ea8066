//! A step of a search that may end early: finds only rows that are much nearer than the threshold, and only with lists.

use super::choice::Choices;
use super::column_rows::UnitRows;
use super::columns::{Hits, Pass, Probes, Sought};
use super::plan::RowHit;
use super::units::Units;
use super::ways::Ways;
use crate::lists::cost::PLANNING;
use crate::options::Way;
use crate::scan_pool::ScanPool;

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
/// Each asset costs `asset_cost` later. `ways` counts the searches, also in that case.
pub fn near_assets(
    scan_pool: &ScanPool,
    units: &Units<'_>,
    cost_max: f64,
    asset_cost: f64,
    ways: &mut Ways,
) -> Option<Near> {
    let probes = NearRows(*units);
    let choices: Choices<'_, u32> = units.choose(Way::Lists);
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
                ways.lists += 1;
                rows.extend(found);
            }
            None => {
                ways.gave_up += 1;
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
    fn get(&self, index: usize) -> Sought<'_> {
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
