//! When the current thread's validation has to stop.
//!
//! The `c2pa` crate asks a callback of its shared context now and then whether to go on, always on
//! the thread that validates: the deadline of each validation lies with its thread.

use std::cell::Cell;
use std::time::Instant;

thread_local! {
    static DEADLINE: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Runs `work` with a deadline.
pub fn within<T>(deadline: Option<Instant>, work: impl FnOnce() -> T) -> T {
    let _reset = Reset(DEADLINE.replace(deadline));
    work()
}

/// Whether the time is over.
pub fn passed() -> bool {
    DEADLINE.get().is_some_and(|deadline| Instant::now() >= deadline)
}

/// Puts the old deadline back, also when `work` panics.
struct Reset(Option<Instant>);

impl Drop for Reset {
    fn drop(&mut self) {
        DEADLINE.set(self.0);
    }
}
