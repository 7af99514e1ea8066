//! Graphs for large columns of sealed segments: opened from their files, or built and saved in the background.

use std::path::PathBuf;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Index;
use super::sealing::{HURRY, NotSealed};
use crate::background;
use crate::decision::{Decision, Subject};
use crate::graph::{Advance, Build, Building, Graph, Trial};
use crate::sealed::format::unit_numbers;
use crate::sealed::graphs::GraphColumn;
use crate::sealed::{Paced, SealError};
use crate::segment::{Key, Segment};
use crate::snapshot::Snapshot;
use crate::store::{GraphEntry, GraphFile};
use crate::unit::UnitType;

/// Time after a failure until graphs are tried again, for example on a full disk.
const RETRY_AFTER: Duration = Duration::from_mins(1);

/// What the work on graphs remembers.
#[derive(Default)]
pub(super) struct GraphState {
    /// The build that was paused.
    building: Option<(Column, Building)>,
    retry_at: Option<Instant>,
    progress: Option<GraphProgress>,
    counts: GraphCounts,
}

/// A graph that is being built.
#[derive(Debug, Clone, Copy)]
pub struct GraphProgress {
    /// The segment's `uid`.
    pub segment_uid: u32,
    /// The column.
    pub key: Key<UnitType>,
    /// Share of the rows that are nodes, 0 to 1.
    pub share: f64,
}

/// What was decided about graphs since the start.
#[derive(Debug, Clone, Copy, Default)]
pub struct GraphCounts {
    /// Built and saved.
    pub built: u64,
    /// Opened from their files.
    pub opened: u64,
    /// Refused after a trial.
    pub refused: u64,
    /// Removed, because their files were not valid.
    pub damaged: u64,
}

/// When work on graphs stops.
pub struct Attention<'a> {
    /// Whether the engine is closing or the index is deleted.
    pub is_stopping: &'a (dyn Fn() -> bool + Sync),
    /// Whether other work waits. Called often. May sleep, to leave processor time to searches.
    pub should_pause: &'a (dyn Fn() -> bool + Sync),
}

/// A column of a sealed segment.
#[derive(Clone)]
struct Column {
    segment: Arc<Segment>,
    key: Key<UnitType>,
    folder: PathBuf,
    file_uid: u64,
}

impl Column {
    fn files(&self) -> GraphColumn<'_> {
        let (folder, uid) = (self.folder.as_path(), self.file_uid);
        GraphColumn { folder, uid, key: self.key, rows: self.rows() }
    }

    fn rows(&self) -> usize {
        self.segment.frozen[&self.key].rows()
    }

    fn known(&self) -> Option<&Arc<GraphEntry>> {
        self.segment.known_graphs.get(&self.key)
    }

    fn is_same(&self, other: &Self) -> bool {
        self.segment.uid == other.segment.uid && self.key == other.key
    }
}

/// What became of a graph.
enum Outcome {
    /// With the number of nodes that were built before a restart.
    Built(Trial, u64, usize),
    Opened(Trial, u64),
    Refused(Trial),
    Damaged(SealError),
}

impl Index {
    /// Opens or builds the next due graph. Returns `None` if none is due or the work was interrupted; a build that was
    /// paused continues with the next call. Only one thread may call this.
    ///
    /// A graph is due for each long enough column of a large sealed segment whose unit type has more rows than the scan
    /// limit. One that was refused is not tried again, also after a restart.
    pub fn next_graph(&self, attention: &Attention<'_>) -> Option<Decision> {
        if !self.options.graphs.is_enabled || self.is_deleted() {
            return None;
        }
        if self.graph_state().retry_at.is_some_and(|at| Instant::now() < at) {
            return None;
        }
        let Some(column) = self.next_column() else {
            let mut state = self.graph_state();
            (state.building, state.progress) = (None, None);
            return None;
        };
        let outcome = match column.known().is_some_and(|known| known.complete().is_some()) {
            true => self.open_graph(&column, attention),
            false => self.build_graph(&column, attention),
        };
        let (outcome, detail) = match outcome {
            Ok(None) | Err(NotSealed::File(SealError::Stopped)) => return None,
            Ok(Some(outcome)) => self.count(outcome),
            Err(reason) => {
                let mut state = self.graph_state();
                (state.building, state.progress) = (None, None);
                state.retry_at = Some(Instant::now() + RETRY_AFTER);
                ("scan", format!("no graph: {reason}"))
            }
        };
        let (unit, bits) = column.key;
        let subject = Subject::Column { unit, bits, rows: column.rows() };
        Some(Decision { index: self.name(), subject, outcome, detail })
    }

    /// Number of graphs in use.
    pub fn graphs(&self) -> usize {
        self.snapshot().segments.iter().map(|segment| segment.graphs.len()).sum()
    }

    /// The graph that is being built, and what was decided since the start.
    pub(super) fn graph_progress(&self) -> (Option<GraphProgress>, GraphCounts) {
        let state = self.graph_state();
        (state.progress, state.counts)
    }

    fn graph_state(&self) -> MutexGuard<'_, GraphState> {
        self.graph_state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&self, outcome: Outcome) -> (&'static str, String) {
        let mut state = self.graph_state();
        let counts = &mut state.counts;
        let (count, way, detail) = match outcome {
            Outcome::Built(trial, bytes, loaded) => {
                let from =
                    if loaded > 0 { format!(" from {loaded} nodes on") } else { String::new() };
                (&mut counts.built, "graph", format!("built{from}, {bytes} bytes, {trial}"))
            }
            Outcome::Opened(trial, bytes) => {
                (&mut counts.opened, "graph", format!("opened, {bytes} bytes, {trial}"))
            }
            Outcome::Refused(trial) => {
                (&mut counts.refused, "scan", format!("graph refused: {trial}"))
            }
            Outcome::Damaged(reason) => {
                (&mut counts.damaged, "scan", format!("graph removed, to be built again: {reason}"))
            }
        };
        *count += 1;
        (way, detail)
    }

    /// Graphs that only have to be opened come first.
    fn next_column(&self) -> Option<Column> {
        let snapshot = self.snapshot();
        let rows = snapshot.unit_rows();
        let folder = self.folder().clone();
        let mut unfinished = None;
        for segment in snapshot.segments.split_last()?.1 {
            let Some(file) = &segment.file else { continue };
            for (key, column) in &segment.frozen {
                let is_large = segment.slots.len() >= self.options.graphs.slots_min
                    && key.1 >= self.options.graphs.bits_min
                    && rows.get(&key.0).is_some_and(|&rows| rows > self.options.scan_limit);
                if !is_large || column.rows() == 0 || segment.graphs.contains_key(key) {
                    continue;
                }
                let due = || Column {
                    segment: Arc::clone(segment),
                    key: *key,
                    folder: folder.clone(),
                    file_uid: file.uid,
                };
                match segment.known_graphs.get(key) {
                    Some(known) if known.complete().is_some() => return Some(due()),
                    Some(known) if self.is_refused(known) => {}
                    _ => unfinished = unfinished.or_else(|| Some(due())),
                }
            }
        }
        unfinished
    }

    /// A refusal counts for the threshold of its trial.
    fn is_refused(&self, known: &GraphEntry) -> bool {
        known.file.is_none() && known.threshold == self.options.match_threshold_units
    }

    fn build<'a>(&self, attention: &'a Attention<'_>) -> Build<'a> {
        let graphs = &self.options.graphs;
        Build {
            searchers: self.options.search_threads * 2,
            is_stopping: attention.is_stopping,
            should_pause: attention.should_pause,
            threshold: self.options.match_threshold_units,
            trial_rows: graphs.trial_rows,
            save_rows: graphs.save_rows,
        }
    }

    /// Opens a graph from its file, after comparing the file with its hash. If the threshold is lower than in the trial, the
    /// graph is tried again.
    fn open_graph(
        &self,
        column: &Column,
        attention: &Attention<'_>,
    ) -> Result<Option<Outcome>, NotSealed> {
        let Some(known) = column.known() else { return Ok(None) };
        let Some(file) = known.complete() else { return Ok(None) };
        let build = self.build(attention);
        let opened = background::run(|| {
            self.check_graph(column, file, attention)?;
            column.files().open(file, known.trial, build.searchers)
        });
        let mut graph = match opened {
            Ok(graph) => graph,
            Err(SealError::Stopped) => return Ok(None),
            Err(reason) if reason.is_passing() => return Ok(self.try_later()),
            Err(reason) => return self.remove_graph(column, reason).map(Some),
        };
        let mut trial = known.trial;
        if build.threshold < known.threshold {
            let rows = &column.segment.frozen[&column.key];
            let tried = background::run(|| graph.try_again(rows, &build));
            let Some(tried) = tried else { return Ok(None) };
            trial = tried;
            if !trial.is_passed(column.rows()) {
                return self.refuse_graph(column, trial);
            }
            let entry =
                GraphEntry::new(&column.files(), build.threshold, trial, known.file.clone());
            self.put_graph(column, Some(entry))?;
        }
        let bytes = file.bytes;
        let is_used = self.publish_graph(column, graph);
        Ok(is_used.then_some(Outcome::Opened(trial, bytes)))
    }

    /// No outcome until the end of a pause.
    fn try_later(&self) -> Option<Outcome> {
        self.graph_state().retry_at = Some(Instant::now() + RETRY_AFTER);
        None
    }

    fn check_graph(
        &self,
        column: &Column,
        file: &GraphFile,
        attention: &Attention<'_>,
    ) -> Result<(), SealError> {
        let should_continue = || !(attention.is_stopping)();
        column.files().check(file, &self.graph_pace(HURRY, &should_continue))
    }

    fn graph_pace<'a>(
        &self,
        times: u64,
        should_continue: &'a (dyn Fn() -> bool + Sync),
    ) -> Paced<'a> {
        let bytes_per_second = self.options.sealing.bytes_per_second * times;
        Paced { bytes_per_second, should_continue }
    }

    /// Continues the build of a graph, or starts it, until the graph is finished or refused.
    fn build_graph(
        &self,
        column: &Column,
        attention: &Attention<'_>,
    ) -> Result<Option<Outcome>, NotSealed> {
        let paused = self.graph_state().building.take();
        let rows = &column.segment.frozen[&column.key];
        let build = self.build(attention);
        let mut building = match paused {
            Some((of, building)) if of.is_same(column) => building,
            _ => match self.unfinished_graph(column, attention)? {
                Ok(building) => building,
                Err(outcome) => return Ok(outcome),
            },
        };
        loop {
            let advance = background::run(|| building.advance(rows, &build));
            self.show_progress(column, building.nodes());
            match advance.map_err(SealError::from)? {
                Advance::Paused => {
                    self.graph_state().building = Some((column.clone(), building));
                    return Ok(None);
                }
                Advance::Save(trial) => {
                    self.save_graph(column, building.graph(), trial, attention)?;
                }
                Advance::Refused(trial) => {
                    self.graph_state().progress = None;
                    return self.refuse_graph(column, trial);
                }
                Advance::Finished(trial) => {
                    let saved = self.save_graph(column, building.graph(), trial, attention)?;
                    self.graph_state().progress = None;
                    let Some(file) = saved else { return Ok(None) };
                    let loaded = building.loaded();
                    drop(building);
                    let graph = column.files().open(&file, trial, build.searchers)?;
                    let is_used = self.publish_graph(column, graph);
                    return Ok(is_used.then_some(Outcome::Built(trial, file.bytes, loaded)));
                }
            }
        }
    }

    /// A build from the saved part of a graph, if there is one. The inner error is what became of a damaged part.
    fn unfinished_graph(
        &self,
        column: &Column,
        attention: &Attention<'_>,
    ) -> Result<Result<Building, Option<Outcome>>, NotSealed> {
        let build = self.build(attention);
        let rows = &column.segment.frozen[&column.key];
        let of_threshold = |known: &&Arc<GraphEntry>| known.threshold <= build.threshold;
        let Some(known) = column.known().filter(of_threshold) else {
            return Ok(Ok(Building::new(rows, &build).map_err(SealError::from)?));
        };
        let Some(file) = known.unfinished() else {
            return Ok(Ok(Building::new(rows, &build).map_err(SealError::from)?));
        };
        let loaded = background::run(|| {
            self.check_graph(column, file, attention)?;
            column.files().load(file, build.searchers)
        });
        match loaded {
            Ok(graph) => Ok(Ok(Building::resume(rows, graph, known.trial))),
            Err(SealError::Stopped) => Ok(Err(None)),
            Err(reason) if reason.is_passing() => Ok(Err(self.try_later())),
            Err(reason) => self.remove_graph(column, reason).map(|outcome| Err(Some(outcome))),
        }
    }

    fn show_progress(&self, column: &Column, nodes: usize) {
        let share = nodes as f64 / column.rows().max(1) as f64;
        let (segment_uid, key) = (column.segment.uid, column.key);
        self.graph_state().progress = Some(GraphProgress { segment_uid, key, share });
    }

    /// Saves a graph, finished or not. Returns `None` if the segment was replaced meanwhile.
    fn save_graph(
        &self,
        column: &Column,
        graph: &Graph,
        trial: Trial,
        attention: &Attention<'_>,
    ) -> Result<Option<GraphFile>, NotSealed> {
        let should_continue = || !(attention.is_stopping)();
        let file = background::run_again(&should_continue, |should_continue| {
            column.files().write(graph, &self.graph_pace(1, should_continue))
        })?;
        self.after_seal_step("graph written");
        let threshold = self.options.match_threshold_units;
        let entry = GraphEntry::new(&column.files(), threshold, trial, Some(file.clone()));
        let is_stored = self.put_graph(column, Some(entry))?;
        self.after_seal_step("graph committed");
        if !is_stored {
            let _ = std::fs::remove_file(column.files().path(file.nodes));
            self.graph_state().progress = None;
            return Err(SealError::Stopped.into());
        }
        column.files().remove_others(Some(&file));
        Ok(Some(file))
    }

    fn refuse_graph(&self, column: &Column, trial: Trial) -> Result<Option<Outcome>, NotSealed> {
        let threshold = self.options.match_threshold_units;
        let entry = GraphEntry::new(&column.files(), threshold, trial, None);
        let is_stored = self.put_graph(column, Some(entry))?;
        if is_stored {
            column.files().remove_others(None);
        }
        Ok(is_stored.then_some(Outcome::Refused(trial)))
    }

    fn remove_graph(&self, column: &Column, reason: SealError) -> Result<Outcome, NotSealed> {
        self.put_graph(column, None)?;
        column.files().remove_others(None);
        Ok(Outcome::Damaged(reason))
    }

    /// Stores what is known of a graph, durably. Returns `false` if the segment was replaced meanwhile.
    fn put_graph(&self, column: &Column, entry: Option<GraphEntry>) -> Result<bool, NotSealed> {
        let _writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut snapshot = (*self.snapshot()).clone();
        let Some(segment) = sealed_segment(&mut snapshot, column) else { return Ok(false) };
        if self.is_deleted() {
            return Ok(false);
        }
        let entry = entry.map(Arc::new);
        match &entry {
            Some(entry) => segment.known_graphs.insert(column.key, Arc::clone(entry)),
            None => segment.known_graphs.remove(&column.key),
        };
        let unit = (unit_numbers(column.key.0), column.key.1);
        let written = self.store.write(|writing| {
            let is_named = writing.put_graph(column.file_uid, unit, entry.as_deref())?;
            Ok(is_named.then_some(()))
        })?;
        let Some(((), version)) = written else { return Ok(false) };
        self.publish(Snapshot { version, ..snapshot });
        Ok(true)
    }

    /// Lets searches use a graph, if its segment still exists.
    fn publish_graph(&self, column: &Column, graph: Graph) -> bool {
        let _writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut snapshot = (*self.snapshot()).clone();
        let Some(segment) = sealed_segment(&mut snapshot, column) else { return false };
        segment.graphs.insert(column.key, Arc::new(graph));
        self.publish(snapshot);
        true
    }
}

/// The segment of a column, if it still has the same file.
fn sealed_segment<'a>(snapshot: &'a mut Snapshot, column: &Column) -> Option<&'a mut Segment> {
    let mut segments = snapshot.segments.iter_mut();
    let segment = segments.find(|segment| segment.uid == column.segment.uid)?;
    let has_file = segment.file.as_ref().is_some_and(|file| file.uid == column.file_uid);
    has_file.then(|| Arc::make_mut(segment))
}
