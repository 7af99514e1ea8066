//! Plans which blocks are scanned with which probes, and scans them.

use std::ops::Range;

use crate::column::{BLOCK_ROWS, Body, word_count, word_mask};
use crate::distance::distance_max;
use crate::scan::{Columns, Hit, Probe, scan};
use crate::scan_pool::ScanPool;

/// Number of blocks in the task of one thread.
const BLOCKS_PER_TASK: usize = 8;
/// Minimum of blocks times probes for splitting a pass. A smaller one finishes before another thread wakes up.
const READS_SPLIT_MIN: usize = 48;

/// Rows of equal length that a scan reads in blocks of [`BLOCK_ROWS`].
pub trait Rows: Sync {
    /// Length of the rows in bits.
    fn bits(&self) -> u16;
    /// Number of rows.
    fn rows(&self) -> usize;
    /// The first `words` words of the rows of a block.
    fn block(&self, block: usize, words: usize) -> Columns<'_>;
}

/// A hit in one column.
#[derive(Debug, Clone, Copy)]
pub struct RowHit {
    /// Position in the list of probes.
    pub probe: usize,
    /// Bits that differ.
    pub distance: u16,
    /// Bits that were compared.
    pub bits: u16,
    /// Row of the column.
    pub row: usize,
}

/// Rows and their probes.
pub struct ColumnPlan<R> {
    /// The segment's position in the snapshot.
    pub segment: usize,
    /// The rows.
    pub rows: R,
    lanes: Vec<Lane>,
}

/// Probes of one column that compare the same number of bits.
struct Lane {
    bits: u16,
    probes: Vec<Probe>,
    /// Position of each probe in the pass's list.
    origins: Vec<usize>,
}

/// The probe of a body for rows of `bits` bits, and the number of bits that it compares.
pub fn probe_of(body: &Body, bits: u16, threshold: f64) -> (Probe, u16) {
    let bits = body.bits().min(bits);
    (Probe { words: *body.words(), distance_max: distance_max(bits, threshold) }, bits)
}

impl<R: Rows> ColumnPlan<R> {
    /// Plans a scan of `rows` with bodies. Each comes with its position in the list of probes and its threshold.
    pub fn new<'b>(
        segment: usize,
        rows: R,
        bodies: impl Iterator<Item = (usize, &'b Body, f64)>,
    ) -> Self {
        let mut lanes: Vec<Lane> = Vec::new();
        for (origin, body, threshold) in bodies {
            let (probe, bits) = probe_of(body, rows.bits(), threshold);
            let index = lanes.iter().position(|lane| lane.bits == bits).unwrap_or_else(|| {
                lanes.push(Lane { bits, probes: Vec::new(), origins: Vec::new() });
                lanes.len() - 1
            });
            let lane = &mut lanes[index];
            lane.probes.push(probe);
            lane.origins.push(origin);
        }
        Self { segment, rows, lanes }
    }

    fn blocks(&self) -> usize {
        self.rows.rows().div_ceil(BLOCK_ROWS)
    }

    /// Ranges of blocks, one per task.
    fn block_ranges(&self) -> impl Iterator<Item = Range<usize>> + use<R> {
        let blocks = self.blocks();
        let starts = (0..blocks).step_by(BLOCKS_PER_TASK);
        starts.map(move |start| start..(start + BLOCKS_PER_TASK).min(blocks))
    }

    fn probes(&self) -> usize {
        self.lanes.iter().map(|lane| lane.probes.len()).sum()
    }

    fn reads(&self) -> usize {
        self.blocks() * self.probes()
    }

    fn scan<T>(
        &self,
        blocks: Range<usize>,
        keep: &(impl Fn(&Self, RowHit, &mut Vec<T>) + Sync),
    ) -> Vec<T> {
        let mut kept = Vec::new();
        let mut hits: Vec<Hit> = Vec::new();
        for block in blocks {
            for lane in &self.lanes {
                let words = word_count(lane.bits);
                let mask = word_mask(lane.bits, words - 1);
                hits.clear();
                scan(&self.rows.block(block, words), mask, &lane.probes, &mut hits);
                for hit in &hits {
                    let probe = lane.origins[hit.probe as usize];
                    let row = block * BLOCK_ROWS + hit.row as usize;
                    let hit = RowHit { probe, distance: hit.distance, bits: lane.bits, row };
                    keep(self, hit, &mut kept);
                }
            }
        }
        kept
    }
}

/// Scans all planned columns, with the help of idle threads if they are large. `keep` appends the results of each hit,
/// if it has any. The order of the results is undefined.
pub fn scan_all<R: Rows, T: Send>(
    scan_pool: &ScanPool,
    plans: &[ColumnPlan<R>],
    keep: impl Fn(&ColumnPlan<R>, RowHit, &mut Vec<T>) + Sync,
) -> Vec<T> {
    let tasks: Vec<(&ColumnPlan<R>, Range<usize>)> = plans
        .iter()
        .flat_map(|plan| plan.block_ranges().map(move |blocks| (plan, blocks)))
        .collect();
    let scan = |(plan, blocks): &(&ColumnPlan<R>, Range<usize>)| plan.scan(blocks.clone(), &keep);
    scan_pool.count_rows(plans.iter().map(|plan| plan.rows.rows() * plan.probes()).sum());
    let reads: usize = plans.iter().map(ColumnPlan::reads).sum();
    let found = if reads < READS_SPLIT_MIN {
        tasks.iter().map(scan).collect()
    } else {
        scan_pool.run(&tasks, scan)
    };
    found.into_iter().flatten().collect()
}
