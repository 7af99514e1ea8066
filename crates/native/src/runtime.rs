//! Threads, promises and the process's life cycle: what the bindings share.

mod gate;
pub mod parent;
pub mod pool;
mod promise;
mod watchdog;

pub use gate::{Gate, Place};
pub use pool::Pool;
pub use promise::{Pending, settled};
pub use watchdog::{Contested, Watchdog};
