//! Whether a thread gets the processor time it wants.

use std::fs::File;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Time between two looks at the system's figures.
const INTERVAL: Duration = Duration::from_millis(100);
/// Time a thread waits for a processor before it counts as starved.
const WAITED_MIN: Duration = Duration::from_secs(2);
/// Smallest share of the wanted time that a thread gets, else it is starved.
const SHARE_MIN: f64 = 0.1;

/// Watches a thread that gets only processor time that no other thread wants. The default watches none.
#[derive(Debug, Default)]
pub struct Watch {
    /// The system's figures of the thread.
    figures: Option<File>,
    began: Option<Instant>,
    /// Time of the last look in milliseconds.
    looked: AtomicU64,
    has_stopped: AtomicBool,
}

impl Watch {
    /// Lets the calling thread have only time that is left over, and watches it. Watches no thread if the system does not
    /// offer both.
    pub fn of_idle_thread() -> Self {
        // The name leads to the figures of the thread that opens it.
        let Ok(figures) = File::open("/proc/thread-self/schedstat") else { return Self::default() };
        if read(&figures).is_none() || !use_idle_time() {
            return Self::default();
        }
        Self { figures: Some(figures), began: Some(Instant::now()), ..Self::default() }
    }

    /// Whether a thread is watched.
    pub fn is_watching(&self) -> bool {
        self.figures.is_some()
    }

    /// Whether the thread has got less than a tenth of the processor time it wanted.
    pub fn is_starved(&self) -> bool {
        let Some((ran, waited)) = self.figures.as_ref().and_then(read) else { return false };
        waited >= WAITED_MIN && ran.as_secs_f64() < (ran + waited).as_secs_f64() * SHARE_MIN
    }

    /// Whether the work should stop because the thread is starved. Once it should, it always should.
    pub fn stops(&self) -> bool {
        let Some(began) = self.began else { return false };
        let now = began.elapsed().as_millis() as u64;
        let is_due = now >= self.looked.load(Ordering::Relaxed) + INTERVAL.as_millis() as u64;
        if is_due {
            self.looked.store(now, Ordering::Relaxed);
            if self.is_starved() {
                self.has_stopped.store(true, Ordering::Release);
            }
        }
        self.has_stopped()
    }

    /// Whether the work was asked to stop.
    pub fn has_stopped(&self) -> bool {
        self.has_stopped.load(Ordering::Acquire)
    }
}

/// Time on a processor, and time waiting for one, from the kernel's `sched-stats.rst`.
fn read(mut figures: &File) -> Option<(Duration, Duration)> {
    use std::io::{Read, Seek};
    let mut text = String::new();
    figures.rewind().ok()?;
    figures.read_to_string(&mut text).ok()?;
    let mut nanoseconds = text.split_whitespace().map(|one| one.parse().map(Duration::from_nanos));
    Some((nanoseconds.next()?.ok()?, nanoseconds.next()?.ok()?))
}

/// Lets the calling thread have only time that is left over. Needs no right. Returns whether it does.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn use_idle_time() -> bool {
    let parameters = libc::sched_param { sched_priority: 0 };
    // SAFETY: the call reads `parameters` only. Process 0 is the calling thread.
    let failed = unsafe { libc::sched_setscheduler(0, libc::SCHED_IDLE, &raw const parameters) };
    failed == 0
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn use_idle_time() -> bool {
    false
}
