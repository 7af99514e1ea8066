//! Damaged, missing and foreign files of sealed segments. Every response is that of a twin that keeps everything in memory.

use std::fs;
use std::path::Path;

use crate::common::Service;
use crate::common::twins::{Twins, copy_folder, entry, files, kinds, sealed};
use serde_json::{Value, json};

/// Damages a file. The second file is one of another index.
type Damage = fn(&Path, &Path);

fn decisions(service: &Service) -> Vec<Value> {
    serde_json::from_slice(&service.engine.take_decisions()).unwrap()
}

#[test]
fn a_changed_byte_in_any_part_of_a_file_is_found() {
    let mut twins = Twins::filled("usearch", sealed());
    let index = twins.folder();
    let file = files(&index).remove(1);
    let original = fs::read(&file).unwrap();
    let header = u64::from_le_bytes(original[8..16].try_into().unwrap()) as usize;
    let parsed: Value = serde_json::from_slice(&original[header..]).unwrap();
    let sections = parsed["sections"].as_array().unwrap().iter().filter(|one| one["bytes"] != 0);
    let middle = |one: &Value| {
        (one["offset"].as_u64().unwrap() + one["bytes"].as_u64().unwrap() / 2) as usize
    };
    let places: Vec<usize> =
        sections.map(middle).chain([3, 9, 17, header, original.len() - 2]).collect();
    assert!(places.len() > 30, "{}", places.len());
    for at in places {
        let kept = tempfile::tempdir().unwrap();
        let mut is_found = false;
        twins.restart(|index| copy_folder(index, kept.path()));
        twins.restart(|index| {
            let mut bytes = original.clone();
            bytes[at] ^= 0xff;
            fs::write(files(index).iter().find(|one| **one == file).unwrap(), bytes).unwrap();
        });
        // Until the file is checked, responses may miss matches, but searches do not fail.
        for seed in 0..5 {
            let query = json!({ "units": entry(0, seed)["units"] });
            twins.sealed.search("main", &query, 100).unwrap();
        }
        twins.sealed.engine.wait_for_maintenance();
        twins.check(&format!("byte {at}"));
        is_found |= decisions(&twins.sealed).iter().any(|one| one["outcome"] == "memory");
        is_found |= !files(&index).contains(&file);
        assert!(is_found, "byte {at}");
        twins.restart(|index| {
            fs::remove_dir_all(index).unwrap();
            copy_folder(kept.path(), index);
        });
    }
}

#[test]
fn the_check_of_an_index_names_damaged_files() {
    let mut twins = Twins::filled("usearch", sealed());
    let check = |index: &Path| {
        let check = iscc_search::read_only::check(index).unwrap();
        check.problems.into_iter().map(|problem| problem.key).collect::<Vec<_>>()
    };
    let mut names = Vec::new();
    twins.restart(|index| {
        assert_eq!(check(index), [""; 0]);
        let files = files(index);
        let mut bytes = fs::read(&files[0]).unwrap();
        // The first section starts at 4096.
        bytes[4100] ^= 1;
        fs::write(&files[0], bytes).unwrap();
        fs::write(&files[1], b"").unwrap();
        fs::remove_file(&files[2]).unwrap();
        names = files
            .iter()
            .map(|file| file.file_name().unwrap().to_str().unwrap().to_owned())
            .collect();
        let mut found = check(index);
        found.sort();
        assert_eq!(found, names[..2]);
    });
    twins.check("damaged");
}

#[test]
fn cut_missing_and_swapped_files_are_made_again() {
    let mut twins = Twins::filled("usearch", sealed());
    let mut other = Twins::filled("usearch", sealed());
    other.add(77, 200);
    // Sealing goes on after an addition, and removes the files of segments that it replaces.
    other.sealed.engine.wait_for_maintenance();
    let foreign = files(&other.folder()).remove(0);
    let ways: [(&str, Damage); 6] = [
        ("cut", |file, _| {
            let length = fs::metadata(file).unwrap().len();
            fs::File::options().write(true).open(file).unwrap().set_len(length / 2).unwrap();
        }),
        ("empty", |file, _| fs::write(file, b"").unwrap()),
        ("missing", |file, _| fs::remove_file(file).unwrap()),
        ("all missing", |file, _| fs::remove_dir_all(file.parent().unwrap()).unwrap()),
        ("foreign", |file, foreign| {
            fs::copy(foreign, file).unwrap();
        }),
        ("swapped", |file, _| {
            let neighbour = files(file.parent().unwrap().parent().unwrap()).remove(0);
            let bytes = fs::read(file).unwrap();
            fs::copy(&neighbour, file).unwrap();
            fs::write(neighbour, bytes).unwrap();
        }),
    ];
    for (name, damage) in ways {
        let before = files(&twins.folder());
        twins.restart(|index| damage(&files(index)[1], &foreign));
        twins.check(name);
        twins.sealed.engine.wait_for_maintenance();
        let after = files(&twins.folder());
        assert!(after.iter().all(|file| !before.contains(file)), "{name}: {after:?}");
        assert!(kinds(&twins.sealed).contains(&"sealed".to_owned()), "{name}");
        twins.update(9, 30);
        twins.restart(|_| {});
        assert!(kinds(&twins.sealed).contains(&"sealed".to_owned()), "{name}");
        twins.check(&format!("{name}, later"));
    }
}
