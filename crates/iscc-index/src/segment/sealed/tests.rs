//! Files compared with the segments that they were written from, and with a walk over all rows.
use std::fs::File;
use std::path::Path;
use std::sync::RwLock;

use iscc_columns::column::{Body, word_count, word_mask};
use iscc_columns::distance::distance_max;
use iscc_columns::frozen::FrozenColumn;
use iscc_columns::lists::ListSizes;
use iscc_columns::scan::{Probe, scan};
use iscc_columns::sections::SealError;
use iscc_columns::unit::UnitType;
use proptest::prelude::*;

use super::*;
use crate::options::SegmentSizes;
use crate::samples::{ALL, bodies, expected, found};
use crate::segment::{AssetRows, FileColumns, Matching, Segment};

const PACE: Paced<'static> = Paced { bytes_per_second: u64::MAX, should_continue: &|| true };
const TYPE: UnitType = UnitType::DATA;
const NAMES: [&str; 2] = ["CONTENT_TEXT_V0", "OTHER"];

fn entry_of(file: &SealedFile, slots: u32) -> Expected<'_> {
    let SealedFile { uid, bytes, hash, .. } = file;
    Expected { store: "store", uid: *uid, slots, bytes: *bytes, hash }
}

fn write_to(folder: &Path, segment: &Segment, sizes: ListSizes) -> SealedFile {
    write_new(folder, segment, sizes).unwrap()
}

fn write_new(folder: &Path, segment: &Segment, sizes: ListSizes) -> Result<SealedFile, SealError> {
    let names = NAMES.map(String::from);
    let target = NewFile {
        index_folder: &RwLock::new(folder.to_owned()),
        store: "store",
        uid: 7,
        simprint_names: &names,
    };
    let sizes = SegmentSizes { lists: sizes, rows_min: 1, ..SegmentSizes::default() };
    merge(&target, &[segment], &sizes, &PACE).map(|merged| merged.file)
}

fn opened(folder: &Path, file: &SealedFile) -> File {
    File::open(path_of(folder, file.uid)).unwrap()
}

fn open_from(folder: &Path, expected: &Expected<'_>) -> Result<Segment, SealError> {
    let kind_of =
        |name: &str| NAMES.iter().position(|known| *known == name).map(|kind| kind as u16);
    open(folder, expected, &kind_of)
}

/// A segment in memory with an asset for each body.
fn segment(rows: &[Vec<u8>], matching: Matching) -> Segment {
    let mut segment = Segment::new(1, matching);
    for (number, row) in rows.iter().enumerate() {
        let body = Body::new(row).unwrap();
        let units = vec![(TYPE, body), (UnitType::INSTANCE, body)];
        let simprints = vec![(number as u16 % 2, body, number as u32, 9)];
        segment.add(number as u64 * 5, &AssetRows { units, simprints });
    }
    segment
}

/// The slots within the distance, found with a scan.
fn scanned(column: &FrozenColumn, query: &[u8], threshold: f64) -> Vec<(usize, u32)> {
    let body = Body::new(query).unwrap();
    let bits = body.bits().min(column.bits());
    let probe = Probe { words: *body.words(), distance_max: distance_max(bits, threshold) };
    let words = word_count(bits);
    let mut hits = Vec::new();
    let columns = column.columns(words, 0, column.rows());
    scan(&columns, word_mask(bits, words - 1), &[probe], &mut hits);
    let slots = hits.iter().flat_map(|hit| {
        let slots = column.owners(hit.row as usize).iter();
        slots.map(|&slot| (slot as usize, u32::from(hit.distance)))
    });
    let mut slots: Vec<(usize, u32)> = slots.collect();
    slots.sort_unstable();
    slots
}

fn columns(segment: &Segment) -> &FileColumns {
    &segment.file_segment().unwrap().columns
}

fn in_order<T: Ord>(rows: impl Iterator<Item = T>) -> Vec<T> {
    let mut rows: Vec<T> = rows.collect();
    rows.sort_unstable();
    rows
}

fn assert_same(mapped: &Segment, segment: &Segment, query: &[u8]) {
    assert!(mapped.slots.iter_live().eq(segment.slots.iter_live()));
    let (mapped, tail) = (columns(mapped), segment.tail().unwrap());
    for (key, theirs) in &tail.units {
        assert!(mapped.units[key].iter().eq(in_order(theirs.iter())));
    }
    assert!(mapped.simprints.keys().eq(tail.simprints.keys()));
    for (key, theirs) in &tail.simprints {
        assert!(mapped.simprints[key].iter().eq(in_order(theirs.iter())));
    }
    let prefix = Body::new(query).unwrap().prefix(8);
    for (key, theirs) in &tail.sorted.units {
        let (mut ours, mut expected) = (Vec::new(), Vec::new());
        mapped.sorted.units[key].starting_with(&prefix, |slot| ours.push(slot));
        theirs.starting_with(&prefix, |slot| expected.push(slot));
        ours.sort_unstable();
        expected.sort_unstable();
        assert_eq!(ours, expected);
    }
    for (key, theirs) in &tail.sorted.simprints {
        let mut ours: Vec<_> = mapped.sorted.simprints[key].iter().collect();
        let mut expected: Vec<_> = theirs.iter().collect();
        ours.sort_unstable();
        expected.sort_unstable();
        assert_eq!(ours, expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_mapped_segment_finds_what_a_walk_finds(
        seeds in prop::collection::vec(any::<u64>(), 1..300),
        row_words in 1usize..=8,
        query_words in 1usize..=8,
        flips in prop::collection::vec(0usize..256, 0..20),
        percent in 75u32..=100,
        is_exact in any::<bool>(),
    ) {
        let rows = bodies(row_words * 4, &seeds);
        let matching = if is_exact { Matching::Exact } else { Matching::Approximate };
        let segment = segment(&rows, matching);
        let folder = tempfile::tempdir().unwrap();
        let file = write_to(folder.path(), &segment, ALL);
        let mapped = open_from(folder.path(), &entry_of(&file, segment.slots.len())).unwrap();
        check_sections(opened(folder.path(), &file), &file, &PACE).unwrap();

        let mut query = rows[seeds.len() / 2].clone();
        query.resize(query_words * 4, 0x5a);
        for flip in flips {
            let bit = flip % (query.len() * 8);
            query[bit / 8] ^= 0x80 >> (bit % 8);
        }
        assert_same(&mapped, &segment, &query);
        // In exact matching, all units are looked up by prefix.
        let Some(column) = columns(&mapped).units.get(&(TYPE, row_words as u16 * 32)) else {
            return Ok(());
        };
        let threshold = f64::from(percent) / 100.0;
        prop_assert_eq!(scanned(column, &query, threshold), expected(&rows, &query, threshold));
        if let Some(found) = found(column, &query, threshold) {
            prop_assert_eq!(found, expected(&rows, &query, threshold));
        }
    }
}

#[test]
fn mapped_lists_with_long_keys_find_near_rows() {
    let rows =
        bodies(16, &(0..5000).map(|seed: u64| seed.wrapping_mul(0x9e37_79b9)).collect::<Vec<_>>());
    let sizes = ListSizes { long_keys_rows_min: 0, ..ALL };
    let segment = segment(&rows, Matching::Approximate);
    let folder = tempfile::tempdir().unwrap();
    let file = write_to(folder.path(), &segment, sizes);
    let mapped = open_from(folder.path(), &entry_of(&file, 5000)).unwrap();
    let column = &columns(&mapped).units[&(TYPE, 128)];
    for row in (0..5000).step_by(37) {
        let near = found(column, &rows[row], 0.95).expect("a plan");
        assert_eq!(near, expected(&rows, &rows[row], 0.95));
    }
}

#[test]
fn files_of_another_store_or_record_are_refused() {
    let rows = bodies(8, &[6, 14, 22]);
    let segment = segment(&rows, Matching::Approximate);
    let folder = tempfile::tempdir().unwrap();
    let file = write_to(folder.path(), &segment, ListSizes::default());
    let good = entry_of(&file, 3);
    assert!(open_from(folder.path(), &good).is_ok());
    let hash = "0".repeat(64);
    let bad = [
        Expected { store: "other", ..good },
        Expected { uid: 8, ..good },
        Expected { slots: 2, ..good },
        Expected { bytes: good.bytes - 1, ..good },
        Expected { hash: &hash, ..good },
    ];
    for (number, bad) in bad.iter().enumerate() {
        assert!(open_from(folder.path(), bad).is_err(), "{number}");
    }
    // A file is never replaced.
    let again = write_new(folder.path(), &segment, ListSizes::default());
    assert!(matches!(again, Err(SealError::Damaged(_))));
    assert!(open_from(folder.path(), &good).is_ok());
    let stopped = Paced { should_continue: &|| false, ..PACE };
    assert!(matches!(
        check_sections(opened(folder.path(), &file), &file, &stopped),
        Err(SealError::Stopped)
    ));
}

#[test]
fn only_files_of_segments_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let segments = folder.path().join(SEGMENTS);
    std::fs::create_dir(&segments).unwrap();
    let name = |uid: u64, ending: &str| format!("{uid:016x}{ending}");
    let foreign = ["notes.txt", "1.seg", "zzzzzzzzzzzzzzzz.seg"].map(String::from);
    let named = [name(1, ENDING)];
    let kept = [&named[..], &foreign].concat();
    let removed =
        [(2, ENDING), (1, TEMPORARY), (2, TEMPORARY)].map(|(uid, ending)| name(uid, ending));
    kept.iter().chain(&removed).for_each(|name| std::fs::write(segments.join(name), b"").unwrap());
    remove_files(folder.path(), |name| named.iter().any(|one| one == name));
    assert!(kept.iter().all(|name| segments.join(name).exists()));
    assert!(removed.iter().all(|name| !segments.join(name).exists()));
    remove_all(folder.path());
    assert!(segments.join("notes.txt").exists() && !segments.join(&kept[0]).exists());
}
