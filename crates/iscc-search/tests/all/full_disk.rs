//! A full disk: writes fail with a clear error, acknowledged data stay, and writes succeed again once there is space.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::common::{Random, Service, id, unit};
use iscc_codec::Kind;
use iscc_search::{Engine, FailureKind, Options, Sealing, SegmentSizes};
use serde_json::{Value, json};

const BATCH: u64 = 50;

/// A file system in memory. Unmounted when dropped.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    /// Returns `None` if the test may not mount.
    fn new(mebibytes: u32) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let size = format!("size={mebibytes}m");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(folder.path());
        mount.output().is_ok_and(|output| output.status.success()).then(|| Self(folder))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.path()).output();
    }
}

fn batch(number: u64) -> Value {
    let mut random = Random(number + 1);
    let entry = |number: u64| {
        let units = [unit(Kind::META, &random.bytes(32)), unit(Kind::INSTANCE, &random.bytes(32))];
        json!({ "iscc_id": id(number), "units": units, "metadata": { "x": "y".repeat(3000) } })
    };
    Value::from((number * BATCH..(number + 1) * BATCH).map(entry).collect::<Vec<_>>())
}

#[test]
fn a_full_disk_is_reported_and_loses_no_data() {
    let Some(disk) = SmallDisk::new(12) else {
        eprintln!("skipped: mounting needs privileges");
        return;
    };
    let ballast = disk.path().join("ballast");
    std::fs::write(&ballast, vec![1; 4 << 20]).unwrap();
    let indexes = disk.path().join("indexes");
    let location = format!("usearch://{}", indexes.display());
    let open =
        || Service { engine: Engine::open(&location, Options::default()).unwrap(), folder: None };
    let mut service = open();
    service.create("main");
    let mut stored = 0;
    let failure = loop {
        match service.add("main", &batch(stored)) {
            Ok(_) => stored += 1,
            Err(failure) => break failure,
        }
        assert!(stored < 1000, "the disk never got full");
    };
    assert_eq!(failure, (507, json!("No space left for the index")));
    assert_eq!(service.assets("main"), stored * BATCH);
    // The index stays readable, and writes keep failing.
    assert_eq!(service.add("main", &batch(stored)).unwrap_err().0, 507);
    assert!(service.get("main", &id(0)).is_ok());
    assert!(service.get("main", &id(stored * BATCH)).is_err());
    // A new index does not fit either, not even LMDB's lock file.
    let rest = disk.path().join("rest");
    let mut filler = std::fs::File::create(&rest).unwrap();
    while std::io::Write::write(&mut filler, &[1; 4096]).is_ok_and(|bytes| bytes > 0) {}
    let failure = service.engine.create_index(br#"{"name":"more"}"#).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Full);
    assert!(!indexes.join("more").exists());
    drop(service.engine);
    service = open();
    assert_eq!(service.assets("main"), stored * BATCH);
    drop(filler);
    std::fs::remove_file(&rest).unwrap();

    std::fs::remove_file(&ballast).unwrap();
    service.add("main", &batch(stored)).unwrap();
    service.create("more");
    stored += 1;
    drop(service.engine);
    service = open();
    assert_eq!(service.assets("main"), stored * BATCH);
    for number in 0..stored {
        let units = &batch(number)[7]["units"];
        let response = service.search("main", &json!({ "units": units }), 1).unwrap();
        assert_eq!(response["global_matches"][0]["iscc_id"], id(number * BATCH + 7));
    }
}

/// An index whose segments do not fit on the disk as files, too.
#[test]
fn an_index_works_without_the_files_that_do_not_fit() {
    let Some(disk) = SmallDisk::new(12) else {
        eprintln!("skipped: mounting needs privileges");
        return;
    };
    let location = format!("usearch://{}", disk.path().join("indexes").display());
    let options =
        |sealing| Options { sizes: SegmentSizes::early(64), sealing, ..Options::default() };
    let open =
        |options| Service { engine: Engine::open(&location, options).unwrap(), folder: None };
    let service = open(options(Sealing::never()));
    service.create("main");
    for number in 0..4 {
        service.add("main", &batch(number)).unwrap();
    }
    drop(service);
    // Each file has at least 4 MiB of lists.
    let rest = disk.path().join("rest");
    let free =
        || rustix::fs::statvfs(disk.path()).map(|disk| disk.f_bavail * disk.f_frsize).unwrap();
    std::fs::write(&rest, vec![1; (free() - (3 << 20)) as usize]).unwrap();
    let before = free();
    let service = open(options(Sealing::early()));
    service.engine.wait_for_maintenance();
    let decisions = String::from_utf8(service.engine.take_decisions()).unwrap();
    assert!(decisions.contains("not written to a file: No space left"), "{decisions}");
    assert!(free() + (1 << 20) > before, "a part of a file was left");
    service.add("main", &batch(4)).unwrap();
    assert_eq!(service.assets("main"), 5 * BATCH);
    drop(service);
    // It is tried again without a change or a restart.
    let again = Sealing { retry_after: Duration::from_millis(50), ..Sealing::early() };
    let service = open(options(again));
    service.engine.wait_for_maintenance();
    let decisions = || String::from_utf8(service.engine.take_decisions()).unwrap();
    let refused = decisions();
    assert!(refused.contains("\"outcome\":\"memory\""), "{refused}");
    std::fs::remove_file(&rest).unwrap();
    while !decisions().contains("\"outcome\":\"file\"") {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(service.assets("main"), 5 * BATCH);
}
