//! Plans which blocks are scanned with which probes, and scans them.

use std::ops::Range;

use crate::column::{Block, Body, Column, word_count, word_mask};
use crate::distance::distance_max;
use crate::scan::{Hit, Probe, scan};
use crate::scan_pool::ScanPool;

/// Number of blocks in the task of one thread.
const BLOCKS_PER_TASK: usize = 8;
/// Minimum of blocks times probes for splitting a pass. A smaller one finishes before another thread wakes up.
const READS_SPLIT_MIN: usize = 48;

/// A hit in one column.
#[derive(Debug, Clone, Copy)]
pub struct RowHit {
    /// Position in the list of probes.
    pub probe: usize,
    /// Bits that differ.
    pub distance: u16,
    /// Bits that were compared.
    pub bits: u16,
    /// Row within its block.
    pub row: usize,
}

/// A column and its probes.
pub struct ColumnPlan<'a, P> {
    /// The segment's position in the snapshot.
    pub segment: usize,
    column: &'a Column<P>,
    lanes: Vec<Lane>,
}

/// Probes of one column that compare the same number of bits.
struct Lane {
    bits: u16,
    probes: Vec<Probe>,
    /// Position of each probe in the pass's list.
    origins: Vec<usize>,
}

impl<'a, P: Copy> ColumnPlan<'a, P> {
    /// Plans a scan of `column` with bodies. Each comes with its position in the list of probes and its threshold.
    pub fn new<'b>(
        segment: usize,
        column: &'a Column<P>,
        bodies: impl Iterator<Item = (usize, &'b Body, f64)>,
    ) -> Self {
        let mut lanes: Vec<Lane> = Vec::new();
        for (origin, body, threshold) in bodies {
            let bits = body.bits().min(column.bits());
            let index = lanes.iter().position(|lane| lane.bits == bits).unwrap_or_else(|| {
                lanes.push(Lane { bits, probes: Vec::new(), origins: Vec::new() });
                lanes.len() - 1
            });
            let lane = &mut lanes[index];
            let distance_max = distance_max(bits, threshold);
            lane.probes.push(Probe { words: *body.words(), distance_max });
            lane.origins.push(origin);
        }
        Self { segment, column, lanes }
    }

    /// Bits of the rows.
    pub fn bits(&self) -> u16 {
        self.column.bits()
    }

    /// Ranges of blocks, one per task.
    fn block_ranges(&self) -> impl Iterator<Item = Range<usize>> + use<P> {
        let blocks = self.column.blocks().len();
        let starts = (0..blocks).step_by(BLOCKS_PER_TASK);
        starts.map(move |start| start..(start + BLOCKS_PER_TASK).min(blocks))
    }

    fn probes(&self) -> usize {
        self.lanes.iter().map(|lane| lane.probes.len()).sum()
    }

    fn reads(&self) -> usize {
        self.column.blocks().len() * self.probes()
    }

    fn scan<T>(
        &self,
        blocks: Range<usize>,
        keep: &(impl Fn(&Self, &Block<P>, RowHit) -> Option<T> + Sync),
    ) -> Vec<T> {
        let mut kept = Vec::new();
        let mut hits: Vec<Hit> = Vec::new();
        for block in &self.column.blocks()[blocks] {
            for lane in &self.lanes {
                let words = word_count(lane.bits);
                let mask = word_mask(lane.bits, words - 1);
                hits.clear();
                scan(&block.columns(words), mask, &lane.probes, &mut hits);
                kept.extend(hits.iter().filter_map(|hit| {
                    let probe = lane.origins[hit.probe as usize];
                    let row = hit.row as usize;
                    let hit = RowHit { probe, distance: hit.distance, bits: lane.bits, row };
                    keep(self, block, hit)
                }));
            }
        }
        kept
    }
}

/// Scans all planned columns, with the help of idle threads if they are large. `keep` converts each hit into a result
/// or drops it. The order of the results is undefined.
pub fn scan_all<P, T>(
    scan_pool: &ScanPool,
    plans: &[ColumnPlan<'_, P>],
    keep: impl Fn(&ColumnPlan<'_, P>, &Block<P>, RowHit) -> Option<T> + Sync,
) -> Vec<T>
where
    P: Copy + Send + Sync,
    T: Send,
{
    let tasks: Vec<(&ColumnPlan<'_, P>, Range<usize>)> = plans
        .iter()
        .flat_map(|plan| plan.block_ranges().map(move |blocks| (plan, blocks)))
        .collect();
    let scan =
        |(plan, blocks): &(&ColumnPlan<'_, P>, Range<usize>)| plan.scan(blocks.clone(), &keep);
    scan_pool.count_rows(plans.iter().map(|plan| plan.column.rows() * plan.probes()).sum());
    let reads: usize = plans.iter().map(ColumnPlan::reads).sum();
    let found = if reads < READS_SPLIT_MIN {
        tasks.iter().map(scan).collect()
    } else {
        scan_pool.run(&tasks, scan)
    };
    found.into_iter().flatten().collect()
}
