//! Threads, promises, bounds and the end of the process: what the bindings share.

mod gate;
pub mod memory;
pub mod parent;
pub mod pool;
mod promise;
mod serial;
mod watchdog;

pub use gate::{Gate, Place};
pub use pool::{C2PA, CPU, IO, PUBLISH, Pool, SYNC, cores};
pub use promise::{Pending, caught, rejected, settled};
pub use serial::Serial;
pub use watchdog::Watchdog;
