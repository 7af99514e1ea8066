//! Files compared with segments that are compacted in memory.

use std::fmt::Debug;
use std::fs::File;
use std::path::Path;
use std::sync::RwLock;

use proptest::prelude::*;

use super::*;
use crate::column::Body;
use crate::lists::tests::ALL;
use crate::sealed::{Expected, check_sections, open, path_of};
use crate::segment::{AssetRows, Chunk, Matching};
use crate::unit::UnitType;

const PACE: Paced<'static> = Paced { bytes_per_second: u64::MAX, should_continue: &|| true };
const NAMES: [&str; 2] = ["ONE", "TWO"];

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

fn reopened(folder: &Path, file: &SealedFile, slots: u32, matching: Matching) -> Segment {
    let SealedFile { uid, bytes, hash, .. } = file;
    let expected = Expected { store: "store", uid: *uid, slots, bytes: *bytes, hash };
    let kind_of =
        |name: &str| NAMES.iter().position(|known| *known == name).map(|kind| kind as u16);
    let opened = File::open(path_of(folder, file.uid)).unwrap();
    check_sections(opened, file, &PACE).unwrap();
    open(folder, &expected, matching, &kind_of).unwrap().0
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
        let sizes = ListSizes { rows_min: 1, is_first_only, ..ALL };
        let lists = MergedLists { units: sizes, simprints: Some(sizes), rows_min: 5 };
        let (mut sources, mut growing) = (Vec::new(), Vec::new());
        for (number, &state) in states.iter().enumerate() {
            let number = number as u64;
            // Later segments have some ISCC-IDs between those of earlier ones.
            let mut plain = segment(&mut random, number * 300 + number, matching, state);
            let mut source = plain.clone();
            if state == State::Sealed {
                let file = merge(&target(number), &[&plain], &lists, &PACE).unwrap().file;
                source = reopened(folder.path(), &file, plain.slots.len(), matching);
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
        let Merged { file, moves } = merge(&target(99), &sources, &lists, &PACE).unwrap();
        let (expected, expected_moves) = Segment::compacted(2, &growing);
        prop_assert_eq!(moves, expected_moves);
        let merged = reopened(folder.path(), &file, expected.slots.len(), matching);
        prop_assert!(merged.slots.iter_live().eq(expected.slots.iter_live()));
        prop_assert!(merged.units.is_empty() && merged.simprints.is_empty());
        prop_assert!(merged.frozen.keys().eq(expected.units.keys()));
        for (key, column) in &merged.frozen {
            assert_frozen(column, &expected.units[key]);
            assert_eq!(column.lists().is_some(), column.rows() >= 5);
        }
        prop_assert!(merged.frozen_simprints.keys().eq(expected.simprints.keys()));
        for (key, column) in &merged.frozen_simprints {
            assert_frozen::<Chunk>(column, &expected.simprints[key]);
        }
        prop_assert!(merged.prefixes.keys().eq(expected.prefixes.keys()));
        for (key, rows) in &merged.prefixes {
            assert_sorted(rows, &expected.prefixes[key]);
        }
        prop_assert!(merged.equal_simprints.keys().eq(expected.equal_simprints.keys()));
        for (key, rows) in &merged.equal_simprints {
            assert_sorted(rows, &expected.equal_simprints[key]);
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
        let sizes = ListSizes { long_keys_rows_min, ..ALL };
        let lists = MergedLists { units: sizes, simprints: None, rows_min: 1 };
        let index_folder = RwLock::new(folder.path().to_owned());
        let target =
            NewFile { index_folder: &index_folder, store: "store", uid, simprint_names: &names };
        let file = merge(&target, &sources, &lists, &PACE).unwrap().file;
        let merged = reopened(folder.path(), &file, 1200, Matching::Approximate);
        let column = &merged.frozen[&(UnitType::META, 256)];
        let (compacted, _) = Segment::compacted(2, &sources);
        let again = FrozenColumn::new(&compacted.units[&(UnitType::META, 256)], |_| true);
        let all = again.columns(4, 0, again.rows());
        let lists = Lists::build(&all, 256, sizes, &|| true).unwrap();
        let again = again.with_lists(lists);
        let arrays = |column: &FrozenColumn| {
            let mut arrays = Vec::new();
            column.for_each_array(&mut |bytes| arrays.push(bytes.to_vec()));
            arrays
        };
        assert!(arrays(column) == arrays(&again));
    }
}
