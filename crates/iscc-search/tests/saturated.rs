//! Background work on a processor that is never idle.

#![cfg(target_os = "linux")]

mod common;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use common::twins::{Twins, files, kinds, sealed};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The other thread ends after this time, even if the test fails.
const BUSY_MAX: Duration = Duration::from_secs(300);

#[test]
fn segments_are_sealed_next_to_a_thread_that_never_pauses() {
    let own = sched_getaffinity(None).unwrap();
    let mut one = CpuSet::new();
    one.set((0..CpuSet::MAX_CPU).find(|&cpu| own.is_set(cpu)).unwrap());
    // The threads of the engine and the busy one inherit the processor.
    sched_setaffinity(None, &one).unwrap();
    let (started, done) = (Instant::now(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) && started.elapsed() < BUSY_MAX {
                std::hint::spin_loop();
            }
        });
        let twins = Twins::filled("usearch", sealed());
        let (kinds, files) = (kinds(&twins.sealed), files(&twins.folder()));
        done.store(true, Ordering::Relaxed);
        assert!(started.elapsed() < BUSY_MAX);
        assert_eq!(kinds, ["sealed", "sealed", "sealed", "growing"]);
        assert_eq!(files.len(), 3);
        twins.check("sealed on a busy processor");
    });
}
