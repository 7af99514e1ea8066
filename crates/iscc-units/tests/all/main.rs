//! All integration tests of the crate, in one program: each further program costs a link of all dependencies.

mod conformance;
#[cfg(target_os = "linux")]
mod peak_memory;
mod properties;
