//! The inner loops of the units.
//!
//! Each kernel is a folder: `portable.rs`, one file per instruction set, and `mod.rs` with the
//! dispatch. All forms give the same bits as the twin in the `reference` crate. A function without
//! a level uses the machine's ([`crate::simd::level`]); `*_at` takes one, so that tests and
//! benchmarks can compare them. `unsafe` occurs in this folder only.

pub mod blake3_short;
pub mod cdc;
pub mod clean;
pub mod collapse;
pub mod dct;
pub mod minhash;
pub mod ngram;
pub mod simhash;
pub mod utf16;
mod utf8;
pub mod wta;
pub mod xxh32;
