//! Frozen columns for full segments, made in the background.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use super::Index;
use crate::background;
use crate::column::{Column, word_count};
use crate::decision::{Decision, Subject};
use crate::frozen::{FrozenColumn, Owner};
use crate::lists::{ListSizes, Lists};
use crate::segment::{Key, Segment, SimprintKind};
use crate::snapshot::Snapshot;
use crate::unit::UnitType;

/// A column to freeze.
struct Due {
    segment: Arc<Segment>,
    column: DueColumn,
    /// Lists to build, or why not.
    lists: Result<ListSizes, NoLists>,
}

/// The key of a column.
#[derive(Clone, Copy)]
enum DueColumn {
    Units(Key<UnitType>),
    Simprints(Key<SimprintKind>),
}

/// Why a frozen column has no lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoLists {
    /// A scan is as fast.
    #[error("no lists: too few rows")]
    Small,
    /// The operator does not want them.
    #[error("no lists: simprints have none (INDEXSVC_SIMPRINT_LISTS)")]
    Off,
    /// All lists together would take too much memory.
    #[error("no lists: all lists of the index would take too much memory")]
    Memory,
}

impl Index {
    /// Freezes the next column of a full segment that is wanted. Returns `None` if none is due or `should_continue` returns
    /// `false`.
    ///
    /// The column is made without a lock. Only one thread may call this.
    pub fn freeze_next(
        &self,
        is_wanted: fn(&Segment) -> bool,
        should_continue: &(dyn Fn() -> bool + Sync),
    ) -> Option<Decision> {
        let due = self.next_to_freeze(is_wanted)?;
        let segment = &due.segment;
        let (subject, outcome, detail) = match due.column {
            DueColumn::Units(key) => {
                let column = &segment.units[&key];
                let frozen = background::run_again(should_continue, |should_continue| {
                    self.freeze(&due, column, should_continue)
                })?;
                let (unit, bits) = key;
                let subject = Subject::Column { unit, bits, rows: frozen.column.rows() };
                let detail = frozen.detail("units");
                let column = Arc::new(frozen.column);
                self.install_frozen(segment.uid, |segment| segment.freeze(key, column));
                (subject, frozen.outcome, detail)
            }
            DueColumn::Simprints(key) => {
                let column = &segment.simprints[&key];
                let frozen = background::run_again(should_continue, |should_continue| {
                    self.freeze(&due, column, should_continue)
                })?;
                let name = self.snapshot().simprint_column_name(key.0);
                let subject = Subject::Simprints { name, bits: key.1, rows: frozen.column.rows() };
                let detail = frozen.detail("simprints");
                let column = Arc::new(frozen.column);
                self.install_frozen(segment.uid, |segment| segment.freeze_simprints(key, column));
                (subject, frozen.outcome, detail)
            }
        };
        Some(Decision { index: self.name(), subject, outcome, detail })
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
        self.due_column(snapshot, rows, segment).is_some()
    }

    fn next_to_freeze(&self, is_wanted: fn(&Segment) -> bool) -> Option<Due> {
        let snapshot = self.snapshot();
        let rows = snapshot.unit_rows();
        let (_, full) = snapshot.segments.split_last()?;
        full.iter().filter(|segment| is_wanted(segment)).find_map(|segment| {
            let (column, lists) = self.due_column(&snapshot, &rows, segment)?;
            Some(Due { segment: Arc::clone(segment), column, lists })
        })
    }

    /// The first column of a full segment that is to be frozen, and its lists. `rows` are those of all unit types.
    fn due_column(
        &self,
        snapshot: &Snapshot,
        rows: &BTreeMap<UnitType, usize>,
        segment: &Segment,
    ) -> Option<(DueColumn, Result<ListSizes, NoLists>)> {
        let freezing = &self.options.freezing;
        let is_large = freezing.is_large(snapshot);
        let wants_lists = |rows: usize| is_large && rows >= freezing.rows_min;
        // Graphs have one node per distinct body.
        let wants_graph = |unit| {
            self.options.graphs.is_enabled
                && rows.get(unit).is_some_and(|&rows| rows > self.options.scan_limit)
        };
        let units = segment.units.iter().find_map(|(key, column)| {
            let due = DueColumn::Units(*key);
            match wants_lists(column.rows()) {
                true => Some((due, Ok(freezing.lists))),
                false => wants_graph(&key.0).then_some((due, Err(NoLists::Small))),
            }
        });
        let mut simprints = segment.simprints.iter();
        units.or_else(|| {
            let (key, _) = simprints.find(|(_, column)| wants_lists(column.rows()))?;
            Some((DueColumn::Simprints(*key), freezing.simprint_list_sizes().ok_or(NoLists::Off)))
        })
    }

    fn freeze<O: Owner>(
        &self,
        due: &Due,
        column: &Column<O>,
        should_continue: &(dyn Fn() -> bool + Sync),
    ) -> Option<Frozen<O>> {
        let slots = &due.segment.slots;
        let column = FrozenColumn::new(column, |slot| slots.is_live(slot));
        let (rows, bits) = (column.rows(), column.bits());
        let sizes = due.lists.and_then(|sizes| {
            let bytes_max = self.options.freezing.lists_bytes_max;
            let free = bytes_max.saturating_sub(lists_bytes(&self.snapshot()));
            match rows < sizes.rows_min {
                true => Err(NoLists::Small),
                false if Lists::bytes_needed(rows, bits, sizes) > free => Err(NoLists::Memory),
                false => Ok(sizes),
            }
        });
        match sizes {
            Err(reason) => Some(Frozen { column, outcome: "scan", no_lists: Some(reason) }),
            Ok(sizes) => {
                let all = column.columns(word_count(bits), 0, rows);
                let lists = Lists::build(&all, bits, sizes, should_continue)?;
                let column = column.with_lists(lists);
                Some(Frozen { column, outcome: "lists", no_lists: None })
            }
        }
    }

    /// Changes a segment, if it still exists.
    fn install_frozen(&self, segment_uid: u32, change: impl FnOnce(&mut Segment)) {
        let _writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut snapshot = (*self.snapshot()).clone();
        let mut segments = snapshot.segments.iter_mut();
        if let Some(segment) = segments.find(|segment| segment.uid == segment_uid) {
            change(Arc::make_mut(segment));
            self.publish(snapshot);
        }
    }
}

/// A column that was frozen.
struct Frozen<O: Owner> {
    column: FrozenColumn<O>,
    outcome: &'static str,
    no_lists: Option<NoLists>,
}

impl<O: Owner> Frozen<O> {
    /// Number of bodies and size of the lists, or the reason why it has no lists.
    fn detail(&self, bodies: &str) -> String {
        match (self.no_lists, self.column.lists()) {
            (Some(reason), _) => reason.to_string(),
            (None, lists) => {
                let bytes = lists.map_or(0, Lists::memory_bytes);
                format!("{} {bodies}, {bytes} bytes", self.column.owned())
            }
        }
    }
}

/// Memory of all lists of an index that are not in files.
fn lists_bytes(snapshot: &Snapshot) -> usize {
    let in_memory = snapshot.segments.iter().filter(|segment| segment.file.is_none());
    in_memory.flat_map(|segment| segment.all_lists()).map(Lists::memory_bytes).sum()
}
