//! Slow, obvious implementations of every kernel. Only tests and benchmarks use this crate.
//!
//! Callers pass the tables that the standard prints (gear values, permutations, pairs): they are
//! data, and separate tests compare them with the recorded constants.

pub mod audio;
pub mod cdc;
pub mod chunks;
pub mod codec;
pub mod data;
pub mod dct;
pub mod image;
pub mod log;
pub mod merkle;
pub mod minhash;
pub mod ngram;
pub mod scan;
pub mod simhash;
pub mod simprint;
pub mod text;
pub mod video;
pub mod xxh32;
