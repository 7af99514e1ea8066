//! The Node.js addon, the only crate that uses napi. It has one `binding_<crate>` module for each
//! crate below it, the one [`error`] type, and a [`runtime`] with threads, promises and bounds.
//! Bindings convert arguments and results, read files, and choose the thread that a call runs on.
//! Codes, searches and validations are computed in the crates below.

pub mod binding_c2pa;
pub mod binding_codec;
pub mod binding_files;
pub mod binding_log;
pub mod binding_media;
pub mod binding_sandbox;
pub mod binding_search;
pub mod binding_semantic;
pub mod binding_tool;
pub mod binding_units;
pub mod binding_zstd;
pub mod error;
pub mod runtime;

/// Version of the addon, equal to the version of the npm package.
#[napi_derive::napi(catch_unwind)]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
