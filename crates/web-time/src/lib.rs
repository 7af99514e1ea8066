//! The clock of the standard library, which is what the crate of this name has on other platforms than the web. There it
//! calls JavaScript through wasm-bindgen, for which `cfb` needs no clock: only its writer reads the time, and `crates/wasm`
//! writes nothing. Design: docs/design/wasm.md.

pub use std::time::*;
