//! Similar units: all rows within the threshold, by lists, graph or scan.
use std::collections::HashSet;

use iscc_columns::column::Body;
use iscc_columns::distance::similarity;
use iscc_columns::lists::cost::scan_cost;
use iscc_columns::probes::Method;
use iscc_columns::probes::UnitRows;
use iscc_columns::probes::Work;
use iscc_columns::probes::{Choices, choose};
use iscc_columns::probes::{ColumnProbe, Hits, Pass, PassFound, Probes};
use iscc_columns::probes::{RowHit, Rows, probe_of};
use iscc_columns::scan_pool::ScanPool;
use iscc_columns::unit::{UnitType, is_instance};

use crate::snapshot::Snapshot;

/// A unit of a query.
#[derive(Debug, Clone, Copy)]
pub struct UnitProbe<'a> {
    /// Position of its query among the queries of the pass.
    pub query: usize,
    /// Position among the query's units.
    pub position: usize,
    /// Type of the unit.
    pub unit: UnitType,
    /// Body of the unit.
    pub body: Body,
    /// Lowest similarity of a hit, 0 to 1.
    pub threshold: f64,
    /// Whether graphs are not used.
    pub exact: bool,
    /// Whether rows that are featureless Image-Codes are no hits.
    pub skips_featureless: bool,
    /// Stored units that are no hits. Units that match by prefix are not among them.
    pub set_aside: Option<&'a HashSet<(UnitType, Body)>>,
}

impl UnitProbe<'_> {
    /// Whether a row may be a hit.
    pub(super) fn accepts(&self, rows: &UnitRows<'_>, row: usize) -> bool {
        let accepts_all = !self.skips_featureless && self.set_aside.is_none();
        accepts_all || self.accepts_body(&rows.body(row))
    }

    fn accepts_body(&self, body: &Body) -> bool {
        let is_set_aside = self.set_aside.is_some_and(|all| all.contains(&(self.unit, *body)));
        let is_featureless =
            || self.skips_featureless && iscc_codec::is_featureless(self.unit, &body.to_bytes());
        !is_set_aside && !is_featureless()
    }

    /// Differing and compared bits, if a stored unit is a hit, as [`similar_units`] and [`super::prefixes`] find it.
    pub fn compare(&self, unit: UnitType, body: &Body) -> Option<(u16, u16)> {
        if unit != self.unit {
            return None;
        }
        let (probe, bits) = probe_of(&self.body, body.bits(), self.threshold);
        let distance = self.body.prefix(bits).distance(&body.prefix(bits));
        let (max, is_accepted) = match is_instance(unit) {
            true => (0, true),
            false => (probe.distance_max, self.accepts_body(body)),
        };
        (distance <= max && is_accepted).then_some((distance as u16, bits))
    }
}

/// An asset with a unit near a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnitHit {
    /// Position of the probe's query among the queries of the pass.
    pub query: usize,
    /// Position of the asset's segment in the snapshot.
    pub segment: u32,
    /// The asset's slot.
    pub slot: u32,
    /// Position of the probe among the query's units.
    pub position: usize,
    /// Number of differing bits.
    pub distance: u16,
    /// Number of compared bits.
    pub bits: u16,
}

/// Columns that a pass searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// All.
    All,
    /// Those with lists.
    WithLists,
    /// Those without lists.
    WithoutLists,
}

impl Part {
    fn has(self, rows: &UnitRows<'_>) -> bool {
        match self {
            Self::All => true,
            Self::WithLists => rows.has_lists(),
            Self::WithoutLists => !rows.has_lists(),
        }
    }
}

/// Finds every live asset with a unit within the threshold of a probe, of the same type. `queries` is the number of
/// queries that the probes belong to.
pub fn similar_units(
    scan_pool: &ScanPool,
    snapshot: &Snapshot,
    probes: &[UnitProbe<'_>],
    part: Part,
    queries: usize,
    method: Method,
) -> PassFound<UnitHit> {
    let probes = Units { snapshot, probes, part };
    Pass { scan_pool, probes: &probes }.run(queries, || probes.choose(method))
}

/// The work of [`similar_units`] with the probes of one query.
pub fn units_work(snapshot: &Snapshot, probes: &[UnitProbe], part: Part, method: Method) -> Work {
    let probes = Units { snapshot, probes, part };
    probes.choose(method).work(&probes)
}

/// The units of all queries of a pass.
#[derive(Clone, Copy)]
pub struct Units<'a> {
    /// The rows.
    pub snapshot: &'a Snapshot,
    /// The units.
    pub probes: &'a [UnitProbe<'a>],
    /// The columns.
    pub part: Part,
}

impl<'a> Units<'a> {
    /// Number of searches of a column with one probe, and what they cost if all are scans that share nothing.
    pub fn scans(&self) -> (usize, f64) {
        let cost = |(probe, rows): (&UnitProbe<'_>, UnitRows<'_>)| {
            scan_cost(rows.rows(), probe.body.bits().min(rows.bits()))
        };
        self.pairs().fold((0, 0.0), |(count, all), pair| (count + 1, all + cost(pair)))
    }

    /// Largest similarity of a unit that is no hit; 0 if there are no columns.
    pub fn similarity_of_others(&self) -> f64 {
        let similarity = |(probe, rows): (&UnitProbe<'_>, UnitRows<'_>)| {
            let (searched, bits) = probe_of(&probe.body, rows.bits(), probe.threshold);
            similarity(searched.distance_max + 1, bits)
        };
        self.pairs().map(similarity).fold(0.0, f64::max)
    }

    /// Each probe with each of its columns.
    fn pairs(&self) -> impl Iterator<Item = (&'a UnitProbe<'a>, UnitRows<'a>)> + use<'a> {
        let Self { snapshot, probes, part } = *self;
        let columns = snapshot.segments.iter().flat_map(|segment| segment.unit_columns());
        columns.filter(move |(_, rows)| part.has(rows)).flat_map(move |(key, rows)| {
            probes.iter().filter(move |probe| probe.unit == key.0).map(move |probe| (probe, rows))
        })
    }

    /// Chooses how each probe searches its columns.
    pub(super) fn choose(&self, method: Method) -> Choices<'a, u32> {
        let mut choices = Choices::default();
        for (number, segment) in self.snapshot.segments.iter().enumerate() {
            for (key, rows) in segment.unit_columns().filter(|(_, rows)| self.part.has(rows)) {
                let is_probe = |index: &usize| self.probes[*index].unit == key.0;
                let indexes = (0..self.probes.len()).filter(is_probe).collect();
                choose(number, rows, segment.graph(key), self, indexes, method, &mut choices);
            }
        }
        choices
    }
}

impl Probes for Units<'_> {
    fn get(&self, index: usize) -> ColumnProbe<'_> {
        let UnitProbe { body, threshold, exact, .. } = &self.probes[index];
        ColumnProbe { body, threshold: *threshold, exact: *exact }
    }

    fn query(&self, index: usize) -> usize {
        self.probes[index].query
    }
}

impl<'a> Hits<'a, u32> for Units<'_> {
    type Hit = UnitHit;

    /// Adds a hit for each live asset of a row.
    fn add(&self, segment: usize, rows: &UnitRows<'a>, hit: RowHit, hits: &mut Vec<UnitHit>) {
        let probe = &self.probes[hit.probe];
        if !probe.accepts(rows, hit.row) {
            return;
        }
        let slots = &self.snapshot.segments[segment].slots;
        let live = rows.owners(hit.row).iter().filter(|&&slot| slots.is_live(slot));
        hits.extend(live.map(|&slot| UnitHit {
            query: probe.query,
            segment: segment as u32,
            slot,
            position: probe.position,
            distance: hit.distance,
            bits: hit.bits,
        }));
    }
}
