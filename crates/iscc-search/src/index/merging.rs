//! Merges segments into a file, next to searches and changes.

use std::sync::Arc;
use std::time::Instant;

use super::Index;
use super::sealing::NotSealed;
use crate::background;
use crate::decision::{Decision, Subject};
use crate::sealed::{self, Merged, MergedLists, SealError};
use crate::segment::Segment;

impl Index {
    /// Whether segments are merged into a file, and not in memory.
    pub(super) fn is_merged_to_file(&self, sources: &[Arc<Segment>]) -> bool {
        let sealing = &self.options.sealing;
        let live: u32 = sources.iter().map(|one| one.slots.live()).sum();
        sealing.is_large(&self.snapshot())
            && sources.iter().all(|one| one.slots.is_ascending())
            && (live >= sealing.slots_min || sources.iter().any(|one| sealing.is_worth(one)))
    }

    /// Merges segments into a file. Returns `None` if the caller stopped it or the segments were replaced meanwhile. A
    /// failure changes nothing, and sealing and merging pause for a minute at least.
    pub(super) fn merge_to_file(
        &self,
        sources: &[Arc<Segment>],
        uid: u32,
        should_continue: &(dyn Fn() -> bool + Sync),
    ) -> Option<Decision> {
        let since = Instant::now();
        let all: Vec<&Segment> = sources.iter().map(Arc::as_ref).collect();
        let merged = background::run_again(should_continue, |should_continue| {
            self.write_merged(&all, should_continue)
        })
        .and_then(|Merged { file, moves }| {
            self.install_sealed(sources, uid, &file, Some(&moves)).map(|()| file)
        });
        let (outcome, detail) = match merged {
            Ok(file) => {
                self.count_merge(&file, since);
                ("file", format!("{} segments merged, {} bytes", sources.len(), file.bytes))
            }
            Err(NotSealed::File(SealError::Stopped)) => return None,
            Err(reason) => {
                self.pause();
                ("memory", format!("segments not merged into a file: {reason}"))
            }
        };
        let assets = sources.iter().map(|one| u64::from(one.slots.live())).sum();
        let subject = Subject::Segment { assets };
        Some(Decision { index: self.name(), subject, outcome, detail })
    }

    fn write_merged(
        &self,
        sources: &[&Segment],
        should_continue: &(dyn Fn() -> bool + Sync),
    ) -> Result<Merged, NotSealed> {
        let freezing = &self.options.freezing;
        let lists = MergedLists {
            units: (freezing.lists_bytes_max > 0).then_some(freezing.lists),
            simprints: freezing.simprint_list_sizes().filter(|_| freezing.lists_bytes_max > 0),
            rows_min: freezing.rows_min,
        };
        self.write_file(1, should_continue, |target, pace| {
            sealed::merge(target, sources, &lists, pace)
        })
    }
}
