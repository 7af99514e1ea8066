//! Which blocks are scanned with which probes, and the scan itself.

use std::ops::Range;

use crate::column::{Block, Body, Column, word_count, word_mask};
use crate::distance::distance_max;
use crate::scan::{Hit, Probe, scan};
use crate::scan_pool::ScanPool;

/// Blocks of a piece of work that one thread does.
const BLOCKS_PER_TASK: usize = 8;
/// Blocks times probes from which on a pass is split: below, it is over before another thread is awake.
const READS_SPLIT_MIN: usize = 48;

/// A hit as the scan of one column finds it.
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

/// A column and the probes for it.
pub struct ColumnPlan<'a, P> {
    /// The segment's position in the snapshot.
    pub segment: usize,
    column: &'a Column<P>,
    lanes: Vec<Lane>,
}

/// Probes of one column that compare equally many bits.
struct Lane {
    bits: u16,
    probes: Vec<Probe>,
    /// Positions in the pass's list of probes.
    origins: Vec<usize>,
}

impl<'a, P: Copy> ColumnPlan<'a, P> {
    /// Plans a scan of `column` with bodies, each with its position in the list of probes.
    pub fn new<'b>(
        segment: usize,
        column: &'a Column<P>,
        bodies: impl Iterator<Item = (usize, &'b Body)>,
        threshold: f64,
    ) -> Self {
        let mut lanes: Vec<Lane> = Vec::new();
        for (origin, body) in bodies {
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

    /// Pieces of work.
    fn stretches(&self) -> impl Iterator<Item = Range<usize>> + use<P> {
        let blocks = self.column.blocks().len();
        let starts = (0..blocks).step_by(BLOCKS_PER_TASK);
        starts.map(move |start| start..(start + BLOCKS_PER_TASK).min(blocks))
    }

    fn reads(&self) -> usize {
        let probes: usize = self.lanes.iter().map(|lane| lane.probes.len()).sum();
        self.column.blocks().len() * probes
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

/// Scans all planned columns, with the help of idle threads if there is much to read; `keep` makes a
/// result of each hit or drops it. The order of the results is not defined.
pub fn scan_all<P, T>(
    scan_pool: &ScanPool,
    plans: &[ColumnPlan<'_, P>],
    keep: impl Fn(&ColumnPlan<'_, P>, &Block<P>, RowHit) -> Option<T> + Sync,
) -> Vec<T>
where
    P: Copy + Send + Sync,
    T: Send,
{
    let tasks: Vec<(&ColumnPlan<'_, P>, Range<usize>)> =
        plans.iter().flat_map(|plan| plan.stretches().map(move |blocks| (plan, blocks))).collect();
    let scan =
        |(plan, blocks): &(&ColumnPlan<'_, P>, Range<usize>)| plan.scan(blocks.clone(), &keep);
    let reads: usize = plans.iter().map(ColumnPlan::reads).sum();
    let found = if reads < READS_SPLIT_MIN {
        tasks.iter().map(scan).collect()
    } else {
        scan_pool.run(&tasks, scan)
    };
    found.into_iter().flatten().collect()
}
