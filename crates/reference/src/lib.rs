//! Slow, obvious twins of every kernel. Only tests, benchmarks and fuzzing use this crate.
//!
//! Tables that the standard prints (gear values, permutations, pairs) are given by the caller: they
//! are facts, checked on their own against the recorded constants.

pub mod audio;
pub mod cdc;
pub mod codec;
pub mod data;
pub mod dct;
pub mod image;
pub mod minhash;
pub mod ngram;
pub mod scan;
pub mod simhash;
pub mod simprint;
pub mod text;
pub mod video;
pub mod xxh32;
