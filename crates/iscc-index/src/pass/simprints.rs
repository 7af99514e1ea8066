//! Similar simprints: all rows within the threshold, by lists or scan.
use std::collections::HashMap;

use iscc_columns::column::Body;
use iscc_columns::frozen::Chunk;
use iscc_columns::probes::Method;
use iscc_columns::probes::RowHit;
use iscc_columns::probes::SimprintRows;
use iscc_columns::probes::Work;
use iscc_columns::probes::{Choices, choose};
use iscc_columns::probes::{ColumnProbe, Hits, Pass, PassFound, Probes};
use iscc_columns::scan_pool::ScanPool;

use crate::segment::SimprintKind;
use crate::snapshot::Snapshot;

/// The simprints of one type in a query. Equal ones are searched once.
#[derive(Debug, Clone)]
pub struct SimprintQuery {
    /// Type of the simprints.
    pub kind: SimprintKind,
    /// The different simprints, in the order of their first position.
    pub probes: Vec<Body>,
    /// For each position in the query, the probe.
    pub probe_at: Vec<usize>,
}

impl SimprintQuery {
    /// The query of a list of simprints.
    pub fn new(kind: SimprintKind, bodies: &[Body]) -> Self {
        let mut known = HashMap::with_capacity(bodies.len());
        let mut probes = Vec::with_capacity(bodies.len());
        let probe = |body: &Body| {
            *known.entry(*body).or_insert_with(|| {
                probes.push(*body);
                probes.len() - 1
            })
        };
        let probe_at = bodies.iter().map(probe).collect();
        Self { kind, probes, probe_at }
    }

    /// Number of simprints in the query.
    pub fn queried(&self) -> usize {
        self.probe_at.len()
    }

    /// For each probe, its positions in the query.
    pub fn positions(&self) -> Vec<Vec<usize>> {
        let mut positions = vec![Vec::new(); self.probes.len()];
        for (position, &probe) in self.probe_at.iter().enumerate() {
            positions[probe].push(position);
        }
        positions
    }
}

/// A row of simprints near a probe. At least one of its chunks is that of a live asset.
#[derive(Debug, Clone, Copy)]
pub struct SimprintRow<'a> {
    /// Position in the list of probes.
    pub probe: usize,
    /// Position of the row's segment in the snapshot.
    pub segment: u32,
    /// Number of differing bits.
    pub distance: u16,
    /// The stored simprint.
    pub body: Body,
    /// Its chunks, some of dead slots.
    pub chunks: &'a [Chunk],
}

/// Rows of simprints within the threshold, and how they were found.
pub type SimprintsFound<'a> = PassFound<SimprintRow<'a>>;

/// Finds every simprint of a live asset within the threshold of a probe of the same type and length.
pub fn similar_simprints<'a>(
    scan_pool: &ScanPool,
    snapshot: &'a Snapshot,
    query: &SimprintQuery,
    threshold: f64,
    method: Method,
) -> SimprintsFound<'a> {
    let probes = Simprints { snapshot, query, threshold };
    Pass { scan_pool, probes: &probes }.run(1, || probes.choose(method))
}

/// The work of [`similar_simprints`].
pub fn simprints_work(
    snapshot: &Snapshot,
    query: &SimprintQuery,
    threshold: f64,
    method: Method,
) -> Work {
    let probes = Simprints { snapshot, query, threshold };
    probes.choose(method).work(&probes)
}

/// The simprints of one type in one query.
struct Simprints<'a, 'q> {
    snapshot: &'a Snapshot,
    query: &'q SimprintQuery,
    threshold: f64,
}

impl<'a> Simprints<'a, '_> {
    fn choose(&self, method: Method) -> Choices<'a, Chunk> {
        let mut choices = Choices::default();
        for (number, segment) in self.snapshot.segments.iter().enumerate() {
            for ((kind, bits), rows) in segment.simprint_columns() {
                if kind == self.query.kind {
                    let fits = |index: &usize| self.query.probes[*index].bits() == bits;
                    let indexes = (0..self.query.probes.len()).filter(fits).collect();
                    choose(number, rows, None, self, indexes, method, &mut choices);
                }
            }
        }
        choices
    }
}

impl Probes for Simprints<'_, '_> {
    fn get(&self, index: usize) -> ColumnProbe<'_> {
        ColumnProbe { body: &self.query.probes[index], threshold: self.threshold, exact: true }
    }

    fn query(&self, _: usize) -> usize {
        0
    }
}

impl<'a> Hits<'a, Chunk> for Simprints<'a, '_> {
    type Hit = SimprintRow<'a>;

    fn add(
        &self,
        segment: usize,
        rows: &SimprintRows<'a>,
        hit: RowHit,
        hits: &mut Vec<SimprintRow<'a>>,
    ) {
        let slots = &self.snapshot.segments[segment].slots;
        let chunks = rows.owners(hit.row);
        if chunks.iter().any(|chunk| slots.is_live(chunk.slot)) {
            hits.push(SimprintRow {
                probe: hit.probe,
                segment: segment as u32,
                distance: hit.distance,
                body: rows.body(hit.row),
                chunks,
            });
        }
    }
}
