//! Sealed segments: random changes, damage and restarts, kills between the steps of sealing, and restored backups. Every
//! response is that of a twin that keeps everything in memory.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use crate::common::twins::{
    FULL, Twins, copy_data, copy_folder, entry, files, kinds, open, options, sealed,
};
use crate::common::{Random, Service, value};
use iscc_search::{Options, SealHook, Sealing};
use proptest::prelude::*;
use serde_json::{Value, json};

const SCHEMES: [&str; 2] = ["usearch", "lmdb"];

#[test]
fn a_restart_maps_the_files_and_replays_later_changes() {
    for scheme in SCHEMES {
        let mut twins = Twins::filled(scheme, sealed());
        assert_eq!(kinds(&twins.sealed), ["sealed", "sealed", "sealed", "growing"], "{scheme}");
        assert_eq!(files(&twins.folder()).len(), 3);
        twins.check(scheme);
        for round in 0..3 {
            twins.restart(|_| {});
            assert_eq!(kinds(&twins.sealed), ["sealed", "sealed", "sealed", "growing"], "{scheme}");
            twins.check(&format!("{scheme}, restart {round}"));
            twins.update(round + 20, 3);
            twins.add(round, 2);
            twins.delete(round, 2);
            twins.check(&format!("{scheme}, changes {round}"));
        }
    }
}

#[test]
fn files_of_an_older_format_are_made_again() {
    for scheme in SCHEMES {
        let mut twins = Twins::filled(scheme, sealed());
        let before = files(&twins.folder());
        twins.restart(|index| {
            for file in files(index) {
                let mut bytes = fs::read(&file).unwrap();
                assert_eq!(bytes[..7], *b"ISCCSEG");
                bytes[7] = b'1';
                fs::write(&file, bytes).unwrap();
            }
        });
        twins.check(scheme);
        twins.sealed.engine.wait_for_maintenance();
        let after = files(&twins.folder());
        assert!(!after.is_empty() && after.iter().all(|file| !before.contains(file)), "{scheme}");
        twins.restart(|_| {});
        assert!(kinds(&twins.sealed).contains(&"sealed".to_owned()), "{scheme}");
        twins.check(&format!("{scheme}, later"));
    }
}

#[test]
fn small_indexes_have_no_files() {
    let mut twins = Twins::filled("usearch", options(Sealing::default()));
    twins.restart(|_| {});
    assert!(!twins.folder().join("segments").exists());
    assert!(!kinds(&twins.sealed).contains(&"sealed".to_owned()));
}

#[derive(Debug, Clone)]
enum Step {
    Add(u64, u64),
    Update(u64, u64),
    Delete(u64, u64),
    /// Waits for all background work. Without it, it happens during the next steps.
    Wait,
    Restart,
    /// Restarts after one file was removed, cut or changed.
    Damage(u64),
    Rename,
    Check,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0..9u64, 1..100u64).prop_map(|(seed, count)| Step::Add(seed, count)),
        3 => (any::<u32>(), 1..60u64).prop_map(|(seed, count)| Step::Update(seed.into(), count)),
        3 => (any::<u32>(), 1..60u64).prop_map(|(seed, count)| Step::Delete(seed.into(), count)),
        3 => Just(Step::Wait),
        3 => Just(Step::Restart),
        1 => any::<u64>().prop_map(Step::Damage),
        1 => Just(Step::Rename),
        3 => Just(Step::Check),
    ];
    prop::collection::vec(step, 6..30)
}

/// Removes, cuts or changes one file.
fn damage(index: &Path, seed: u64) {
    let files = files(index);
    let mut random = Random(seed | 1);
    let Some(file) = files.get(random.below(files.len().max(1) as u64) as usize) else { return };
    let mut bytes = fs::read(file).unwrap();
    let at = random.below(bytes.len() as u64) as usize;
    match random.below(3) {
        0 => fs::remove_file(file).unwrap(),
        1 => fs::write(file, &bytes[..at]).unwrap(),
        _ => {
            bytes[at] ^= 1 << random.below(8);
            fs::write(file, bytes).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 60, ..ProptestConfig::default() })]

    #[test]
    fn any_changes_restarts_and_damage_leave_the_responses_of_the_twin(
        scheme in prop::sample::select(&SCHEMES[..]),
        steps in steps(),
    ) {
        let mut twins = Twins::new(scheme, sealed());
        twins.add(1, u64::from(FULL) * 2);
        for step in &steps {
            match *step {
                Step::Add(seed, count) => twins.add(seed, count),
                Step::Update(seed, count) => twins.update(seed, count),
                Step::Delete(seed, count) => twins.delete(seed, count),
                Step::Wait => twins.sealed.engine.wait_for_maintenance(),
                Step::Restart => twins.restart(|_| {}),
                Step::Damage(seed) => {
                    twins.restart(|index| damage(index, seed));
                    // A changed byte is found in the background.
                    twins.sealed.engine.wait_for_maintenance();
                }
                Step::Rename => {
                    for (from, to) in [("main", "other"), ("other", "main")] {
                        let body = json!({ "name": to }).to_string();
                        twins.sealed.engine.rename_index(from, body.as_bytes()).unwrap();
                    }
                }
                Step::Check => twins.check("check"),
            }
        }
        twins.check("last");
        twins.sealed.engine.wait_for_maintenance();
        twins.restart(|_| {});
        twins.check("last restart");
    }
}

/// A hook that reports each step and waits until it may continue.
fn stepping() -> (SealHook, Receiver<String>, Sender<()>) {
    let (report, steps) = channel();
    let (resume, resumed) = channel();
    let ends = Mutex::new((report, resumed));
    let hook = move |step: &str| {
        let ends = ends.lock().unwrap();
        // After the test both ends are gone, and sealing continues without it.
        let _ = ends.0.send(step.to_owned());
        let _ = ends.1.recv();
    };
    (SealHook(Arc::new(hook)), steps, resume)
}

#[test]
fn a_kill_at_any_step_loses_nothing() {
    for scheme in SCHEMES {
        let (hook, steps, resume) = stepping();
        let sealing = Sealing { hook: Some(hook), ..Sealing::early() };
        let mut twins = Twins::new(scheme, options(sealing));
        twins.add(3, u64::from(FULL) * 3);
        let mut seen = Vec::new();
        while seen.len() < 8 {
            let step = steps.recv().unwrap();
            // Changes of assets in sealed segments, in the one that is being sealed, and in memory.
            twins.update(seen.len() as u64, 15);
            twins.delete(seen.len() as u64 + 50, 5);
            twins.add(seen.len() as u64, 7);
            // The files as a killed process leaves them.
            let killed = tempfile::tempdir().unwrap();
            copy_folder(twins.folder().parent().unwrap(), killed.path());
            for sealing in [Sealing::early(), Sealing::never()] {
                let engine = open(scheme, killed.path(), &options(sealing));
                let service = Service { engine, folder: None };
                twins.check_other(&service, &format!("{scheme} killed at {step}"));
                service.engine.wait_for_maintenance();
                twins.check_other(&service, &format!("{scheme} killed at {step}, later"));
            }
            let left = files(&killed.path().join("main"));
            assert!(left.iter().all(|file| file.extension().unwrap() == "seg"), "{left:?}");
            seen.push(step);
            resume.send(()).unwrap();
        }
        let once = ["chosen", "written", "committed", "removed"];
        assert_eq!(seen, [once, once].concat(), "{scheme}");
        drop(resume);
        twins.sealed.engine.wait_for_maintenance();
        twins.check(scheme);
    }
}

#[test]
fn changes_and_kills_during_a_merge_lose_nothing() {
    for scheme in SCHEMES {
        let (hook, steps, resume) = stepping();
        let sealing = Sealing { hook: Some(hook), ..Sealing::early() };
        let mut twins = Twins::new(scheme, options(sealing));
        twins.add(3, u64::from(FULL) * 8 + 5);
        let largest = |twins: &Twins| {
            let info = value(twins.sealed.engine.index("main")).unwrap();
            let segments = info["segments"].as_array().cloned().unwrap_or_default();
            segments.iter().map(|one| one["assets"].as_u64().unwrap()).max().unwrap_or(0)
        };
        let mut number = 0;
        // Of eight segments that are sealed and merged, or merged at once.
        while largest(&twins) <= u64::from(FULL) {
            let step = steps.recv().unwrap();
            number += 1;
            twins.update(number, 2);
            twins.delete(number + 50, 1);
            // Each of the four steps, and few of all.
            if number % 5 == 0 {
                let killed = tempfile::tempdir().unwrap();
                copy_folder(twins.folder().parent().unwrap(), killed.path());
                let engine = open(scheme, killed.path(), &sealed());
                let service = Service { engine, folder: None };
                twins.check_other(&service, &format!("{scheme} killed at {step} {number}"));
            }
            resume.send(()).unwrap();
        }
        drop((resume, steps));
        twins.sealed.engine.wait_for_maintenance();
        twins.check(scheme);
        twins.restart(|_| {});
        twins.check(&format!("{scheme}, later"));
    }
}

#[test]
fn a_restored_backup_is_right_next_to_newer_files() {
    for is_copied_by_lmdb in [true, false] {
        let name = format!("by LMDB: {is_copied_by_lmdb}");
        let mut twins = Twins::filled("usearch", sealed());
        let backup = tempfile::tempdir().unwrap();
        let saved = tempfile::tempdir().unwrap();
        twins.restart(|index| match is_copied_by_lmdb {
            true => assert!(iscc_search::read_only::copy(index, backup.path()).unwrap()),
            false => copy_data(index, backup.path()),
        });
        copy_folder(twins.plain.folder.as_ref().unwrap().path(), saved.path());
        let (known, next) = (twins.known.clone(), twins.next);
        twins.update(8, 40);
        twins.delete(9, 20);
        twins.add(4, 300);
        twins.sealed.engine.wait_for_maintenance();
        twins.restart(|index| copy_data(backup.path(), index));
        twins.plain.engine = open("usearch", saved.path(), &Options::default());
        (twins.known, twins.next) = (known, next);
        twins.check(&name);
        twins.add(5, 100);
        twins.sealed.engine.wait_for_maintenance();
        twins.restart(|_| {});
        twins.check(&format!("{name}, later"));
    }
}

#[test]
fn a_segment_of_an_index_that_is_renamed_meanwhile_is_written() {
    let (hook, steps, resume) = stepping();
    let sealing = Sealing { hook: Some(hook), ..Sealing::early() };
    let mut twins = Twins::new("usearch", options(sealing));
    twins.add(3, u64::from(FULL) * 2);
    assert_eq!(steps.recv().unwrap(), "chosen");
    twins.sealed.engine.rename_index("main", br#"{"name":"other"}"#).unwrap();
    drop((resume, steps));
    twins.sealed.engine.wait_for_maintenance();
    let sealed = files(&twins.folder().parent().unwrap().join("other"));
    assert!(!sealed.is_empty());
    assert!(sealed.iter().all(|file| file.extension().unwrap() == "seg"), "{sealed:?}");
}

/// The folder of the former index is that of the renamed one until the new index has its own.
#[test]
fn an_index_with_the_name_of_a_renamed_one_has_its_own_folder() {
    let twins = Twins::filled("usearch", sealed());
    let engine = &twins.sealed.engine;
    engine.rename_index("main", br#"{"name":"other"}"#).unwrap();
    twins.sealed.create("main");
    for first in (0..400).step_by(100) {
        let entries: Vec<Value> = (first..first + 100).map(|number| entry(number, 3)).collect();
        twins.sealed.add("main", &json!(entries)).unwrap();
    }
    engine.wait_for_maintenance();
    let indexes = twins.folder().parent().unwrap().to_owned();
    assert!(!files(&indexes.join("main")).is_empty());
    engine.delete_index("main").unwrap();
    let is_folder = |name: &String| indexes.join(name).is_dir();
    let left = fs::read_dir(&indexes).unwrap();
    let left = left.map(|one| one.unwrap().file_name().into_string().unwrap()).filter(is_folder);
    assert_eq!(left.collect::<Vec<_>>(), ["other"]);
}

#[test]
fn a_deleted_index_leaves_no_files() {
    let twins = Twins::filled("usearch", sealed());
    twins.sealed.engine.delete_index("main").unwrap();
    let left: Vec<PathBuf> = fs::read_dir(twins.folder().parent().unwrap())
        .unwrap()
        .map(|one| one.unwrap().path())
        .collect();
    assert!(left.iter().all(|path| path.is_file()), "{left:?}");
}
