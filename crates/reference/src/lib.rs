//! Slow, obvious twins of every kernel. Only tests, benchmarks and fuzzing use this crate.
