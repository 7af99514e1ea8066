//! Copies and checks of indexes while an engine owns the folder.

use std::path::{Path, PathBuf};

use crate::common::{Random, Service, id, unit};
use heed::byteorder::BigEndian;
use heed::types::{Bytes, U64};
use heed::{CommitOrAbort, Database, EnvOpenOptions, RwTxn};
use iscc_codec::{Kind, Mode};
use iscc_search::{Engine, FailureKind, Options, read_only};
use serde_json::{Value, json};
use tempfile::TempDir;

type Rows = Database<'static, U64<BigEndian>, Bytes>;

/// Assets with units of two types; every third has simprints.
fn assets(from: u64, count: u64) -> Value {
    let asset = |number: u64| {
        let mut random = Random(number + 1);
        let units = [
            unit(Kind::content(Mode::Text), &random.bytes(32)),
            unit(Kind::INSTANCE, &random.bytes(32)),
        ];
        let mut asset = json!({ "iscc_id": id(number), "units": units });
        if number.is_multiple_of(3) {
            let simprint =
                json!({ "simprint": "AAAAAAAAAAAAAAAAAAAAAA", "offset": number, "size": 4 });
            asset["simprints"] = json!({ "CONTENT_TEXT_V0": [simprint, simprint] });
        }
        asset
    };
    (from..from + count).map(asset).collect()
}

/// A folder with the closed index `main` of 90 assets, 30 of them with simprints.
fn closed_index() -> (TempDir, PathBuf) {
    let mut service = Service::new("usearch", Options::default());
    service.create("main");
    service.add("main", &assets(0, 90)).unwrap();
    let folder = service.folder.take().unwrap();
    drop(service);
    let index = folder.path().join("main");
    (folder, index)
}

/// Changes the rows of a closed index directly.
fn damage(index: &Path, change: impl FnOnce(&mut RwTxn<'_>, Rows, Rows)) {
    // SAFETY: it is not open elsewhere.
    let env = unsafe { EnvOpenOptions::new().max_dbs(3).map_size(1 << 24).open(index) }.unwrap();
    let opened = env.create_databases_and_commit(env.write_txn().unwrap(), |opener, txn| {
        let assets = opener.create_database(txn, Some("assets"))?;
        let simprints = opener.create_database(txn, Some("simprints"))?;
        Ok::<_, heed::Error>(CommitOrAbort::<_, ()>::Commit((assets, simprints)))
    });
    let (assets, simprints): (Rows, Rows) = opened.unwrap().unwrap_commit();
    let mut txn = env.write_txn().unwrap();
    change(&mut txn, assets, simprints);
    txn.commit().unwrap();
    env.prepare_for_closing().wait();
}

fn first(txn: &RwTxn<'_>, rows: Rows) -> (u64, Vec<u8>) {
    let (key, row) = rows.first(txn).unwrap().unwrap();
    (key, row.to_vec())
}

fn rules(index: &Path) -> Vec<&'static str> {
    read_only::check(index).unwrap().problems.iter().map(|problem| problem.rule).collect()
}

#[test]
fn a_valid_index_has_no_problems_and_one_vector_per_unit_and_simprint() {
    let (_folder, index) = closed_index();
    let check = read_only::check(&index).unwrap();
    assert_eq!((check.assets, check.simprints, check.vectors), (90, 30, 90 * 2 + 30 * 2));
    assert_eq!((check.problems, check.problem_count), (vec![], 0));
}

#[test]
fn copies_the_last_committed_state() {
    let (folder, index) = closed_index();
    let target = folder.path().join("copy");
    assert!(read_only::copy(&index, &target).unwrap());
    assert_eq!(read_only::check(&target).unwrap().assets, 90);
    assert_eq!(read_only::indexes(folder.path()).unwrap(), ["copy", "main"]);
    assert!(!read_only::copy(&folder.path().join("none"), &target).unwrap());
}

#[test]
fn reports_missing_and_damaged_rows() {
    type Damage = fn(&mut RwTxn<'_>, Rows, Rows);
    let cases: [(Damage, &str); 5] = [
        (
            |txn, assets, simprints| {
                let (key, _) = first(txn, simprints);
                assets.delete(txn, &key).unwrap();
            },
            "a row of simprints belongs to an asset with the simprint flag",
        ),
        (
            |txn, _, simprints| {
                let (key, _) = first(txn, simprints);
                simprints.delete(txn, &key).unwrap();
            },
            "an asset with the simprint flag has a row of simprints",
        ),
        (
            |txn, assets, _| {
                let (key, row) = first(txn, assets);
                assets.put(txn, &key, &row[..row.len() / 2]).unwrap();
            },
            "the record of an asset decodes",
        ),
        (
            |txn, _, simprints| {
                let (key, row) = first(txn, simprints);
                simprints.put(txn, &key, &row[..row.len() - 1]).unwrap();
            },
            "a row of simprints decodes",
        ),
        (
            |txn, assets, _| {
                let (_, row) = first(txn, assets);
                assets.remap_key_type::<Bytes>().put(txn, b"short", &row).unwrap();
            },
            "the key of a row has 8 bytes",
        ),
    ];
    for (change, rule) in cases {
        let (_folder, index) = closed_index();
        damage(&index, change);
        assert!(rules(&index).contains(&rule), "{rule}: {:?}", rules(&index));
    }
}

#[test]
fn an_index_of_a_newer_format_is_rejected_by_name() {
    let (folder, index) = closed_index();
    // SAFETY: it is not open elsewhere.
    let env = unsafe { EnvOpenOptions::new().max_dbs(3).map_size(1 << 24).open(&index) }.unwrap();
    let opened = env.create_databases_and_commit(env.write_txn().unwrap(), |opener, txn| {
        let meta: Database<'_, Bytes, Bytes> = opener.create_database(txn, Some("meta"))?;
        meta.put(txn, b"format", &[2])?;
        Ok::<_, heed::Error>(CommitOrAbort::<_, ()>::Commit(meta))
    });
    opened.unwrap().unwrap_commit();
    env.prepare_for_closing().wait();
    let location = format!("usearch://{}", folder.path().display());
    let engine = Engine::open(&location, Options::default()).unwrap();
    let name = index.file_name().unwrap().to_str().unwrap();
    let failure = engine.index(name).unwrap_err();
    let text = failure.to_string();
    assert_eq!(failure.kind, FailureKind::Damaged, "{text}");
    assert!(text.contains("format 2, this program knows up to 1"), "{text}");
    drop(engine);
    assert!(read_only::check(&index).unwrap_err().to_string().contains("format 2"));
}

#[test]
fn rejects_truncated_files_and_files_that_are_not_indexes() {
    let (_folder, index) = closed_index();
    let file = index.join("data.mdb");
    let bytes = std::fs::read(&file).unwrap();
    for length in [bytes.len() - 4096, 8192, 100, 0] {
        std::fs::write(&file, &bytes[..length]).unwrap();
        assert!(read_only::check(&index).is_err(), "{length} bytes");
    }
    std::fs::write(&file, vec![7; bytes.len()]).unwrap();
    assert!(read_only::check(&index).is_err());
    std::fs::remove_file(&file).unwrap();
    assert!(read_only::check(&index).is_err());
}

#[test]
fn names_a_damaged_page_and_does_not_read_the_rows_below_it() {
    let (_folder, index) = closed_index();
    let file = index.join("data.mdb");
    let bytes = std::fs::read(&file).unwrap();
    let named = (2..bytes.len() / 4096).filter(|&page| {
        let mut damaged = bytes.clone();
        damaged[page * 4096..][..4096].fill(b'0');
        std::fs::write(&file, damaged).unwrap();
        // Without the pages at the top, it is no index.
        let Ok(check) = read_only::check(&index) else { return false };
        let problems = check.problems;
        let keys: Vec<_> = problems.iter().map(|problem| problem.key.as_str()).collect();
        // Some pages are free.
        assert!(keys.is_empty() || keys == [format!("page {page} of data.mdb")], "{keys:?}");
        !keys.is_empty()
    });
    assert!(named.count() > 3);
}
