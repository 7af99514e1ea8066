//! Starts with a journal, and without a valid one.
use iscc_index::options::{SealHook, Sealing, SegmentSizes};
use iscc_index::record::Record;
use iscc_index::segment::Matching;
use iscc_index::store::Progress;
use iscc_index::store::StoredMeta;

use super::*;
use crate::index::Replaced;
use crate::options::Options;

/// The index in a folder, whose full segments have four assets.
fn open(folder: &std::path::Path) -> Index {
    open_with(folder, Sealing::early())
}

fn open_with(folder: &std::path::Path, sealing: Sealing) -> Index {
    let sizes = SegmentSizes { rows_min: usize::MAX, ..SegmentSizes::early(4) };
    let options = Options { sizes, sealing, ..Options::default() };
    let (progress, options) = (Progress::default(), Arc::new(options));
    Index::open("a", folder, Matching::Approximate, &options, &progress).unwrap()
}

fn put(index: &Index, ids: std::ops::Range<u64>) {
    let record = Record::default().write();
    let written = index.store.write(|writing| {
        writing.put_meta(&StoredMeta { realm: Some(0), ..StoredMeta::default() })?;
        ids.clone().try_for_each(|id| writing.put_asset(id, &record)).map(Some)
    });
    written.unwrap();
}

fn files(index: &Index) -> usize {
    index.snapshot().segments.iter().filter(|segment| segment.file().is_some()).count()
}

/// An index with sealed segments and a journal.
fn sealed(folder: &std::path::Path) -> Index {
    put(&open(folder), 0..10);
    let index = open(folder);
    while matches!(index.merge_next(&|| true), Replaced::ToFile(_)) {}
    assert_eq!((files(&index), index.snapshot().assets()), (1, 10));
    put(&index, 9..12);
    drop(index);
    let index = open(folder);
    assert_eq!((files(&index), index.snapshot().assets()), (1, 12));
    index
}

#[test]
fn files_are_not_used_after_changes_of_a_version_without_a_journal() {
    let folder = tempfile::tempdir().unwrap();
    let index = sealed(folder.path());
    let record = Record::default().write();
    // As many assets as before.
    let written = index.store.write_as_other_version(|writing| {
        writing.delete_asset(3)?;
        writing.put_asset(50, &record)
    });
    written.unwrap();
    drop(index);
    let index = open(folder.path());
    assert_eq!((files(&index), index.snapshot().assets()), (0, 12));
    let ids = |index: &Index| {
        let snapshot = index.snapshot();
        let all = snapshot.segments.iter().flat_map(|segment| segment.slots.iter_live());
        all.map(|(_, id)| id).collect::<Vec<_>>()
    };
    assert_eq!(ids(&index), (0..12).filter(|&id| id != 3).chain([50]).collect::<Vec<_>>());
    // The next commit removes the record, so that no later version number can make it valid.
    put(&index, 60..61);
    assert_eq!(index.store.read().unwrap().journal().unwrap(), [0; 0]);
    drop(index);
    assert_eq!(files(&open(folder.path())), 0);
}

#[test]
fn a_start_without_all_assets_loads_them_again() {
    let folder = tempfile::tempdir().unwrap();
    let index = sealed(folder.path());
    // A journal that misses an asset.
    let (record, _) = index.record_of(&index.snapshot());
    let no_dead = |_| Vec::new();
    index.store.write(|writing| writing.put_sealed(&record, no_dead, &[9]).map(Some)).unwrap();
    drop(index);
    let index = open(folder.path());
    assert_eq!((files(&index), index.snapshot().assets()), (0, 12));
}
#[test]
fn updates_of_the_same_assets_do_not_let_the_journal_grow() {
    let folder = tempfile::tempdir().unwrap();
    let index = sealed(folder.path());
    for _ in 0..50 {
        put(&index, 9..12);
        index.trim_journal().unwrap();
        let stored = index.store.read().unwrap().journal().unwrap().len() as u64;
        assert!(stored < 100 && stored == index.store.journal_ids(), "{stored}");
    }
    let before = index.store.journal_ids();
    drop(index);
    let index = open(folder.path());
    assert_eq!((files(&index), index.snapshot().assets()), (1, 12));
    assert_eq!(index.store.journal_ids(), before);
}

#[test]
fn a_file_begun_during_a_rename_does_not_create_the_former_folder() {
    let indexes = tempfile::tempdir().unwrap();
    let [former, renamed] = ["a", "b"].map(|name| indexes.path().join(name));
    std::fs::create_dir(&former).unwrap();
    put(&open(&former), 0..10);
    let (report, chosen) = std::sync::mpsc::channel();
    let report = std::sync::Mutex::new(report);
    let hook = SealHook(Arc::new(move |step: &str| {
        let _ = report.lock().unwrap().send(step.to_owned());
    }));
    let index = open_with(&former, Sealing { hook: Some(hook), ..Sealing::early() });
    std::thread::scope(|scope| {
        let moved = index.rename("b", |path| {
            std::fs::rename(&former, &renamed)?;
            path.clone_from(&renamed);
            scope.spawn(|| while matches!(index.merge_next(&|| true), Replaced::ToFile(_)) {});
            assert_eq!(chosen.recv().unwrap(), "chosen");
            // Time to create the folder. Too little of it hides a fault, and causes none.
            std::thread::sleep(std::time::Duration::from_millis(100));
            Ok(())
        });
        moved.unwrap();
    });
    assert!(!former.exists());
    assert_eq!(files(&index), 1);
}
