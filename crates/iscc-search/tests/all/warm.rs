//! Files of segments are read into memory after a start, before searches need them.
use crate::common::twins::{FULL, Twins, files, options};
use iscc_search::Sealing;

/// Bytes of the index's files, and how many of them are in this process's memory.
fn resident(twins: &Twins) -> (u64, u64) {
    let (mut total, mut resident) = (0, 0);
    let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
    for file in files(&twins.folder()) {
        total += file.metadata().unwrap().len();
        let name = file.to_str().unwrap();
        let mut lines = maps.lines();
        while lines.by_ref().any(|line| line.ends_with(name)) {
            let size = lines.by_ref().find_map(|line| line.strip_prefix("Rss:")).unwrap();
            let kibibytes: u64 = size.trim().trim_end_matches(" kB").trim().parse().unwrap();
            resident += kibibytes << 10;
        }
    }
    (total, resident)
}

/// A started index whose files nothing has read but the start itself and the maintenance.
fn started(warm_share: f64) -> Twins {
    let mut twins = Twins::new("usearch", options(Sealing { warm_share, ..Sealing::early() }));
    twins.add(3, u64::from(FULL) * 3 + 20);
    twins.sealed.engine.wait_for_maintenance();
    assert!(!files(&twins.folder()).is_empty());
    twins.restart(|_| {});
    twins.sealed.engine.wait_for_maintenance();
    twins
}

#[test]
fn files_are_in_memory_after_a_start_without_a_search() {
    let twins = started(0.5);
    let (total, in_memory) = resident(&twins);
    // The headers are not mapped.
    assert!(in_memory * 10 > total * 9, "{in_memory} of {total} bytes");
    twins.check("warm");
}

#[test]
fn no_more_is_read_than_the_share_of_the_available_memory() {
    let twins = started(0.0);
    let (total, in_memory) = resident(&twins);
    assert!(in_memory * 2 < total, "{in_memory} of {total} bytes");
    twins.check("cold");
}
