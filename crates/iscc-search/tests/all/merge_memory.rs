//! Memory that sealing and merging need, counted by the allocator in a process of its own.

use std::alloc::{GlobalAlloc, Layout, System};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::common::{Random, Service, id, unit, value};
use data_encoding::BASE64URL_NOPAD;
use iscc_codec::{Kind, Mode};
use iscc_search::{Options, SealHook, Sealing, SegmentSizes, StoreOptions};
use serde_json::{Value, json};

/// Assets of a full segment. Eight segments are merged.
const FULL: u64 = 8192;
/// Heap that sealing or merging may take. Of it, 4 MiB are the step in which a file is written.
const HEAP_MAX: usize = 8 << 20;

/// Counts the heap memory in use, and its peak, once `COUNTS` is set.
struct Counting;

static COUNTS: AtomicBool = AtomicBool::new(false);
static USED: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all calls are passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if COUNTS.load(Ordering::Relaxed) {
            let used = USED.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
            PEAK.fetch_max(used, Ordering::Relaxed);
        }
        // SAFETY: the caller meets the conditions.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if COUNTS.load(Ordering::Relaxed) {
            USED.fetch_sub(layout.size(), Ordering::Relaxed);
        }
        // SAFETY: the caller meets the conditions.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if COUNTS.load(Ordering::Relaxed) {
            let used = USED.fetch_add(size, Ordering::Relaxed) + size;
            PEAK.fetch_max(used, Ordering::Relaxed);
            USED.fetch_sub(layout.size(), Ordering::Relaxed);
        }
        // SAFETY: the caller meets the conditions.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn entry(number: u64, random: &mut Random) -> Value {
    let units = [
        unit(Kind::META, &random.bytes(32)),
        unit(Kind::content(Mode::Image), &random.bytes(32)),
        unit(Kind::INSTANCE, &random.bytes(32)),
    ];
    let simprint = |offset: u64| {
        let body = if offset == 0 { vec![7; 32] } else { random.bytes(32) };
        json!({ "simprint": BASE64URL_NOPAD.encode(&body), "offset": offset, "size": 9 })
    };
    let simprints: Vec<Value> = (0..3).map(simprint).collect();
    json!({ "iscc_id": id(number), "units": units, "simprints": { "TEXT": simprints } })
}

#[test]
fn a_merge_needs_less_memory_than_a_column() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "merge_memory::child", "--ignored", "--nocapture"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{output:?}");
}

#[test]
#[ignore = "runs as the child of the test above"]
fn child() {
    // Memory from before is freed later, so the count starts above zero.
    USED.store(1 << 30, Ordering::Relaxed);
    COUNTS.store(true, Ordering::Relaxed);
    // Peak of each file, above the use at its start.
    let peaks: Arc<Mutex<Vec<usize>>> = Arc::default();
    let (seen, start) = (Arc::clone(&peaks), AtomicUsize::new(0));
    let hook = move |step: &str| match step {
        "chosen" => {
            let used = USED.load(Ordering::Relaxed);
            start.store(used, Ordering::Relaxed);
            PEAK.store(used, Ordering::Relaxed);
        }
        "written" => {
            let peak = PEAK.load(Ordering::Relaxed);
            seen.lock().unwrap().push(peak.saturating_sub(start.load(Ordering::Relaxed)));
        }
        _ => {}
    };
    let options = Options {
        sizes: SegmentSizes::early(FULL as u32),
        sealing: Sealing { hook: Some(SealHook(Arc::new(hook))), ..Sealing::early() },
        store: StoreOptions { sync: false, ..StoreOptions::default() },
        ..Options::default()
    };
    let service = Service::new("usearch", options);
    service.create("main");
    let mut random = Random(3);
    for first in (0..FULL * 8 + 100).step_by(1000) {
        let last = (first + 1000).min(FULL * 8 + 100);
        let entries: Value = (first..last).map(|number| entry(number, &mut random)).collect();
        service.add("main", &entries).unwrap();
        // Adding takes memory, too.
        service.engine.wait_for_maintenance();
    }
    service.add("main", &json!([entry(FULL * 8 + 100, &mut random)])).unwrap();
    service.engine.wait_for_maintenance();
    let segments = value(service.engine.index("main")).unwrap()["segments"].clone();
    assert_eq!(segments[0]["kind"], "sealed");
    assert_eq!(segments[0]["assets"], FULL * 8, "{segments}");
    let folder = service.folder.as_ref().unwrap().path().join("main/segments");
    let bytes: u64 = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().metadata().unwrap().len())
        .sum();
    let peaks = peaks.lock().unwrap();
    let largest = *peaks.iter().max().unwrap();
    println!("peaks {peaks:?} bytes, files of {bytes} bytes");
    assert!(peaks.len() >= 8 && largest < HEAP_MAX, "{peaks:?}");
    assert!(bytes as usize > 4 * HEAP_MAX, "{bytes}");
}
