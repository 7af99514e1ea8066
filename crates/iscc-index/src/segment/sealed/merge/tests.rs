//! Files compared with segments that are compacted in memory.
use std::fmt::Debug;
use std::fs::File;
use std::path::Path;
use std::sync::RwLock;
use std::sync::atomic::Ordering;

use iscc_columns::column::Body;
use iscc_columns::frozen::Chunk;
use iscc_columns::unit::UnitType;
use proptest::prelude::*;

use super::*;
use crate::options::SimprintLists;
use crate::samples::ALL;
use crate::segment::sealed::{Expected, check_sections, open, path_of};
use crate::segment::{AssetRows, FileSegment, Key, Matching};

const PACE: Paced<'static> = Paced { bytes_per_second: u64::MAX, should_continue: &|| true };
const NAMES: [&str; 2] = ["ONE", "TWO"];
/// Columns with so many rows have a graph in some tests.
const GRAPH_ROWS: usize = 8;

fn names() -> Vec<String> {
    NAMES.map(String::from).to_vec()
}

/// A deterministic sequence of small numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % limit
    }

    /// Few different bodies, so that many are equal.
    fn body(&mut self, length: usize) -> Body {
        let seed = self.below(40) as u8;
        let bytes: Vec<u8> = (0..length).map(|at| seed.wrapping_mul(37) ^ at as u8).collect();
        Body::new(&bytes).unwrap()
    }

    fn rows(&mut self) -> AssetRows {
        let mut rows = AssetRows::default();
        for unit in [UnitType::META, UnitType::DATA, UnitType::INSTANCE] {
            if self.below(4) > 0 {
                let length = 8 * (1 + self.below(4) as usize);
                rows.units.push((unit, self.body(length)));
            }
        }
        for kind in 0..2 {
            for _ in 0..self.below(3) {
                let place = (self.below(3) as u32, self.below(2) as u32);
                rows.simprints.push((kind, self.body(12), place.0, place.1));
            }
        }
        rows
    }
}

/// What the source is before it is merged.
#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    Growing,
    /// Growing, and not in the order of the ISCC-IDs.
    Unordered,
    Sealed,
}

fn segment(random: &mut Random, first: u64, matching: Matching, state: State) -> Segment {
    let mut segment = Segment::new(1, matching);
    for number in 0..random.below(60) {
        let rows = random.rows();
        let id = if state == State::Unordered { number ^ 5 } else { number };
        segment.add(first + id * 16, &rows);
    }
    segment
}

fn reopened(folder: &Path, file: &SealedFile, slots: u32) -> Segment {
    let SealedFile { uid, bytes, hash, .. } = file;
    let expected = Expected { store: "store", uid: *uid, slots, bytes: *bytes, hash };
    let kind_of =
        |name: &str| NAMES.iter().position(|known| *known == name).map(|kind| kind as u16);
    let opened = File::open(path_of(folder, file.uid)).unwrap();
    check_sections(opened, file, &PACE).unwrap();
    open(folder, &expected, &kind_of).unwrap()
}

fn in_file(segment: &Segment) -> &FileSegment {
    segment.file_segment().unwrap()
}

fn sorted_rows<T: Ord>(rows: impl Iterator<Item = T>) -> Vec<T> {
    let mut rows: Vec<T> = rows.collect();
    rows.sort_unstable();
    rows
}

/// Compares rows of distinct bodies with plain ones.
fn assert_frozen<O: Owner>(merged: &FrozenColumn<O>, expected: &Column<O>) {
    assert_eq!(merged.owned(), expected.rows());
    let rows: Vec<(Body, O)> = merged.iter().collect();
    assert_eq!(rows, sorted_rows(expected.iter()));
    let again = FrozenColumn::new(expected, |_| true);
    assert_eq!(merged.rows(), again.rows());
}

/// A column has a graph if it is to have one, which finds its own rows.
fn assert_graph(file: &SealedFile, key: Key<UnitType>, column: &FrozenColumn, has_graphs: bool) {
    let is_due = has_graphs && key.1 >= graph::BITS_MIN && column.rows() >= GRAPH_ROWS;
    assert_eq!(file.graph(key).is_some(), is_due);
    assert_eq!(file.graph_bytes(key) > 0, is_due);
    let Some(graph) = file.graph(key) else { return };
    for row in 0..column.rows() {
        assert_eq!(graph.near(&column.body(row), 0.0), Some(vec![row as u32]));
    }
}

fn assert_sorted<O: Owner + Debug>(merged: &PrefixRuns<O>, expected: &PrefixRuns<O>) {
    let rows: Vec<(Body, O)> = merged.iter().collect();
    assert_eq!(rows, sorted_rows(expected.iter()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_merged_file_has_the_rows_of_all_live_assets(
        seed in any::<u64>(),
        states in prop::collection::vec(
            prop::sample::select(&[State::Growing, State::Unordered, State::Sealed][..]),
            1..6,
        ),
        is_exact in any::<bool>(),
        is_first_only in any::<bool>(),
        has_graphs in any::<bool>(),
        dead in 0u64..5,
    ) {
        let matching = if is_exact { Matching::Exact } else { Matching::Approximate };
        let folder = tempfile::tempdir().unwrap();
        let mut random = Random(seed);
        let names = names();
        let index_folder = RwLock::new(folder.path().to_owned());
        let target = |uid| NewFile {
            index_folder: &index_folder,
            store: "store",
            uid,
            simprint_names: &names,
        };
        let sizes = SegmentSizes {
            lists: ListSizes { rows_min: 1, is_first_only, ..ALL },
            rows_min: 5,
            graph_rows_min: has_graphs.then_some(GRAPH_ROWS),
            ..SegmentSizes::default()
        };
        let (mut sources, mut growing) = (Vec::new(), Vec::new());
        for (number, &state) in states.iter().enumerate() {
            let number = number as u64;
            // Later segments have some ISCC-IDs between those of earlier ones.
            let mut plain = segment(&mut random, number * 300 + number, matching, state);
            let mut source = plain.clone();
            if state == State::Sealed {
                let file = merge(&target(number), &[&plain], &sizes, &PACE).unwrap().file;
                source = reopened(folder.path(), &file, plain.slots.len());
            }
            for slot in 0..plain.slots.len() {
                if random.below(6) < dead {
                    source.slots.mark_dead(slot);
                    plain.slots.mark_dead(slot);
                }
            }
            sources.push(source);
            growing.push(plain);
        }
        let sources: Vec<&Segment> = sources.iter().collect();
        let growing: Vec<&Segment> = growing.iter().collect();
        let Merged { file, moves } = merge(&target(99), &sources, &sizes, &PACE).unwrap();
        let (expected, expected_moves) = Segment::compacted(2, matching, &growing);
        prop_assert_eq!(moves, expected_moves);
        let merged = reopened(folder.path(), &file, expected.slots.len());
        prop_assert!(merged.slots.iter_live().eq(expected.slots.iter_live()));
        let (FileSegment { file, columns }, tail) = (in_file(&merged), expected.tail().unwrap());
        file.is_checked.store(true, Ordering::Release);
        prop_assert!(columns.units.keys().eq(tail.units.keys()));
        for (key, column) in &columns.units {
            assert_frozen(column, &tail.units[key]);
            assert_eq!(column.lists().is_some(), column.rows() >= 5);
            assert_graph(file, *key, column, has_graphs);
        }
        prop_assert!(columns.simprints.keys().eq(tail.simprints.keys()));
        for (key, column) in &columns.simprints {
            assert_frozen::<Chunk>(column, &tail.simprints[key]);
        }
        prop_assert!(columns.sorted.units.keys().eq(tail.sorted.units.keys()));
        for (key, rows) in &columns.sorted.units {
            assert_sorted(rows, &tail.sorted.units[key]);
        }
        prop_assert!(columns.sorted.simprints.keys().eq(tail.sorted.simprints.keys()));
        for (key, rows) in &columns.sorted.simprints {
            assert_sorted(rows, &tail.sorted.simprints[key]);
        }
    }
}

/// The lists of a merged column are those that are built in memory.
#[test]
fn lists_are_those_of_a_column_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let names = names();
    let mut random = Random(5);
    let mut segments = Vec::new();
    for number in 0..3 {
        let mut segment = Segment::new(number, Matching::Approximate);
        for asset in 0..400 {
            let bytes: Vec<u8> = (0..32).map(|_| random.below(256) as u8).collect();
            let units = vec![(UnitType::META, Body::new(&bytes).unwrap())];
            let rows = AssetRows { units, simprints: Vec::new() };
            segment.add(u64::from(number) * 1000 + asset, &rows);
        }
        segments.push(segment);
    }
    let sources: Vec<&Segment> = segments.iter().collect();
    for (uid, long_keys_rows_min) in [(1, 0), (2, usize::MAX)] {
        let lists = ListSizes { long_keys_rows_min, ..ALL };
        let simprint_lists = SimprintLists::None;
        let sizes = SegmentSizes { lists, simprint_lists, rows_min: 1, ..SegmentSizes::default() };
        let index_folder = RwLock::new(folder.path().to_owned());
        let target =
            NewFile { index_folder: &index_folder, store: "store", uid, simprint_names: &names };
        let file = merge(&target, &sources, &sizes, &PACE).unwrap().file;
        let merged = reopened(folder.path(), &file, 1200);
        let column = &in_file(&merged).columns.units[&(UnitType::META, 256)];
        let (compacted, _) = Segment::compacted(2, Matching::Approximate, &sources);
        let again =
            FrozenColumn::new(&compacted.tail().unwrap().units[&(UnitType::META, 256)], |_| true);
        let all = again.columns(4, 0, again.rows());
        let lists = Lists::build(&all, 256, lists, &|| true).unwrap();
        let again = again.with_lists(lists);
        let arrays = |column: &FrozenColumn| {
            let mut arrays = Vec::new();
            column.for_each_array(&mut |bytes| arrays.push(bytes.to_vec()));
            arrays
        };
        assert!(arrays(column) == arrays(&again));
    }
}
