//! The deadline of the current thread's validation.
//!
//! The `c2pa` crate regularly calls a callback of its shared context that can stop the work, always
//! on the validating thread. So each validation stores its deadline in its thread.

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

/// Whether the deadline has passed.
pub fn passed() -> bool {
    DEADLINE.get().is_some_and(|deadline| Instant::now() >= deadline)
}

/// Restores the previous deadline, even if `work` panics.
struct Reset(Option<Instant>);

impl Drop for Reset {
    fn drop(&mut self) {
        DEADLINE.set(self.0);
    }
}
