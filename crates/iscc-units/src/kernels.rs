//! The inner loops of the units.
//!
//! Each kernel has a file with the dispatch and a folder with `portable.rs` and one file per
//! instruction set. All forms give the same bits as the slow implementation in the `reference`
//! crate. A function without a level uses the machine's ([`crate::simd::level`]); `*_at` takes a
//! level, so that tests and benchmarks can compare them. Only this folder has `unsafe` code.

pub mod blake3_short;
pub mod cdc;
pub mod clean;
pub mod collapse;
pub mod dct;
pub mod minhash;
pub mod ngram;
pub mod simhash;
pub(crate) mod table;
pub mod utf16;
mod utf8;
pub mod wta;
pub mod xxh32;
