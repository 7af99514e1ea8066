//! Slow, obvious twins of every kernel. Only tests, benchmarks and fuzzing use this crate.
//!
//! Tables that the standard prints (gear values, permutations, pairs) are given by the caller: they
//! are facts, checked on their own against the recorded constants.

pub mod cdc;
pub mod minhash;
pub mod simhash;
pub mod xxh32;
