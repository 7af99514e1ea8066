#![cfg(all(target_os = "linux", target_env = "gnu"))]

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use busy::on_busy_processor;

use super::{Condition, Starving, run_again_with};

#[allow(dead_code, reason = "integration tests use the rest of it")]
#[path = "../../tests/all/common/busy.rs"]
mod busy;

/// Number of `SCHED_IDLE` and of the ordinary policy.
const IDLE: i64 = 5;
const ORDINARY: i64 = 0;
/// Far more processor time than a thread with idle time gets before it is starved.
const WORK: Duration = Duration::from_millis(50);

#[test]
fn work_uses_idle_time_only() {
    let starving = Starving(Mutex::new(None));
    let (policy, nice) = run_again_with(&starving, &|| true, |_| policy_and_nice());
    assert_eq!((policy, nice), (IDLE, 0));
    assert!(!starving.is_recent());
}

#[test]
fn work_that_gets_no_idle_time_starts_again_at_the_lowest_ordinary_priority() {
    let starving = Starving(Mutex::new(None));
    let started = Mutex::new(Vec::new());
    let work = |should_continue: Condition<'_>| {
        started.lock().expect("a list").push(policy_and_nice());
        use_processor(WORK, should_continue)
    };
    let has_ended = on_busy_processor(|| run_again_with(&starving, &|| true, work));
    assert!(has_ended);
    assert_eq!(started.into_inner().expect("a list"), [(IDLE, 0), (ORDINARY, 19)]);
    // The next work does not try in vain.
    let next = run_again_with(&starving, &|| true, |_| policy_and_nice());
    assert_eq!(next, (ORDINARY, 19));
}

#[test]
fn work_stops_when_its_caller_wants_it() {
    let starving = Starving(Mutex::new(None));
    let asked = AtomicBool::new(false);
    let should_continue = || !asked.swap(true, Ordering::Relaxed);
    let work = |should_continue: Condition<'_>| use_processor(Duration::MAX, should_continue);
    assert!(!run_again_with(&starving, &should_continue, work));
    assert!(!starving.is_recent());
}

/// Policy and nice value of the calling thread.
fn policy_and_nice() -> (i64, i64) {
    let stat = std::fs::read_to_string("/proc/thread-self/stat").expect("figures of the thread");
    // The name of the thread, in parentheses, may contain spaces. The third field comes after it.
    let (_, fields) = stat.rsplit_once(") ").expect("a name");
    let field = |number: usize| fields.split(' ').nth(number - 3)?.parse().ok();
    (field(41).expect("a policy"), field(19).expect("a nice value"))
}

/// Uses processor time in steps. Returns whether it came to its end.
fn use_processor(time: Duration, should_continue: Condition<'_>) -> bool {
    while used() < time {
        if !should_continue() {
            return false;
        }
    }
    true
}

/// Processor time of the calling thread.
fn used() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
