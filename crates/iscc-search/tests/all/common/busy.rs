//! A processor that is never idle.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The other thread ends after this time, even if a test fails.
pub const BUSY_MAX: Duration = Duration::from_secs(300);

/// Calls a function on a thread that shares its processor with one that never pauses. Its threads inherit the processor.
pub fn on_busy_processor<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    let (started, done) = (Instant::now(), AtomicBool::new(false));
    let run = || {
        let own = sched_getaffinity(None).expect("the processors");
        let mut one = CpuSet::new();
        one.set((0..CpuSet::MAX_CPU).find(|&cpu| own.is_set(cpu)).expect("a processor"));
        sched_setaffinity(None, &one).expect("one processor");
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) && started.elapsed() < BUSY_MAX {
                    std::hint::spin_loop();
                }
            });
            let result = work();
            done.store(true, Ordering::Relaxed);
            result
        })
    };
    std::thread::scope(|scope| scope.spawn(run).join().expect("the work"))
}
