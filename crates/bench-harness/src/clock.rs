//! The two clocks: CPU time of the current thread, and wall time.

use std::time::{Duration, Instant};

use crate::Case;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clock {
    Thread,
    Wall,
}

/// Share of its slot that a case must fill before the number of repetitions stops growing.
const FILLED_MIN: f64 = 0.7;

impl Clock {
    /// Duration of `times` runs of `case`, in seconds.
    pub(crate) fn time(self, case: &mut Case, times: u64) -> f64 {
        match self {
            Self::Thread => {
                let start = thread_seconds();
                case(times);
                thread_seconds() - start
            }
            Self::Wall => {
                let start = Instant::now();
                case(times);
                start.elapsed().as_secs_f64()
            }
        }
    }

    /// Number of runs of `case` that fill `slot`. Also warms it up.
    pub(crate) fn repeats(self, case: &mut Case, slot: Duration) -> u64 {
        let slot = slot.as_secs_f64();
        let mut times = 1;
        loop {
            let elapsed = self.time(case, times);
            if elapsed >= slot * FILLED_MIN {
                return times;
            }
            let fitting = times as f64 * slot / elapsed.max(1e-9);
            times = (fitting as u64).clamp(times + 1, times * 16);
        }
    }
}

/// CPU time of the current thread in seconds; wall time where the system does not count it.
#[cfg(unix)]
pub fn thread_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid, writable timespec for the duration of the call.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    assert_eq!(status, 0, "the system has no clock for thread CPU time");
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Seconds since the first call.
#[cfg(not(unix))]
pub fn thread_seconds() -> f64 {
    use std::sync::OnceLock;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}
