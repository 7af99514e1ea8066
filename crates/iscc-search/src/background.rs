//! Work that must not slow down searches and changes.
//!
//! It runs on threads that get only processor time that no other thread wants. On a machine that is never idle such a
//! thread is starved: it stops, and the work starts again at the lowest ordinary priority, at which it gets about 1 % of a
//! processor.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use watch::Watch;

#[cfg(test)]
mod tests;
mod watch;

/// Lowest ordinary priority of a thread.
#[cfg(target_os = "linux")]
const NICE: i32 = 19;
/// How long work runs at the lowest ordinary priority after a thread was starved.
const AFTER_STARVING: Duration = Duration::from_secs(60);

/// Returns `false` if work should stop.
pub type Condition<'a> = &'a (dyn Fn() -> bool + Sync);

static STARVING: Starving = Starving(Mutex::new(None));

/// Until when threads use the lowest ordinary priority.
struct Starving(Mutex<Option<Instant>>);

impl Starving {
    fn is_recent(&self) -> bool {
        let until = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        until.is_some_and(|until| Instant::now() < until)
    }

    fn note(&self) {
        let until = Instant::now() + AFTER_STARVING;
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(until);
    }
}

/// Memory in bytes that programs can use without swapping. `None` if the system does not tell.
pub fn available_memory() -> Option<u64> {
    let all = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = all.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

/// Runs work on a thread of low priority and waits for it. The calling thread keeps its priority, so that it does not hold
/// locks for long.
pub fn run<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    let (result, was_starved) = on_thread(!STARVING.is_recent(), |watch| {
        let result = work();
        (result, watch.is_starved())
    });
    if was_starved {
        STARVING.note();
    }
    result
}

/// Runs work like [`run`], and runs it again if its thread was starved. The work must stop and leave nothing behind when
/// the condition it is passed returns `false`, as it does when `should_continue` does.
pub fn run_again<R: Send>(
    should_continue: Condition<'_>,
    work: impl Fn(Condition<'_>) -> R + Sync,
) -> R {
    run_again_with(&STARVING, should_continue, work)
}

fn run_again_with<R: Send>(
    starving: &Starving,
    should_continue: Condition<'_>,
    work: impl Fn(Condition<'_>) -> R + Sync,
) -> R {
    let (result, was_stopped) = on_thread(!starving.is_recent(), |watch| {
        let result = work(&|| should_continue() && !watch.stops());
        (result, watch.has_stopped())
    });
    if !was_stopped {
        return result;
    }
    starving.note();
    on_thread(false, |_| work(should_continue))
}

/// Runs work on a new thread: with processor time that is left over, or at the lowest ordinary priority.
fn on_thread<R: Send>(with_idle_time: bool, work: impl FnOnce(&Watch) -> R + Send) -> R {
    let on_thread = || {
        let watch = if with_idle_time { Watch::of_idle_thread() } else { Watch::default() };
        if !watch.is_watching() {
            // On Linux, this applies to the calling thread only. Without it, the work is not less correct.
            #[cfg(target_os = "linux")]
            let _ = rustix::process::setpriority_process(None, NICE);
        }
        work(&watch)
    };
    std::thread::scope(|scope| match scope.spawn(on_thread).join() {
        Ok(result) => result,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}
