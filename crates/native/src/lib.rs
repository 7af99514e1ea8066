//! The Node.js addon: the only crate that knows napi. It converts arguments and schedules work
//! on threads; the logic lives in the pure crates, one file here per crate there.

pub mod av;
pub mod binding_index;
pub mod c2pa;
pub mod codec;
pub mod document;
pub mod file_sum;
pub mod image;
pub mod media;
pub mod orphan;
pub mod search;
pub mod search_beside;
pub mod semantic;
pub mod sign;
pub mod task;
pub mod text;
pub mod units;
mod watchdog;

/// Version of the addon, the same as the package's.
#[napi_derive::napi(catch_unwind)]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
