//! Chooses how far to search in each list.

use super::cost::{Costs, costs};
use super::rings::ring;
use super::{LISTS_MAX, List, Lists};
use crate::scan::Probe;

/// How a probe searches the lists of a column.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Radius by list; -1 for lists that are not searched.
    pub(super) radii: [i8; LISTS_MAX],
    /// Expected cost (see [`super::cost`]).
    pub cost: f64,
    /// Expected number of entries that are compared.
    pub entries: f64,
}

/// The next ring of a list.
#[derive(Debug, Clone, Copy)]
struct Next {
    cost: f64,
    /// Expected number of entries.
    entries: f64,
    /// How many times more rows the probe's buckets have than evenly filled ones.
    crowding: f64,
}

const NEVER: Next = Next { cost: f64::INFINITY, entries: 0.0, crowding: 1.0 };

impl Lists {
    /// Plans a comparison of the first `bits` bits. Raises `distance_max + 1` times the radius that is cheapest to raise.
    /// Returns `None` if the lists cannot find all rows within the distance.
    pub fn plan(&self, probe: &Probe, bits: u16) -> Option<Plan> {
        let costs = costs();
        let usable = self.usable(bits);
        let fetched = fetched_share(probe.distance_max, bits);
        let mut next = [NEVER; LISTS_MAX];
        for index in usable.clone() {
            next[index] = self.next(&self.lists[index], probe, 0, 1.0, fetched, &costs);
        }
        let mut plan = Plan { radii: [-1; LISTS_MAX], cost: 0.0, entries: 0.0 };
        for _ in 0..=probe.distance_max {
            let cheapest = usable.clone().min_by(|&a, &b| next[a].cost.total_cmp(&next[b].cost))?;
            plan.cost += next[cheapest].cost;
            plan.entries += next[cheapest].entries;
            if !plan.cost.is_finite() {
                return None;
            }
            plan.radii[cheapest] += 1;
            let radius = plan.radii[cheapest] as usize + 1;
            let crowding = next[cheapest].crowding;
            next[cheapest] =
                self.next(&self.lists[cheapest], probe, radius, crowding, fetched, &costs);
        }
        Some(plan)
    }

    /// The ring at a radius. `crowding` is that of the ring before.
    fn next(
        &self,
        list: &List,
        probe: &Probe,
        radius: usize,
        crowding: f64,
        fetched: f64,
        costs: &Costs,
    ) -> Next {
        let Some(ring) = ring(list.part.bits(), radius) else { return NEVER };
        let even = ring.len() as f64 * self.rows as f64 / list.part.keys() as f64;
        let (rows, crowding) = if radius == 0 {
            let rows = list.bucket(list.part.key(probe.words[list.part.word()])).len() as f64;
            // A few rows more say nothing about the neighbours.
            (rows, ((rows + 4.0) / (even + 4.0)).max(1.0))
        } else {
            (even * crowding, crowding)
        };
        let row = list.row_cost(fetched, costs);
        Next { cost: ring.len() as f64 * costs.key + rows * row, entries: rows, crowding }
    }
}

impl List {
    /// Cost of an entry. `fetched` is the share of entries with words that are compared further.
    fn row_cost(&self, fetched: f64, costs: &Costs) -> f64 {
        if self.has_words() { costs.inline + fetched * costs.fetched } else { costs.fetched }
    }
}

/// Share of the rows whose first words are within the distance, so that their other words are fetched.
///
/// Distances of unrelated words are distributed around 32 with a standard deviation of 4, which a logistic function
/// approximates.
fn fetched_share(distance_max: u32, bits: u16) -> f64 {
    if bits <= 64 {
        return 0.0;
    }
    1.0 / (1.0 + (-(f64::from(distance_max) - 31.5) / 2.5).exp())
}
