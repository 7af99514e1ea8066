//! Frozen columns for full segments, made in the background.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use super::Index;
use crate::background;
use crate::column::{Column, word_count};
use crate::decision::{Decision, Subject};
use crate::frozen::FrozenColumn;
use crate::lists::Lists;
use crate::segment::{Key, Segment};
use crate::snapshot::Snapshot;
use crate::unit::UnitType;

/// A column to freeze.
struct Due {
    segment: Arc<Segment>,
    key: Key<UnitType>,
    /// Whether the column is large enough for lists.
    wants_lists: bool,
    /// Memory that its lists may take, in bytes.
    lists_bytes_max: usize,
}

/// Why a frozen column has no lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoLists {
    /// A scan is as fast.
    #[error("no lists: too few rows")]
    Small,
    /// All lists together would take too much memory.
    #[error("no lists: all lists of the index would take too much memory")]
    Memory,
}

impl Index {
    /// Freezes the next column of a full segment. Returns `None` if none is due or `should_continue` returns `false`.
    ///
    /// The column is made without a lock. Only one thread may call this.
    pub fn freeze_next(&self, should_continue: &(dyn Fn() -> bool + Sync)) -> Option<Decision> {
        let due = self.next_to_freeze()?;
        let (column, lists) = background::run(|| self.freeze(&due, should_continue))?;
        let (outcome, detail) = match lists {
            Ok(bytes) => ("lists", format!("{} units, {bytes} bytes", column.units())),
            Err(reason) => ("scan", reason.to_string()),
        };
        let decision = Decision {
            index: self.name(),
            subject: Subject::Column { unit: due.key.0, bits: due.key.1, rows: column.rows() },
            outcome,
            detail,
        };
        self.install_frozen(due.segment.uid, due.key, Arc::new(column));
        Some(decision)
    }

    /// Number of segments with columns that are due.
    pub(super) fn waiting_to_freeze(&self, snapshot: &Snapshot) -> usize {
        let rows = snapshot.unit_rows();
        let full = snapshot.segments.split_last().map_or(&[][..], |(_, full)| full);
        full.iter().filter(|segment| self.waits_to_freeze(snapshot, &rows, segment)).count()
    }

    /// Whether a full segment has columns that are due. `rows` are those of all unit types.
    pub(super) fn waits_to_freeze(
        &self,
        snapshot: &Snapshot,
        rows: &BTreeMap<UnitType, usize>,
        segment: &Segment,
    ) -> bool {
        let mut columns = segment.units.iter();
        columns.any(|(key, column)| self.wants(snapshot, rows, *key, column).is_some())
    }

    fn next_to_freeze(&self) -> Option<Due> {
        let snapshot = self.snapshot();
        let rows = snapshot.unit_rows();
        let (_, full) = snapshot.segments.split_last()?;
        for segment in full {
            for (key, column) in &segment.units {
                if let Some(wants_lists) = self.wants(&snapshot, &rows, *key, column) {
                    let used = lists_bytes(&snapshot);
                    let bytes_max = self.options.freezing.lists_bytes_max;
                    let lists_bytes_max = bytes_max.saturating_sub(used);
                    let segment = Arc::clone(segment);
                    return Some(Due { segment, key: *key, wants_lists, lists_bytes_max });
                }
            }
        }
        None
    }

    /// Whether a column of a full segment is to be frozen with lists. `None` if it is not to be frozen. `rows` are those of
    /// all unit types.
    fn wants(
        &self,
        snapshot: &Snapshot,
        rows: &BTreeMap<UnitType, usize>,
        key: Key<UnitType>,
        column: &Column<u32>,
    ) -> Option<bool> {
        let freezing = &self.options.freezing;
        let is_large = snapshot.assets() > freezing.assets_max;
        let wants_lists = is_large && column.rows() >= freezing.rows_min;
        // Graphs have one node per distinct body.
        let wants_graph = rows.get(&key.0).is_some_and(|&rows| rows > self.options.scan_limit);
        (wants_lists || wants_graph).then_some(wants_lists)
    }

    fn freeze(
        &self,
        due: &Due,
        should_continue: &(dyn Fn() -> bool + Sync),
    ) -> Option<(FrozenColumn, Result<usize, NoLists>)> {
        let (segment, sizes) = (&due.segment, self.options.freezing.lists);
        let column =
            FrozenColumn::new(&segment.units[&due.key], |slot| segment.slots.is_live(slot));
        let bits = column.bits();
        if !due.wants_lists || column.rows() < sizes.rows_min {
            return Some((column, Err(NoLists::Small)));
        }
        if Lists::bytes_needed(column.rows(), bits, sizes) > due.lists_bytes_max {
            return Some((column, Err(NoLists::Memory)));
        }
        let all = column.columns(word_count(bits), 0, column.rows());
        let lists = Lists::build(&all, bits, sizes, should_continue)?;
        let bytes = lists.memory_bytes();
        Some((column.with_lists(lists), Ok(bytes)))
    }

    /// Replaces the column, if the segment still exists.
    fn install_frozen(&self, segment_uid: u32, key: Key<UnitType>, column: Arc<FrozenColumn>) {
        let _writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut snapshot = (*self.snapshot()).clone();
        let mut segments = snapshot.segments.iter_mut();
        if let Some(segment) = segments.find(|segment| segment.uid == segment_uid) {
            Arc::make_mut(segment).freeze(key, column);
            self.publish(snapshot);
        }
    }
}

/// Memory of all lists of an index that are not in files.
fn lists_bytes(snapshot: &Snapshot) -> usize {
    let in_memory = snapshot.segments.iter().filter(|segment| segment.file.is_none());
    let columns = in_memory.flat_map(|segment| segment.frozen.values());
    columns.filter_map(|column| column.lists()).map(Lists::memory_bytes).sum()
}
